"""Small maps of several contexts on one scale: true, private, or a difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from engine.arrays import Floats
from engine.geography import zone_areas_km2
from engine.parameters import DensityParameters
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache.pictures import MAP_HOUR
from pages._ui.drawing import maps, marks
from pages._ui.drawing.svg import sketches
from pages._ui.views.context import Context, Density, Flows, Side
from pages._ui.wording.numbers import number
from pages._ui.wording.places import hour_names

TRUE, PRIVATE, ERROR, DIFFERENCE = VIEWS = "True", "Private", "Error", "Difference"
LARGEST = 40
ZONES_DIFFER = "Its zones are not those of {first}: there is no difference to draw zone by zone."
_HEIGHT, _WIDTH = 300, 280


@dataclass(frozen=True)
class Values:
    """What a context's map shows.

    Attributes
    ----------
    true, private : arrays
        By zone, or from zone to zone as shown of each flow; in `unit`.
    zones : array
        Private by zone: what to add up of the flows that leave it.
    unit : str
    """

    true: Floats
    private: Floats
    zones: Floats
    unit: str

    @property
    def true_zones(self) -> Floats:
        """True by zone."""
        return self.true if self.true.ndim == 1 else self.true.sum(axis=1)


def draw(sides: Sequence[Side], view: str, *, key: str, first_true: bool = False) -> None:
    """Draw one map a side, all on one scale.

    Parameters
    ----------
    view : str
        One of `VIEWS`: error is private less true, difference private less that of the first side.
    first_true : bool
        Whether a map of the truth stands first, where all sides have the same.
    """
    zones = {(one.context.entry.name, one.context.key.zones) for one in sides}
    spread = len(zones) > 1
    shown = [read(side.context, per_area=spread) for side in sides]
    flows = shown[0].true.ndim == 2 and view in (TRUE, PRIVATE)
    drawn = [_viewed(view, one, shown[0]) for one in shown]
    scale = _scale(view, [one.true for one in shown] if view in (TRUE, PRIVATE) else drawn)
    every = [*zip(sides, shown, drawn, strict=True)]
    if first_true:
        same = (Side(TRUE, "#777777", sides[0].context), shown[0], shown[0].true)
        every.insert(0, same)
    places = st.grid(2 if len(every) in (2, 4) else 3, min_column_width=_WIDTH, gap="medium")
    for side, one, values in every:
        with places.cell():
            name = TRUE if side.name == TRUE else view
            st.html(f'<div class="maptitle"><b style="color:{side.colour}">●</b> {side.name}</div>')
            if values is None:
                st.caption(ZONES_DIFFER.format(first=sides[0].name))
            elif flows:
                _flows(side, one, values, scale, name, key)
            else:
                _zones(side, one, values, scale, name, key)
    same = len({one.unit for one in shown}) == 1
    _legend(view, scale, shown[0], flows=flows, unit=shown[0].unit if same else "")
    if flows and view == PRIVATE and any(marks.has(side.context.release) for side in sides):
        marks.key()


def read(context: Context[Any], *, per_area: bool = False) -> Values:
    """Return what a map shows of a context: visits an hour, or trips a day."""
    if isinstance(context.parameters, DensityParameters):
        return _visits(context, per_area)
    return _trips(context)


def _visits(context: Density, per_area: bool) -> Values:
    """Return visits an hour by zone; where zones differ only those a square kilometre compare."""
    block, when, hours = MAP_HOUR, hour_names()[MAP_HOUR], 1
    private = np.maximum(context.release.counts[:, block], 0.0)
    each = np.full(len(private), float(hours))
    if per_area:
        each = each * zone_areas_km2(cached_datasets.dataset(context.key).zones)
    what = "visits an hour" + (" and km²" if per_area else "")
    true = context.truth[:, block]
    return Values(true / each, private / each, private / each, f"{what}, {when}")


def _trips(context: Flows) -> Values:
    """Return trips a day from zone to zone; arrows are not spread over an area."""
    about, window = context.entry.metadata, context.window
    days = len(about.days)
    if window is not None and window.day is not None and window.day + 1 < len(about.periods):
        days = (about.periods[window.day + 1] - about.periods[window.day]).days
    release = context.release
    shown, sums = release.as_shown[0] / days, release.counts[0].sum(axis=1) / days
    return Values(context.truth / days, shown, sums, "trips a day")


def _viewed(view: str, one: Values, first: Values) -> Floats | None:
    """Return what is drawn; None where zones differ."""
    if view == TRUE:
        return one.true
    if view == PRIVATE:
        return one.private
    if view == ERROR:
        return one.zones - one.true_zones
    return None if first.zones.shape != one.zones.shape else one.zones - first.zones


def _scale(view: str, values: Sequence[Floats | None]) -> maps.Scale:
    """Return the one scale; a value in 500 lies beyond and takes the colour of the end."""
    some = [np.abs(one).ravel() for one in values if one is not None and one.size]
    if view in (TRUE, PRIVATE) and some and values[0] is not None and values[0].ndim == 2:
        return maps.Scale(0.0, max(float(max(one.max() for one in some)), 1.0))
    high = max((float(np.quantile(one, 0.998)) for one in some), default=1.0) or 1.0
    return (
        maps.Scale(0.0, high) if view in (TRUE, PRIVATE) else maps.Scale(-high, high, "diverging")
    )


def _zones(side: Side, one: Values, drawn: Floats, scale: maps.Scale, view: str, key: str) -> None:
    sketches.zone_sketch(
        cached_datasets.sketch(side.context.key),
        drawn,
        scale,
        key=f"{key}_{side.name}",
        alt=f"Map of {side.name}: {view.lower()}, {one.unit}",
        tooltip={
            "true": [number(value) for value in one.true_zones],
            "private": [number(value) for value in one.zones],
            view.lower(): [number(value) for value in drawn],
        },
        height=_HEIGHT,
    )


def _flows(side: Side, one: Values, drawn: Floats, scale: maps.Scale, view: str, key: str) -> None:
    pairs = origins, destinations = maps.largest_flows(drawn, LARGEST)
    values, release = drawn[pairs], side.context.release
    banded = view == PRIVATE and marks.has(release)
    private = [number(value) for value in one.private[pairs]]
    sketches.flow_sketch(
        cached_datasets.sketch(side.context.key),
        origins,
        destinations,
        values,
        scale,
        key=f"{key}_flows_{side.name}",
        alt=f"Map of the {LARGEST} largest flows of {side.name}: {view.lower()}",
        tooltip={
            "true": [number(value) for value in one.true[pairs]],
            "private": marks.words(release, pairs) if banded else private,
        },
        height=_HEIGHT,
        colours=marks.colours(release, pairs, scale, values) if banded else None,
    )


def _legend(view: str, scale: maps.Scale, one: Values, *, flows: bool, unit: str) -> None:
    trips = one.true.ndim == 2
    what = unit or ("trips a day" if trips else "visits an hour")
    if view in (TRUE, PRIVATE):
        most = f", the {LARGEST} largest flows" if flows else ""
        scale.legend(f"{what}{most}; one scale", "0", f"{number(scale.high)} or more")
        return
    leaving = " leaving a zone" if trips else ""
    against = "the truth" if view == ERROR else "the first setting"
    ends = (f"{number(scale.high)} fewer", f"{number(scale.high)} more")
    scale.legend(f"{what}{leaving}, less {against}; one scale", *ends)
