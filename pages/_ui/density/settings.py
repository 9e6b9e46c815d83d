"""The Density page's own switches, and the settings they make of the sidebar's."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.datasets import Metadata
from engine.parameters import (
    CLASSICAL_GAUSSIAN_MAX_EPSILON,
    FOURIER_VARIANTS,
    GAUSSIAN_VARIANTS,
    DensityParameters,
)
from pages._ui.cache import density as cached_density
from pages._ui.density import wording as density_wording
from pages._ui.shell import setting
from pages._ui.shell.settings import Seed, Settings, seed
from pages._ui.wording.privacy import ANALYTIC_NOTE


@dataclass(frozen=True)
class Chosen:
    """What the page shows: settings after all switches.

    Attributes
    ----------
    key : str
        Key of the dataset.
    epsilon : float
        The slider's ε. With `equal` it is the best proved total of every method, and the ε that a
        method is run with follows from it.
    scaling, smoothing, analytic, equal : bool
        The switches.
    seed : Seed
        Of the noise.
    """

    settings: Settings
    key: str
    scaling: bool
    smoothing: bool
    analytic: bool
    equal: bool
    seed: Seed

    @property
    def metadata(self) -> Metadata:
        """What is known of the dataset's origin."""
        entry = self.settings.density_data
        assert entry is not None  # else there were no switches to choose with
        return entry.metadata

    @property
    def has_zoom(self) -> bool:
        """Whether the dataset has the tables of our method."""
        return self.settings.density_data is not None and self.settings.density_data.has_zoom

    @property
    def epsilon(self) -> float:
        return self.settings.epsilon

    @property
    def parameters(self) -> DensityParameters:
        """Settings of the release on the page."""
        return self.vary()

    def vary(self, **changes: Any) -> DensityParameters:
        """Return the settings with some changed, such as ``variant="lpa"`` or ``epsilon=0.1``."""
        values: dict[str, Any] = {
            "scaling": self.scaling,
            "smoothing": self.smoothing,
            **changes,
        }
        epsilon = float(values.get("epsilon", self.epsilon))
        if self.analytic or epsilon > CLASSICAL_GAUSSIAN_MAX_EPSILON:
            values["gaussian"] = "analytic"
        made = self.settings.density(**values)
        return cached_density.at_equal_proved(self.key, made) if self.equal else made

    @property
    def notes(self) -> list[str]:
        """What must be said of the settings beside the numbers."""
        made = self.parameters
        found = []
        if made.variant in GAUSSIAN_VARIANTS and made.gaussian == "analytic":
            if self.epsilon > CLASSICAL_GAUSSIAN_MAX_EPSILON:
                found.append(ANALYTIC_NOTE)
            elif self.analytic:
                found.append(density_wording.ANALYTIC_CHOSEN)
            else:
                found.append(density_wording.ANALYTIC_FOR_EQUAL)
        if self.equal:
            found.append(density_wording.equal_proved(self.epsilon, made.epsilon))
        if made.variant == "zoom":
            found.append(density_wording.ZOOM)
        elif made.variant not in FOURIER_VARIANTS:
            found.append(density_wording.NO_STAGES)
        return found


def switches(settings: Settings) -> Chosen:
    """Draw the page's switches in the sidebar and return what is chosen.

    The settings must have a dataset with visits.
    """
    fourier = settings.variant in FOURIER_VARIANTS
    gaussian = settings.variant in GAUSSIAN_VARIANTS
    forced = settings.epsilon > CLASSICAL_GAUSSIAN_MAX_EPSILON
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:", expanded=True):
        scaling = _switch("Improved scaling", "scaling", True, disabled=not fourier)
        smoothing = _switch("Night smoothing", "smoothing", True, disabled=not fourier)
        analytic = _switch("Analytic Gaussian", "gaussian", False, disabled=not gaussian or forced)
        equal = _switch("Compare at equal proved ε", "equal", False)
    entry = settings.density_data
    assert entry is not None  # else the page has said what is missing
    return Chosen(
        settings=settings,
        key=entry.key,
        scaling=scaling,
        smoothing=smoothing,
        analytic=analytic,
        equal=equal,
        seed=seed(entry),
    )


def _switch(label: str, name: str, default: bool, *, disabled: bool = False) -> bool:
    return setting.draw(
        st.toggle,
        label,
        setting.switch(f"density_{name}", default=default),
        help=density_wording.HELP[name],
        disabled=disabled,
    )
