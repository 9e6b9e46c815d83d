"""Density: where and when private counts of visits hold, and what they cost."""

import streamlit as st

from pages._ui import state
from pages._ui.density import answer, cost, map as density_map, methods, zones
from pages._ui.shell import frame
from pages._ui.shell.session import session
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import delta_warning
from pages._ui.wording.use import levers

LEAD = (
    "Visits by zone and hour of the week, released with noise: see where and when the private "
    "counts hold, what the privacy costs, and why."
)
VIEWS = {
    "Map and week": density_map.draw,
    "Methods and ℓ": methods.draw,
    "Zones": zones.draw,
    "Cost": cost.draw,
}


def draw() -> None:
    """Draw the page."""
    answer.switches()
    setting, entry = state.density(), state.entry("density")
    frame.banners([entry])
    if setting is None or entry is None:
        frame.missing(entry, "density")
        return
    delta = setting.parameters.delta
    session().said = f"{levers(setting)}, δ {scientific(delta)}"
    answer.draw(setting)
    if warning := delta_warning(delta, entry.metadata.people_public):
        st.warning(warning, icon=":material/warning:")
    VIEWS[state.choose("View", list(VIEWS), "density_view")](setting)


frame.show(draw, "Density", LEAD)
