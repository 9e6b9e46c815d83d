"""The Density page's switches, and what its setting is good for: use, errors, proved ε."""

import streamlit as st

from engine import density
from engine.contract import Setting
from engine.parameters import choose_calibration
from engine.privacy_cost import is_above
from engine.text.numbers import percent
from engine.text.privacy_text import ANALYTIC_NOTE
from pages._ui.answers import assessments, cached, measures
from pages._ui.components.tables import Cell
from pages._ui.settings import fields, offers, seeds, widgets

NOISE_EXCEEDS_NOTE = (
    "**The noise exceeds the data.** The noisy totals are not above zero, so the release is zero "
    "everywhere. Use a larger ε or data of more people."
)


def draw_switches() -> None:
    """Draw the switches of the papers' stages in the sidebar."""
    method, epsilon = fields.value(fields.DENSITY_METHOD), fields.value(fields.EPSILON)
    uses = density.METHODS[method].used_fields
    fixed_noise = "gaussian" not in uses or choose_calibration(method, epsilon) == "analytic"
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:"):
        widgets.draw(fields.SCALING, disabled="scaling" not in uses)
        widgets.draw(fields.SMOOTHING, disabled="smoothing" not in uses)
        widgets.draw(fields.GAUSSIAN, disabled=fixed_noise)


def draw(setting: Setting) -> None:
    """Draw what the setting is good for, its large numbers, and what its method does."""
    assessments.draw(setting)
    release = cached.release(setting, seeds.seed(offers.entry_of(setting)))
    if density.NO_POSITIVE_TOTAL in release.flags:
        st.error(NOISE_EXCEEDS_NOTE, icon=":material/error:")
    ledger = cached.compute_cost(setting)
    proved, charged = f"{ledger.proved_epsilon:.3g}", f"ε set: {setting.parameters.epsilon:g}"
    totals = measures.mean_total_error(setting)
    extra = {
        "Error of the total": Cell(percent(totals), "", "All visits of the week are off by this."),
        "Proved privacy loss (ε)": Cell(proved, charged, "For one person's whole week."),
    }
    measures.draw_strip(setting, extra)
    parameters, method = setting.parameters, cached.method_of(setting)
    if is_above(ledger.proved_epsilon, parameters.epsilon):
        st.caption(
            f":material/warning: The best proved total is ε = {ledger.proved_epsilon:.3g}, more "
            f"than the {parameters.epsilon:g} on the slider. The slider's ε is not proved for "
            "this method."
        )
    if "gaussian" in method.used_fields and parameters.gaussian == "analytic":
        st.caption(ANALYTIC_NOTE)
    if method.description:
        st.caption(f"{method.short_name}: {method.description}")
