"""The settings in the sidebar: sliders, pickers, redraw and reset, and only those a page uses."""

from collections.abc import Collection
from typing import get_args

import streamlit as st

from engine import parameters
from engine.parameters import DELTA_STOPS, MAX_VISITS_LIMIT
from engine.resolution import HourStep, TimeStep
from pages._ui.cache import facts as cached_facts
from pages._ui.shell import address, catalogue, epsilon_control, frame, pins, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import (
    CLUSTER_MINIMUM,
    CLUSTER_MINIMUM_LIMIT,
    DELTA,
    DENSITY_HOURS,
    MAX_TRIPS,
    MAX_TRIPS_STOPS,
    MAX_VISITS,
    OD_METHOD,
    OD_METHODS,
    OD_TIME,
    THRESHOLD,
    THRESHOLD_LIMIT,
    UNIT,
    VARIANT,
    Settings,
    coarser,
    current,
    dataset_setting,
    has_part,
    redraw,
    reset,
    units,
    variants,
    zones_setting,
)
from pages._ui.wording.datasets import PARTS, facts, option
from pages._ui.wording.labels import (
    AS_INGESTED,
    DRAWS,
    HELP,
    HOUR_STEPS,
    METHODS,
    NOBODY_SAMPLED,
    OD_METHOD_NAMES,
    SHARE,
    TIME_STEPS,
    no_zoom,
)
from pages._ui.wording.numbers import scientific
from pages._ui.wording.places import cluster_words, zone_words
from pages._ui.wording.privacy import UNITS, trip_level_reason

DENSITY = ("density_data", "delta", "max_visits", "variant", "cluster_minimum")
TRIPS = ("od_data", "unit", "max_trips", "threshold")

_FITS = 22
"""So many letters of a picker's choice are seen while it is closed."""


def draw(
    *,
    density: bool | Collection[str] = True,
    trips: bool | Collection[str] = True,
    epsilon: bool | None = None,
    noise: bool = True,
    od_method: bool = False,
    resolution: bool = False,
) -> Settings:
    """Draw the settings that a page uses in the sidebar and return all of them.

    What is not drawn keeps its value and its word in the link.

    Parameters
    ----------
    density, trips : bool or collection of str
        Whether this page uses the mechanism's settings, or which of `DENSITY` and `TRIPS`.
    epsilon : bool, optional
        Whether it uses ε; else where it uses any other setting.
    noise : bool
        Whether it draws noise, so that other noise can be asked for.
    od_method : bool
        Whether it can read trips by either method.
    resolution : bool
        Whether it can look at coarser zones and coarser time; the datasets returned are then seen
        at the resolution that is set, else as they were ingested.
    """
    shown = {*_keys(density, DENSITY), *_keys(trips, TRIPS)}
    if bool(shown) if epsilon is None else epsilon:
        shown.add("epsilon")
    if od_method:
        shown.add("od_method")
    if resolution:
        shown |= {f"{part}_detail" for part in ("density", "od") if f"{part}_data" in shown}
    known = catalogue.entries()
    if shown:
        with st.sidebar:
            _draw(shown, known, noise=noise)
    if "epsilon" in shown:
        epsilon_control.narrow()
    address.write(frame.path(), list(frame.PAGES))
    for notice in session().notices:
        st.toast(notice, icon=":material/link:")
    session().notices.clear()
    return current(resolution=resolution)


def _keys(used: bool | Collection[str], every: Collection[str]) -> Collection[str]:
    return every if used is True else () if used is False else used


def _pin() -> None:
    """Draw the button that keeps what is set for the page Compare."""
    kept = len(pins.pinned())
    st.button(
        "Pin to compare",
        icon=":material/push_pin:",
        on_click=pins.add,
        key="pin",
        width="stretch",
        help="Keeps for the page Compare what is set now in the panels of all pages, not what a "
        f"page asks below its title. Up to {len(pins.LETTERS)} settings stand side by side there, "
        "and its link holds them.",
    )
    if kept:
        frame.link(pins.PAGE, f"Compare {kept} pinned")


def _draw(shown: set[str], known: dict[str, Entry], *, noise: bool) -> None:
    if "epsilon" in shown:
        epsilon_control.draw()
    if shown & set(DENSITY):
        with st.expander("Density", expanded=True, icon=":material/grid_on:"):
            _density_group(shown, known)
    if shown & set(TRIPS):
        with st.expander("Origin–destination", expanded=True, icon=":material/swap_calls:"):
            _trips_group(shown, known)
    left, right = st.columns(2)
    if noise:
        left.button(
            "Redraw",
            icon=":material/casino:",
            on_click=redraw,
            width="stretch",
            help="Draw other noise with the same settings. Moving a slider keeps the noise, so "
            "that a change you see comes from the slider.",
        )
    (right if noise else left).button(
        "Reset",
        icon=":material/restart_alt:",
        on_click=reset,
        width="stretch",
        help="Put the settings of every page back to their defaults, datasets too.",
    )
    st.caption(f"{DRAWS} {SHARE}" if noise else SHARE)
    _pin()
    details = {"density_detail", "od_detail"}
    if shown & {"density_data", "od_data"} and not shown & details and coarser():
        st.caption(AS_INGESTED)


def _density_group(shown: set[str], known: dict[str, Entry]) -> None:
    if "density_data" in shown:
        _dataset_picker("Visits dataset", known, "density")
    if "density_detail" in shown:
        _detail(current().density_data, "density")
    if "delta" in shown:
        setting.draw(
            st.select_slider,
            "Allowance beyond ε (δ)",
            DELTA,
            DELTA_STOPS,
            format_func=scientific,
            help=HELP["delta"],
        )
    if "max_visits" in shown:
        sampled = current().variant != "zoom"
        setting.draw(
            st.slider,
            "Visits kept per person (ℓ)",
            MAX_VISITS,
            min_value=1,
            max_value=MAX_VISITS_LIMIT,
            help=HELP["max_visits"],
            disabled=not sampled,
        )
        if not sampled:
            st.caption(NOBODY_SAMPLED)
    if not shown & {"variant", "cluster_minimum"}:
        return
    with st.expander("Advanced"):
        if "variant" in shown:
            setting.draw(
                st.selectbox,
                "Method",
                VARIANT,
                variants(current().density_data),
                format_func=METHODS.__getitem__,
                help=HELP["variant"],
            )
            entry = current().density_data
            if entry is not None and entry.has_density and not entry.has_zoom:
                st.caption(no_zoom(entry.metadata.made_by))
        if "cluster_minimum" in shown:
            setting.draw(
                st.number_input,
                "Cluster minimum (τ of Algorithm 3)",
                CLUSTER_MINIMUM,
                min_value=0.0,
                max_value=CLUSTER_MINIMUM_LIMIT,
                value=None,
                step=1000.0,
                format="%.0f",
                placeholder="by the paper's formula",
                help=HELP["cluster_minimum"],
                disabled=current().variant not in parameters.FOURIER_METHODS,
            )


def _trips_group(shown: set[str], known: dict[str, Entry]) -> None:
    if "od_data" in shown:
        _dataset_picker("Trips dataset", known, "trips")
    entry = current().od_data
    if "od_detail" in shown:
        _detail(entry, "trips")
    allowed = units(entry)
    if "unit" in shown:
        setting.draw(
            st.selectbox,
            "What is protected",
            UNIT,
            [unit for unit in get_args(parameters.ODUnit) if unit in allowed],
            format_func=UNITS.__getitem__,
            help=HELP["unit"],
        )
    if "max_trips" in shown:
        by_trip = current().unit == "trip"
        setting.draw(
            st.select_slider,
            "Trips kept per person (T)",
            MAX_TRIPS,
            MAX_TRIPS_STOPS,
            disabled=by_trip,
            help=HELP["max_trips"],
        )
        if by_trip:
            has_people = entry is None or entry.metadata.trips_have_people
            st.caption(trip_level_reason(has_people=has_people))
        elif "person" not in allowed:
            st.caption(
                "Trips here are not ranked over the whole period, so a person is not offered."
            )
    method = "published"
    if "od_method" in shown:
        method = setting.draw(
            st.selectbox,
            "Method",
            OD_METHOD,
            OD_METHODS,
            format_func=OD_METHOD_NAMES.__getitem__,
            help=HELP["od_method"],
        )
    if "threshold" in shown:
        setting.draw(
            st.slider,
            "Suppress flows below (τ)",
            THRESHOLD,
            min_value=0,
            max_value=THRESHOLD_LIMIT,
            help=HELP["threshold"],
        )
        if method == "estimate":
            st.caption("Ours hides nothing: τ belongs to the published method.")


def _detail(entry: Entry | None, part: str) -> None:
    """Draw how far away one looks at a dataset: its zones, and its time."""
    if entry is None or not has_part(entry, part):
        return
    one, offered = zones_setting(part, entry), cached_facts.levels(entry.key)
    words = zone_words(offered.named, offered.clusters)
    chosen = setting.value(one)
    if chosen not in words and offered.has(chosen):
        words[chosen] = cluster_words(chosen)
    left, right = st.columns([1.15, 1], gap="small")
    setting.draw(
        left.selectbox, "Zones", one, list(words), format_func=words.__getitem__, help=HELP["zones"]
    )
    if part == "density":
        setting.draw(
            right.selectbox,
            "Time",
            DENSITY_HOURS,
            get_args(HourStep),
            format_func=HOUR_STEPS.__getitem__,
            help=HELP["density_hours"],
        )
    elif current().unit == "person":
        right.selectbox("Time", ["Whole period"], disabled=True, key="od_time_person")
    else:
        setting.draw(
            right.selectbox,
            "Time",
            OD_TIME,
            get_args(TimeStep),
            format_func=TIME_STEPS.__getitem__,
            help=HELP["od_time"],
        )
    if offered.problem:
        st.caption(f"Only clusters are offered as coarser zones: {offered.problem}.")


def _dataset_picker(label: str, known: dict[str, Entry], part: str) -> None:
    if not known:
        st.caption("No dataset is installed.")
        return
    one = dataset_setting(part, known)
    names = sorted(known, key=lambda name: not has_part(known[name], part))
    words = {
        name: option(name, "" if has_part(known[name], part) else PARTS[part]) for name in names
    }
    chosen = setting.draw(
        st.selectbox, label, one, names, format_func=words.__getitem__, help=HELP[one.key]
    )
    entry = known[chosen]
    known_facts = cached_facts.facts(entry.key)
    about = facts(entry.metadata, known_facts.zones, known_facts.size_bytes)
    in_full = "" if len(words[chosen]) <= _FITS else f"{words[chosen]}: "
    st.caption(in_full + about)
