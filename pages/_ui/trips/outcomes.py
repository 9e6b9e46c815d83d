"""Origin–destination page: the outcomes of all flows, expected beside drawn, and Table S2."""

import streamlit as st

from engine.origin_destination.exact import Outcomes, Share
from engine.origin_destination.scores import drawn_outcomes
from pages._ui.drawing import charts, tables
from pages._ui.drawing.charts import Mark
from pages._ui.trips import matrix as trips_matrix
from pages._ui.trips.matrix import Matrix
from pages._ui.wording.numbers import percent, trip_count

_MEASURES = {"Flows": "cells", "True trips": "trips"}


def draw(matrix: Matrix) -> None:
    """Draw the bars by cells and by trips, then the counts."""
    least, exact = matrix.parameters.least_shown, matrix.expected
    drawn = drawn_outcomes(matrix.truth, matrix.shown, least)
    known = {} if exact is None else {"expected": exact.outcomes}
    known["this draw"] = drawn
    rows = {
        f"{unit}, {name}": _parts(outcomes, measure)
        for unit, measure in _MEASURES.items()
        for name, outcomes in known.items()
    }
    _bars(rows)
    trips_matrix.key(*trips_matrix.OUTCOMES)
    tables.rows(
        ("Outcome", *rows),
        [
            (one.name, *(f"{parts[one.name]:,.1f}" for parts in rows.values()))
            for one in trips_matrix.OUTCOMES
        ],
    )
    phantom = float(drawn.phantom.trips)
    below = ""
    if exact is not None:
        true, released = exact.share_below(least)
        below = (
            f" Under {trip_count(least)} lie {percent(true)} of all pairs in truth and "
            f"{percent(released)} in the expected release (the paper's Table S2)."
        )
    st.caption(
        "Lost: a real corridor that the release hides. Phantom: a corridor that does not exist; "
        f"phantoms carry {phantom:,.0f} trips in this draw. Bars by trips weigh a flow with all "
        f"its true trips, trimmed ones too.{below}"
    )


def _parts(outcomes: Outcomes, measure: str) -> dict[str, float]:
    def value(share: Share) -> float:
        return float(getattr(share, measure))

    phantom = value(outcomes.phantom) if measure == "cells" else 0.0
    return {
        trips_matrix.KEPT.name: value(outcomes.kept),
        trips_matrix.LOST.name: value(outcomes.lost),
        trips_matrix.SUPPRESSED.name: value(outcomes.kept_suppressed),
        trips_matrix.REVEALED.name: value(outcomes.revealed) - phantom,
        trips_matrix.PHANTOM.name: phantom,
    }


def _bars(rows: dict[str, dict[str, float]]) -> None:
    wholes = [sum(parts.values()) or 1.0 for parts in rows.values()]

    def mark(outcome: trips_matrix.Outcome) -> Mark:
        counts = [parts[outcome.name] for parts in rows.values()]
        shares = [count / whole for count, whole in zip(counts, wholes, strict=True)]
        return Mark(name=outcome.name, values=shares, colour=outcome.colour)

    charts.bars(
        list(rows),
        charts.stacked([mark(outcome) for outcome in trips_matrix.OUTCOMES]),
        of=charts.share("Share of all flows, and of all trips"),
        legend=False,
        key="od_outcomes",
        alt="Outcomes of flows and of trips, expected and drawn",
        height=70 + 30 * len(rows),
    )
