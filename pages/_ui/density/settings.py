"""The Density page's own switches, and the settings they make of the sidebar's."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.datasets import Metadata
from engine.parameters import (
    FOURIER_METHODS,
    GAUSSIAN_METHODS,
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
        """Return the settings with some changed, such as ``method="lpa"`` or ``epsilon=0.1``."""
        values: dict[str, Any] = {
            "scaling": self.scaling,
            "smoothing": self.smoothing,
            **changes,
        }
        if self.analytic:
            values["gaussian"] = "analytic"
        parameters = self.settings.density(**values)
        return cached_density.at_equal_proved(self.key, parameters) if self.equal else parameters

    @property
    def notes(self) -> list[str]:
        """What must be said of the settings beside the numbers."""
        parameters = self.parameters
        notes: list[str] = []
        if parameters.method in GAUSSIAN_METHODS and parameters.gaussian == "analytic":
            if self.settings.needs_analytic:
                notes.append(ANALYTIC_NOTE)
            elif self.analytic:
                notes.append(density_wording.ANALYTIC_CHOSEN)
            else:
                notes.append(density_wording.ANALYTIC_FOR_EQUAL)
        if self.equal:
            notes.append(density_wording.equal_proved(self.epsilon, parameters.epsilon))
        if parameters.method == "zoom":
            notes.append(density_wording.ZOOM)
        elif parameters.method not in FOURIER_METHODS:
            notes.append(density_wording.NO_STAGES)
        return notes


def switches(settings: Settings) -> Chosen:
    """Draw the page's switches in the sidebar and return what is chosen.

    The settings must have a dataset with visits.
    """
    fourier = settings.variant in FOURIER_METHODS
    gaussian = settings.variant in GAUSSIAN_METHODS
    with st.sidebar.expander("Stages and noise", icon=":material/account_tree:", expanded=True):
        scaling = _switch("Improved scaling", "scaling", True, disabled=not fourier)
        smoothing = _switch("Night smoothing", "smoothing", True, disabled=not fourier)
        fixed = not gaussian or settings.needs_analytic
        analytic = _switch("Analytic Gaussian", "gaussian", False, disabled=fixed)
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
