"""Origin–destination page: the outcomes of all flows, expected beside drawn, and Table S2."""

import streamlit as st

from engine.origin_destination.exact import Outcomes
from engine.origin_destination.scores import classify_outcomes
from engine.text.numbers import percent, trip_count
from pages._ui.answers.matrix import OUTCOMES, Matrix
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
    totals = [sum(parts) or 1.0 for parts in bars.values()]
    marks = [
        Mark(
            name=outcome.name,
            values=[parts[i] / total for parts, total in zip(bars.values(), totals, strict=True)],
            colour=outcome.colour,
        )
        for i, outcome in enumerate(OUTCOMES)
    ]
    charts.draw_bars(
        list(bars),
        charts.stack_bars(marks),
        measure=charts.share_axis(matrix.say("Share of all flows, and of all trips")),
        key="od_outcomes",
        alt="Outcomes of flows and of trips, expected and drawn",
    )
    counts = zip(*bars.values(), strict=True)
    tables.draw_rows(
        ("Outcome", "Meaning", *bars),
        [
            (outcome.name, matrix.say(outcome.meaning), *(f"{count:,.1f}" for count in row))
            for outcome, row in zip(OUTCOMES, counts, strict=True)
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


def _outcome_counts(outcomes: Outcomes, measure: str) -> list[float]:
    """Return the cells, or the true trips, of every one of `OUTCOMES`, in their order."""
    four = outcomes.rightly_released, outcomes.lost, outcomes.rightly_suppressed, outcomes.revealed
    phantom = outcomes.phantom.cells if measure == "cells" else 0.0
    *parts, revealed = (getattr(outcome, measure) for outcome in four)
    return [*parts, revealed - phantom, phantom]
