"""The view Epidemic: verdict, numbers, who acts when, curves, map and accuracy over ε."""

from dataclasses import dataclass

import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.decisions import EpidemicJudgement
from engine.parameters import ODParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import (
    accuracy,
    curves,
    origins,
    places,
    question,
    shift,
    strip,
    wording,
    work,
)
from pages._ui.decisions.work import Epidemics
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, use_settings
from pages._ui.wording.numbers import counted, number, percent

LONG_ENOUGH = "afghanistan-2020"
_FEW_DAYS = 60


@dataclass(frozen=True, eq=False)
class Seen:
    """What every figure of the view needs: the question, the truth and what was drawn."""

    entry: Entry
    outbreak: Outbreak
    parameters: ODParameters
    true: Floats
    drawn: Epidemics
    judged: EpidemicJudgement

    @property
    def origin(self) -> str:
        """Name of the zone in which the epidemic starts."""
        return places.names(self.entry.key)[self.outbreak.origins[0]]


def draw(entry: Entry, parameters: ODParameters, seed: Seed) -> None:
    """Draw the view."""
    outbreak = question.ask(entry)
    if outbreak is None:
        return
    cached_datasets.dataset(entry.key)
    with st.spinner("Running the epidemic with the true trips …"):
        true = cached_decisions.true(entry.key, outbreak)
    if _nothing_happens(entry, outbreak, true):
        return
    drawn = jobs.job("decisions_here", work.current, entry.key, outbreak, parameters, seed)

    def show(running: Job) -> None:
        jobs.progress(running, "Releases drawn at this ε", "decisions_here")
        if running.result is None:
            st.html(cards.pending_html("The first estimate follows in a moment."))
            return
        first = decisions.one_origin(running.result.comparison, 0)
        judged = decisions.judge_epidemic(first)
        _figures(Seen(entry, outbreak, parameters, true, running.result, judged))

    jobs.live("decisions_here", drawn, show)
    accuracy.draw(entry, outbreak, parameters, seed)
    st.caption(
        "Populations: "
        + cached_decisions.populations(entry.key, outbreak.people).source
        + ". "
        + _ledger(entry, outbreak, parameters)
        + f" {wording.BARELY}"
    )


def _ledger(entry: Entry, outbreak: Outbreak, parameters: ODParameters) -> str:
    people = cached_decisions.populations(entry.key, outbreak.people)
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


def _nothing_happens(entry: Entry, outbreak: Outbreak, true: Floats) -> bool:
    """Say so where no zone ever reaches the threshold in truth."""
    highest = float(true[0].max())
    if highest >= outbreak.threshold:
        return False
    days = outbreak.days[1] - outbreak.days[0] + 1
    st.info(
        f"In these {days} days no zone reaches {percent(outbreak.threshold)}: the highest "
        f"prevalence is {percent(highest)}, so there is nothing to decide. Take a lower limit"
        + (" or a longer dataset." if days < _FEW_DAYS else " or a faster disease."),
        icon=":material/timeline:",
    )
    if days < _FEW_DAYS and entry.name != LONG_ENOUGH and LONG_ENOUGH in catalogue.entries():
        st.button(
            f"Use {LONG_ENOUGH} instead",
            key="decisions_long",
            on_click=use_settings,
            kwargs={"od_data": LONG_ENOUGH},
        )
    return True


def _figures(seen: Seen) -> None:
    judged, drawn = seen.judged, seen.drawn
    note = (
        "Draws follow and replace this estimate."
        if drawn.estimate
        else f"Mean over {drawn.draws} releases; only noise differs between them. "
        f"Usable means that precision and recall reach {decisions.GOOD_RECALL:.0%}."
    )
    st.html(
        cards.verdict_html(
            judged.level,
            wording.epidemic_verdict(
                judged, seen.parameters.epsilon, seen.origin, estimate=drawn.estimate
            ),
            note,
            of=seen.entry.name,
        )
    )
    cards.row(_cards(seen))
    left, right = st.columns([1.55, 1], gap="large")
    with left:
        strip.draw(seen.entry, seen.outbreak, seen.true[0], drawn)
    with right:
        shift.draw(seen.entry, seen.outbreak, seen.true[0], drawn)
    curves.draw(seen.entry, seen.outbreak, seen.parameters, seen.true[0], drawn)
    origins.draw(seen.entry, seen.outbreak, seen.parameters, seen.true, drawn)


def _cards(seen: Seen) -> list[Card]:
    judged = seen.judged
    spread = (
        "exact expected flows"
        if seen.drawn.estimate
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
