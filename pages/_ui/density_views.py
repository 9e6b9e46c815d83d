"""The deeper figures: one at a time, and only the one that is shown is computed."""

import streamlit as st

from engine.ledger import Ledger
from pages._ui import (
    density_cells,
    density_costs,
    density_hours,
    density_sweeps,
    density_totals,
    density_zones,
)
from pages._ui.density_settings import Chosen

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


def draw(chosen: Chosen, book: Ledger) -> None:
    """Draw the picker and the view that is picked."""
    st.subheader("Look deeper", anchor=False, divider="gray")
    view = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        default="cost",
        required=True,
        key="density_view",
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
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
