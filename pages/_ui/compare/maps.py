"""One map a setting, all on one scale: true, private, off by, or the difference from the first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine.arrays import Floats
from engine.geography import zone_areas_km2
from engine.resolution import block_at, hour_blocks
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.compare import wording as compare_wording
from pages._ui.compare.column import Column
from pages._ui.drawing import maps
from pages._ui.drawing.svg import sketches
from pages._ui.shell import setting
from pages._ui.wording.numbers import number

TRUE, PRIVATE, ERROR, DIFFERENCE = "True", "Private", "Error", "Difference"
VIEW = setting.choice("compare_map", (TRUE, PRIVATE, ERROR, DIFFERENCE), PRIVATE)
MAP_HOUR = 2 * 24 + 18
"""Wednesday 18:00 to 19:00, or the block in which it lies: a public choice."""

LARGEST = 40
_HEIGHT, _WIDTH = 300, 280


@dataclass(frozen=True)
class Values:
    """What a column's map shows.

    Attributes
    ----------
    true, private : arrays
        By zone, or from zone to zone; in `unit`.
    unit : str
    """

    true: Floats
    private: Floats
    unit: str


def draw(columns: Sequence[Column], part: str) -> None:
    """Draw the switch and one map a column."""
    view = setting.draw(
        st.segmented_control,
        "Maps",
        VIEW,
        (TRUE, PRIVATE, ERROR, DIFFERENCE),
        required=True,
        help="Error is private less true; Difference is the private map less that of the first "
        "setting, where their zones are the same.",
    )
    read = _density if part == "density" else _trips
    shown = [read(column, _per_area(columns)) for column in columns]
    same = len({one.unit for one in shown}) == 1
    flows = part == "trips" and view in (TRUE, PRIVATE)
    values = [_viewed(view, one, shown[0], flows=flows) for one in shown]
    scale = _scale(view, [one.true for one in shown] if view in (TRUE, PRIVATE) else values)
    places = st.grid(min(len(columns), 2 if len(columns) == 4 else 3), min_column_width=_WIDTH)
    for column, one, drawn in zip(columns, shown, values, strict=True):
        with places.cell():
            st.html(
                f'<div class="maptitle"><b style="color:{column.colour}">●</b> {column.name}</div>'
            )
            if drawn is None:
                st.caption(compare_wording.ZONES_DIFFER.format(first=columns[0].name))
            elif flows:
                _flows(column, one, drawn, scale, view)
            else:
                _zones(column, one, drawn, scale, view)
    _legend(view, scale, shown[0].unit if same else "", part)


def _per_area(columns: Sequence[Column]) -> bool:
    """Whether the zones differ, so that only counts a square kilometre can be compared."""
    return len({_zones_of(column) for column in columns}) > 1


def _zones_of(column: Column) -> tuple[str, str]:
    assert column.entry is not None
    return column.entry.name, column.entry.resolution.zones


def _density(column: Column, per_area: bool) -> Values:
    assert column.entry is not None
    key, step = column.entry.key, column.entry.resolution.hours
    block, when = block_at(step, MAP_HOUR)
    hours = int(np.count_nonzero(hour_blocks(step) == block))
    private = cached_density.release(key, column.settings.density(), column.seed).counts[:, block]
    each = np.full(len(private), float(hours))
    if per_area:
        each = each * zone_areas_km2(cached_datasets.dataset(key).zones)
    what = "visits an hour" + (" and km²" if per_area else "")
    true = cached_density.truth(key)[:, block]
    return Values(true / each, np.maximum(private, 0.0) / each, f"{what}, {when}")


def _trips(column: Column, per_area: bool) -> Values:
    """Return trips a day from zone to zone; arrows are not spread over an area."""
    del per_area
    assert column.entry is not None
    about, parameters = column.entry.metadata, column.settings.trips()
    key, window = column.entry.key, declared(parameters)
    if column.settings.od_method == "estimate":
        release = cached_estimates.release(key, parameters, column.seed, window)
        private = release.as_shown[0]
    else:
        private = cached_trips.drawn(key, parameters, column.seed, window).counts
    ends = [*about.periods[1:], None]
    days = len(about.days)
    if window.day is not None and ends[0] is not None:
        days = (ends[0] - about.periods[0]).days
    true = cached_trips.truth(key, window)
    return Values(true / days, np.asarray(private, dtype=np.float64) / days, "trips a day")


def _viewed(view: str, one: Values, first: Values, *, flows: bool) -> Floats | None:
    """Return what is drawn; None where zones differ."""
    true, private, before = one.true, one.private, first.private
    if view == TRUE:
        return true
    if view == PRIVATE:
        return private
    if view == DIFFERENCE and before.shape != private.shape:
        return None
    difference = private - (true if view == ERROR else before)
    return difference if difference.ndim == 1 or flows else difference.sum(axis=1)


def _scale(view: str, values: Sequence[Floats | None]) -> maps.Scale:
    """Return the one scale; a value in 500 lies beyond and takes the colour of the end."""
    some = [np.abs(one).ravel() for one in values if one is not None and one.size]
    if view in (TRUE, PRIVATE) and some and values[0] is not None and values[0].ndim == 2:
        return maps.Scale(0.0, max(float(max(one.max() for one in some)), 1.0))
    high = max((float(np.quantile(one, 0.998)) for one in some), default=1.0) or 1.0
    return (
        maps.Scale(0.0, high) if view in (TRUE, PRIVATE) else maps.Scale(-high, high, "diverging")
    )


def _zones(column: Column, one: Values, drawn: Floats, scale: maps.Scale, view: str) -> None:
    assert column.entry is not None
    rows = one.true.ndim == 2
    true = one.true.sum(axis=1) if rows else one.true
    private = one.private.sum(axis=1) if rows else one.private
    sketches.zone_sketch(
        cached_datasets.sketch(column.entry.key),
        drawn,
        scale,
        key=f"compare_map_{column.name}",
        alt=f"Map of setting {column.name}: {view.lower()}, {one.unit}",
        tooltip={
            "true": [number(value) for value in true],
            "private": [number(value) for value in private],
            view.lower(): [number(value) for value in drawn],
        },
        height=_HEIGHT,
    )


def _flows(column: Column, one: Values, drawn: Floats, scale: maps.Scale, view: str) -> None:
    assert column.entry is not None
    pairs = origins, destinations = maps.largest_flows(drawn, LARGEST)
    sketches.flow_sketch(
        cached_datasets.sketch(column.entry.key),
        origins,
        destinations,
        drawn[pairs],
        scale,
        key=f"compare_flows_{column.name}",
        alt=f"Map of the {LARGEST} largest flows of setting {column.name}: {view.lower()}",
        tooltip={
            "true": [number(value) for value in one.true[pairs]],
            "private": [number(value) for value in one.private[pairs]],
        },
        height=_HEIGHT,
    )


def _legend(view: str, scale: maps.Scale, unit: str, part: str) -> None:
    what = unit or ("visits an hour" if part == "density" else "trips a day")
    if view in (TRUE, PRIVATE):
        flows = f", the {LARGEST} largest flows" if part == "trips" else ""
        scale.legend(f"{what}{flows}; one scale", "0", f"{number(scale.high)} or more")
        return
    leaving = " leaving a zone" if part == "trips" else ""
    against = "the truth" if view == ERROR else "the first setting"
    ends = (f"{number(scale.high)} fewer", f"{number(scale.high)} more")
    scale.legend(f"{what}{leaving}, less {against}; one scale", *ends)
