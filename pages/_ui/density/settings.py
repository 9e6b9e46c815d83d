"""The Density page's own switches, the context they make, and what must be said of it."""

import streamlit as st

from engine import density
from engine.parameters import gaussian_for
from pages._ui.density import wording as density_wording
from pages._ui.shell import setting
from pages._ui.shell.settings import Settings
from pages._ui.views import context as contexts
from pages._ui.views.context import Density
from pages._ui.wording.privacy import ANALYTIC_NOTE


def switches(settings: Settings) -> Density:
    """Draw the page's switches in the sidebar and return what is chosen.

    The settings must have a dataset with visits.
    """
    uses = density.METHODS[settings.variant].uses
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:", expanded=True):
        scaling = _switch("Improved scaling", "scaling", True, disabled="scaling" not in uses)
        smoothing = _switch("Night smoothing", "smoothing", True, disabled="smoothing" not in uses)
        fixed = "gaussian" not in uses or settings.needs_analytic
        analytic = _switch("Analytic Gaussian", "gaussian", False, disabled=fixed)
        equal = _switch("Compare at equal proved ε", "equal", False)
    context = contexts.of_density(
        settings,
        gaussian="analytic" if analytic else "classical",
        equal=equal,
        scaling=scaling,
        smoothing=smoothing,
    )
    assert context is not None  # else the page has said what is missing
    return context


def notes(context: Density) -> list[str]:
    """Return what must be said of the settings beside the numbers."""
    parameters, uses = context.parameters, context.method.uses
    said: list[str] = []
    if "gaussian" in uses and parameters.gaussian == "analytic":
        if gaussian_for(parameters.method, context.epsilon) == "analytic":
            said.append(ANALYTIC_NOTE)
        elif context.gaussian == "analytic":
            said.append(density_wording.ANALYTIC_CHOSEN)
        else:
            said.append(density_wording.ANALYTIC_FOR_EQUAL)
    if context.proved is not None:
        said.append(density_wording.equal_proved(context.proved, parameters.epsilon))
    if context.method.ours:
        said.append(density_wording.ZOOM)
    elif "scaling" not in uses:
        said.append(density_wording.NO_STAGES)
    return said


def _switch(label: str, name: str, default: bool, *, disabled: bool = False) -> bool:
    return setting.draw(
        st.toggle,
        label,
        setting.switch(f"density_{name}", default=default),
        help=density_wording.HELP[name],
        disabled=disabled,
    )
