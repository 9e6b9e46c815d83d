"""The view "ε from a decision": a target, tuned on data that will not be released, the answer."""

from dataclasses import dataclass
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st

from engine import decisions
from engine.decisions import PrivacyChoice, Remedy
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui import jobs
from pages._ui.cache import decisions as cached_decisions
from pages._ui.decisions import accuracy, emergency, fields, period, question, wording, work
from pages._ui.drawing import cards, charts
from pages._ui.drawing.colours import OTHER, PRIVATE
from pages._ui.jobs import Job
from pages._ui.shell import catalogue, frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import Seed, Settings, has_part, use_settings
from pages._ui.shell.settings import seed as seed_of
from pages._ui.wording.numbers import number, percent

EPIDEMIC, AID = "an epidemic response", "aid after a shock"
KINDS = (EPIDEMIC, AID)
_LEAKS = (
    "ε chosen on the data that will be released says something about them, outside the guarantee. "
    "Choose it on simulated data or on another period: other days of these data, not released, or "
    "another dataset."
)
_NOISE = (
    "The draws have the noise of exploring (rounded Laplace); a release draws discrete Laplace "
    "noise of the same scale, which is a little smaller at large ε."
)


@dataclass(frozen=True)
class Answer:
    """What was asked and seen, on which days, and what would help if no ε does."""

    choice: PrivacyChoice
    wanted: str
    remedies: list[Remedy]
    days: tuple[int, int]
    more_to_come: bool = False


def draw(entry: Entry, settings: Settings, seed: Seed) -> None:
    """Draw the question, then the answer."""
    st.subheader(
        wording.title("The strongest privacy that keeps a decision right", entry.name), anchor=False
    )
    kind, tuned, sure = st.columns([1.2, 1.6, 1], gap="medium", vertical_alignment="bottom")
    decision = setting.draw(
        kind.selectbox,
        "I decide on",
        fields.question("decisions_kind", entry, KINDS, epidemic=EPIDEMIC, aid=AID),
        KINDS,
    )
    source = _source(tuned, entry)
    confidence = setting.draw(
        partial(sure.number_input, min_value=50.0, max_value=95.0, step=5.0, format="%.3g"),
        "… right in % of releases",
        setting.number("decisions_confidence", 90.0, 50.0, 95.0),
        help="The share of releases that must meet the target. It is estimated from draws, with a "
        "lower bound that holds with 95% confidence (Clopper–Pearson).",
    )
    if source.name != entry.name and not source.metadata.simulated:
        frame.banners([source])
    noise = seed if source.key == entry.key else seed_of(source)
    parameters = settings.trips()
    if not source.metadata.trips_have_people:
        parameters = settings.trips(unit="trip")
    if decision == EPIDEMIC:
        _epidemic(entry, source, parameters, round(confidence / 100, 6), noise)
    else:
        _aid(entry, source, parameters, round(confidence / 100, 6), noise)


def _source(place: st.delta_generator.DeltaGenerator, entry: Entry) -> Entry:
    """Draw which data ε is tuned on: this dataset, a simulated one, or one of another period."""
    others = {
        name: other
        for name, other in catalogue.entries().items()
        if has_part(other, "trips") and name != entry.name
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
        list(labels),
        format_func=labels.__getitem__,
        help=_LEAKS,
    )
    return entry if name == entry.name else others[name]


def _epidemic(
    entry: Entry, source: Entry, parameters: ODParameters, confidence: float, seed: Seed
) -> None:
    asked = question.ask(source)
    if asked is None:
        return
    source, outbreak = asked
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    target = decisions.EpidemicTarget(
        accuracy=_percentage(left, "Accuracy at least (%)", 95.0, "decisions_target_accuracy"),
        recall=_percentage(right, "Recall at least (%)", 80.0, "decisions_target_recall"),
        confidence=confidence,
    )
    true = cached_decisions.true(source.key, outbreak)[0]
    if not decisions.acts(true, outbreak.threshold).any():
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
        met = target.met(decisions.one_origin(running.result, 0))
        choice = decisions.strongest_privacy(EPSILON_STOPS, met, confidence)
        remedies = (
            []
            if choice.epsilon is not None or running.running
            else cached_decisions.epidemic_remedies(source.key, outbreak, parameters, target)
        )
        answer = Answer(choice, wanted, remedies, outbreak.days, more_to_come=running.running)
        _answer(entry, source, answer, parameters, confidence)

    jobs.live(
        "decisions_curve",
        accuracy.job(source, outbreak, parameters, seed, at_least=confidence),
        show,
    )


def _aid(
    entry: Entry, source: Entry, parameters: ODParameters, confidence: float, seed: Seed
) -> None:
    asked = emergency.ask(source)
    if asked is None:
        return
    shock, k = asked
    left, right, _ = st.columns([1, 1, 1.4], gap="medium")
    target = decisions.AidTarget(
        overlap=_percentage(left, "Right destinations at least (%)", 90.0, "decisions_overlap_at"),
        total_error=_percentage(
            right, "Error of the total at most (%)", 10.0, "decisions_error_at"
        ),
        confidence=confidence,
    )
    drawn = work.aid_over_epsilon(source.key, shock, parameters, k, seed)
    true = float(cached_decisions.totals(source.key, shock, parameters).together.true)
    if true == 0:
        st.info("Nobody left the affected area on these days, so every ε is right.")
        return
    choice = decisions.strongest_privacy(
        EPSILON_STOPS, decisions.aid_met(true, drawn, target), confidence
    )
    wanted = (
        f"{target.overlap:.0%} of the first {k} destinations and a total within "
        f"{target.total_error:.0%}"
    )
    remedies = (
        []
        if choice.epsilon is not None
        else cached_decisions.aid_remedies(source.key, shock, parameters, target, k)
    )
    answer = Answer(choice, wanted, remedies, shock.days)
    _answer(entry, source, answer, parameters, confidence)


def _percentage(
    place: st.delta_generator.DeltaGenerator, label: str, value: float, key: str
) -> float:
    share = setting.draw(
        partial(place.number_input, min_value=0.1, max_value=100.0, step=1.0, format="%.4g"),
        label,
        setting.number(key, value, 0.1, 100.0),
    )
    return round(share / 100, 6)


def _answer(
    entry: Entry,
    source: Entry,
    answer: Answer,
    parameters: ODParameters,
    confidence: float,
) -> None:
    choice = answer.choice
    chosen = choice.epsilon
    words, curve = st.columns([1, 1.5], gap="large")
    with words:
        if answer.more_to_come:
            # who stops as soon as an answer comes has not the confidence that is stated
            enough = choice.draws >= choice.least_draws
            needed = "" if enough else f" of at least {choice.least_draws}"
            so_far = "" if chosen is None else f" So far ε = {chosen:g} holds."
            st.html(cards.pending_html(f"{choice.draws}{needed} releases are drawn.{so_far}"))
        elif chosen is not None:
            st.html(
                cards.verdict_html(
                    "good",
                    f"ε = {chosen:g} is the smallest of the {len(choice.epsilons)} tried that "
                    f"keeps {answer.wanted} in {confidence:.0%} of releases, there and at every "
                    f"larger one tried, with {decisions.CERTAINTY:.0%} confidence.",
                    _NOISE,
                    of=source.name,
                )
            )
            st.caption(f"Tried: ε = {', '.join(f'{one:g}' for one in choice.epsilons)}.")
            same_people = period.whose(entry, source, answer.days)
            st.button(
                f"Use ε = {chosen:g}",
                key="decisions_use",
                icon=":material/tune:",
                on_click=_use,
                args=(chosen, source, answer, confidence, same_people),
            )
        elif choice.draws < choice.least_draws:
            st.html(
                cards.verdict_html(
                    "partly",
                    f"{choice.draws} releases are too few to show that {confidence:.0%} of all "
                    f"releases keep {answer.wanted}; {choice.least_draws} are needed.",
                    of=source.name,
                )
            )
        else:
            st.html(
                cards.verdict_html(
                    "noisy",
                    f"None of the {len(choice.epsilons)} ε tried keeps {answer.wanted} in "
                    f"{confidence:.0%} of releases, there and at every larger one.",
                    of=source.name,
                    title="Out of reach",
                )
            )
            if choice.held_at.size:
                st.markdown(_noise_helps(choice))
            st.markdown(_help(answer.remedies, parameters))
        if source.name == entry.name:
            st.warning(_LEAKS, icon=":material/policy:")
        st.caption(
            f"Tuned on {source.name}, {period.words(source, answer.days)}"
            + (" (simulated people)" if source.metadata.simulated else " (confidential data)")
            + f"; {number(choice.draws)} releases at each ε."
        )
    with curve:
        _chart(choice, parameters.epsilon, confidence)


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


def _use(
    epsilon: float, source: Entry, answer: Answer, confidence: float, same_people: str
) -> None:
    """Move ε, and note what it was tuned on for the record of a release."""
    use_settings(epsilon=epsilon)
    session().tuned_on = {
        "epsilon": epsilon,
        "dataset": source.name,
        "simulated": source.metadata.simulated,
        "days": period.words(source, answer.days),
        "period": tuple(source.metadata.days[day].isoformat() for day in answer.days),
        "same_people": same_people,
        "target": answer.wanted,
        "confidence": confidence,
    }


def _chart(choice: PrivacyChoice, epsilon: float, confidence: float) -> None:
    table = pd.DataFrame({"epsilon": choice.epsilons, "share": choice.share, "lower": choice.lower})
    x = charts.epsilon_axis()
    y = alt.Y(
        "share:Q",
        title="Releases that meet the target",
        axis=alt.Axis(format="~%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    tooltip = [
        alt.Tooltip("epsilon:Q", title="ε"),
        alt.Tooltip("share:Q", title="Met in", format=".1%"),
        alt.Tooltip("lower:Q", title="Lower bound", format=".1%"),
    ]
    base = alt.Chart(table)
    line = base.mark_line(point={"size": 36}, color=PRIVATE, strokeWidth=2)
    bound = base.mark_rule(color=PRIVATE, opacity=0.6, strokeWidth=1.5)
    limit = (
        alt.Chart(pd.DataFrame({"share": [confidence]}))
        .mark_rule(color=OTHER, strokeDash=[6, 4])
        .encode(y=y)
    )
    st.altair_chart(
        alt.layer(
            limit,
            *charts.you_are_here(x, "epsilon", epsilon, leftward=epsilon >= 3),
            bound.encode(x=x, y=alt.Y("lower:Q", title=""), y2="share:Q"),
            line.encode(x=x, y=y, tooltip=tooltip),
        ).properties(height=300),
        key="decisions_choice",
        alt="Share of releases that meet the target over the privacy loss, with its lower bound "
        "and the share asked for",
    )
    st.caption(
        f"Points: share of the draws. Bars down from them: the share of all releases is at least "
        f"this, with 95% confidence. Orange: the {percent(confidence)} asked for, which the bound "
        "must reach here and at every larger ε."
    )
