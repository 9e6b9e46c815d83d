"""The deeper figures: one at a time, and only the one that is shown is computed."""

import html
from collections.abc import Callable
from functools import partial

import streamlit as st

from pages._ui.density import (
    cells as density_cells,
    costs as density_costs,
    hours as density_hours,
    ours as density_ours,
    sweeps as density_sweeps,
    totals as density_totals,
    wording as density_wording,
    zones as density_zones,
)
from pages._ui.shell import setting
from pages._ui.views import detail
from pages._ui.views.context import Density


def _errata(_: Density) -> None:
    """Draw the seven places where the paper is wrong or open, one sentence each."""
    st.markdown("**Where the paper is wrong or leaves something open**, and what is done instead")
    blocks = [
        f'<div class="erratum"><b>{html.escape(name)}</b><strong>{html.escape(about)}</strong>'
        f"<div>{html.escape(sentence)}</div><small>{html.escape(source)}</small></div>"
        for name, about, sentence, source in density_wording.ERRATA
    ]
    st.html("".join(blocks))
    st.caption(density_wording.PAPER)


DEFAULT = "cost"
VIEWS: dict[str, tuple[str, Callable[[Density], None]]] = {
    "ours": ("Published | ours", density_ours.draw),
    "cost": ("What it costs", density_costs.draw),
    "hours": ("Hour by hour", density_hours.draw),
    "zones": ("Zone by zone", density_zones.draw),
    "detail": ("Usable detail", partial(detail.draw, look=density_wording.LOOK["detail"])),
    "methods": ("Methods", density_sweeps.methods),
    "kept": ("Visits kept (ℓ)", density_sweeps.kept),
    "cells": ("Cells and clusters", density_cells.draw),
    "totals": ("Totals", density_totals.draw),
    "errata": ("Errata of the paper", _errata),
}


def draw(context: Density) -> None:
    """Draw the picker and the view that is picked."""
    st.subheader("Look deeper", anchor=False, divider="gray")
    names = {key: name for key, (name, _) in VIEWS.items()}
    VIEWS[setting.views("density_view", names, DEFAULT)][1](context)
