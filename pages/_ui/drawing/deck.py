"""A deck on a page: offline, its view kept."""

import json
from collections.abc import Callable

import pydeck as pdk
import streamlit as st
from pydeck.bindings.json_tools import default_serialize

from pages._ui.drawing.projection import nudged

GROUND = "ground"
"""Begins the id of the layer of zones: a click on a flow chooses nothing."""


def draw(
    layers: list[pdk.Layer],
    view: pdk.ViewState,
    *,
    tooltip: str,
    height: int,
    key: str,
    alt: str,
    on_zone: Callable[[str], None] | None = None,
) -> None:
    """Draw layers, and a way back to the whole map; `on_zone` takes the zone that is clicked."""

    def take() -> None:
        # an empty choice says nothing: the browser makes one by itself when a layer is gone
        for layer, objects in st.session_state[key]["selection"]["objects"].items():
            if on_zone is not None and layer.startswith(GROUND) and objects:
                on_zone(str(objects[0]["properties"]["id"]))

    returns = f"{key}_returns"
    deck = _Deck(
        layers,
        initial_view_state=nudged(view, st.session_state.get(returns, 0)),
        views=[pdk.View("MapView", controller=True)],
        map_provider=None,
        tooltip={"html": tooltip},
    )
    # `map_style` stays out: even as None it would fetch a basemap
    st.pydeck_chart(deck, height=height, key=key, alt=alt, on_select=take if on_zone else "ignore")
    st.button(
        "Whole map",
        key=f"{key}_whole",
        icon=":material/zoom_out_map:",
        type="tertiary",
        help="Back to the view of the whole region",
        on_click=_return,
        args=(returns,),
    )


class _Deck(pdk.Deck):
    """A deck written in one line: a thousand zones with line breaks take ten times as long."""

    def to_json(self) -> str:
        return json.dumps(self, sort_keys=True, default=default_serialize, separators=(",", ":"))


def _return(returns: str) -> None:
    st.session_state[returns] = st.session_state.get(returns, 0) + 1
