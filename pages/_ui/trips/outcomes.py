"""Origin–destination page: the outcomes of all flows, expected beside drawn, and Table S2."""

import streamlit as st

from engine.origin_destination.exact.outcomes import Outcomes, Share
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import Drawn
from pages._ui.cache.window import Window
from pages._ui.drawing import charts, tables
from pages._ui.drawing.charts import Mark
from pages._ui.trips import look as trips_look
from pages._ui.views.context import Flows
from pages._ui.wording.numbers import expected_number, number, percent, trip_count

PUBLISHED = {
    "rwanda-districts": ("49.3%", "47.6%"),
    "rwanda-sectors": ("78.1%", "88.3%"),
    "afghanistan-provinces": ("75.9%", "65.9%"),
    "afghanistan-districts": ("96.7%", "88.2%"),
    "afghanistan-2020": ("73.6%", "64.1%"),
}
"""Share of counts under 15 in P2's Table S2 for the real data: not private, and at ε = 0.1."""


_TABLE_LIMIT = 15


def draw(context: Flows) -> None:
    """Draw the bars by cells and by trips, the counts, and the share of cells under τ."""
    exact, drawn = context.expected, cached_trips.drawn(*context.asked)
    known = {} if exact is None else {"expected": exact.outcomes}
    known["this draw"] = drawn.outcomes
    _bars(known)
    trips_look.key(*trips_look.OUTCOMES)
    empty = percent(cached_trips.empty_share(*context.exact))
    st.caption(
        "Look for purple (lost: a real corridor that the release hides) and red (phantom: a "
        f"corridor that does not exist). Flows are all ordered pairs of zones; {empty} of them are "
        "empty. Bars by trips weigh a flow with all its true trips, trimmed ones too."
    )
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        st.subheader("In numbers", anchor=False)
        tables.draw(_numbers(known))
        carried = number(float(drawn.outcomes.phantom.trips))
        expected = (
            ""
            if exact is None
            else f"; {expected_number(float(exact.outcomes.phantom.trips))} are expected"
        )
        st.caption(f"Phantom flows carry {carried} trips that nobody made in this draw{expected}.")
    if exact is not None:
        with right:
            _below(context, drawn)


def _parts(outcomes: Outcomes, measure: str) -> dict[str, float]:
    def value(share: Share) -> float:
        return float(getattr(share, measure))

    phantom = value(outcomes.phantom) if measure == "cells" else 0.0
    return {
        trips_look.KEPT.name: value(outcomes.kept),
        trips_look.LOST.name: value(outcomes.lost),
        trips_look.SUPPRESSED.name: value(outcomes.kept_suppressed),
        trips_look.REVEALED.name: value(outcomes.revealed) - phantom,
        trips_look.PHANTOM.name: phantom,
    }


def _bars(known: dict[str, Outcomes]) -> None:
    """Draw the outcomes as shares of all flows and of all trips, expected and drawn."""
    rows = {
        f"{unit}, {name}": _parts(outcomes, measure)
        for unit, measure in (("Flows", "cells"), ("Trips", "trips"))
        for name, outcomes in known.items()
    }
    wholes = [sum(parts.values()) or 1.0 for parts in rows.values()]

    def mark(outcome: trips_look.Outcome) -> Mark:
        counts = [parts[outcome.name] for parts in rows.values()]
        shares = [count / whole for count, whole in zip(counts, wholes, strict=True)]
        return Mark(
            name=outcome.name,
            values=shares,
            colour=outcome.colour,
            written=[f"{s:.2%} ({n:,.1f})" for s, n in zip(shares, counts, strict=True)],
        )

    charts.bars(
        list(rows),
        charts.stacked([mark(outcome) for outcome in trips_look.OUTCOMES]),
        of=charts.share("Share of all flows, and of all trips"),
        legend=False,
        key="od_outcomes",
        alt="Outcomes of flows and of trips, expected and drawn",
        height=70 + 60 * len(known),
    )


def _numbers(known: dict[str, Outcomes]) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {"Outcome": [one.name for one in trips_look.OUTCOMES]}
    for what, measure in (("Flows", "cells"), ("True trips", "trips")):
        for name, outcomes in known.items():
            parts, form = _parts(outcomes, measure), ",.1f" if name == "expected" else ",.0f"
            columns[f"{what}, {name}"] = [
                "–"
                if (what, outcome) == ("True trips", trips_look.PHANTOM)
                else format(parts[outcome.name], form if what == "Flows" else ",.0f")
                for outcome in trips_look.OUTCOMES
            ]
    return columns


def _below(context: Flows, drawn: Drawn) -> None:
    limit = context.parameters.least_shown
    st.subheader(f"Share of flows under {trip_count(limit)} (Table S2)", anchor=False)
    exact = cached_trips.below(*context.exact)
    rows = {
        "All pairs of zones": (*exact["all"], drawn.below),
        "Pairs with a trip": (*exact["travelled"], drawn.below_travelled),
    }
    summed = Window(None, summed=True)
    if context.window != summed and len(context.entry.metadata.periods) > 1:
        whole = cached_trips.below(context.key, context.parameters, summed)
        rows["Sum of the period, noise once"] = (*whole["all"], float("nan"))
    lines = [[name, *map(percent, shares)] for name, shares in rows.items()]
    tables.rows(("", "True", "Expected", "Drawn"), lines)
    published = PUBLISHED.get(context.entry.name) if limit == _TABLE_LIMIT else None
    note = (
        f"The paper's Table S2 prints {published[0]} without noise and {published[1]} at ε = 0.1 "
        "for the real data. "
        if published
        else ""
    )
    st.caption(
        f"{note}Some of its shares at fine levels cannot come from daily matrices and this noise "
        "(erratum O6). Compare the rows, at τ = 15, to see which counting comes near."
    )
