"""The settings in the sidebar: sliders, pickers, redraw and reset."""

from collections.abc import Callable, Sequence
from typing import get_args

import streamlit as st

from engine import parameters
from engine.parameters import DELTA_STOPS, EPSILON_STOPS, MAX_VISITS_LIMIT
from pages._ui.cache import facts as cached_facts
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import (
    DELTA_DEFAULT,
    EPSILON_DEFAULT,
    MAX_TRIPS_DEFAULT,
    MAX_TRIPS_STOPS,
    MAX_VISITS_DEFAULT,
    THRESHOLD_DEFAULT,
    THRESHOLD_LIMIT,
    UNIT_DEFAULT,
    VARIANT_DEFAULT,
    Settings,
    dataset_with,
    has_part,
    redraw,
    reset,
)
from pages._ui.wording.datasets import PARTS, described
from pages._ui.wording.labels import HELP, SHARE, VARIANTS
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import UNITS, trip_level_reason


def draw(*, density: bool = True, trips: bool = True) -> Settings:
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
            on_click=redraw,
            width="stretch",
            help="Draw other noise with the same settings. Moving a slider keeps the noise, so "
            "that a change you see comes from the slider.",
        )
        right.button("Reset", icon=":material/restart_alt:", on_click=reset, width="stretch")
        st.caption(SHARE)
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


def _epsilon_slider() -> float:
    value = st.select_slider(
        "Privacy loss (ε)",
        options=EPSILON_STOPS,
        value=EPSILON_DEFAULT,
        format_func=lambda stop: f"{stop:g}",
        key="epsilon",
        help=HELP["epsilon"],
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
            format_func=scientific,
            key="delta",
            help=HELP["delta"],
            bind="query-params",
            persist_state="session",
        )
        visits = st.slider(
            "Visits kept per person (ℓ)",
            1,
            MAX_VISITS_LIMIT,
            MAX_VISITS_DEFAULT,
            key="max_visits",
            help=HELP["max_visits"],
            bind="query-params",
            persist_state="session",
        )
        with st.expander("Advanced"):
            variant = _choice(
                "Method",
                "variant",
                get_args(parameters.DensityVariant),
                VARIANT_DEFAULT,
                lambda name: VARIANTS[name],
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
                help=HELP["cluster_minimum"],
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
            lambda name: UNITS[name],
            allowed=_units(entry),
        )
        trip_limit = st.select_slider(
            "Trips kept per person (T)",
            options=MAX_TRIPS_STOPS,
            value=MAX_TRIPS_DEFAULT,
            key="max_trips",
            disabled=unit == "trip",
            help=HELP["max_trips"],
            bind="query-params",
            persist_state="session",
        )
        if unit == "trip":
            st.caption(trip_level_reason(has_people=_has_people(entry)))
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
            help=HELP["threshold"],
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
    offered = dataset_with(part)
    default = names[0] if offered is None else offered.name

    told = {name: _described(known[name], part) for name in names}
    shared = [name for name in names if known[name].shipped]
    return known[_choice(label, key, names, default, told.__getitem__, shared=shared)]


def _described(entry: Entry, part: str) -> str:
    lacks = "" if has_part(entry, part) else PARTS[part]
    facts = cached_facts.facts(entry.key)
    return described(entry.name, entry.metadata, facts.zones, facts.size_bytes, lacks)


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
        help=HELP.get(key),
        persist_state="session",
    )
    in_link = st.query_params.get(key)
    if value != default and value in shared:
        if in_link != value:
            st.query_params[key] = value
    elif in_link is not None:
        del st.query_params[key]
    return value
