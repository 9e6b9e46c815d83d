"""A deck on a page: offline, its view kept."""

import json
from collections.abc import Callable

import pydeck as pdk
import streamlit as st
from pydeck.bindings.json_tools import default_serialize

GROUND = "ground"
"""Begins the id of the layer of zones: a click on a flow chooses nothing."""


def draw(
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
            if on_zone is not None and layer.startswith(GROUND) and objects:
                on_zone(str(objects[0]["properties"]["id"]))

    deck = _Deck(
        layers,
        initial_view_state=view,
        views=[pdk.View("MapView", controller=True)],
        map_provider=None,
        tooltip={"html": "<b>{name}</b><br>{said}"},
    )
    # `map_style` stays out: even as None it would fetch a basemap
    st.pydeck_chart(deck, height=height, key=key, alt=alt, on_select=take if on_zone else "ignore")


class _Deck(pdk.Deck):
    """A deck written in one line: a thousand zones with line breaks take ten times as long."""

    def to_json(self) -> str:
        return json.dumps(self, sort_keys=True, default=default_serialize, separators=(",", ":"))
