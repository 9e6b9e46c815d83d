"""Density: where and when private counts of visits hold, and what they cost."""

import streamlit as st

from engine import density
from engine.parameters import choose_calibration
from engine.privacy_cost import is_above
from engine.text.numbers import percent, scientific
from engine.text.privacy_text import ANALYTIC_NOTE, delta_warning
from engine.text.setting_text import format_controls
from pages._ui.answers import assessments, cached, measures
from pages._ui.app.session import session
from pages._ui.components.tables import Cell
from pages._ui.density import cost, method_curves, visit_map, zone_errors
from pages._ui.frame import layout, page_table, presenter
from pages._ui.home import home_page
from pages._ui.settings import current, fields, offers, seeds, widgets

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
NOISE_EXCEEDS_NOTE = (
    "**The noise exceeds the data.** The noisy totals are not above zero, so the release is zero "
    "everywhere. Use a larger ε or data of more people."
)


def draw() -> None:
    """Draw the page."""
    _draw_switches()
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
    parameters, method = setting.parameters, cached.method_of(setting)
    controls = format_controls(setting)
    session().stamp = f"{controls}, δ {scientific(parameters.delta)}"
    assessments.draw(setting)
    release = cached.release(setting, seeds.seed(entry))
    if density.NO_POSITIVE_TOTAL in release.flags:
        st.error(NOISE_EXCEEDS_NOTE, icon=":material/error:")
    proved_epsilon = cached.compute_cost(setting).proved_epsilon
    proved, charged = f"{proved_epsilon:.3g}", f"charged: {parameters.epsilon:g}"
    totals = percent(measures.mean_total_error(setting))
    extra = {
        "Error of the total": Cell(totals, "", "All visits of the week are off by this."),
        "Proved privacy loss (ε)": Cell(
            proved, charged, "For one person's whole week. A release is charged the ε that is set."
        ),
    }
    measures.draw_strip(setting, extra)
    if is_above(proved_epsilon, parameters.epsilon):
        st.caption(
            f":material/warning: The best proved total is ε = {proved}, more than the "
            f"{parameters.epsilon:g} on the slider. The slider's ε is not proved for this method."
        )
    if "gaussian" in method.used_fields and parameters.gaussian == "analytic":
        st.caption(ANALYTIC_NOTE)
    if method.description:
        st.caption(f"{method.short_name}: {method.description}")
    if warning := delta_warning(parameters.delta, entry.metadata.people_public):
        st.warning(warning, icon=":material/warning:")
    VIEWS[view](setting)


def _draw_switches() -> None:
    """Draw the switches of the papers' stages in the sidebar."""
    method, epsilon = fields.value(fields.DENSITY_METHOD), fields.value(fields.EPSILON)
    uses = density.METHODS[method].used_fields
    fixed_noise = "gaussian" not in uses or choose_calibration(method, epsilon) == "analytic"
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:"):
        widgets.draw(fields.SCALING, disabled="scaling" not in uses)
        widgets.draw(fields.SMOOTHING, disabled="smoothing" not in uses)
        widgets.draw(fields.GAUSSIAN, disabled=fixed_noise)


layout.show_page(draw, "Density", LEAD)
