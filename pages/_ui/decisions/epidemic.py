"""The view Epidemic: verdict, numbers, who acts when, curves, map and accuracy over ε."""

from dataclasses import replace

import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.decisions.judgement import (
    EPIDEMIC_DAYS,
    GOOD_RECALL,
    GOOD_SHIFT_DAYS,
    EpidemicJudgement,
)
from engine.decisions.scoring import one_origin
from engine.parameters import ODParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets, decisions as cached_decisions
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import acting, curves, question, table, wording, work
from pages._ui.decisions.work import Seen
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.shell import catalogue, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import units, use_settings
from pages._ui.views.context import Context, of
from pages._ui.wording.numbers import counted, inert, number, percent

LONG_ENOUGH = "afghanistan-2020"


def draw(context: Context[ODParameters]) -> None:
    """Draw the view; of a longer simulated dataset where this one leaves nothing to decide."""
    _title(context.entry)
    asked = question.epidemic(context.entry)
    if asked is None:
        return
    entry, outbreak = asked
    true = _true(entry, outbreak)
    if not _nothing_happens(true, outbreak):
        _decided(replace(context, entry=entry), outbreak, true)
        return
    example = _example(entry, outbreak, context.parameters.unit)
    _say_nothing_happens(entry, outbreak, true, example)
    if example is None:
        return
    other, other_outbreak = example
    session().stands_in = other.name
    _title(other)
    _decided(of(other, context.parameters), other_outbreak, _true(other, other_outbreak))


def _title(entry: Entry) -> None:
    st.subheader(wording.title("When zones act in an epidemic", entry.name), anchor=False)


def _true(entry: Entry, outbreak: Outbreak) -> Floats:
    cached_datasets.dataset(entry.key)
    with st.spinner("Running the epidemic with the true trips …"):
        return cached_decisions.true(entry.key, outbreak)


def _nothing_happens(true: Floats, outbreak: Outbreak) -> bool:
    """Whether no zone ever reaches the threshold in truth."""
    return float(true[0].max()) < outbreak.threshold


def _example(entry: Entry, outbreak: Outbreak, unit: str) -> tuple[Entry, Outbreak] | None:
    """Return the same question about the long shipped dataset, if that one has an answer.

    It has none where it cannot protect what is protected here.

    Simulated people of another place stand in for simulated people, and the page says so; the
    numbers of one's own data are never replaced by others.
    """
    other = catalogue.entries().get(LONG_ENOUGH)
    if (
        other is None
        or other.name == entry.name
        or unit not in units(other)
        or not (entry.metadata.simulated and other.metadata.simulated)
        or _length(outbreak) >= EPIDEMIC_DAYS
    ):
        return None
    asked = question.usual(other, outbreak.model, outbreak.threshold)
    if asked is None or _nothing_happens(_true(other, asked), asked):
        return None
    return other, asked


def _length(outbreak: Outbreak) -> int:
    """Return how many days the epidemic lasts."""
    return outbreak.days[1] - outbreak.days[0] + 1


def _decided(context: Context[ODParameters], outbreak: Outbreak, true: Floats) -> None:
    """Draw what is decided with private trips, beside the truth."""
    drawn = jobs.job(
        "decisions_here", work.current, context.key, outbreak, context.parameters, context.seed
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Releases drawn at this ε", "decisions_here")
        if running.result is None:
            st.html(cards.pending_html("The first estimate follows in a moment."))
            return
        _figures(Seen(context, outbreak, true, running.result))

    jobs.live("decisions_here", drawn, show)
    curves.over_epsilon(context, outbreak)
    people = cached_decisions.populations(context.key, outbreak.people)
    st.caption(
        f"Populations: {people.source}. {_ledger(people, context.parameters)} {wording.BARELY}"
    )


def _ledger(people: decisions.Populations, parameters: ODParameters) -> str:
    if not people.confidential:
        return "They are taken as public and get no noise."
    apart = (
        "a person with n trips pays n·ε for them"
        if parameters.unit == "trip"
        else "beside the trips"
    )
    return (
        f"A private run adds Laplace noise of scale 1/ε = {1 / parameters.epsilon:g} people to "
        f"each, which costs a person's home ε = {parameters.epsilon:g} more ({apart}; the two are "
        "not added up)."
    )


def _say_nothing_happens(
    entry: Entry, outbreak: Outbreak, true: Floats, example: tuple[Entry, Outbreak] | None
) -> None:
    """Say that there is nothing to decide, and what is shown below in its place."""
    days = _length(outbreak)
    text = (
        f"In the {days} days of {inert(entry.name)} no zone reaches "
        f"{percent(outbreak.threshold)}: the highest prevalence is {percent(float(true[0].max()))},"
        " so there is nothing to decide. Take a lower limit"
        + (" or a longer dataset." if days < EPIDEMIC_DAYS else " or a faster disease.")
    )
    if example is not None:
        text += (
            f" **Shown below: {LONG_ENOUGH}**, {_length(example[1])} days of simulated people, with"
            " the same disease, limit, ε, T and τ."
        )
    st.info(text, icon=":material/timeline:")
    if lower := question.lower_threshold(float(true[0].max())):
        st.button(
            f"Let zones act from {percent(lower)}",
            key="decisions_lower",
            icon=":material/tune:",
            on_click=setting.put,
            args=(question.THRESHOLD, 100 * lower),
        )
    short = days < EPIDEMIC_DAYS
    if short and entry.name != LONG_ENOUGH and LONG_ENOUGH in catalogue.entries():
        st.button(
            f"Use {LONG_ENOUGH} on every page",
            key="decisions_long",
            on_click=use_settings,
            kwargs={"od_data": LONG_ENOUGH},
        )


def _figures(seen: Seen) -> None:
    drawn, origin = seen.drawn, seen.names[seen.outbreak.origins[0]]
    judged = decisions.judge_epidemic(one_origin(drawn.comparison, 0))
    parameters = seen.context.parameters
    note = (
        "Draws follow and replace this estimate."
        if drawn.estimate
        else f"Mean over {drawn.draws} releases; only noise differs between them. "
        f"Usable means that precision and recall reach {GOOD_RECALL:.0%} and the "
        f"middle zone begins to act at most {GOOD_SHIFT_DAYS:g} day early or late."
    )
    st.html(
        cards.verdict_html(
            judged.level,
            wording.epidemic_verdict(judged, parameters, origin, estimate=drawn.estimate),
            note,
            of=seen.context.entry.name,
        )
    )
    cards.row(_cards(judged, estimate=drawn.estimate))
    left, right = st.columns([1.55, 1], gap="large")
    with left:
        acting.strip(seen)
    with right:
        acting.shift(seen)
    curves.of_zones(seen)
    table.origins(seen)


def _cards(judged: EpidemicJudgement, *, estimate: bool) -> list[Card]:
    spread = (
        "exact expected flows"
        if estimate
        else f"{percent(judged.accuracy_low)} to {percent(judged.accuracy_high)}"
    )
    share = f"of {judged.zone_days:,} zone-days"
    return [
        Card(
            "Decided as with the true data",
            percent(judged.accuracy),
            spread,
            f"Never acting would get {percent(judged.never_acting)}; mean over zones.",
        ),
        Card(
            "Zone-days missed",
            number(judged.missed),
            share,
            "A zone should act and does not. Recall, mean over zones that should act: "
            f"{percent(judged.recall)}.",
        ),
        Card(
            "Zone-days needless",
            number(judged.needless),
            share,
            "A zone acts and should not. Precision, mean over zones that act: "
            f"{percent(judged.precision)}.",
        ),
        Card(
            "First acting day",
            wording.shift(judged.shift_days),
            "middle zone",
            f"{counted(judged.early, 'zone')} early, {number(judged.same)} on the day, "
            f"{number(judged.late)} late; {number(judged.phantom)} act only in the release, "
            f"{number(judged.missed_zones)} only in truth.",
        ),
    ]
