"""The view Epidemic: verdict, who acts where, curves, and accuracy over ε."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.contract import Selection, Setting
from engine.decisions.decision_evaluation import (
    GOOD_SHIFT_DAYS,
    EpidemicEvaluation,
    meets_epidemic_target,
)
from engine.decisions.rules import NEVER_ACTS, Comparison, join_comparisons
from engine.errors import ExplorerError
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.verdict import GOOD_SHARE
from pages._ui import cached, state
from pages._ui.decisions import question, work
from pages._ui.decisions.work import Outbreak
from pages._ui.drawing import cards, charts, picture
from pages._ui.drawing.charts import DASHED, EPSILON, SOLID, Axis, Line, Note
from pages._ui.drawing.colours import OTHER, PRIVATE, TRUE
from pages._ui.drawing.picture import Picture, Shapes
from pages._ui.jobs import pieces
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.wording import use as words
from pages._ui.wording.numbers import counted, inert, number, percent
from pages._ui.wording.privacy import UNITS

_ZONES = 3
_EDGES = {"missed": "lost", "needless": "phantom", "right": ""}
_LEAST, _MOST = 60, 235


class Shown(NamedTuple):
    """What every figure needs: the setting, its dataset, the question and the truth."""

    setting: Setting
    entry: Entry
    key: Selection
    outbreak: Outbreak
    true: Floats
    as_set: bool

    @property
    def names(self) -> dict[str, str]:
        """The zones' names by their ids, in their order."""
        return work.names(self.key)


def draw(setting: Setting, entry: Entry, as_if: str = "") -> None:
    """Draw the view, `as_if` it were what is set; what lacks is said before anything is shown."""
    title = f"When zones act in an epidemic: {inert(entry.name)}"
    st.subheader(title + f", {as_if}" * bool(as_if), anchor=False)
    key = work.place(setting.selection)
    try:
        with st.container(key="decisions_question"):
            outbreak = question.epidemic(key)
        with st.spinner("Running the epidemic with the true trips …"):
            true = work.true(key, outbreak)
    except ExplorerError as problem:
        st.info(str(problem), icon=":material/group:")
        return
    if float(true.max()) < outbreak.threshold:
        _nothing_happens(float(true.max()), entry, key, outbreak)
        return
    seen = Shown(setting, entry, key, outbreak, true, as_set=not as_if)
    asked = key, outbreak, (setting.parameters,), state.seed(entry)
    parts = [(*asked, at) for at in range(cached.REPEATS // work.PIECE)]
    drawn = pieces.ask("decisions_here", work.epidemics, parts)
    question.live("decisions_here", drawn, lambda known, _: _figures(seen, known))
    _over_epsilon(seen)
    left_out = len(work.names(setting.selection)) - len(seen.names)
    st.caption(people(setting.parameters, left_out, outbreak))


def draw_as_if_daily(setting: Setting, entry: Entry) -> None:
    """Show what needs days as if each were released, where asked to; what is set stays as it is."""
    daily, said = question.as_daily(setting)
    st.info(
        f"An epidemic follows the days, and this setting is released {words.when(setting)}. It can "
        f"be shown {said}. That changes nothing that is set.",
        icon=":material/calendar_month:",
    )
    if st.toggle(f"{said[0].upper()}{said[1:]}", key="decisions_as_daily", **state.LINKED):
        session().judged.add(entry.name)
        session().said = f"{words.levers(daily)}, {UNITS[daily.parameters.unit]}, {said}"
        draw(daily, entry, said)


def _nothing_happens(highest: float, entry: Entry, key: Selection, outbreak: Outbreak) -> None:
    days = len(cached.dataset(key).metadata.days)
    st.info(
        f"In the {days} days of {inert(entry.name)} no zone reaches {percent(outbreak.threshold)}: "
        f"the highest prevalence is {percent(highest)}, so there is nothing to decide. Take a "
        "lower limit or more days.",
        icon=":material/timeline:",
    )
    if lower := question.lower_threshold(highest):
        wanted = {question.threshold_key(key): 100 * lower}
        label, take = f"Let zones act from {percent(lower)}", st.session_state.update
        st.button(label, key="decisions_lower", on_click=take, kwargs=wanted)


def _figures(seen: Shown, drawn: Sequence[Floats]) -> None:
    runs = np.concatenate([part[0] for part in drawn])
    compared = decisions.compare_decisions(seen.true, runs, seen.outbreak.threshold)
    judged = decisions.evaluate_epidemic(compared)
    parameters, origin = seen.setting.parameters, seen.names[seen.outbreak.origin]
    low, high = np.quantile(compared.accuracy, [0.025, 0.975])
    st.html(
        cards.verdict_html(
            judged.verdict,
            verdict(judged, compared, parameters, origin),
            f"Mean over {len(compared.missed_days)} releases, 95% of them between "
            f"{percent(float(low))} and {percent(float(high))}; only noise differs between them. "
            f"Usable means that precision and recall, means over zones, reach {GOOD_SHARE:.0%} "
            f"(here {percent(judged.precision)} and {percent(judged.recall)}) and the middle zone "
            f"begins to act at most {GOOD_SHIFT_DAYS:g} day early or late.",
        )
    )
    zones = cached.of(picture.shapes, seen.key)
    picture.draw(of_decisions(zones, compared, parameters.epsilon))
    st.caption(_timings(compared))
    _curves(seen, *np.quantile(runs, [0.025, 0.5, 0.975], axis=0))


def _timings(compared: Comparison) -> str:
    """Say of how many zones the first acting day is moved, mean over releases."""
    first, truly = compared.first_day != NEVER_ACTS, compared.first_true_day != NEVER_ACTS
    counts = {
        "early": compared.shift_days < 0,
        "on the right day": compared.shift_days == 0,
        "late": compared.shift_days > 0,
        "in the release alone": first & ~truly,
        "in truth alone": truly & ~first,
    }
    means = {name: number(float(one.sum(axis=-1).mean())) for name, one in counts.items()}
    each = ", ".join(f"{name}: {mean}" for name, mean in means.items())
    return f"Zones that begin to act, mean over releases, {each}."


def _curves(seen: Shown, low: Floats, middle: Floats, high: Floats) -> None:
    """Draw prevalence in the origin and where releases differ most from the truth."""
    st.subheader("Epidemic curves", anchor=False)
    true, ids = seen.true, list(seen.names)
    apart = np.abs(true - middle).max(axis=0)
    apart[ids.index(seen.outbreak.origin)] = np.inf
    shown = np.argsort(-apart, kind="stable")[:_ZONES].tolist()
    without = None
    if seen.setting.parameters.method == "laplace_suppression":
        fixed = seen.setting.parameters.with_epsilon(1.0)
        without = work.quiet(seen.key, seen.outbreak, fixed)
    highest = float(max(true.max(), high.max(), seen.outbreak.threshold))
    days = pd.to_datetime(cached.dataset(seen.key).metadata.days)
    form = "%b" if len(days) > 60 else "%-d %b"

    def lines(zone: int) -> list[Line]:
        known = [Line(name="true data", y=true[:, zone], colour=TRUE)]
        if without is not None:
            y = without[:, zone]
            known.append(Line(name="without noise", y=y, colour=OTHER, dash=DASHED))
        band = {"y": middle[:, zone], "low": low[:, zone], "high": high[:, zone]}
        return [*known, Line(name="releases, 95% of them", **band)]

    for column, zone in zip(st.columns(_ZONES, gap="medium"), shown, strict=False):
        name = seen.names[ids[zone]]
        with column:
            st.caption(inert(name))
            charts.curve(
                lines(zone),
                x=days,
                at=Axis(title="Day", kind="time", form=form, tip="%d %b %Y", ticks=4),
                of=charts.share("Infected", domain=(0.0, highest), ticks=5),
                notes=[Note(y=seen.outbreak.threshold)],
                legend=False,
                key=f"decisions_curve_{zone}",
                alt=f"Share of people infected in {name} over the days: true and released",
                height=210,
            )
    st.caption(
        "Grey: true data. Dashed orange: without noise. Blue: releases, and 95% of them. A zone "
        "acts from the dashed red line on. Between grey and blue lies bias; the band is chance."
    )


def _over_epsilon(seen: Shown) -> None:
    parameters = seen.setting.parameters
    if parameters.method != "laplace_suppression":
        st.caption(question.NO_CURVE)
        return
    st.subheader("How it depends on ε", anchor=False)
    settings = tuple(parameters.with_epsilon(epsilon) for epsilon in EPSILON_STOPS)
    asked = seen.key, seen.outbreak, settings, state.seed(seen.entry)
    parts = [(*asked, at) for at in range(work.CURVE_DRAWS // work.PIECE)]
    curve = pieces.ask("decisions_curve", work.compared, parts, delay_s=0.5)
    left, right = st.columns(2, gap="medium")
    accuracy = question.kept(left, "Keep accuracy at … %", "decisions_accuracy_at", 95.0)
    recall = question.kept(right, "and recall at … %", "decisions_recall_at", 80.0)

    def show(known: list[Comparison], done: bool) -> None:
        compared = join_comparisons(known, axis=1)
        never = float(compared.never_acting_accuracy)
        charts.curve(
            [
                _line("accuracy", compared.accuracy, PRIVATE, SOLID),
                _line("recall", compared.recall, OTHER, DASHED),
            ],
            x=EPSILON_STOPS,
            at=EPSILON,
            of=charts.share("Mean over zones", domain=None, zero=False),
            current=parameters.epsilon,
            notes=[
                Note(y=never, words=f"accuracy of never acting, {never:.1%}", colour=TRUE),
                Note(y=accuracy, words=f"accuracy to keep, {accuracy:.0%}"),
            ],
            key="decisions_accuracy",
            alt="Accuracy and recall of decisions over the privacy loss, that of never acting, and "
            "what is to be kept",
        )
        if done:
            promise = f"accuracy at {accuracy:.0%} and recall at {recall:.0%}"
            met = meets_epidemic_target(compared, accuracy, recall)
            question.offer(met, promise, seen.entry.name, as_set=seen.as_set)

    question.live("decisions_curve", curve, show)


def _line(name: str, means: Floats, colour: str, dash: tuple[int, int]) -> Line:
    """Return the mean and a band of one standard deviation over draws, shape (settings, draws)."""
    some = np.where(np.isnan(means).all(axis=1, keepdims=True), 0.0, means)
    mean, deviation = np.nanmean(some, axis=1), np.nanstd(some, axis=1)
    ends = {"low": mean - deviation, "high": mean + deviation}
    return Line(name=name, y=mean, colour=colour, dash=dash, **ends)


def outcomes(compared: Comparison) -> list[str]:
    """Say how each zone is decided: wrongly where over one in ten of its due days is."""
    due = np.maximum(compared.true_action_days, 1)
    missed = compared.missed_days.mean(axis=0) / due
    needless = compared.needless_days.mean(axis=0) / due
    wrong = np.maximum(missed, needless) > 1 - GOOD_SHARE + 1e-9
    return np.where(wrong, np.where(missed >= needless, "missed", "needless"), "right").tolist()


def of_decisions(drawn: Shapes, compared: Comparison, epsilon: float) -> Picture:
    """Return the picture: the darker a zone, the more days it acts; wrong ones have an edge."""
    acting, missed, needless = (
        values.mean(axis=0)
        for values in (compared.action_days, compared.missed_days, compared.needless_days)
    )
    figures = zip(drawn.names, compared.true_action_days, acting, missed, needless, strict=True)
    words = [
        f"{name}\nshould act on {due} days\nacts on {number(now)}\nmissed: {number(lost)}\n"
        f"needless: {number(vain)}"
        for name, due, now, lost, vain in figures
    ]
    sides = _side(
        drawn, "Days on which to act, truly", compared.true_action_days / compared.days, words
    )
    title = f"With a release, ε = {epsilon:g}"
    edges = [_EDGES[one] for one in outcomes(compared)]
    sides += _side(drawn, title, acting / compared.days, words, edges)
    due, key = number(float(compared.true_action_days.sum())), ""
    for name, days in (("missed", missed), ("needless", needless)):
        said = f"{name}: {number(float(days.sum()))} zone-days beside {due} due"
        key += picture.swatch(_EDGES[name], said)
    note = "marked where over a tenth as many days are wrong as are due; darker: acts on more days"
    return Picture(sides, f"{key}<span>{note}</span>")


def _side(
    drawn: Shapes, title: str, shares: Floats, words: Sequence[str], edges: Sequence[str] = ()
) -> str:
    most = max(float(shares.max(initial=0.0)), 1e-9)
    opacities = np.where(shares > 0, _LEAST + (_MOST - _LEAST) * shares / most, 20).round()
    fills = [f"{PRIVATE}{int(opacity):02x}" for opacity in opacities]
    paths = picture.in_colour(drawn, fills, words, edges)
    return picture.figure(drawn.view_box, title, f"Map of decisions: {title}", paths)


def duration(days: float) -> str:
    """Write a number of days, in weeks from two weeks on.

    >>> duration(1), duration(13), duration(-56)
    ('1 day', '13 days', '8 weeks')
    """
    size = abs(days)
    return counted(round(size / 7), "week") if size >= 14 else counted(round(size), "day")


def people(parameters: ODParameters, left_out: int, outbreak: Outbreak) -> str:
    """Say among whom the epidemic spreads, and what that costs."""
    barely = ""
    if outbreak.model.beta == question.P2["beta"]:
        barely = (
            " Without any travel the epidemic of P2's values peaks at 24.1%, barely above the 20% "
            "at which zones act: small changes flip many decisions."
        )
    without = f", without the {left_out:,} zones in which nobody lives" if left_out else ""
    return (
        f"Populations: homes in the same data{without}; a release adds Laplace noise of scale 1/ε "
        f"to each, which costs a person's home ε = {parameters.epsilon:g} more.{barely}"
    )


def verdict(
    judged: EpidemicEvaluation, compared: Comparison, parameters: ODParameters, origin: str
) -> str:
    """Say how decisions would go, and why."""
    days, never = compared.days * compared.true_action_days.size, compared.never_acting_accuracy
    text = (
        f"At ε = {parameters.epsilon:g}, {percent(judged.accuracy)} of {days:,} zone-days are "
        f"decided as with the true data – never acting would get {percent(float(never))}. "
        f"{_timing(judged, origin)}"
    )
    phantom = (compared.first_day != NEVER_ACTS) & (compared.first_true_day == NEVER_ACTS)
    zones = float(phantom.sum(axis=-1).mean())
    if zones >= 0.5:
        text += f" Phantom flows make {counted(round(zones), 'zone')} act that never should."
    return text


def _timing(judged: EpidemicEvaluation, origin: str) -> str:
    moved = duration(judged.shift_days) if judged.timing else ""
    return {
        "early": f"The epidemic from {origin} seems faster: the middle zone begins to act {moved} "
        "early.",
        "late": f"The epidemic from {origin} seems slower: the middle zone begins to act {moved} "
        "late.",
        "on time": "The middle zone begins to act on the right day.",
        "": "No zone acts both in truth and in the release.",
    }[judged.timing]
