"""Settings shared by all pages: keys, defaults, limits, the URL, seeds and reset.

The five settings, the two datasets, the variant and the unit have one unprefixed key each; every
other key on a page begins with the page's name. Numbers are bound to the URL by Streamlit; choices
are written there by their id, so that wording can change, and a local dataset's name never is.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from engine.parameters import (
    CLASSICAL_GAUSSIAN_MAX_EPSILON,
    EPSILON_STOPS,
    GAUSSIAN_VARIANTS,
    DensityParameters,
    ODParameters,
)
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry

Seed = tuple[int, int]
"""Secret (or, for simulated people, fixed) number and the count of redraws."""

EPSILON_DEFAULT = 1.0
DELTA_DEFAULT = 1e-7
MAX_VISITS_DEFAULT = 30
MAX_TRIPS_STOPS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 256)
MAX_TRIPS_DEFAULT = 4
THRESHOLD_LIMIT = 100
THRESHOLD_DEFAULT = 15
VARIANT_DEFAULT = "efpag_joint"
UNIT_DEFAULT = "person-day"
DEFAULTS: dict[str, object] = {
    "epsilon": EPSILON_DEFAULT,
    "delta": DELTA_DEFAULT,
    "max_visits": MAX_VISITS_DEFAULT,
    "max_trips": MAX_TRIPS_DEFAULT,
    "threshold": THRESHOLD_DEFAULT,
    "cluster_minimum": None,
    "variant": VARIANT_DEFAULT,
    "unit": UNIT_DEFAULT,
}
PREFERRED_DENSITY = ("paris", "demo-city")
PREFERRED_TRIPS = ("rwanda-districts", "demo-city")

SETTING_KEYS = (*DEFAULTS, "density_data", "od_data")
SIMULATED_SEED = 20140824


@dataclass(frozen=True)
class Settings:
    """What the person has set, for both mechanisms.

    `density_data` and `od_data` are None only where no dataset is installed at all; a dataset that
    lacks the part asked for is returned as it is, and the page says what is missing.
    """

    epsilon: float
    delta: float
    max_visits: int
    max_trips: int
    threshold: int
    cluster_minimum: float | None
    variant: str
    unit: str
    density_data: Entry | None
    od_data: Entry | None

    @property
    def gaussian(self) -> str:
        """``analytic`` above a total ε of 4, where P1's Theorem 3 ends (erratum D4)."""
        return "analytic" if self.epsilon > CLASSICAL_GAUSSIAN_MAX_EPSILON else "classical"

    @property
    def needs_analytic(self) -> bool:
        """Whether the analytic Gaussian is used because the classical one does not reach."""
        return self.variant in GAUSSIAN_VARIANTS and self.gaussian == "analytic"

    def density(self, **changes: object) -> DensityParameters:
        """Return the density settings; `changes` replaces some, such as ``epsilon=0.1``."""
        values: dict[str, object] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "max_visits_per_user": self.max_visits,
            "variant": self.variant,
            "cluster_minimum": self.cluster_minimum,
            **changes,
        }
        above = float(values["epsilon"]) > CLASSICAL_GAUSSIAN_MAX_EPSILON
        values.setdefault("gaussian", "analytic" if above else "classical")
        return DensityParameters(**values)

    def trips(self, **changes: object) -> ODParameters:
        """Return the origin–destination settings; `changes` replaces some."""
        values: dict[str, object] = {
            "epsilon": self.epsilon,
            "max_trips_per_user": self.max_trips,
            "suppression_threshold": self.threshold,
            "unit": self.unit,
            **changes,
        }
        if values["unit"] == "trip":
            values["max_trips_per_user"] = 1
        return ODParameters(**values)


def untouched() -> Settings:
    """Return the settings of a page on which nobody has set anything; needs no session."""
    known = catalogue.shared()
    data = {"density_data": preferred(known, "density"), "od_data": preferred(known, "trips")}
    return Settings(**DEFAULTS, **data)


def seed(entry: Entry) -> Seed:
    """Return the seed of the noise for a dataset: fixed for simulated people, else secret.

    A known seed lets anyone subtract the noise. The secret one is made per session and dataset and
    lives in the session only: never in the URL, a log or a file.
    """
    drawn = st.session_state.get("redraws", 0)
    if entry.metadata.simulated:
        return SIMULATED_SEED, drawn
    made = st.session_state.setdefault("secret_seeds", {})
    return made.setdefault(entry.key, secrets.randbits(128)), drawn


def use_settings(**settings: object) -> None:
    """Set sliders from elsewhere: call it in a callback, ``on_click=state.use, kwargs={…}``.

    Numbers are moved to a stop of their slider: ε up to the next stop (so that an accuracy asked
    for is reached), T up likewise.

    Examples
    --------
    >>> nearest_stop_above(0.2853, EPSILON_STOPS)
    0.3
    """
    for key, value in settings.items():
        if key == "epsilon":
            value = nearest_stop_above(float(value), EPSILON_STOPS)
        elif key == "max_trips":
            value = nearest_stop_above(int(value), MAX_TRIPS_STOPS)
        elif key == "threshold":
            value = min(max(int(value), 0), THRESHOLD_LIMIT)
        elif key not in SETTING_KEYS:
            raise KeyError(key)
        st.session_state[key] = value


def nearest_stop_above(value: float, stops: Sequence[float]) -> float:
    """Return the smallest stop of at least `value`, or the largest stop there is."""
    return next((stop for stop in stops if stop >= value), stops[-1])


def reset() -> None:
    """Put every setting back to its default (a callback)."""
    st.session_state.update(DEFAULTS, redraws=0)
    for key in ("density_data", "od_data"):
        st.session_state.pop(key, None)


def redraw() -> None:
    """Draw other noise with the same settings (a callback)."""
    st.session_state["redraws"] = st.session_state.get("redraws", 0) + 1


def dataset_with(part: str) -> Entry | None:
    """Return a dataset that has the part, ``density`` or ``trips``, the preferred one first."""
    return preferred(catalogue.entries(), part)


def preferred(known: dict[str, Entry], part: str) -> Entry | None:
    """Return the dataset of `known` that opens first for a part, None where none has it."""
    able = {name: entry for name, entry in known.items() if has_part(entry, part)}
    first = PREFERRED_DENSITY if part == "density" else PREFERRED_TRIPS
    return next((able[name] for name in (*first, *able) if name in able), None)


def has_part(entry: Entry, part: str) -> bool:
    """Whether the dataset has the tables of a part, ``density`` or ``trips``."""
    return entry.has_density if part == "density" else entry.has_trips
