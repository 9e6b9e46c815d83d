"""Origin–destination page: the outcomes of all flows, expected beside drawn, and Table S2."""

import altair as alt
import pandas as pd
import streamlit as st

from engine.origin_destination import Outcomes, Share
from engine.parameters import ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import Drawn
from pages._ui.cache.window import Window
from pages._ui.shell.catalogue import Entry
from pages._ui.trips import look as trips_look
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


def draw(entry: Entry, parameters: ODParameters, window: Window, release: Drawn) -> None:
    """Draw the bars by cells and by trips, the counts, and the share of cells under τ."""
    exact = cached_trips.expectation(entry.key, parameters, window).outcomes
    bars = pd.concat(
        [
            _rows("Flows, expected", exact, "cells"),
            _rows("Flows, this draw", release.outcomes, "cells"),
            _rows("Trips, expected", exact, "trips"),
            _rows("Trips, this draw", release.outcomes, "trips"),
        ]
    )
    _bar(bars)
    trips_look.key(*trips_look.OUTCOMES)
    empty = percent(cached_trips.empty_share(entry.key, parameters, window))
    st.caption(
        "Look for purple (lost: a real corridor that the release hides) and red (phantom: a "
        f"corridor that does not exist). Flows are all ordered pairs of zones; {empty} of them are "
        "empty. Bars by trips weigh a flow with all its true trips, trimmed ones too."
    )
    left, right = st.columns([1.15, 1], gap="large")
    with left:
        st.subheader("In numbers", anchor=False)
        st.table(_numbers(exact, release.outcomes), hide_index=True, border="horizontal")
        invented = float(exact.phantom.trips)
        st.caption(
            f"Phantom flows carry {number(float(release.outcomes.phantom.trips))} trips that "
            f"nobody made in this draw; {expected_number(invented)} are expected."
        )
    with right:
        _below(entry, parameters, window, release)


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


def _rows(label: str, outcomes: Outcomes, measure: str) -> pd.DataFrame:
    parts = _parts(outcomes, measure)
    whole = sum(parts.values())
    return pd.DataFrame(
        {
            "row": label,
            "outcome": list(parts),
            "order": range(len(parts)),
            "count": list(parts.values()),
            "share": [part / whole if whole else 0.0 for part in parts.values()],
        }
    )


def _bar(table: pd.DataFrame) -> None:
    names = [outcome.name for outcome in trips_look.OUTCOMES]
    chart = (
        alt.Chart(table)
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="Share of all flows, and of all trips",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="~%"),
            ),
            y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=160)),
            color=alt.Color(
                "outcome:N",
                sort=names,
                legend=None,
                scale=alt.Scale(
                    domain=names, range=[outcome.colour for outcome in trips_look.OUTCOMES]
                ),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("row:N", title="Of"),
                alt.Tooltip("outcome:N", title="Outcome"),
                alt.Tooltip("share:Q", title="Share", format=".2%"),
                alt.Tooltip("count:Q", title="Number", format=",.1f"),
            ],
        )
        .properties(height=190)
    )
    st.altair_chart(
        chart, key="od_outcomes", alt="Outcomes of flows and of trips, expected and drawn"
    )


def _numbers(exact: Outcomes, release: Outcomes) -> pd.DataFrame:
    cells, drawn = _parts(exact, "cells"), _parts(release, "cells")
    trips, drawn_trips = _parts(exact, "trips"), _parts(release, "trips")
    empty = trips_look.PHANTOM.name
    return pd.DataFrame(
        {
            "Outcome": [outcome.name for outcome in trips_look.OUTCOMES],
            "Flows expected": [f"{cells[outcome.name]:,.1f}" for outcome in trips_look.OUTCOMES],
            "drawn": [f"{drawn[outcome.name]:,.0f}" for outcome in trips_look.OUTCOMES],
            "True trips expected": [
                "–" if outcome.name == empty else f"{trips[outcome.name]:,.0f}"
                for outcome in trips_look.OUTCOMES
            ],
            "trips drawn": [
                "–" if outcome.name == empty else f"{drawn_trips[outcome.name]:,.0f}"
                for outcome in trips_look.OUTCOMES
            ],
        }
    )


def _below(entry: Entry, parameters: ODParameters, window: Window, release: Drawn) -> None:
    limit = parameters.least_shown
    st.subheader(f"Share of flows under {trip_count(limit)} (Table S2)", anchor=False)
    exact = cached_trips.below(entry.key, parameters, window)
    rows = {
        "All pairs of zones": (*exact["all"], release.below),
        "Pairs with a trip": (*exact["travelled"], release.below_travelled),
    }
    if not window.summed and len(entry.metadata.periods) > 1:
        whole = cached_trips.below(entry.key, parameters, Window(None, summed=True))
        rows["Sum of the period, noise once"] = (*whole["all"], float("nan"))
    table = pd.DataFrame(
        [[name, *map(percent, shares)] for name, shares in rows.items()],
        columns=["", "True", "Expected", "Drawn"],
    )
    st.table(table, hide_index=True, border="horizontal")
    published = PUBLISHED.get(entry.name) if limit == _TABLE_LIMIT else None
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
