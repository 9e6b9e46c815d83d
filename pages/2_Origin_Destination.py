"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui.answers import assessments, measures
from pages._ui.answers.matrix import pick_matrix
from pages._ui.frame import layout
from pages._ui.settings import current, offers, widgets
from pages._ui.trips import change_view, error_grid, flow_map, method_errors, outcomes, totals

LEAD = (
    "Flows between zones: which a noisy release shows, which it leaves out, and which it invents."
)
GRID = "ε × τ with T"
VIEWS = {
    "Map": flow_map.draw,
    "Outcomes": outcomes.draw,
    "Errors": method_errors.draw,
    GRID: error_grid.draw,
    "Days and totals": totals.draw,
    "Change": change_view.draw,
}


def draw() -> None:
    """Draw the page."""
    setting, entry = current.flows(), offers.entry_for("trips")
    layout.draw_banners([entry])
    if setting is None or entry is None:
        layout.explain_missing(entry, "trips")
        return
    matrix = pick_matrix(setting)
    assessments.draw(setting)
    measures.draw_strip(setting)
    views = [name for name in VIEWS if matrix.method.has_flow_distribution or name != GRID]
    if st.session_state.get("od_view", "Map") not in views:
        st.session_state["od_view"] = "Map"
    VIEWS[widgets.choose("View", views, "od_view")](matrix)


layout.show_page(draw, "Origin–destination flows", LEAD)
