"""The need in one line: which data, which zones, which span of time, who is protected."""

from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from engine import parameters
from engine.resolution import HourStep, TimeStep
from pages._ui.cache import facts as cached_facts
from pages._ui.shell import catalogue, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import (
    DENSITY_HOURS,
    OD_TIME,
    UNIT,
    current,
    dataset_setting,
    has_part,
    units,
    zones_setting,
)
from pages._ui.wording.datasets import PARTS, facts, option
from pages._ui.wording.frontier import HOURS, SPANS, UNITS
from pages._ui.wording.labels import HELP
from pages._ui.wording.places import cluster_words, zone_words


def draw(part: str, *, unit: bool = True) -> None:
    """Draw what is asked of ``trips`` or ``density``; each picker is drawn once a page.

    A page whose sidebar asks what is protected does not ask here: `unit`.
    """
    known = catalogue.entries()
    if not known:
        return
    _dataset(known, part)
    now = current()
    entry = now.od_data if part == "trips" else now.density_data
    if entry is None or not has_part(entry, part):
        return
    _zones(entry, part)
    if part == "density":
        _pick("Hours of visits", DENSITY_HOURS, get_args(HourStep), HOURS, "by")
        _fixed("protect a person")
        return
    if now.unit == "person":
        _fixed(f"for {SPANS['period']}")
    else:
        _pick("Time", OD_TIME, get_args(TimeStep), SPANS, "for")
    if unit:
        allowed = [one for one in get_args(parameters.ODUnit) if one in units(entry)]
        _pick("What is protected", UNIT, allowed, UNITS, "protect")


def _dataset(known: dict[str, Entry], part: str) -> None:
    one = dataset_setting(part, known)
    names = sorted(known, key=lambda name: not has_part(known[name], part))
    words = {
        name: option(name, "" if has_part(known[name], part) else PARTS[part]) for name in names
    }
    entry = known[setting.value(one)]
    about = cached_facts.facts(entry.key)
    setting.draw(
        st.selectbox,
        f"{'Trips' if part == 'trips' else 'Visits'} dataset",
        one,
        words,
        label_visibility="collapsed",
        help=f"{HELP[one.key]} {facts(entry.metadata, about.zones, about.size_bytes)}",
    )


def _zones(entry: Entry, part: str) -> None:
    one, offered = zones_setting(part, entry), cached_facts.levels(entry.key)
    words = zone_words(offered.named, offered.clusters)
    chosen = setting.value(one)
    if chosen not in words and offered.has(chosen):
        words[chosen] = cluster_words(chosen)
    first = next(iter(words))
    words[first] += " zones"
    _pick("Zones" if part == "trips" else "Zones of visits", one, list(words), words, "in")


def _pick(
    label: str,
    one: setting.Setting[str],
    options: Sequence[str],
    words: Mapping[str, str],
    before: str,
) -> None:
    """Draw a picker that reads as a part of a sentence."""

    def said(value: str) -> str:
        text = words[value]
        return f"{before} {text[0].lower()}{text[1:]}"

    setting.draw(
        st.selectbox,
        label,
        one,
        options,
        format_func=said,
        label_visibility="collapsed",
        help=HELP.get(one.key.replace("density_zones", "zones").replace("od_zones", "zones")),
    )


def _fixed(words: str) -> None:
    st.html(f'<div class="fixed">{words}</div>', width="content")
