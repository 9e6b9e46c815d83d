"""Datasets, zone levels and units that can be picked, and the picked ones."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from engine.contract import Setting
from engine.resolution import FINEST
from engine.text.dataset_text import PART_NOUNS, count_zones, name_level
from pages._ui.app import catalogue, dataset_facts
from pages._ui.app.catalogue import Entry
from pages._ui.settings.fields import (
    DATASET_KEYS,
    DEFAULTS,
    FIELDS,
    LINK_VERSION,
    PARTS_BY_KEY,
    UNIT,
    ZONE_KEYS,
    value,
)


def is_default(key: str) -> bool:
    """Whether one of `NAMES` is what a page opens on."""
    return st.session_state.get(key) in (None, default_name(key))


def entry_for(part: str) -> Entry | None:
    """Return the dataset that is set for ``density`` or ``trips``; None where none is installed."""
    entries = catalogue.entries()
    chosen = entries.get(st.session_state.get(DATASET_KEYS[part], ""))
    return chosen or preferred_entry(entries.values(), part) or next(iter(entries.values()), None)


def preferred_entry(
    entries: Iterable[Entry], part: str, version: str = LINK_VERSION
) -> Entry | None:
    """Return the dataset that opens first for a part, None where none has it."""
    by_name = {entry.name: entry for entry in entries if part in entry.parts}
    order = (*DEFAULTS[version][DATASET_KEYS[part]], *by_name)
    return next((by_name[name] for name in order if name in by_name), None)


def level(part: str) -> str:
    """Return the level of zones that is set for a part; its own where it has no such level."""
    return _offered(part, st.session_state.get(ZONE_KEYS[part]))


def _offered(part: str, wish: str | None) -> str:
    """Return a level, or what a dataset opens on, where it has that; else that of its own zones."""
    entry = entry_for(part)
    if entry is None:
        return FINEST
    level = wish or DEFAULTS[LINK_VERSION][ZONE_KEYS[part]].get(entry.name, FINEST)
    return level if dataset_facts.load_facts(entry.key).has(level) else FINEST


def units(entry: Entry | None) -> tuple[str, ...]:
    """Return the units of privacy that a dataset's trips allow, the default first."""
    kinds = ("person-day", "trip", "person")
    if entry is not None and entry.metadata.people_once:
        return ("person",)
    if entry is None or (entry.metadata.trips_have_people and entry.has_person_ranks):
        return kinds
    return kinds[:2] if entry.metadata.trips_have_people else ("trip",)


def entry_of(setting: Setting) -> Entry:
    """Return the dataset of a setting as the catalogue knows it."""
    return next(e for e in catalogue.entries().values() if e.key.dataset_id == setting.dataset_id)


def choices(key: str) -> dict[str, str]:
    """Return the options of one of `NAMES` with their labels, the current one among them."""
    part = PARTS_BY_KEY[key]
    source = entry_for(part)
    if key == DATASET_KEYS[part]:
        entries = catalogue.entries()
        ordered = sorted(entries, key=lambda name: part not in entries[name].parts)
        return {
            name: name if part in entries[name].parts else f"{name} (has no {PART_NOUNS[part]})"
            for name in ordered
        }
    if source is None:
        return {}
    info, now = dataset_facts.load_facts(source.key), level(part)
    levels = [*info.levels, *((f"clusters-{k}", k) for k in info.cluster_counts)]
    words = {level_name: count_zones(level_name, count) for level_name, count in levels}
    return words if now in words else {**words, now: name_level(now)}


def is_linkable(key: str, name: str) -> bool:
    """Whether a link may hold a name: of a shipped dataset or its levels, or clusters of any."""
    if key in DATASET_KEYS.values():
        return catalogue.entries()[name].shipped
    source = entry_for(PARTS_BY_KEY[key])
    return source is None or source.shipped or name == FINEST or name.startswith("clusters-")


def is_linked(key: str) -> bool:
    """Whether the picker of one of `NAMES` is bound: its browser writes any name it offers."""
    return all(is_linkable(key, name) for name in choices(key))


def default_name(key: str, version: str = LINK_VERSION) -> str:
    """Return the default of one of `NAMES`."""
    part = PARTS_BY_KEY[key]
    if key in ZONE_KEYS.values():
        return _offered(part, None)
    first = preferred_entry(catalogue.entries().values(), part, version)
    return "" if first is None else first.name


def default_values(version: str = LINK_VERSION) -> dict[str, Any]:
    """Return by key what is set where nothing was set, by the defaults of a version of links."""
    names = {key: default_name(key, version) for key in DATASET_KEYS.values()}
    levels = {
        key: DEFAULTS[version][key].get(names[DATASET_KEYS[part]], FINEST)
        for part, key in ZONE_KEYS.items()
    }
    return {**DEFAULTS[version], **names, **levels}


def read_values() -> dict[str, Any]:
    """Return by key what is set for all pages, as pages take it: a default where nothing is."""
    values = {field.key: value(field) for field in FIELDS}
    for part, key in DATASET_KEYS.items():
        entry = entry_for(part)
        values |= {key: "" if entry is None else entry.name, ZONE_KEYS[part]: level(part)}
    allowed = units(entry_for("trips"))
    return values if values[UNIT.key] in allowed else {**values, UNIT.key: allowed[0]}
