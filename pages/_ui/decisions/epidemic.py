"""The view Epidemic: verdict, numbers, who acts where, curves, and accuracy over ε."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.contract import Seen, Setting
from engine.decisions.judge import GOOD_SHIFT_DAYS, EpidemicJudgement, keeps_epidemic
from engine.decisions.rules import NEVER, Comparison, joined
from engine.errors import ExplorerError
from engine.parameters import EPSILON_STOPS
from engine.steps import GOOD_SHARE
from pages._ui import cached, state
from pages._ui.decisions import question, target, wording, work
from pages._ui.decisions.map import of_decisions
from pages._ui.decisions.work import Epidemics, Outbreak
from pages._ui.drawing import cards, charts, picture
from pages._ui.drawing.cards import Card
from pages._ui.drawing.charts import DASHED, EPSILON, SOLID, Axis, Line, Rule
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.jobs import pieces
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import inert, number, percent

_ZONES = 3


class Shown(NamedTuple):
    """What every figure needs: the setting, its dataset, the question and the truth."""

    setting: Setting
    entry: Entry
    key: Seen
    outbreak: Outbreak
    true: Floats

    @property
    def names(self) -> dict[str, str]:
        """The zones' names by their ids, in their order."""
        return work.names(self.key)


def draw(setting: Setting, entry: Entry) -> None:
    """Draw the view; what lacks is said before anything is shown."""
    st.subheader(f"When zones act in an epidemic: {inert(entry.name)}", anchor=False)
    key = work.place(setting.seen)
    outbreak = question.epidemic(key)
    if outbreak is None:
        return
    try:
        with st.spinner("Running the epidemic with the true trips …"):
            true = work.true(key, outbreak)
    except ExplorerError as problem:
        st.info(str(problem), icon=":material/group:")
        return
    if float(true.max()) < outbreak.threshold:
        _nothing_happens(float(true.max()), entry, key, outbreak)
        return
    seen = Shown(setting, entry, key, outbreak, true)
    asked = key, outbreak, (setting.parameters,), state.seed(entry)
    parts = [(*asked, at) for at in range(cached.REPEATS // work.PIECE)]
    drawn = pieces.ask("decisions_here", work.epidemics, parts)
    target.live(
        "decisions_here", drawn, lambda known, _: _figures(seen, work.judged(key, outbreak, known))
    )
    _over_epsilon(seen)
    left_out = len(work.names(setting.seen)) - len(seen.names)
    st.caption(wording.people(setting.parameters, left_out))


def _nothing_happens(highest: float, entry: Entry, key: Seen, outbreak: Outbreak) -> None:
    days = len(cached.dataset(key).metadata.days)
    st.info(
        f"In the {days} days of {inert(entry.name)} no zone reaches {percent(outbreak.threshold)}: "
        f"the highest prevalence is {percent(highest)}, so there is nothing to decide. Take a "
        "lower limit, more days or a faster disease.",
        icon=":material/timeline:",
    )
    if lower := question.lower_threshold(highest):
        wanted = {question.THRESHOLD: 100 * lower}
        label, take = f"Let zones act from {percent(lower)}", st.session_state.update
        st.button(label, key="decisions_lower", on_click=take, kwargs=wanted)


def _figures(seen: Shown, drawn: Epidemics) -> None:
    compared = drawn.compared
    judged = decisions.judge_epidemic(compared)
    parameters, origin = seen.setting.parameters, seen.names[seen.outbreak.origin]
    draws = len(compared.missed)
    st.html(
        cards.verdict_html(
            judged.level,
            wording.epidemic_verdict(judged, compared, parameters, origin),
            f"Mean over {draws} releases; only noise differs between them. Usable means that "
            f"precision and recall reach {GOOD_SHARE:.0%} and the middle zone begins to act at "
            f"most {GOOD_SHIFT_DAYS:g} day early or late.",
            of=seen.entry.name,
        )
    )
    cards.row(_cards(compared, judged))
    shapes = work.shapes(seen.key)
    picture.draw(of_decisions(shapes, compared, parameters.epsilon))
    _curves(seen, drawn)


def _cards(compared: Comparison, judged: EpidemicJudgement) -> list[Card]:
    low, high = (percent(float(end)) for end in np.quantile(compared.accuracy.mean, [0.05, 0.95]))
    first, truly = compared.first != NEVER, compared.first_true != NEVER
    share = f"of {compared.days * truly.shape[-1]:,} zone-days"

    def zones(which: Floats) -> str:
        return number(float(which.sum(axis=-1).mean()))

    return [
        Card(
            "Decided as with the true data",
            percent(judged.accuracy),
            f"{low} to {high}",
            f"Never acting would get {percent(float(compared.never_acting_accuracy))}; mean over "
            "zones.",
        ),
        Card(
            "Zone-days missed",
            zones(compared.missed),
            share,
            f"Should act and does not. Recall, mean over zones: {percent(judged.recall)}.",
        ),
        Card(
            "Zone-days needless",
            zones(compared.needless),
            share,
            f"Acts and should not. Precision, mean over zones: {percent(judged.precision)}.",
        ),
        Card(
            "First acting day",
            wording.shift(judged.shift_days),
            "middle zone",
            f"Zones early: {zones(compared.shift < 0)}, on the day: {zones(compared.shift == 0)}, "
            f"late: {zones(compared.shift > 0)}; acting only in the release: "
            f"{zones(first & ~truly)}, only in truth: {zones(truly & ~first)}.",
        ),
    ]


def _curves(seen: Shown, drawn: Epidemics) -> None:
    """Draw prevalence in the origin and where releases differ most from the truth."""
    st.subheader("Epidemic curves", anchor=False)
    low, middle, high = drawn.bands
    true, ids = seen.true, list(seen.names)
    apart = np.abs(true - middle).max(axis=0)
    apart[ids.index(seen.outbreak.origin)] = np.inf
    shown = np.argsort(-apart, kind="stable")[:_ZONES].tolist()
    without = None
    if seen.setting.parameters.method == "published":
        fixed = seen.setting.parameters.at(1.0)
        without = work.quiet(seen.key, seen.outbreak, fixed)
    highest = float(max(true.max(), high.max(), seen.outbreak.threshold))

    def lines(zone: int) -> list[Line]:
        known = [Line(name="true data", y=true[:, zone], colour=TRUE)]
        if without is not None:
            y = without[:, zone]
            known.append(Line(name="without noise", y=y, colour=OTHER, dash=DASHED))
        band = {"y": middle[:, zone], "low": low[:, zone], "high": high[:, zone]}
        return [*known, Line(name="releases, 90% of them", **band)]

    for column, zone in zip(st.columns(_ZONES, gap="medium"), shown, strict=False):
        name = seen.names[ids[zone]]
        with column:
            st.caption(inert(name))
            charts.curve(
                lines(zone),
                x=pd.to_datetime(cached.dataset(seen.key).metadata.days),
                at=Axis(title="Day", kind="time", form="%b", tip="%d %b %Y", ticks=5),
                of=charts.share("Infected", domain=(0.0, highest), ticks=5),
                rules=[Rule(y=seen.outbreak.threshold, colour=HERE)],
                legend=zone == shown[0],
                key=f"decisions_curve_{zone}",
                alt=f"Share of people infected in {name} over the days: true and released",
                height=210,
            )
    st.caption(
        "The dashed red line is the share from which a zone acts. What lies between the grey and "
        "the blue line is bias; the blue band is chance."
    )


def _over_epsilon(seen: Shown) -> None:
    st.subheader("How it depends on ε", anchor=False)
    parameters = seen.setting.parameters
    if parameters.method != "published":
        st.caption(wording.NO_CURVE)
        return
    settings = tuple(parameters.at(epsilon) for epsilon in EPSILON_STOPS)
    asked = seen.key, seen.outbreak, settings, state.seed(seen.entry)
    count = work.curve_draws(seen.key) // work.PIECE
    parts = [(*asked, at) for at in range(count)]
    curve = pieces.ask("decisions_curve", work.compared, parts, delay_s=0.5)
    least = target.ask(
        [
            ("Keep accuracy at … %", "decisions_accuracy_at", 95.0),
            ("and recall at … %", "decisions_recall_at", 80.0),
        ]
    )

    def show(known: list[Comparison], done: bool) -> None:
        compared = joined(known, axis=1)
        never = float(compared.never_acting_accuracy)
        charts.curve(
            [
                _line("accuracy", compared.accuracy.mean, PRIVATE, SOLID),
                _line("recall", compared.recall.mean, OTHER, DASHED),
            ],
            x=EPSILON_STOPS,
            at=EPSILON,
            of=charts.share("Share of zone-days", whole=False),
            current=parameters.epsilon,
            rules=[
                Rule(y=never, words=f"accuracy of never acting, {never:.1%}"),
                Rule(y=least[0], words=f"accuracy to keep, {least[0]:.0%}", colour=HERE),
            ],
            dots=True,
            key="decisions_accuracy",
            alt="Accuracy and recall of decisions over the privacy loss, that of never acting, and "
            "what is to be kept",
            height=320,
        )
        if done:
            promise = f"accuracy at {least[0]:.0%} and recall at {least[1]:.0%}"
            target.offer(keeps_epidemic(compared, *least), promise, seen.entry.name)

    target.live("decisions_curve", curve, show)


def _line(name: str, means: Floats, colour: str, dash: tuple[int, int]) -> Line:
    """Return the mean and a band of one standard deviation over draws, shape (settings, draws)."""
    some = np.where(np.isnan(means).all(axis=1, keepdims=True), 0.0, means)
    mean, deviation = np.nanmean(some, axis=1), np.nanstd(some, axis=1)
    ends = {"low": mean - deviation, "high": mean + deviation}
    return Line(name=name, y=mean, colour=colour, dash=dash, **ends)
