"""The large numbers of one setting, or of several side by side; ranges fill in as draws come."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import trips as cached_trips, verbs
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.repeats import Drawn
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.views import draws
from pages._ui.views.context import Context, Flows
from pages._ui.wording.cards import density_cards, trip_cards
from pages._ui.wording.numbers import expected_number, percent, trip_count


def draw(context: Context[Any], more: Sequence[Card] = ()) -> None:
    """Draw the numbers over the whole width, then `more`: at once where there is a law."""
    if isinstance(context.parameters, DensityParameters):
        _live("numbers", [context], lambda every: cards.row([*every[0], *more]))
    elif context.method.expected is None:
        wrong, every = _wrong(context), context.methods  # all methods' draws are one job
        place = [one.method for one in every].index(context.method)
        _live("numbers", every, lambda known: cards.row([*known[place], *wrong, *more]))
    else:
        cards.row([*_expected(context), *_wrong(context), *more])


def beside(name: str, contexts: Sequence[Context[Any]]) -> None:
    """Draw the numbers that every method has, one column a context."""

    def show(every: list[list[Card]]) -> None:
        columns = st.columns(len(contexts), gap="large")
        for column, context, shown in zip(columns, contexts, every, strict=True):
            with column:
                st.markdown(f"##### {title(context)}")
                cards.draw(shown)

    _live(name, contexts, show)


def title(context: Context[Any]) -> str:
    """Return what a setting is called beside other methods, with τ where it hides flows."""
    threshold = "suppression_threshold"
    hides = threshold in context.method.uses
    tau = f" (τ = {getattr(context.parameters, threshold)})" if hides else ""
    return f"{context.method.short}{tau}"


def _live(name: str, contexts: Sequence[Context[Any]], show: Any) -> None:
    work = draws.job(name, contexts, delay_s=jobs.RESTED_S)

    def part(running: Job) -> None:
        results = running.result or (None,) * len(contexts)
        pairs = zip(contexts, results, strict=True)
        show([_drawn(one, known, running=running.running) for one, known in pairs])

    jobs.live(name, work, part)


def _drawn(context: Context[Any], known: Any, *, running: bool) -> list[Card]:
    if not isinstance(context.parameters, DensityParameters):
        return trip_cards(known.scores if known else (), context.parameters)
    repeated: Drawn = known or Drawn()
    repeats = None if running and not repeated.ranges_known else repeated.scores
    scores = verbs.scores(*context.asked)
    return density_cards(scores, repeats, repeated.distances_m, finished=not running)


def _expected(context: Flows) -> list[Card]:
    """Return what the law expects; ranges are of repeated draws of one matrix."""
    exact = cached_trips.numbers(*context.exact)
    ranges = (
        []
        if context.several
        else [verbs.scores(*context.asked, repeat=repeat) for repeat in range(REPEATS)]
    )
    return trip_cards(ranges, context.parameters, exact.scores, several=context.several)


def _wrong(context: Flows) -> list[Card]:
    """Return the lost and the phantom flows of this draw, beside what the law expects."""
    drawn = cached_trips.drawn(*context.asked).outcomes
    law = context.method.expected is not None
    scores = cached_trips.numbers(*context.exact).scores if law else None
    size, each = trip_count(context.parameters.least_shown), " a day" if context.several else ""

    def beside(name: str) -> str:
        return f"drawn; {expected_number(getattr(scores, name))} expected" if scores else "drawn"

    flows = float(drawn.kept.cells + drawn.lost.cells)
    lost = scores.lost_flows if scores else float(drawn.lost.cells)
    return [
        Card(
            "Lost flows",
            f"{float(drawn.lost.cells):,.0f}",
            beside("lost_flows"),
            f"Flows of {size} or more{each} that read 0: {percent(lost / flows)} of them."
            if flows
            else f"No flow has {size} or more{each}: what is shown is noise alone.",
        ),
        Card(
            "Phantom flows",
            f"{float(drawn.phantom.cells):,.0f}",
            beside("phantom_flows"),
            "Flows shown although nobody travelled."
            + (
                " A higher τ removes them."
                if "suppression_threshold" in context.method.uses
                else ""
            ),
        ),
    ]
