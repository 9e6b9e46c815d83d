"""Origin–destination page: any measure over ε × τ, exact, and the error over T."""

from typing import Literal

import numpy as np
import streamlit as st

from engine.arrays import Floats
from engine.contract import Setting
from engine.origin_destination import (
    compute_error_grid,
    compute_histogram,
    compute_truncation_curve,
)
from engine.origin_destination.exact import ErrorGrid
from engine.parameters import EPSILON_RANGE, EPSILON_STOPS
from engine.text.numbers import number, percent
from engine.text.privacy_text import PEOPLE_ONCE, TRIP_LEVEL
from pages._ui.answers import cached
from pages._ui.answers.matrix import Matrix
from pages._ui.app import cache
from pages._ui.components import charts, colours
from pages._ui.components.charts import STROKES, Axis, Line
from pages._ui.settings import current, fields

GRID_THRESHOLDS = tuple(range(0, 101, 5))
NO_NOISE = "no noise"
LIMIT_NOTE = (
    "The T of least error is read from the data. On simulated people that costs nothing. On real "
    "people's data it reveals something that ε does not cover: the guarantee (Theorem 1) is for a "
    "T chosen without looking. *Release* asks how T was chosen, and the statement says so."
)
_CAUSES = {  # the field of the engine's curve, and its colour
    "total": ("total_error", colours.TRUE),
    "trimmed": ("truncation_error", "#e0a100"),
    "noise": ("noise_error", colours.PRIVATE),
    "suppression": ("suppression_error", "#b5579c"),
}
MEASURES = {  # the field of the engine's grid, whether it is a share, and what it means
    "Mean error (trips)": ("mean_absolute", False, "Average over flows with a trip"),
    "Relative error (MRE)": (
        "mean_bounded_relative",
        True,
        "|private − true| / true, over flows with a trip",
    ),
    "Retained": ("retained", True, "Share of trips in the data, still counted in their flow"),
    "Genuine": (
        "genuine",
        True,
        "Share of trips shown that are in the data; the others are invented",
    ),
    "Lost flows": ("lost_share", True, "Flows of at least τ that the release suppresses"),
    "Revealed flows": (
        "revealed_flows",
        False,
        "Flows below τ that the release shows because of noise",
    ),
    "Phantom flows": ("phantom_flows", False, "Flows shown where nobody travelled"),
    "Pairs of zones shown as 0": (
        "zero_share",
        True,
        "Share of all pairs of zones, including empty ones",
    ),
    "Bias of the total (trips)": ("bias", False, "Released total minus true total"),
}


def draw(matrix: Matrix) -> None:
    """Draw the measure's choice and its heat map, a click moves both sliders; then T."""
    names, key = list(MEASURES), "od_measure"
    name = st.selectbox("Measure", names, key=key, format_func=matrix.say, **fields.LINKED)
    # ε and τ are the grid's own axes: fixed here, so that the sliders find the same grid again
    fixed = matrix.vary(epsilon=1.0, suppression_threshold=0)
    _draw_heat(matrix, name, getattr(grid(fixed.setting, matrix.day), MEASURES[name][0]))
    st.subheader(matrix.say("Trips counted per person (T)"), anchor=False)
    once = matrix.setting.selection.people_once
    if once or matrix.parameters.unit == "trip":
        st.info(PEOPLE_ONCE if once else TRIP_LEVEL)
        return
    _draw_limit_curve(matrix)


@cache.memoize
def grid(setting: Setting, day: int) -> ErrorGrid:
    """Return the exact measures over `GRID_THRESHOLDS` and ε, of flows with a trip.

    The rows are all stops of ε, and last no noise: every trip is counted, τ alone suppresses.
    """
    unit, limit = setting.parameters.unit, setting.parameters.max_trips_per_user
    view, days = cached.view_key(setting), cached.days(setting, day)
    truncated = cached.read(compute_histogram, view, unit, limit, **days)
    complete = cached.read(compute_histogram, view, **days)
    grids = (
        compute_error_grid(truncated, EPSILON_STOPS, GRID_THRESHOLDS, limit),
        # rounded noise at the largest ε is 0
        compute_error_grid(complete, EPSILON_RANGE[1], GRID_THRESHOLDS),
    )
    return ErrorGrid(*map(np.concatenate, zip(*grids, strict=True)))


def _draw_heat(matrix: Matrix, name: str, values: Floats) -> None:
    """Draw τ downwards and ε across; a click sets both."""
    if not np.isfinite(values).any():
        st.info("No such flows at this setting, so there is no average.")
        return
    (_, shares, meaning), parameters = MEASURES[name], matrix.parameters
    rows = range(len(GRID_THRESHOLDS))[::-1]  # the highest threshold on top
    x = EPSILON_STOPS.index(fields.nearest_stop(parameters.epsilon, EPSILON_STOPS))
    y = int(np.abs(np.array(GRID_THRESHOLDS) - parameters.suppression_threshold).argmin())

    def take(row: str, column: str) -> None:
        epsilon = {} if column == NO_NOISE else {"epsilon": float(column)}
        current.set_values(threshold=int(row), **epsilon)

    def format_value(value: float) -> str:
        return percent(value) if shares else number(value, 3)

    charts.draw_heat_map(
        [f"{GRID_THRESHOLDS[row]}" for row in rows],
        [*(f"{epsilon:g}" for epsilon in EPSILON_STOPS), NO_NOISE],
        values.T[rows],
        write=format_value,
        scale=_make_scale(values, name, "~%" if shares else "~s"),
        chosen=(rows.index(y), x),
        y_title=matrix.say("Suppression threshold (τ, trips)"),
        x_title="Privacy loss (ε): more private ← → more accurate",
        key="od_grid",
        alt=f"{name} over epsilon and the suppression threshold",
        height=520,
        on_pick=take,
    )
    st.caption(
        f"{matrix.say(meaning)}. Your setting (red frame), ε = {EPSILON_STOPS[x]:g} and τ = "
        f"{GRID_THRESHOLDS[y]}: **{format_value(float(values[x, y]))}**. Click a cell to set both "
        f"sliders. Computed exactly for T = {parameters.max_trips_per_user}, without drawing "
        "noise. The last column is suppression without noise: it protects nobody and drops "
        "nothing beyond T. A click on it sets τ alone."
    )


def _make_scale(values: Floats, name: str, form: str) -> charts.Scale:
    """Return a scale that shows differences: logarithmic where values with noise span decades."""
    low, high = float(np.nanmin(values[:-1])), float(np.nanmax(values))
    if low < 0:
        reach = max(abs(low), abs(high))
        return charts.Scale(title=name, scheme="purplegreen", domain=(-reach, reach), form=form)
    kind: Literal["log", "linear"] = "log" if low > 0 and high > 3 * low else "linear"
    return charts.Scale(title=name, kind=kind, domain=(low, max(high, low + 1e-9)), form=form)


def _draw_limit_curve(matrix: Matrix) -> None:
    """Draw the expected error over T by its causes, and offer the T of least error."""
    # a slider over T finds the same curve
    fixed, when = matrix.vary(max_trips_per_user=1), cached.days(matrix.setting, matrix.day)
    curve = cached.read(
        compute_truncation_curve, cached.view_key(matrix.setting), fixed.parameters, **when
    )
    limits = curve.trip_limits.tolist()
    charts.draw_curve(
        [
            Line(name=name, y=getattr(curve, error), colour=colour, dash=stroke)
            for (name, (error, colour)), stroke in zip(_CAUSES.items(), STROKES, strict=False)
        ],
        x=limits,
        x_axis=Axis(title="Trips kept (T), log scale", kind="log", form="d", tip="d", ticks=limits),
        y_axis=Axis(title="Expected error (trips)", tip=",.0f"),
        current=min(matrix.parameters.max_trips_per_user, limits[-1]),
        key="od_trimming",
        alt=f"Expected error over T by its causes; least at T = {curve.best_limit}",
    )
    share = float(curve.share_within_limit[curve.trip_limits == curve.best_limit][0])
    best = {"max_trips": curve.best_limit}
    st.button(
        f"Use T = {curve.best_limit}", on_click=current.set_values, kwargs=best, key="od_use_trips"
    )
    st.caption(
        "To the left, T drops too many trips. To the right, noise (in proportion to T) drowns the "
        f"flows. Least total error here: **T = {curve.best_limit}**, which keeps {percent(share)} "
        f"of trips. {LIMIT_NOTE}"
    )
