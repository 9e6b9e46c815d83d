"""Settings shared by all pages: keys, defaults, limits, the URL, seeds and reset.

The five settings, the two datasets, the variant and the unit have one unprefixed key each; every
other key on a page begins with the page's name. Numbers are bound to the URL by Streamlit; choices
are written there by their id, so that wording can change, and a local dataset's name never is.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from engine import parameters
from engine.parameters import (
    CLASSICAL_GAUSSIAN_MAX_EPSILON,
    DELTA_STOPS,
    EPSILON_STOPS,
    GAUSSIAN_VARIANTS,
    MAX_VISITS_LIMIT,
    DensityParameters,
    ODParameters,
)
from pages._ui import cached_facts, catalogue, dataset_wording, wording
from pages._ui.catalogue import Entry

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


def sidebar(*, density: bool = True, trips: bool = True) -> Settings:
    """Draw the settings in the sidebar and return them.

    Every setting is drawn on every page, so that the share link is always whole; the group that a
    page does not use is folded away.

    Parameters
    ----------
    density, trips : bool
        Whether this page uses the mechanism's settings.
    """
    known = catalogue.entries()
    with st.sidebar:
        epsilon = _epsilon_slider()
        delta, visits, minimum, variant, density_data = _density_group(known, opened=density)
        trip_limit, threshold, unit, od_data = _trips_group(known, opened=trips)
        left, right = st.columns(2)
        left.button(
            "Redraw",
            icon=":material/casino:",
            on_click=_redraw,
            width="stretch",
            help="Draw other noise with the same settings. Moving a slider keeps the noise, so "
            "that a change you see comes from the slider.",
        )
        right.button("Reset", icon=":material/restart_alt:", on_click=reset, width="stretch")
        st.caption(wording.SHARE)
    return Settings(
        epsilon=epsilon,
        delta=delta,
        max_visits=visits,
        max_trips=trip_limit,
        threshold=threshold,
        cluster_minimum=minimum,
        variant=variant,
        unit=unit,
        density_data=density_data,
        od_data=od_data,
    )


def untouched() -> Settings:
    """Return the settings of a page on which nobody has set anything; needs no session."""
    known = catalogue.shared()
    data = {"density_data": _preferred(known, "density"), "od_data": _preferred(known, "trips")}
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


def use(**settings: object) -> None:
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


def _redraw() -> None:
    st.session_state["redraws"] = st.session_state.get("redraws", 0) + 1


def _epsilon_slider() -> float:
    value = st.select_slider(
        "Privacy loss (ε)",
        options=EPSILON_STOPS,
        value=EPSILON_DEFAULT,
        format_func=lambda stop: f"{stop:g}",
        key="epsilon",
        help=wording.HELP["epsilon"],
        bind="query-params",
        persist_state="session",
    )
    st.html('<div class="ends"><span>← more private</span><span>more accurate →</span></div>')
    return value


def _density_group(
    known: dict[str, Entry], *, opened: bool
) -> tuple[float, int, float | None, str, Entry | None]:
    with st.expander("Density", expanded=opened, icon=":material/grid_on:"):
        entry = _dataset_picker("Visits of", "density_data", known, "density")
        delta = st.select_slider(
            "Chance that the bound fails (δ)",
            options=DELTA_STOPS,
            value=DELTA_DEFAULT,
            format_func=wording.scientific,
            key="delta",
            help=wording.HELP["delta"],
            bind="query-params",
            persist_state="session",
        )
        visits = st.slider(
            "Visits kept per person (ℓ)",
            1,
            MAX_VISITS_LIMIT,
            MAX_VISITS_DEFAULT,
            key="max_visits",
            help=wording.HELP["max_visits"],
            bind="query-params",
            persist_state="session",
        )
        with st.expander("Advanced"):
            variant = _choice(
                "Method",
                "variant",
                get_args(parameters.DensityVariant),
                VARIANT_DEFAULT,
                lambda name: wording.VARIANTS[name],
            )
            minimum = st.number_input(
                "Cluster minimum (τ of Algorithm 3)",
                min_value=0.0,
                max_value=1e9,
                value=None,
                step=1000.0,
                format="%.0f",
                placeholder="by the paper's formula",
                key="cluster_minimum",
                help=wording.HELP["cluster_minimum"],
                bind="query-params",
                persist_state="session",
            )
    return delta, visits, minimum, variant, entry


def _trips_group(known: dict[str, Entry], *, opened: bool) -> tuple[int, int, str, Entry | None]:
    with st.expander("Origin–destination", expanded=opened, icon=":material/swap_calls:"):
        entry = _dataset_picker("Trips of", "od_data", known, "trips")
        unit = _choice(
            "What is protected",
            "unit",
            get_args(parameters.ODUnit),
            UNIT_DEFAULT,
            lambda name: wording.UNITS[name],
            allowed=_units(entry),
        )
        trip_limit = st.select_slider(
            "Trips kept per person (T)",
            options=MAX_TRIPS_STOPS,
            value=MAX_TRIPS_DEFAULT,
            key="max_trips",
            disabled=unit == "trip",
            help=wording.HELP["max_trips"],
            bind="query-params",
            persist_state="session",
        )
        if unit == "trip":
            st.caption(wording.trip_level_reason(has_people=_has_people(entry)))
        elif "person" not in _units(entry):
            st.caption(
                "Trips here are not ranked over the whole period, so a person is not offered."
            )
        threshold = st.slider(
            "Suppress flows below (τ)",
            0,
            THRESHOLD_LIMIT,
            THRESHOLD_DEFAULT,
            key="threshold",
            help=wording.HELP["threshold"],
            bind="query-params",
            persist_state="session",
        )
    return 1 if unit == "trip" else trip_limit, threshold, unit, entry


def _units(entry: Entry | None) -> tuple[str, ...]:
    every = get_args(parameters.ODUnit)
    if not _has_people(entry):
        return ("trip",)
    return every if entry is None or entry.has_trips_by_person else every[:2]


def _has_people(entry: Entry | None) -> bool:
    return entry is None or entry.metadata.trips_have_people


def _dataset_picker(label: str, key: str, known: dict[str, Entry], part: str) -> Entry | None:
    if not known:
        st.caption("No dataset is installed.")
        return None
    names = sorted(known, key=lambda name: not has_part(known[name], part))
    offered = offer(part)
    default = names[0] if offered is None else offered.name

    told = {name: _described(known[name], part) for name in names}
    shared = [name for name in names if known[name].shipped]
    return known[_choice(label, key, names, default, told.__getitem__, shared=shared)]


def _described(entry: Entry, part: str) -> str:
    lacks = "" if has_part(entry, part) else wording.PARTS[part]
    facts = cached_facts.facts(entry.key)
    return dataset_wording.described(entry.name, entry.metadata, facts, lacks)


def offer(part: str) -> Entry | None:
    """Return a dataset that has the part, ``density`` or ``trips``, the preferred one first."""
    return _preferred(catalogue.entries(), part)


def _preferred(known: dict[str, Entry], part: str) -> Entry | None:
    able = {name: entry for name, entry in known.items() if has_part(entry, part)}
    first = PREFERRED_DENSITY if part == "density" else PREFERRED_TRIPS
    return next((able[name] for name in (*first, *able) if name in able), None)


def has_part(entry: Entry, part: str) -> bool:
    """Whether the dataset has the tables of a part, ``density`` or ``trips``."""
    return entry.has_density if part == "density" else entry.has_trips


def _choice(
    label: str,
    key: str,
    options: Sequence[str],
    default: str,
    describe: Callable[[str], str],
    *,
    allowed: Sequence[str] | None = None,
    shared: Sequence[str] | None = None,
) -> str:
    """Draw a picker whose id stands in the URL; unknown ids there are dropped.

    `allowed` are the options that can be taken now, `shared` those that may stand in a URL.
    """
    allowed = options if allowed is None else allowed
    shared = allowed if shared is None else shared
    default = default if default in allowed else allowed[0]
    if key not in st.session_state:
        asked = st.query_params.get(key)
        st.session_state[key] = asked if asked in shared and asked in allowed else default
    elif st.session_state[key] not in allowed:
        st.session_state[key] = default
    value = st.selectbox(
        label,
        [option for option in options if option in allowed],
        format_func=describe,
        key=key,
        help=wording.HELP.get(key),
        persist_state="session",
    )
    in_link = st.query_params.get(key)
    if value != default and value in shared:
        if in_link != value:
            st.query_params[key] = value
    elif in_link is not None:
        del st.query_params[key]
    return value
