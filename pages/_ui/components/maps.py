"""Maps without a basemap, offline: zones in colour and flows as arrows, both on a stated scale."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pydeck as pdk
import shapely
import streamlit as st
from pydeck.bindings.json_tools import default_serialize
from pydeck.types import String

from engine.arrays import Booleans, Floats, Integers, Numbers
from engine.geography import unwrap
from engine.metrics import largest_positions
from pages._ui.components.arrows import arrows
from pages._ui.components.colours import HERE, rgb

Kind = Literal["linear", "root", "diverging"]

# eleven even stops of the palettes, interpolated in between
_VIRIDIS = (
    (68, 1, 84), (72, 36, 117), (65, 68, 135), (53, 95, 141), (42, 120, 142), (33, 145, 140),
    (34, 168, 132), (68, 191, 112), (122, 209, 81), (189, 223, 38), (253, 231, 37),
)  # fmt: skip
_PURPLE_GREEN = (
    (64, 0, 75), (118, 42, 131), (153, 112, 171), (194, 165, 207), (231, 212, 232),
    (247, 247, 247), (217, 240, 211), (166, 219, 160), (90, 174, 97), (27, 120, 55), (0, 68, 27),
)  # fmt: skip
_NO_VALUE = (128, 128, 128, 60)
_GROUND_ID = "ground"
"""Begins the id of the layer of zones: a click on a flow chooses nothing."""
_HOLLOW_OPACITY = 70  # opacity inside a flow that is wrong
_SIMPLIFY = 1 / 600
"""Outlines are simplified to this share of the map's extent: about one pixel on a large map."""
_BORDER_COLOUR = (128, 128, 128, 150)
_ZOOM_OUT, _ZOOM_IN = 1.0, 7.0
"""How many zoom steps one can leave the whole region by, and go into it."""
WORLD_PX = 512.0
"""Pixels of the whole world at zoom 0."""


@dataclass(frozen=True)
class Scale:
    """A colour scale from 0, or from its negative, shared by maps that are compared.

    >>> Scale(100).colours(np.array([0.0, 100.0])).tolist()
    [[68, 1, 84, 235], [253, 231, 37, 235]]
    """

    high: float
    kind: Kind = "root"

    def positions(self, values: Floats) -> Floats:
        """Return where values lie on the scale, from 0 to 1; NaN stays NaN."""
        share = np.clip(values / (self.high or 1.0), -1.0, 1.0)
        if self.kind == "diverging":
            return 0.5 + np.sign(share) * np.sqrt(np.abs(share)) / 2
        share = np.maximum(share, 0.0)
        return np.sqrt(share) if self.kind == "root" else share

    def widths(self, values: Floats) -> Floats:
        """Return how wide the arrows of flows are, in pixels."""
        return 0.8 + 4.2 * self.positions(values)

    def colours(self, values: Floats) -> Integers:
        """Return red, green, blue and opacity of every value, shape (n, 4); NaN is grey."""
        stops = np.array(_PURPLE_GREEN if self.kind == "diverging" else _VIRIDIS, dtype=float)
        position = self.positions(np.asarray(values, dtype=float))
        missing = np.isnan(position)
        places = np.nan_to_num(position) * (len(stops) - 1)
        channels = [np.interp(places, np.arange(len(stops)), stops[:, i]) for i in range(3)]
        rgba = np.column_stack([*channels, np.full(len(places), 235)]).round().astype(np.int64)
        rgba[missing] = _NO_VALUE
        return rgba

    def gradient(self) -> str:
        """Return the scale's colours from low to high, as styles take them."""
        stops = _PURPLE_GREEN if self.kind == "diverging" else _VIRIDIS
        return ", ".join(f"rgb{stop}" for stop in stops)


@dataclass(frozen=True)
class Outlines:
    """Zones ready to draw: simplified, rounded to 5 decimals."""

    shapes: Any
    geometries: tuple[dict[str, Any], ...]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    centres: Floats
    bounds: tuple[float, float, float, float]


def zone_names(place: Any) -> dict[str, str]:
    """Return the names of the zones by their ids, in their order; one used twice has its id."""
    ids, names = place.zones["zone_id"].astype(str), place.zones["name"].astype(str)
    rows = zip(ids, names, names.duplicated(keep=False), strict=True)
    return {id_: f"{name} ({id_})" if double else name for id_, name, double in rows}


def outlines(place: Any) -> Outlines:
    """Return the zones of a dataset or a level ready to draw."""
    zones, names = place.zones, zone_names(place)
    whole = unwrap(zones.geometry.to_numpy())
    west, south, east, north = shapely.total_bounds(whole).tolist()
    tolerance = max(east - west, north - south) * _SIMPLIFY
    # coverage simplification keeps shared borders shared: no gaps between zones
    shapes = shapely.coverage_simplify(whole, tolerance)
    shapes = shapely.set_precision(shapes, 1e-5, mode="pointwise")
    centres = shapely.get_coordinates(shapely.point_on_surface(whole))
    return Outlines(
        shapes=shapes,
        geometries=tuple(shapely.geometry.mapping(shape) for shape in shapes),
        ids=tuple(names),
        names=tuple(names.values()),
        centres=centres.round(5),
        bounds=(west, south, east, north),
    )


def draw_zone_map(
    outlines: Outlines,
    values: Floats,
    scale: Scale,
    *,
    key: str,
    alt: str,
    tooltip: Mapping[str, Sequence[str]],
    size: tuple[int, int],
    marked_zone: int,
    rings: Mapping[str, Booleans] = MappingProxyType({}),
    on_zone: Callable[[str], None] | None = None,
) -> None:
    """Draw zones coloured by a value; `edged` are those with an edge, by its colour."""
    colours = scale.colours(values).tolist()
    rows = [
        {"colour": colour, "said": text}
        for colour, text in zip(colours, _tooltip_texts(tooltip), strict=True)
    ]
    ground = pdk.Layer(
        "GeoJsonLayer",
        _zone_features(outlines, rows),
        id=_GROUND_ID,
        get_fill_color="properties.colour",
        # where 0 is nearly white, borders tell zones from the page
        get_line_color=_BORDER_COLOUR if scale.kind == "diverging" else _line_colour(),
        line_width_min_pixels=0.5,
        pickable=True,
        auto_highlight=True,
    )
    edges = [
        _outline_layer(outlines, np.flatnonzero(zones).tolist(), rgb(colour))
        for colour, zones in rings.items()
    ]
    layers = [ground, *edges, _outline_layer(outlines, [marked_zone], rgb(HERE))]
    view = fit_view(outlines.bounds, *size)
    _draw_layers(layers, view, height=size[1], key=key, alt=alt, on_zone=on_zone)


def draw_flow_map(
    outlines: Outlines,
    origins: Integers,
    destinations: Integers,
    values: Floats,
    scale: Scale,
    *,
    key: str,
    alt: str,
    tooltip: Mapping[str, Sequence[str]],
    colours: Integers,
    is_wrong: Booleans,
    size: tuple[int, int],
    marked_zone: int | None,
    on_zone: Callable[[str], None],
    ground_number: int,
) -> None:
    """Draw flows as arrows between zone centres; width and colour follow one scale."""
    edges = np.tile(_line_colour(), (len(colours), 1))
    edges[is_wrong] = colours[is_wrong]
    shades = np.where(is_wrong[:, None] & (np.arange(4) == 3), _HOLLOW_OPACITY, colours).tolist()
    view = fit_view(outlines.bounds, *size)
    # widths are pixels of the whole map: an arrow grows with the map as a zone does
    unit = 1 / (WORLD_PX * 2.0 ** float(view.zoom or 0.0))
    centres = to_plane(outlines.centres)
    ends = centres[origins], centres[destinations]
    shapes = from_plane(arrows(*ends, scale.widths(values), unit=unit))
    rows = [
        {
            "outline": shapes[i].round(5).tolist(),
            "name": f"{outlines.names[o]} → {outlines.names[d]}",
            "colour": shades[i],
            "edge": edges[i].tolist(),
            "edge_px": 1.8 if is_wrong[i] else 0.5,
            "said": text,
        }
        for i, (o, d, text) in enumerate(
            zip(origins.tolist(), destinations.tolist(), _tooltip_texts(tooltip), strict=True)
        )
    ]
    ground = pdk.Layer(
        "GeoJsonLayer",
        _zone_features(outlines, [{"said": "Click: its flows only"}] * len(outlines.ids)),
        id=f"{_GROUND_ID}-{ground_number}",
        # given to what is drawn inside the layer, where a choice does not make the rest pale
        _sub_layer_props={"polygons-fill": {"getFillColor": [128, 128, 128, 22]}},
        get_line_color=[128, 128, 128, 90],
        line_width_min_pixels=0.5,
        pickable=True,
        auto_highlight=True,
    )
    flows = pdk.Layer(
        "PolygonLayer",
        rows,
        id="flows",
        get_polygon="outline",
        _sub_layer_props={"fill": {"getFillColor": "@@=colour"}},
        get_line_color="edge",
        get_line_width="edge_px",
        line_width_units=String("pixels"),
        pickable=True,
        auto_highlight=True,
    )
    here = [] if marked_zone is None else [_outline_layer(outlines, [marked_zone], rgb(HERE))]
    layers = [ground, *here, flows]
    _draw_layers(layers, view, height=size[1], key=key, alt=alt, on_zone=on_zone)


def _draw_layers(
    layers: list[pdk.Layer],
    view: pdk.ViewState,
    *,
    height: int,
    key: str,
    alt: str,
    on_zone: Callable[[str], None] | None = None,
) -> None:
    """Draw layers; `on_zone` takes the zone that is clicked."""

    def take() -> None:
        # an empty choice says nothing: the browser makes one by itself when a layer is gone
        for layer, objects in st.session_state[key]["selection"]["objects"].items():
            if on_zone is not None and layer.startswith(_GROUND_ID) and objects:
                on_zone(str(objects[0]["properties"]["id"]))

    deck = _Deck(
        layers,
        initial_view_state=view,
        views=[pdk.View("MapView", controller=True)],
        map_provider=None,
        tooltip={"text": "{name}\n{said}"},
    )
    # `map_style` stays out: even as None it would fetch a basemap
    st.pydeck_chart(deck, height=height, key=key, alt=alt, on_select=take if on_zone else "ignore")


class _Deck(pdk.Deck):
    """A deck written in one line: a thousand zones with line breaks take ten times as long."""

    def to_json(self) -> str:
        return json.dumps(self, sort_keys=True, default=default_serialize, separators=(",", ":"))


def _tooltip_texts(tooltip: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lines of each tooltip under the name, one of each labelled text."""
    return [
        "\n".join(f"{label}: {text}" for label, text in zip(tooltip, texts, strict=True))
        for texts in zip(*tooltip.values(), strict=True)
    ]


def _zone_features(outlines: Outlines, properties: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the zones as GeoJSON; `more` is said of each beside its id and its name."""
    zones = zip(outlines.geometries, outlines.ids, outlines.names, properties, strict=True)
    features = [
        {"type": "Feature", "geometry": shape, "properties": {"id": i, "name": name, **extra}}
        for shape, i, name, extra in zones
    ]
    return {"type": "FeatureCollection", "features": features}


def _outline_layer(outlines: Outlines, zones: Sequence[int], colour: Sequence[int]) -> pdk.Layer:
    shapes = [outlines.geometries[zone] for zone in zones]
    return pdk.Layer(
        "GeoJsonLayer",
        {"type": "GeometryCollection", "geometries": shapes},
        id=f"marked-{colour}",
        filled=False,
        get_line_color=colour,
        line_width_min_pixels=3,
    )


def largest_flows(matrix: Numbers, count: int) -> tuple[Integers, Integers]:
    """Return origins and destinations of the largest flows above 0, smallest first.

    Drawn in this order, the largest lie on top. Ties go to the lower zone numbers.

    >>> origins, destinations = largest_flows(np.array([[0, 5], [9, 0]]), 1)
    >>> int(origins[0]), int(destinations[0])
    (1, 0)
    """
    flat = matrix.ravel()
    order = largest_positions(flat, count)
    chosen = order[flat[order] > 0][::-1]
    origins, destinations = np.unravel_index(chosen, matrix.shape)
    return origins.astype(np.int64), destinations.astype(np.int64)


def fit_view(bounds: tuple[float, float, float, float], width: int, height: int) -> pdk.ViewState:
    """Return the view that holds the bounds; it depends on nothing that a slider changes."""
    corners = to_plane(np.array(bounds).reshape(2, 2))
    wide, tall = np.maximum(np.abs(corners[1] - corners[0]), 1e-6)
    zoom = math.log2(0.94 * min(width / (WORLD_PX * wide), height / (WORLD_PX * tall)))
    longitude, latitude = from_plane(corners.mean(axis=0)).tolist()
    return pdk.ViewState(
        longitude=round(longitude, 5),
        latitude=round(latitude, 5),
        zoom=round(zoom, 2),
        min_zoom=round(zoom - _ZOOM_OUT, 2),
        max_zoom=round(zoom + _ZOOM_IN, 2),
    )


def to_plane(degrees: Floats) -> Floats:
    """Return longitudes and latitudes as shares of the world, Mercator, shape (…, 2)."""
    sine = np.sin(np.radians(np.clip(degrees[..., 1], -85.0, 85.0)))
    return np.stack([degrees[..., 0] / 360, np.arctanh(sine) / (2 * np.pi)], axis=-1)


def from_plane(shares: Floats) -> Floats:
    """Return shares of the world as longitudes and latitudes in degrees."""
    latitude = np.degrees(np.arctan(np.sinh(2 * np.pi * shares[..., 1])))
    return np.stack([360 * shares[..., 0], latitude], axis=-1)


def _line_colour() -> list[int]:
    return [20, 20, 20, 120] if st.context.theme.type == "dark" else [255, 255, 255, 110]
