"""Origin–destination page: what all days cost a person, and the totals of zones."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.datasets import Metadata
from engine.origin_destination import Totals
from engine.parameters import ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import Drawn
from pages._ui.cache.window import Window
from pages._ui.drawing import cards, colours
from pages._ui.drawing.cards import Card
from pages._ui.shell.catalogue import Entry
from pages._ui.trips import look as trips_look
from pages._ui.trips import ranges
from pages._ui.wording.numbers import percent, scientific, signed_percent
from pages._ui.wording.privacy import up_to

_POINTS = 14
_ZONES = 18


def draw(
    entry: Entry, parameters: ODParameters, window: Window, release: Drawn, delta: float
) -> None:
    """Draw the cost of releasing every day, then the totals of the busiest zones."""
    left, right = st.columns([1, 1.15], gap="large")
    with left:
        st.subheader("What all days cost a person", anchor=False)
        _composition(parameters, entry.metadata, delta)
    with right:
        st.subheader("Trips leaving a zone, with the 95% interval", anchor=False)
        _totals(entry, parameters, window, release)


def _composition(parameters: ODParameters, about: Metadata, delta: float) -> None:
    days = len(about.days)
    if parameters.unit == "trip":
        st.info(
            f"Each single trip is protected with ε = {parameters.epsilon:g}, on whichever of the "
            f"{days} days it lies. This does not protect a person: somebody with 30 trips may lose "
            "up to 30 times as much."
        )
        return
    if parameters.unit == "person":
        st.info(
            f"One release covers all {days} days: a person loses ε = {parameters.epsilon:g}, once, "
            f"however many of the days they travel on. At most {parameters.max_trips_per_user} of "
            "their trips count in the whole period."
        )
        return
    if len(about.periods) < days:
        st.info(
            f"Days are added up here. One noise is added to each matrix, but a person who travels "
            f"on all {days} days changes it on each of them: they lose up to {days} × "
            f"{parameters.epsilon:g} = {days * parameters.epsilon:.4g}, as if every day were "
            "released by itself. The tighter total of single days does not hold for such sums."
        )
        return
    total = cached_trips.person_total(parameters, days, delta)
    plain, tight = total.plain_epsilon or 0.0, total.tight_epsilon or 0.0
    cards.row(
        [
            Card(
                f"{days} days, added up",
                f"ε = {plain:.4g}",
                "always holds",
                f"{days} × {parameters.epsilon:g} for a person who travels every day.",
            ),
            Card(
                "Tighter total",
                f"ε = {tight:.3g}",
                f"at δ = {scientific(delta)}",
                "Optimal composition: " + up_to(delta) + "."
                if tight < 0.995 * plain
                else "Too few days, or too large an ε, to gain anything.",
            ),
        ]
    )
    counts = np.unique(np.linspace(1, days, min(days, _POINTS)).round().astype(int))
    rows = []
    for count in counts:
        part = cached_trips.person_total(parameters, int(count), delta)
        rows.append((int(count), "added up", part.plain_epsilon))
        rows.append((int(count), "tighter total", part.tight_epsilon))
    table = pd.DataFrame(rows, columns=["days", "total", "epsilon"])
    chart = (
        alt.Chart(table)
        .mark_line(point={"size": 26})
        .encode(
            x=alt.X("days:Q", title="Days released", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("epsilon:Q", title="Privacy loss of a person (ε)"),
            color=alt.Color(
                "total:N",
                title=None,
                sort=["added up", "tighter total"],
                scale=alt.Scale(
                    domain=["added up", "tighter total"], range=[colours.TRUE, colours.PRIVATE]
                ),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("days:Q", title="Days"),
                alt.Tooltip("total:N", title="Total"),
                alt.Tooltip("epsilon:Q", title="ε", format=".3~g"),
            ],
        )
        .properties(height=270)
    )
    st.altair_chart(chart, key="od_days", alt="Privacy loss of a person over the days released")
    st.caption(
        "Each day is a release of its own. To spend ε once, protect the person over the whole "
        "period (sidebar), or release fewer days."
    )


def _totals(entry: Entry, parameters: ODParameters, window: Window, release: Drawn) -> None:
    exact = cached_trips.expectation(entry.key, parameters, window)
    grand: Totals = exact.grand
    true, expected = float(grand.true), float(grand.expected)
    bias = (expected - true) / true if true else float("nan")
    names = np.array(trips_look.zone_labels(entry.key))
    order = np.argsort(-exact.outgoing.true, kind="stable")[:_ZONES]
    table = pd.DataFrame(
        {
            "zone": names[order],
            "true": exact.outgoing.true[order],
            "low": exact.outgoing.low[order],
            "high": exact.outgoing.high[order],
            "drawn": release.counts.sum(axis=1)[order],
        }
    )
    ranges.draw(
        table,
        {"drawn": "This draw"},
        title="Trips leaving (bar: 95% interval of the release)",
        low="95% from",
        key="od_totals",
        alt_text="Trips leaving the busiest zones: true, released interval and this draw",
        height=400,
    )
    st.caption(
        f"Grey tick: true; blue dot: this draw. Bars: the release lies within in at least "
        f"95% of draws, from the exact law of the sum. {_gap(exact.histogram.trimmed_trips, true)}"
        f"All flows together: {true:,.0f} true trips, "
        f"{expected:,.0f} expected in the release ({signed_percent(bias)}; 95%: "
        f"{float(grand.low):,.0f} to {float(grand.high):,.0f})."
    )


def _gap(trimmed: float, true: float) -> str:
    """Say how much of the gap between tick and dot is trimming."""
    if not trimmed or not true:
        return ""
    share = percent(trimmed / true)
    return f"Trimming drops {trimmed:,.0f} trips ({share}) before any noise. "
