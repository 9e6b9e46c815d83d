"""The view "ε from a decision": a target, tuned on data that will not be released, the answer."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine import decisions
from engine.decisions import PrivacyChoice
from engine.decisions.choice import CERTAINTY, Remedy
from engine.decisions.scoring import acts, one_origin
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui import jobs
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.window import declared
from pages._ui.decisions import curves, question, wording, work, zones
from pages._ui.decisions.work import Aid
from pages._ui.drawing import cards, charts
from pages._ui.drawing.charts import Line, Rule
from pages._ui.drawing.colours import OTHER
from pages._ui.jobs import Job
from pages._ui.shell import catalogue, frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import Settings, has_part, use_settings
from pages._ui.views import way_out, zones as zones_view
from pages._ui.views.context import Context, of
from pages._ui.wording.numbers import number, percent

EPIDEMIC, AID, ZONES = KINDS = "an epidemic response", "aid after a shock", "zones to act in"
_KIND = setting.choice("decisions_kind", KINDS, EPIDEMIC)
PEOPLE = {"": "Not known", "yes": "Yes, or some of them", "no": "No, other people"}
_ACCURACY = setting.number("decisions_target_accuracy", 95.0, 0.1, 100.0)
_RECALL = setting.number("decisions_target_recall", 80.0, 0.1, 100.0)
_OVERLAP = setting.number("decisions_overlap_at", 90.0, 0.1, 100.0)
_ERROR = setting.number("decisions_error_at", 10.0, 0.1, 100.0)
_RIGHT = setting.number("decisions_right_at", 90.0, 0.1, 100.0)
_LEAKS = (
    "ε chosen on the data that will be released says something about them, outside the guarantee. "
    "Choose it on simulated data or on another period: other days of these data, not released, or "
    "another dataset."
)
_NOISE = (
    "The draws have the noise of exploring (rounded Laplace); a release draws discrete Laplace "
    "noise of the same scale, which is a little smaller at large ε."
)
_SAME_PEOPLE = (
    "The same people: what the choice tells about them belongs to their budget, and no theorem "
    "here counts it. The statement of a release will say so."
)


@dataclass(frozen=True)
class Tuning:
    """What ε is chosen for, and on what.

    Attributes
    ----------
    entry : Entry
        The dataset that would be released.
    source : Context
        The one that ε is tuned on, at the settings of the release.
    confidence : float
        Share of releases that must meet the target.
    """

    entry: Entry
    source: Context[Any]
    confidence: float


@dataclass(frozen=True)
class Answer:
    """What was asked and seen, on which days, and what would help if no ε does."""

    choice: PrivacyChoice
    wanted: str
    remedies: list[Remedy]
    days: tuple[int, int]
    more_to_come: bool = False


def on_zones() -> bool:
    """Whether the decision is on zones to act in."""
    return setting.value(_KIND) == ZONES


def draw(entry: Entry, settings: Settings) -> None:
    """Draw the question, then the answer."""
    st.subheader(
        wording.title("The strongest privacy that keeps a decision right", entry.name), anchor=False
    )
    kind, tuned, sure = st.columns([1.2, 1.6, 1], gap="medium", vertical_alignment="bottom")
    decision = setting.draw(
        kind.selectbox,
        "I decide on",
        question.which("decisions_kind", entry, KINDS, epidemic=EPIDEMIC, aid=AID),
        KINDS,
    )
    visits = decision == ZONES and zones.visits()
    source = _source(tuned, entry, "density" if visits else "trips")
    confidence = setting.draw(
        partial(sure.number_input, step=5.0, format="%.3g"),
        "… right in % of releases",
        setting.number("decisions_confidence", 90.0, 50.0, 95.0),
        help="The share of releases that must meet the target. It is estimated from draws, with a "
        "lower bound that holds with 95% confidence (Clopper–Pearson).",
    )
    if source.name != entry.name and not source.metadata.simulated:
        frame.banners([source])
    unit = settings.unit if source.metadata.trips_have_people else "trip"
    flows = settings.trips(unit=unit)
    context = of(source, settings.density()) if visits else of(source, flows, declared(flows))
    tuning = Tuning(entry, context, round(confidence / 100, 6))
    {EPIDEMIC: _epidemic, AID: _aid, ZONES: _zones}[decision](tuning)


def _source(place: DeltaGenerator, entry: Entry, part: str) -> Entry:
    """Draw which data ε is tuned on: this dataset, a simulated one, or one of another period."""
    others = {
        name: other
        for name, other in catalogue.entries().items()
        if has_part(other, part) and name != entry.name
    }
    labels = {entry.name: f"{entry.name} · these data, or some of their days"} | {
        name: f"{name} · {'simulated' if other.metadata.simulated else 'another period'}, "
        f"{len(other.metadata.days)} days"
        for name, other in others.items()
    }
    name = setting.draw(
        place.selectbox,
        "tuned on",
        Setting(
            key="decisions_tuned_on",
            default=entry.name,
            read={name: name for name in labels}.__getitem__,
            shared=lambda name: name in others and others[name].shipped,
        ),
        labels,
        help=_LEAKS,
    )
    return entry if name == entry.name else others[name]


def _epidemic(tuning: Tuning) -> None:
    asked = question.epidemic(tuning.source.entry)
    if asked is None:
        return
    entry, outbreak = asked
    tuning = replace(tuning, source=replace(tuning.source, entry=entry))
    source, confidence = tuning.source, tuning.confidence
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    target = decisions.EpidemicTarget(
        accuracy=question.share(left, "Accuracy at least (%)", _ACCURACY),
        recall=question.share(right, "Recall at least (%)", _RECALL),
        confidence=confidence,
    )
    true = cached_decisions.true(source.key, outbreak)[0]
    if not acts(true, outbreak.threshold).any():
        st.info(
            "In these days no zone reaches the share from which it acts, so every ε is right. Tune "
            "on a longer dataset.",
            icon=":material/timeline:",
        )
        return
    wanted = (
        f"accuracy {target.accuracy:.0%} and recall {target.recall:.0%} of an epidemic response"
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Releases at each ε", "decisions_curve")
        if running.result is None:
            st.html(cards.pending_html("Releases are being drawn."))
            return
        met = target.met(one_origin(running.result, 0))
        choice = decisions.strongest_privacy(EPSILON_STOPS, met, confidence)
        remedies = (
            []
            if choice.epsilon is not None or running.running
            else cached_decisions.epidemic_remedies(source.key, outbreak, source.parameters, target)
        )
        _answer(tuning, Answer(choice, wanted, remedies, outbreak.days, running.running))

    jobs.live("decisions_curve", curves.job(source, outbreak, at_least=confidence), show)


def _aid(tuning: Tuning) -> None:
    asked = question.shock(tuning.source.entry)
    if asked is None:
        return
    source, aid = tuning.source, Aid(tuning.source, *asked)
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    target = decisions.AidTarget(
        overlap=question.share(left, "Right destinations at least (%)", _OVERLAP),
        total_error=question.share(right, "Error of the total at most (%)", _ERROR),
        confidence=tuning.confidence,
    )
    drawn = work.aid_over_epsilon(aid)
    true = float(aid.totals.together.true)
    if true == 0:
        st.info("Nobody left the affected area on these days, so every ε is right.")
        return
    choice = decisions.strongest_privacy(
        EPSILON_STOPS, target.met(true, drawn.totals, drawn.overlap), tuning.confidence
    )
    wanted = (
        f"{target.overlap:.0%} of the first {aid.k} destinations and a total within "
        f"{target.total_error:.0%}"
    )
    remedies = (
        []
        if choice.epsilon is not None
        else cached_decisions.aid_remedies(source.key, aid.shock, source.parameters, target, aid.k)
    )
    _answer(tuning, Answer(choice, wanted, remedies, aid.shock.days))


def _zones(tuning: Tuning) -> None:
    zones.choose_counts()
    source = tuning.source
    rule = zones_view.ask(source)
    place, _ = st.columns([1, 2.4])
    target = decisions.ZonesTarget(
        right=question.share(place, "Decisions right at least (%)", _RIGHT),
        confidence=tuning.confidence,
    )
    days = (0, len(source.entry.metadata.days) - 1)
    wanted = f"{target.right:.0%} of these decisions"

    def show(running: Job) -> None:
        jobs.progress(running, "Releases at each ε", "decisions_zones")
        if running.result is None:
            st.html(cards.pending_html("Releases are being drawn."))
            return
        choice = zones.choose(running, target)
        _answer(tuning, Answer(choice, wanted, [], days, running.running))

    work = zones.over_epsilon(source, rule, tuning.confidence)
    jobs.live("decisions_zones", work, show)


def _answer(tuning: Tuning, answer: Answer) -> None:
    choice, source, confidence = answer.choice, tuning.source.entry, tuning.confidence
    chosen, tried = choice.epsilon, len(choice.epsilons)
    words, curve = st.columns([1, 1.5], gap="large")
    with words:
        if answer.more_to_come:
            # who stops as soon as an answer comes has not the confidence that is stated
            enough = choice.draws >= choice.least_draws
            needed = "" if enough else f" of at least {choice.least_draws}"
            so_far = "" if chosen is None else f" So far ε = {chosen:g} holds."
            st.html(cards.pending_html(f"{choice.draws}{needed} releases are drawn.{so_far}"))
        elif chosen is not None:
            sentence = (
                f"ε = {chosen:g} is the smallest of the {tried} tried that keeps {answer.wanted} "
                f"in {confidence:.0%} of releases, there and at every larger one tried, with "
                f"{CERTAINTY:.0%} confidence."
            )
            st.html(cards.verdict_html("good", sentence, _NOISE, of=source.name))
            st.caption(f"Tried: ε = {', '.join(f'{one:g}' for one in choice.epsilons)}.")
            same_people = _whose(tuning, answer.days)
            st.button(
                f"Use ε = {chosen:g}",
                key="decisions_use",
                icon=":material/tune:",
                on_click=_use,
                args=(chosen, tuning, answer, same_people),
            )
        elif choice.draws < choice.least_draws:
            sentence = (
                f"{choice.draws} releases are too few to show that {confidence:.0%} of all "
                f"releases keep {answer.wanted}; {choice.least_draws} are needed."
            )
            st.html(cards.verdict_html("partly", sentence, of=source.name))
        else:
            sentence = (
                f"None of the {tried} ε tried keeps {answer.wanted} in {confidence:.0%} of "
                "releases, there and at every larger one."
            )
            st.html(cards.verdict_html("noisy", sentence, of=source.name, title="Out of reach"))
            if choice.held_at.size:
                st.markdown(_noise_helps(choice))
            if answer.remedies:
                st.markdown(_help(answer.remedies, tuning.source.parameters))
            if source.name == tuning.entry.name:
                way_out.draw(tuning.source, key="decisions")
        if source.name == tuning.entry.name:
            st.warning(_LEAKS, icon=":material/policy:")
        st.caption(
            f"Tuned on {source.name}, {wording.period(source.metadata.days, answer.days)}"
            + (" (simulated people)" if source.metadata.simulated else " (confidential data)")
            + f"; {number(choice.draws)} releases at each ε."
        )
    with curve:
        _chart(choice, tuning.source.epsilon, confidence)


def _whose(tuning: Tuning, days: tuple[int, int]) -> str:
    """Ask of another period whether the same people are in it; return a key of `PEOPLE`.

    Another period is a dataset that is not simulated, or some days of these data, where others
    are released.
    """
    source = tuning.source.entry
    own = source.name == tuning.entry.name
    some_days = own and days != (0, len(source.metadata.days) - 1)
    if not some_days and (own or source.metadata.simulated):
        return ""
    released = "the other days of these data" if some_days else tuning.entry.name
    answer = st.radio(
        f"Another period: are the people of {released}, which would be released, in it as well?",
        list(PEOPLE),
        format_func=PEOPLE.__getitem__,
        key="decisions_same_people",
        horizontal=True,
    )
    if answer == "yes":
        st.caption(_SAME_PEOPLE)
    return str(answer)


def _noise_helps(choice: PrivacyChoice) -> str:
    """Say why an ε that meets the target in the chart beside is not offered."""
    first, last, values = choice.held_at[0], choice.held_at[-1], choice.held_at.size
    where = f"ε = {first:g}" if values == 1 else f"{values} values of ε from {first:g} to {last:g}"
    return (
        f"Enough draws meet the target at {where}, but not at a larger ε: there the noise happens "
        "to help. We suggest only an ε that also holds at every larger one."
    )


def _help(remedies: list[Remedy], parameters: ODParameters) -> str:
    """Say what would reach the target if noise were no matter."""
    now, *others = remedies
    good = [each.settings for each in others if each.reaches]
    lines = [
        "Without any noise, these τ and T would reach it; noise is what stands in the way."
        if now.reaches
        else "Even without any noise the target is out of reach: flows below τ are lost"
        + (" and trips beyond T trimmed." if parameters.unit != "trip" else ".")
    ]
    if not now.reaches:
        limit, kept = parameters.suppression_threshold, parameters.max_trips_per_user
        lower = [each.suppression_threshold for each in good if each.suppression_threshold < limit]
        higher = [each.max_trips_per_user for each in good if each.max_trips_per_user > kept]
        lines += [f"- τ = {value} would reach it without noise." for value in lower[:1]]
        lines += [f"- T = {value} would reach it without noise." for value in higher[:1]]
        if not (lower or higher):
            lines.append("- Neither a lower τ nor a higher T alone would reach it.")
    lines.append("- Coarser zones hold larger flows, which lose less.")
    return "\n".join(lines)


def _use(epsilon: float, tuning: Tuning, answer: Answer, same_people: str) -> None:
    """Move ε, and note what it was tuned on for the record of a release."""
    use_settings(epsilon=epsilon)
    source = tuning.source.entry
    session().tuned_on = {
        "epsilon": epsilon,
        "dataset": source.name,
        "simulated": source.metadata.simulated,
        "days": wording.period(source.metadata.days, answer.days),
        "period": tuple(source.metadata.days[day].isoformat() for day in answer.days),
        "same_people": same_people,
        "target": answer.wanted,
        "confidence": tuning.confidence,
    }


def _chart(choice: PrivacyChoice, epsilon: float, confidence: float) -> None:
    met = Line(name="met", y=choice.share, low=choice.lower, high=choice.share)
    charts.curve(
        [met],
        x=choice.epsilons,
        at=charts.EPSILON,
        of=charts.share("Releases that meet the target"),
        current=epsilon,
        rules=[Rule(y=confidence, colour=OTHER)],
        dots=True,
        key="decisions_choice",
        alt="Share of releases that meet the target over the privacy loss, with its lower bound "
        "and the share asked for",
    )
    st.caption(
        "Points: share of the draws. Lower edge of the band: the share of all releases is at "
        f"least this, with 95% confidence. Orange: the {percent(confidence)} asked for, which the "
        "bound must reach here and at every larger ε."
    )
