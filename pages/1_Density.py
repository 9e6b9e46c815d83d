"""Density: where and when private counts of visits hold, and what they cost."""

import streamlit as st

from engine.text.numbers import scientific
from engine.text.privacy_text import delta_warning
from engine.text.setting_text import format_controls
from pages._ui.app.session import session
from pages._ui.density import cost, method_curves, overview, visit_map, zone_errors
from pages._ui.frame import layout, page_table, presenter
from pages._ui.home import home_page
from pages._ui.settings import current, offers, widgets

LEAD = (
    "Visits by zone and hour of the week, with noise added. See where and when the noisy counts "
    "are close to the truth, and what privacy costs."
)
VIEWS = {
    "Map and week": visit_map.draw,
    "Methods and ℓ": method_curves.draw,
    "Zones": zone_errors.draw,
    "Cost": cost.draw,
}


def draw() -> None:
    """Draw the page."""
    overview.draw_switches()
    setting, entry = current.density(), offers.entry_for("density")
    layout.draw_banners([entry])
    if setting is None or entry is None:
        layout.explain_missing(entry, "density")
        return
    if presenter.is_presenting():
        st.html(home_page.STYLE)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = widgets.choose("View", list(VIEWS), "density_view")
        presenter.draw_switch(page_table.HOME, "Home")
    if presenter.is_presenting():
        home_page.draw_first_screen(setting, current.flows(), setting)
        return
    delta = setting.parameters.delta
    session().stamp = f"{format_controls(setting)}, δ {scientific(delta)}"
    overview.draw(setting)
    if warning := delta_warning(delta, entry.metadata.people_public):
        st.warning(warning, icon=":material/warning:")
    VIEWS[view](setting)


layout.show_page(draw, "Density", LEAD)
