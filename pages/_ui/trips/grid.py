"""Origin–destination page: any measure over ε × τ, exact; a click on a cell sets both."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.arrays import Floats
from engine.origin_destination.exact.expected import SANITY_BOUND, Population
from engine.origin_destination.exact.grid import HeatMap
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import GRID_THRESHOLDS
from pages._ui.drawing import charts
from pages._ui.shell import setting
from pages._ui.shell.setting import nearest_stop
from pages._ui.shell.settings import use_settings
from pages._ui.trips import trimming as trips_trimming
from pages._ui.views.context import Flows
from pages._ui.wording.measures import trip_labels
from pages._ui.wording.numbers import number, percent

_KEY = "od_grid"
_BIAS = "Bias of the total"


@dataclass(frozen=True)
class Measure:
    """A measure: how it is read off the grid, how written, and whether it averages flows."""

    of: Callable[[HeatMap], Floats]
    percent: bool
    averaged: bool
    meaning: str


_TRIPS = trip_labels("τ or more")
MEASURES = {
    "Mean error (trips)": Measure(
        lambda grid: grid.mean_absolute, False, True, "trips by which a flow is off on average"
    ),
    "Relative error (MRE)": Measure(
        lambda grid: grid.mean_bounded_relative,
        True,
        True,
        f"|private − true| / max(true, {SANITY_BOUND:g}), on average",
    ),
    "Lost flows": Measure(
        lambda grid: grid.lost_share, True, False, "flows of at least τ that the release hides"
    ),
    "Lost trips": Measure(
        lambda grid: grid.lost_trips_share,
        True,
        False,
        "trips in flows of at least τ that the release hides",
    ),
    "Revealed flows": Measure(
        lambda grid: grid.revealed_flows,
        False,
        False,
        "flows below τ, of at least one trip, that noise lifts into view",
    ),
    "Phantom flows": Measure(
        lambda grid: grid.outcomes.phantom.cells, False, False, "flows shown where nobody travelled"
    ),
    _TRIPS["zero_share"]: Measure(
        lambda grid: grid.zero_share,
        True,
        False,
        "pairs of zones, empty ones too, that the release sets to 0",
    ),
    _TRIPS["visible_share"]: Measure(
        lambda grid: grid.visible_share,
        True,
        False,
        "true trips, trimmed ones too, in flows of at least τ that are shown",
    ),
    _BIAS: Measure(
        lambda grid: grid.bias_share,
        True,
        False,
        "released minus true trips, as a share of all true trips",
    ),
}

_POPULATIONS: dict[Population, str] = {
    "travelled": "flows with a trip",
    "all": "all pairs of zones",
}


def draw(context: Flows) -> None:
    """Draw the measure's choice and its heat map; a click moves both sliders."""
    left, right = st.columns([1, 1.6], gap="medium", vertical_alignment="bottom")
    name = setting.draw(
        left.selectbox,
        "Measure",
        setting.choice("od_measure", MEASURES, next(iter(MEASURES))),
        list(MEASURES),
    )
    measure = MEASURES[name]
    population: Population = "travelled"
    if measure.averaged:
        population = setting.draw(
            right.segmented_control,
            "Averaged over",
            setting.literal("od_grid_population", _POPULATIONS, "travelled"),
            _POPULATIONS,
        )
    # ε and τ are the grid's own axes: fixed here, so that the sliders find the same grid again
    fixed = context.vary(epsilon=1.0, suppression_threshold=0).exact
    of = f", {_POPULATIONS[population]}" if measure.averaged else ""
    values = measure.of(cached_trips.grid(*fixed, population=population))
    _map(values, measure, f"{name}{of}", context.parameters)
    st.subheader("Trips kept of each (T)", anchor=False)
    trips_trimming.draw(context)


def _map(values: Floats, measure: Measure, name: str, parameters: ODParameters) -> None:
    """Draw the heat map and say where the sliders stand on it."""
    if not np.isfinite(values).any():
        st.info("There are no such flows in this window, so there is nothing to average.")
        return
    row = EPSILON_STOPS.index(nearest_stop(parameters.epsilon, EPSILON_STOPS))
    column = int(np.abs(np.array(GRID_THRESHOLDS) - parameters.suppression_threshold).argmin())
    _heat(values, measure, name, (row, column))
    current = _written(float(values[row, column]), measure)
    of = name.partition(",")[2]
    meaning = measure.meaning[0].upper() + measure.meaning[1:] + (f",{of}" if of else "")
    st.caption(
        f"{meaning}. You are here (red frame), at "
        f"ε = {EPSILON_STOPS[row]:g} and τ = {GRID_THRESHOLDS[column]}: **{current}**. Look along "
        "a row for what more ε buys, along a column for what a threshold costs; click a cell to "
        f"set both sliders. Exact for T = {parameters.max_trips_per_user}; no noise is drawn."
    )


def _heat(values: Floats, measure: Measure, name: str, chosen: tuple[int, int]) -> None:
    """Draw τ downwards and ε across; a click moves both sliders."""
    rows = range(len(GRID_THRESHOLDS))[::-1]  # the highest threshold on top

    def take(row: int, column: int) -> None:
        use_settings(epsilon=EPSILON_STOPS[column], threshold=GRID_THRESHOLDS[rows[row]])

    written = [
        [_written(float(value), measure) if value == value else "" for value in row]
        for row in values.T[rows]
    ]
    charts.heat(
        [f"{GRID_THRESHOLDS[row]}" for row in rows],
        [f"{epsilon:g}" for epsilon in EPSILON_STOPS],
        values.T[rows],
        {name: written},
        scale=_scale(values, name, "~%" if measure.percent else "~s"),
        chosen=(rows.index(chosen[1]), chosen[0]),
        of="Suppression threshold (τ, trips)",
        at="Privacy loss (ε): more private ← → more accurate",
        key=_KEY,
        alt=f"{name} over epsilon and the suppression threshold",
        height=520,
        on_pick=take,
    )


def _scale(values: Floats, name: str, form: str) -> charts.Scale:
    """Return a scale that shows differences: logarithmic where values span decades."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if name == _BIAS:
        reach = max(abs(low), abs(high))
        return charts.Scale(title=name, scheme="purplegreen", domain=(-reach, reach), form=form)
    if low > 0 and high > 3 * low:
        return charts.Scale(title=name, kind="log", domain=(low, high), form=form)
    return charts.Scale(title=name, domain=(low, max(high, low + 1e-9)), form=form)


def _written(value: float, measure: Measure) -> str:
    return percent(value) if measure.percent else number(value, 3)
