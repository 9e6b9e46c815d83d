"""Zones as vector graphics, and small maps of them for a page that shows several at once.

A deck needs a WebGL context of its own, which takes a second or more each where a processor has
to draw it. One script (`stage.js`) draws all maps that are no deck.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import streamlit as st

from engine.arrays import Floats, Integers
from pages._ui.drawing.arrows import arrows
from pages._ui.drawing.maps import Scale

_SIZE = 1000.0  # units of the drawing along its longer side
_UNITS_A_PIXEL = 4.0  # about, at the sizes in use
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shapes:
    """Zones ready to draw in the drawing's own units.

    Attributes
    ----------
    view_box : str
    zones : tuple of str
        One SVG path per zone.
    centres : array, shape (zones, 2)
    names : tuple of str
        As given; drawn as text only.
    """

    view_box: str
    zones: tuple[str, ...]
    centres: Floats
    names: tuple[str, ...]


def shapes(geometries: Any, names: Sequence[str], simplify: float) -> Shapes:
    """Return zones ready to draw.

    Parameters
    ----------
    geometries : sequence of shapely polygons
        Longitude and latitude in degrees.
    names : sequence of str
    simplify : float
        Tolerance as a share of the longer side; shared borders stay shared.
    """
    zones = np.asarray(geometries, dtype=object)
    west, south, east, north = shapely.total_bounds(zones)
    shrink = np.cos(np.radians((south + north) / 2))  # a degree of longitude in those of latitude
    scale = _SIZE / max((east - west) * shrink, north - south, 1e-9)

    def placed(coordinates: Floats) -> Floats:
        x, y = coordinates[:, 0] - west, north - coordinates[:, 1]
        return np.column_stack([x * shrink * scale, y * scale])

    drawn = shapely.coverage_simplify(shapely.transform(zones, placed), _SIZE * simplify)
    width, height = (east - west) * shrink * scale, (north - south) * scale
    margin = 0.02 * _SIZE
    return Shapes(
        view_box=f"{-margin:.0f} {-margin:.0f} {width + 2 * margin:.0f} {height + 2 * margin:.0f}",
        zones=tuple(_path(zone) for zone in drawn),
        centres=placed(shapely.get_coordinates(shapely.point_on_surface(zones))),
        names=tuple(names),
    )


def zone_sketch(
    drawn: Shapes,
    values: Floats,
    scale: Scale,
    *,
    key: str,
    alt: str,
    height: int,
    tooltip: Mapping[str, Sequence[str]],
) -> None:
    """Draw zones coloured by a value; arguments as of `maps.zone_map`."""
    fills = [_colour(colour) for colour in scale.colours(values, 255).tolist()]
    _draw(drawn, key, height, alt=alt, fills=fills, words=_words(drawn.names, tooltip))


def flow_sketch(
    drawn: Shapes,
    origins: Integers,
    destinations: Integers,
    values: Floats,
    scale: Scale,
    *,
    key: str,
    alt: str,
    height: int,
    tooltip: Mapping[str, Sequence[str]],
    colours: Integers | None = None,
) -> None:
    """Draw flows as arrows over grey zones; arguments as of `maps.flow_map`."""
    start, end = drawn.centres[origins], drawn.centres[destinations]
    shades = (scale.colours(values) if colours is None else colours).tolist()
    outlines = arrows(start, end, 0.7 + 3.8 * scale.positions(values), unit=_UNITS_A_PIXEL)
    ways = [
        f"{drawn.names[o]} → {drawn.names[d]}" for o, d in zip(origins, destinations, strict=True)
    ]
    flows = [
        (path_of(outline), _colour(colour), "shown", words)
        for outline, colour, words in zip(outlines, shades, _words(ways, tooltip), strict=True)
    ]
    _draw(drawn, key, height, alt=alt, flows=flows)


def _draw(drawn: Shapes, key: str, height: int, **side: Any) -> None:
    """Draw a map of one side by what draws the large ones, so that all mark what is pointed at."""
    data = {"viewBox": drawn.view_box, "zones": drawn.zones, "names": drawn.names}
    component("stage", "stage", "stage")(
        key=key, data={**data, "sides": ["one"], "one": side, "height": height}
    )


def component(name: str, place: str, files: str) -> Any:
    """Return a component of our own: an element of class `place`, filled by ``<files>.js``."""
    return st.components.v2.component(
        name,
        html=f'<div class="{place}"></div>',
        css=(_HERE / f"{files}.css").read_text(encoding="utf-8"),
        js=(_HERE / f"{files}.js").read_text(encoding="utf-8"),
        isolate_styles=False,
    )


def _path(zone: Any) -> str:
    """Return the rings of a polygon or several as one path of whole units."""
    rings = [
        ring
        for part in shapely.get_parts(zone)
        if isinstance(part, shapely.Polygon)
        for ring in (part.exterior, *part.interiors)
    ]
    return "".join(path_of(shapely.get_coordinates(ring)[:-1]) for ring in rings)


def path_of(outline: Floats) -> str:
    """Return a closed line as a path of whole units."""
    return "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y in outline) + "Z"


def _colour(colour: Sequence[int]) -> str:
    red, green, blue, opacity = colour
    return f"rgba({red},{green},{blue},{opacity / 255:.2f})"


def _words(names: Sequence[str], tooltip: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        "\n".join([name, *(f"{label}: {texts[i]}" for label, texts in tooltip.items())])
        for i, name in enumerate(names)
    ]
