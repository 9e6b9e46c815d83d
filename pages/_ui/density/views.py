"""The deeper figures: one at a time, and only the one that is shown is computed."""

import streamlit as st

from engine.ledger import Ledger
from pages._ui.density import cells as density_cells
from pages._ui.density import costs as density_costs
from pages._ui.density import hours as density_hours
from pages._ui.density import sweeps as density_sweeps
from pages._ui.density import totals as density_totals
from pages._ui.density import zones as density_zones
from pages._ui.density.settings import Chosen

VIEWS = {
    "cost": "What it costs",
    "hours": "Hour by hour",
    "zones": "Zone by zone",
    "methods": "Methods",
    "kept": "Visits kept (ℓ)",
    "cells": "Cells and clusters",
    "totals": "Totals",
    "errata": "Errata of the paper",
}

DEFAULT = "cost"


def draw(chosen: Chosen, book: Ledger) -> None:
    """Draw the picker and the view that is picked."""
    st.subheader("Look deeper", anchor=False, divider="gray")
    view = _picker()
    if view == "cost":
        density_costs.draw(chosen, book)
    elif view == "errata":
        density_costs.errata()
    else:
        drawn = {
            "hours": density_hours.draw,
            "zones": density_zones.draw,
            "methods": density_sweeps.methods,
            "kept": density_sweeps.kept,
            "cells": density_cells.draw,
            "totals": density_totals.draw,
        }
        drawn[view](chosen)


def _picker() -> str:
    """Draw the picker; the view's id stands in the URL, unknown ids there are dropped."""
    if "density_view" not in st.session_state:
        asked = st.query_params.get("density_view")
        st.session_state["density_view"] = asked if asked in VIEWS else DEFAULT
    view = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        required=True,
        key="density_view",
        label_visibility="collapsed",
        persist_state="session",
    )
    if view != DEFAULT:
        st.query_params["density_view"] = view
    elif "density_view" in st.query_params:
        del st.query_params["density_view"]
    return view
