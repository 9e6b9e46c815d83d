"""Origin–destination page: the outcomes of all flows, expected beside drawn, and Table S2."""

import numpy as np
import streamlit as st

from engine.origin_destination import has_suppression
from engine.origin_destination.exact import Outcomes
from engine.origin_destination.scores import classify_outcomes
from engine.text.numbers import percent, trip_count
from pages._ui.answers.matrix import OUTCOMES, Matrix, Outcome
from pages._ui.components import charts, tables
from pages._ui.components.charts import Mark

_MEASURES = {"Flows": "cells", "True trips": "trips"}


def draw(matrix: Matrix) -> None:
    """Draw the bars by cells and by trips, then the counts."""
    floor, exact = matrix.parameters.min_shown_count, matrix.expected
    actual = classify_outcomes(matrix.truth, matrix.shown_counts, floor)
    sets = ({} if exact is None else {"expected": exact.outcomes}) | {"this draw": actual}
    bars = {
        matrix.say(f"{unit}, {name}"): _outcome_counts(outcomes, measure)
        for unit, measure in _MEASURES.items()
        for name, outcomes in sets.items()
    }
    counts = np.array(list(bars.values()))
    totals = counts.sum(axis=1)
    shares = counts.T / np.where(totals > 0, totals, 1.0)
    ends = shares.cumsum(axis=0)
    marks = [  # each begins where the one before it ends
        Mark(
            name=outcome.name,
            values=end - share,
            end=end,
            texts=[f"{value:,.4g}" for value in share],
            colour=outcome.colour,
        )
        for outcome, share, end in zip(OUTCOMES, shares, ends, strict=True)
    ]
    charts.draw_bars(
        list(bars),
        marks,
        measure=charts.share_axis(matrix.say("Share of all flows, and of all trips")),
        key="od_outcomes",
        alt="Outcomes of flows and of trips, expected and drawn",
    )
    tables.draw_rows(
        ("Outcome", "Meaning", *bars),
        [
            (outcome.name, _describe(outcome, matrix), *(f"{count:,.1f}" for count in row))
            for outcome, row in zip(OUTCOMES, counts.T, strict=True)
        ],
    )
    below = ""
    if matrix.method.number_kind == "estimated":
        below = " Nothing is suppressed: what is not shown stays in all sums."
    if exact is not None:
        true, released = exact.share_below(floor)
        below = (
            f" Pairs of zones with fewer than {trip_count(floor)}: {percent(true)} in truth, "
            f"{percent(released)} in the expected release (the paper's Table S2)."
        )
    st.caption(
        matrix.say(
            f"Phantoms carry {actual.phantom.trips:,.0f} trips in this draw. Bars by trips weigh "
            f"a flow with all its true trips, also those beyond T.{below}"
        )
    )


def _describe(outcome: Outcome, matrix: Matrix) -> str:
    """Return what an outcome means with the least count that is shown in place of τ."""
    meaning = outcome.meaning.replace("τ trips", trip_count(matrix.parameters.min_shown_count))
    intended = " (as intended)" if has_suppression(matrix.parameters) else ""
    return matrix.say(meaning.replace(" (as intended)", intended))


def _outcome_counts(outcomes: Outcomes, measure: str) -> list[float]:
    """Return the cells, or the true trips, of every one of `OUTCOMES`, in their order."""
    four = outcomes.rightly_released, outcomes.lost, outcomes.rightly_suppressed, outcomes.revealed
    phantom = outcomes.phantom.cells if measure == "cells" else 0.0
    *parts, revealed = (getattr(outcome, measure) for outcome in four)
    return [*parts, revealed - phantom, phantom]
