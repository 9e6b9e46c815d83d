"""Origin–destination page: the published method and ours on the same noise, side by side."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from engine.origin_destination.estimate import CAPPED_SHARE, CAPPED_TRIPS
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui import jobs
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache.window import Window
from pages._ui.drawing import cards, charts, colours, maps, marks
from pages._ui.drawing.svg import sketches
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.trips.view import View
from pages._ui.wording.agreement_cards import agreement_cards
from pages._ui.wording.measures import MEAN_ERROR
from pages._ui.wording.numbers import number

LARGEST = 60
_HEIGHT = 330
_CURVE = "trips_ours_curve"
LOSSES = (
    "**The published method loses** every flow below τ, and with it much of the totals of zones; "
    "what it shows keeps its full noise.  \n"
    "**Ours loses** sudden, isolated flows that its model does not expect (see *Unexpected – "
    "check*), pulls a zone that changes at once towards its usual share, and is no better on large "
    "flows. Its ranges by the model are not guaranteed; those “whatever the model” are."
)


def draw(view: View, work: Job) -> None:
    """Draw numbers, maps and the curve over ε for both methods."""
    spent = view.release.ledger.proved_epsilon
    st.caption(
        f"Both spend the same: ε = {spent:g} for {view.release.ledger.unit.words}, proved, and "
        "both read the same draw of the noise. Numbers are of all pairs of zones, empty ones too."
        + _bought(view)
    )
    jobs.live("trips_ours_numbers", work, partial(_numbers, view))
    largest = float(max(view.true.max(initial=0), 1))
    scale = maps.Scale(0.0, largest)
    left, right = st.columns(2, gap="large")
    shown = marks.shown(view.release)
    with left:
        st.html(f'<div class="maptitle">Published: the {LARGEST} largest flows</div>')
        _map(view, view.published, scale, "published", marked=False)
    with right:
        st.html(f'<div class="maptitle">Ours: the {LARGEST} largest certain or likely flows</div>')
        _map(view, np.where(shown, view.release.typical[0], 0), scale, "ours", marked=True)
    scale.legend("trips of a flow", "0", f"{largest:,.0f} or more")
    marks.key()
    st.subheader(f"{MEAN_ERROR}, over ε", anchor=False)
    job = jobs.job(
        _CURVE,
        _curve_steps,
        view.entry.key,
        replace(view.parameters, epsilon=1.0),  # a slider over ε finds the same curve
        view.seed,
        view.window,
        delay_s=0.5,
    )
    jobs.live(_CURVE, job, partial(_curve, view.parameters))
    st.subheader("What each loses", anchor=False)
    st.markdown(LOSSES)


def _bought(view: View) -> str:
    """Say whether ours measured the number of all trips too, where trimming drops some."""
    if view.parameters.unit != "person-day":
        return ""
    if view.release.measurement.capped_trips is None:
        return (
            " At this ε the number of all trips is too noisy to measure: trimmed trips stay lost."
        )
    return (
        f" Ours spends {CAPPED_SHARE:.0%} of ε on the number of all trips, at most {CAPPED_TRIPS} "
        "a person a day, and scales its flows up to it: that brings back what trimming drops."
    )


def _numbers(view: View, work: Job) -> None:
    draws = work.result
    left, right = st.columns(2, gap="large")
    threshold = view.parameters.suppression_threshold
    with left:
        st.markdown(f"##### Published (τ = {threshold})")
        cards.draw(agreement_cards(draws.published if draws else ()))
    with right:
        st.markdown("##### Ours")
        cards.draw(agreement_cards(draws.ours if draws else ()))


def _map(
    view: View,
    matrix: NDArray[np.float64] | NDArray[np.int64],
    scale: maps.Scale,
    name: str,
    *,
    marked: bool,
) -> None:
    origins, destinations = maps.largest_flows(matrix, LARGEST)
    pairs = (origins, destinations)
    values = matrix[pairs].astype(float)
    sketches.flow_sketch(
        cached_datasets.sketch(view.entry.key),
        origins,
        destinations,
        values,
        scale,
        key=f"od_side_{name}",
        alt=f"Map of the largest flows, {name}",
        tooltip={
            "true": [f"{value:,}" for value in view.true[pairs]],
            "published": [f"{value:,}" for value in view.published[pairs]],
            "ours": marks.words(view.release, pairs),
        },
        height=_HEIGHT,
        colours=marks.colours(view.release, pairs, scale, values) if marked else None,
    )


def _curve_steps(key: str, parameters: ODParameters, seed: Seed, window: Window) -> Iterator[Step]:
    rows: list[tuple[float, float, float]] = []
    for done, epsilon in enumerate(EPSILON_STOPS, 1):
        settings = replace(parameters, epsilon=epsilon)
        published, ours = cached_estimates.errors(key, settings, seed, window)
        rows.append((epsilon, published, ours))
        yield Step(done, len(EPSILON_STOPS), tuple(rows))


def _curve(parameters: ODParameters, work: Job) -> None:
    names = ("published", "ours")
    rows = [
        (epsilon, name, value)
        for epsilon, *values in work.result or ()
        for name, value in zip(names, values, strict=True)
        if value > 0
    ]
    table = pd.DataFrame(rows, columns=["epsilon", "method", "error"])
    lines = (
        alt.Chart(table)
        .mark_line(point={"size": 28})
        .encode(
            x=charts.epsilon_axis(),
            y=alt.Y(
                "error:Q",
                title="Mean error (trips), log scale",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(format="~g", tickCount=6),
            ),
            color=alt.Color(
                "method:N",
                title=None,
                sort=list(names),
                scale=alt.Scale(domain=list(names), range=[colours.OTHER, colours.PRIVATE]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("epsilon:Q", title="ε"),
                alt.Tooltip("method:N", title="Method"),
                alt.Tooltip("error:Q", title="Mean error (trips)", format=".3~g"),
            ],
        )
    )
    current = (
        alt.Chart(pd.DataFrame({"epsilon": [parameters.epsilon]}))
        .mark_rule(color=colours.HERE, strokeDash=[4, 3])
        .encode(x="epsilon:Q")
    )
    st.altair_chart(
        alt.layer(lines, current).properties(height=280),
        key="od_side_curve",
        alt=f"Mean error of both methods over epsilon, now {number(parameters.epsilon)}",
    )
    st.caption("Over all pairs of zones. Published: the exact expectation; ours: one draw each.")
    jobs.progress(work, "Reading every ε", _CURVE)
