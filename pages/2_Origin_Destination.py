"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui import state
from pages._ui.shell import frame
from pages._ui.trips import change, errors, grid, map as trips_map, outcomes, totals
from pages._ui.trips.matrix import pick
from pages._ui.views import answer as answers, numbers

LEAD = (
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents."
)
GRID = "ε × τ with T"
VIEWS = {
    "Map": trips_map.draw,
    "Outcomes": outcomes.draw,
    "Errors": errors.draw,
    GRID: grid.draw,
    "Days and totals": totals.draw,
    "Change": change.draw,
}


def draw() -> None:
    """Draw the page."""
    setting, entry = state.flows(), state.entry("trips")
    frame.banners([entry])
    if setting is None or entry is None:
        frame.missing(entry, "trips")
        return
    matrix = pick(setting)
    answers.draw(setting)
    numbers.draw(setting, day=matrix.day)
    views = [name for name in VIEWS if matrix.has_law or name != GRID]
    if st.session_state.get("od_view", "Map") not in views:
        st.session_state["od_view"] = "Map"
    VIEWS[state.choose("View", views, "od_view")](matrix)


frame.show(draw, "Origin–destination flows", LEAD)
