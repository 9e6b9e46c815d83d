"""One large map of flows that a reader moves and enlarges: WebGL, without a basemap, offline."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pydeck as pdk
import shapely
import streamlit as st
from pydeck.bindings.json_tools import default_serialize
from pydeck.types import String

from engine.arrays import Floats, Integers
from pages._ui.components.arrows import arrows
from pages._ui.components.colours import HERE
from pages._ui.components.map_frame import MARGIN, MapFrame, format_length, parallel_km, scale_bar
from pages._ui.components.picture import KINDS, Shapes, label_places

_SIZE, _PHONE_SIZE = (640, 520), (310, 340)
"""Pixels that the whole region must fit into."""

_ZOOM_IN = 7.0
_WORLD_PX = 512.0
"""Pixels of the whole world at zoom 0."""

_GROUND_ID = "ground"
"""Begins the id of the layer of zones: a click on a flow chooses nothing."""

_OPACITY = {"phantom": 70, "less": 70, "lost": 0, "more": 235}
"""Of the inside of a flow that has the colour of its kind."""


def draw_flow_map(
    shapes: Shapes,
    pairs: tuple[Integers, Integers],
    *,
    widths: Floats,
    colours: Integers,
    kinds: Sequence[str],
    words: Sequence[str],
    weights: Floats,
    marked_zone: int | None,
    key: str,
    alt: str,
    on_zone: Callable[[int], None],
) -> None:
    """Draw flows as arrows, with the edges of their `kinds`; `on_zone` takes a clicked zone.

    Names, a scale bar and north lie on the map: they move and grow with what they are about. A
    click makes the rest pale, but for colours that stand in `_sub_layer_props`.
    """
    frame = shapes.frame
    is_phone = "Mobi" in (st.context.headers.get("User-Agent") or "")
    size = _PHONE_SIZE if is_phone else _SIZE
    pixels = min(size[0] / frame.width, size[1] / frame.height)  # of a unit, as the map opens
    is_dark = st.context.theme.type == "dark"
    line, ink = ([20, 20, 20, 120], 235) if is_dark else ([255, 255, 255, 110], 30)
    start, end = (shapes.centres[zones] for zones in pairs)
    rows = [
        {
            "outline": outline,
            "colour": [*_rgb(KINDS[kind]), _OPACITY[kind]] if kind in _OPACITY else colour,
            "edge": [*_rgb(KINDS[kind]), 235] if kind else line,
            "edge_px": 1.8 if kind else 0.5,
            "words": text,
        }
        for outline, colour, kind, text in zip(
            frame.to_degrees(arrows(start, end, widths, unit=1 / pixels)).round(5).tolist(),
            colours.tolist(),
            kinds,
            words,
            strict=True,
        )
    ]
    lit = {"pickable": True, "auto_highlight": True, "highlight_color": [ink, ink, ink, 130]}
    flows = pdk.Layer(
        "PolygonLayer",
        rows,
        id="flows",
        get_polygon="outline",
        _sub_layer_props={"fill": {"getFillColor": "@@=colour"}},
        get_line_color="edge",
        get_line_width="edge_px",
        line_width_units=String("pixels"),
        **lit,
    )
    ground = pdk.Layer(
        "GeoJsonLayer",
        _zone_features(shapes, marked_zone),
        id=f"{_GROUND_ID}-{marked_zone}",  # a new one has nothing chosen in it
        _sub_layer_props={"polygons-fill": {"getFillColor": "@@=properties.fill"}},
        get_line_color=[128, 128, 128, 90],
        line_width_min_pixels=0.5,
        **lit,
    )
    lines, texts = _ruler(shapes)
    texts += [
        {"text": name, "place": frame.to_degrees(np.array([x, y])).tolist(), "offset": [0, 0]}
        for name, x, y in label_places(shapes, weights)
    ]
    ruler = pdk.Layer(
        "GeoJsonLayer", lines, id="ruler", get_line_color=[ink, ink, ink], line_width_min_pixels=1.5
    )
    names = pdk.Layer(
        "TextLayer",
        texts,
        id="names",
        get_text="text",
        get_position="place",
        get_pixel_offset="offset",
        get_size=13,
        _sub_layer_props={"characters": {"getColor": [ink, ink, ink]}},
        character_set=String("auto"),
        font_family=String("Source Sans, sans-serif"),
        font_weight=600,
        font_settings={"sdf": True, "radius": 14},
        outline_width=4,
        outline_color=[265 - ink] * 3,
    )

    def take() -> None:
        # an empty choice says nothing: the browser makes one by itself when a layer is gone
        for layer, objects in st.session_state[key]["selection"]["objects"].items():
            if layer.startswith(_GROUND_ID) and objects:
                on_zone(int(objects[0]["properties"]["zone"]))

    deck = _Deck(
        [ground, flows, ruler, names],
        initial_view_state=_fit_view(frame, pixels),
        views=[pdk.View("MapView", controller=True)],
        map_provider=None,
        tooltip={"text": "{words}"},
    )
    # `map_style` stays out: even as None it would fetch a basemap
    st.pydeck_chart(deck, height=size[1], key=key, alt=alt, on_select=take)


class _Deck(pdk.Deck):
    """A deck written in one line: a thousand zones with line breaks take ten times as long."""

    def to_json(self) -> str:
        return json.dumps(self, sort_keys=True, default=default_serialize, separators=(",", ":"))


def _rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _zone_features(shapes: Shapes, marked_zone: int | None) -> dict[str, Any]:
    features = [
        {
            "type": "Feature",
            "geometry": shapely.geometry.mapping(shape),
            "properties": {
                "zone": zone,
                "words": f"{name}\nClick: {'all' if zone == marked_zone else 'only its'} flows",
                "fill": [*_rgb(HERE), 90] if zone == marked_zone else [128, 128, 128, 22],
            },
        }
        for zone, (shape, name) in enumerate(zip(shapes.degrees, shapes.names, strict=True))
    ]
    return {"type": "FeatureCollection", "features": features}


def _ruler(shapes: Shapes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the lines of a scale bar and of an arrow to the north, and their texts.

    They are places on the ground, and so right however the map is enlarged or turned: the bar is
    as long as it says on the parallel where it lies.
    """
    frame, (km, _) = shapes.frame, scale_bar(shapes.frame)
    y = frame.height - 2 * MARGIN
    latitude = float(frame.to_degrees(np.array([0.0, y]))[1])
    length = km * frame.units / parallel_km(math.radians(latitude))
    tick, gap = 0.015 * frame.height, 0.04 * frame.width
    left = 0.0 if shapes.is_bar_left else frame.width - 2 * MARGIN - length
    right = left + length
    north = right + gap if shapes.is_bar_left else left - gap
    tip = y - 3 * tick
    bar = [(left, y - tick), (left, y), (right, y), (right, y - tick)]
    head = [(north - tick / 2, tip + tick), (north, tip), (north + tick / 2, tip + tick)]
    lines = [frame.to_degrees(np.array(line)) for line in (bar, [(north, y), (north, tip)], head)]
    places = {format_length(km): ((left + right) / 2, y), "N": (north, tip)}
    return shapely.geometry.mapping(shapely.MultiLineString(lines)), [
        {"text": text, "place": frame.to_degrees(np.array(place)).tolist(), "offset": [0, -10]}
        for text, place in places.items()
    ]


def _fit_view(frame: MapFrame, pixels: float) -> pdk.ViewState:
    """Return the view of a whole frame; it depends on nothing that a slider changes."""
    middle = np.array([frame.width, frame.height]) / 2 - MARGIN
    longitude, latitude = frame.to_degrees(middle).round(5).tolist()
    zoom = round(math.log2(pixels * frame.units / _WORLD_PX), 2)
    ends = {"min_zoom": zoom, "max_zoom": zoom + _ZOOM_IN}
    return pdk.ViewState(longitude=longitude, latitude=latitude, zoom=zoom, **ends)
