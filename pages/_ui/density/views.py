"""The deeper figures: one at a time, and only the one that is shown is computed."""

import streamlit as st

from engine.ledger import Ledger
from pages._ui.density import cells as density_cells
from pages._ui.density import costs as density_costs
from pages._ui.density import detail as density_detail
from pages._ui.density import hours as density_hours
from pages._ui.density import ours as density_ours
from pages._ui.density import sweeps as density_sweeps
from pages._ui.density import totals as density_totals
from pages._ui.density import zones as density_zones
from pages._ui.density.settings import Chosen
from pages._ui.shell import setting

VIEWS = {
    "ours": "Published | ours",
    "cost": "What it costs",
    "hours": "Hour by hour",
    "zones": "Zone by zone",
    "detail": "Usable detail",
    "methods": "Methods",
    "kept": "Visits kept (ℓ)",
    "cells": "Cells and clusters",
    "totals": "Totals",
    "errata": "Errata of the paper",
}

DEFAULT = "cost"


def draw(chosen: Chosen, ledger: Ledger) -> None:
    """Draw the picker and the view that is picked."""
    st.subheader("Look deeper", anchor=False, divider="gray")
    view = _picker()
    if view == "cost":
        density_costs.draw(chosen, ledger)
    elif view == "errata":
        density_costs.errata()
    else:
        drawn = {
            "ours": density_ours.draw,
            "hours": density_hours.draw,
            "zones": density_zones.draw,
            "detail": density_detail.draw,
            "methods": density_sweeps.methods,
            "kept": density_sweeps.kept,
            "cells": density_cells.draw,
            "totals": density_totals.draw,
        }
        drawn[view](chosen)


def _picker() -> str:
    return setting.draw(
        st.segmented_control,
        "View",
        setting.choice("density_view", VIEWS, DEFAULT),
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
