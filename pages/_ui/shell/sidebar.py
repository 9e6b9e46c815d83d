"""The settings in the sidebar: sliders, pickers, redraw and reset, and only those a page uses."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

import streamlit as st

from engine import density, origin_destination, parameters
from engine.parameters import DELTA_STOPS
from engine.privacy import SUPPRESSION_STANDARDS
from pages._ui.cache import facts as cached_facts
from pages._ui.shell import address, catalogue, epsilon_control, frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import (
    CLUSTER_MINIMUM,
    DELTA,
    DENSITY_HOURS,
    MAX_TRIPS,
    MAX_TRIPS_STOPS,
    MAX_VISITS,
    OD_METHOD,
    OD_METHODS,
    OD_TIME,
    THRESHOLD,
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
from pages._ui.wording.privacy import SUPPRESSION_ALONE, UNITS, trip_level_reason

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
    address.write(frame.path(), list(frame.PAGES))
    for notice in session().notices:
        st.toast(notice, icon=":material/link:")
    session().notices.clear()
    return current(resolution=resolution)


def _keys(used: bool | Collection[str], every: Collection[str]) -> Collection[str]:
    return every if used is True else () if used is False else used


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
    details = {"density_detail", "od_detail"}
    if shown & {"density_data", "od_data"} and not shown & details and coarser():
        st.caption(AS_INGESTED)


def _field(
    shown: set[str],
    one: Setting[Any],
    widget: Callable[..., Any],
    label: str,
    options: Sequence[Any] | None = None,
    **named: Any,
) -> None:
    """Draw a setting where the page uses it."""
    if one.key in shown:
        setting.draw(widget, label, one, options, help=HELP[one.key], **named)


def _density_group(shown: set[str], known: dict[str, Entry]) -> None:
    if "density_data" in shown:
        _dataset_picker("Visits dataset", known, "density")
    now = current()
    entry, uses = now.density_data, density.METHODS[now.variant].uses
    if "density_detail" in shown:
        _detail(entry, "density")
    delta, kept = "Allowance beyond ε (δ)", "Visits kept per person (ℓ)"
    _field(shown, DELTA, st.select_slider, delta, DELTA_STOPS, format_func=scientific)
    sampled = "max_visits_per_user" in uses
    _field(shown, MAX_VISITS, st.slider, kept, disabled=not sampled)
    if "max_visits" in shown and not sampled:
        st.caption(NOBODY_SAMPLED)
    if not shown & {"variant", "cluster_minimum"}:
        return
    with st.expander("Advanced"):
        methods = variants(entry)
        _field(shown, VARIANT, st.selectbox, "Method", methods, format_func=METHODS.__getitem__)
        if "variant" in shown and entry and entry.has_density and not entry.has_zoom:
            st.caption(no_zoom(entry.metadata.made_by))
        _field(
            shown,
            CLUSTER_MINIMUM,
            st.number_input,
            "Cluster minimum (τ of Algorithm 3)",
            value=None,
            step=1000.0,
            format="%.0f",
            placeholder="by the paper's formula",
            disabled="cluster_minimum" not in uses,
        )


def _trips_group(shown: set[str], known: dict[str, Entry]) -> None:
    if "od_data" in shown:
        _dataset_picker("Trips dataset", known, "trips")
    entry = current().od_data
    if "od_detail" in shown:
        _detail(entry, "trips")
    allowed = units(entry)
    offered = [unit for unit in get_args(parameters.ODUnit) if unit in allowed]
    protected, kept = "What is protected", "Trips kept per person (T)"
    _field(shown, UNIT, st.selectbox, protected, offered, format_func=UNITS.__getitem__)
    by_trip = current().unit == "trip"
    _field(shown, MAX_TRIPS, st.select_slider, kept, MAX_TRIPS_STOPS, disabled=by_trip)
    if "max_trips" in shown and by_trip:
        has_people = entry is None or entry.metadata.trips_have_people
        st.caption(trip_level_reason(has_people=has_people))
    elif "max_trips" in shown and entry:
        _suggest(MAX_TRIPS, _fitting_trips(entry))
    if "max_trips" in shown and not by_trip and "person" not in allowed:
        st.caption("Trips here are not ranked over the whole period, so a person is not offered.")
    names = OD_METHOD_NAMES.__getitem__
    _field(shown, OD_METHOD, st.selectbox, "Method", OD_METHODS, format_func=names)
    _field(shown, THRESHOLD, st.slider, "Suppress flows below (τ)")
    method = origin_destination.METHODS[current().od_method]
    if "threshold" in shown:
        _standards()
    if {"od_method", "threshold"} <= shown and "suppression_threshold" not in method.uses:
        st.caption(f"{method.short} hides nothing: τ belongs to the published method.")


def _standards() -> None:
    """Offer thresholds that others use, with what they do not protect."""
    with st.popover("Standards for τ", type="tertiary", icon=":material/visibility_off:"):
        st.caption(SUPPRESSION_ALONE)
        for name, least in SUPPRESSION_STANDARDS.items():
            st.button(
                f"{name}: τ = {least}",
                key=f"standard_{least}",
                on_click=setting.put,
                args=(THRESHOLD, least),
            )


def _suggest(one: Setting[int], fitting: int | None) -> None:
    """Offer what a rule from public numbers and the noise alone suggests, where it differs."""
    if fitting is not None and fitting != setting.value(one):
        st.button(
            f"By public facts alone: {one.label} = {fitting}",
            type="tertiary",
            key=f"suggested_{one.key}",
            on_click=setting.put,
            args=(one, fitting),
            help="By a rule that reads public numbers and ε alone, so choosing it leaks nothing: "
            "see docs/mechanisms.md.",
        )


def _fitting_trips(entry: Entry) -> int | None:
    """Return the stop of T nearest to what is suggested for one matrix of a dataset."""
    now, days = current(), len(entry.metadata.days)
    people, zones = entry.metadata.people_public, cached_facts.facts(entry.key).zones
    fitting = origin_destination.suggested_max_trips(
        people, zones, now.epsilon, days=days if now.unit == "person" else 1
    )
    return None if fitting is None else int(setting.nearest_stop(fitting, MAX_TRIPS_STOPS))


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
    if part == "trips" and current().unit == "person":
        right.selectbox("Time", ["Whole period"], disabled=True, key="od_time_person")
    else:
        time, steps = (DENSITY_HOURS, HOUR_STEPS) if part == "density" else (OD_TIME, TIME_STEPS)
        _field({time.key}, time, right.selectbox, "Time", list(steps), format_func=steps.get)
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
