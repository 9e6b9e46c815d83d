"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui import cached, state
from pages._ui.shell import frame
from pages._ui.trips import errors, flows, grid, outcomes, totals, window
from pages._ui.views import answer, numbers

LEAD = (
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents."
)
SEVERAL_DAYS = (
    "Choose one day: our method reads one matrix at a time here. A release of several days reads "
    "each with the help of all others."
)
GRID = "ε × τ with T"
VIEWS = {
    "Map": flows.draw,
    "Outcomes": outcomes.draw,
    "Errors": errors.draw,
    GRID: grid.draw,
    "Days and totals": totals.draw,
}


def draw() -> None:
    """Draw the page."""
    setting, entry = state.flows(), state.entry("trips")
    frame.banners([entry])
    if setting is None or entry is None:
        frame.missing(entry, "trips")
        return
    picker, judgement = st.columns([1, 2.9], gap="medium")
    with picker:
        day = window.pick(setting)
    law = cached.method_of(setting).expected is not None
    with judgement:
        if day is None and not law:
            st.info(SEVERAL_DAYS)
            return
        answer.draw(setting, window.cost(setting, day))
    numbers.draw(setting)
    view = st.segmented_control(
        "View",
        [name for name in VIEWS if law or name != GRID],
        default="Map",
        required=True,
        key="od_view",
        label_visibility="collapsed",
        **state.LINKED,
    )
    VIEWS[view or "Map"](setting, day)


frame.show(draw, "Origin–destination flows", LEAD)
