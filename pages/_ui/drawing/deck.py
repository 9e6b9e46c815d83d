"""A deck on a page: offline, its view kept."""

import json
from collections.abc import Callable
from typing import Literal

import pydeck as pdk
import streamlit as st
from pydeck.bindings.json_tools import default_serialize

from pages._ui.drawing.projection import nudged


def draw(
    layers: list[pdk.Layer],
    view: pdk.ViewState,
    *,
    tooltip: str,
    height: int,
    key: str,
    alt: str,
    on_select: Callable[[], None] | Literal["rerun"] | None = None,
) -> None:
    """Draw layers, and a way back to the whole map."""
    returns = f"{key}_returns"
    deck = _Deck(
        layers,
        initial_view_state=nudged(view, st.session_state.get(returns, 0)),
        views=[pdk.View("MapView", controller=True)],
        map_provider=None,
        tooltip={"html": tooltip},
    )
    # `map_style` stays out: even as None it would fetch a basemap
    st.pydeck_chart(deck, height=height, key=key, alt=alt, on_select=on_select or "ignore")
    st.button(
        "Whole map",
        key=f"{key}_whole",
        icon=":material/zoom_out_map:",
        type="tertiary",
        help="Back to the view of the whole region",
        on_click=_return,
        args=(returns,),
    )


def take_zone(key: str, ground: str, take: Callable[[str], None]) -> None:
    """Hand on the zone that was clicked; a click on a flow chooses nothing (a callback)."""
    # an empty choice says nothing: the browser makes one by itself when a layer is gone
    for layer, objects in st.session_state[key]["selection"]["objects"].items():
        if layer.startswith(ground) and objects:
            take(str(objects[0]["properties"]["id"]))


class _Deck(pdk.Deck):
    """A deck written in one line: a thousand zones with line breaks take ten times as long."""

    def to_json(self) -> str:
        return json.dumps(self, sort_keys=True, default=default_serialize, separators=(",", ":"))


def _return(returns: str) -> None:
    st.session_state[returns] = st.session_state.get(returns, 0) + 1
