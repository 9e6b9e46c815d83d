"""The settings that are set now, of each product, and how they are changed."""

from dataclasses import replace
from typing import Any

import streamlit as st

from engine import parameters
from engine.contract import Setting, TimeSelection
from engine.parameters import DensityParameters, ODParameters
from engine.resolution import FINEST
from engine.text.dataset_text import CONFIDENTIAL_BANNER, SIMULATED_BANNER, name_level
from engine.text.privacy_text import UNIT_LABELS
from engine.text.setting_text import format_controls
from pages._ui.app import catalogue
from pages._ui.app.session import session
from pages._ui.app.streamlit_internals import page_id
from pages._ui.settings import fields, link, offers, undo_step
from pages._ui.settings.fields import (
    DATASET_KEYS,
    EPSILON,
    FIELDS_BY_KEY,
    GAUSSIAN,
    NAMES,
    OD_TIME,
    PARAMETERS,
    TIME_LABELS,
    ZONE_KEYS,
)


def set_values(**values: Any) -> None:
    """Set fields, datasets and zones by key: in a callback, or before their widgets are drawn.

    A number goes to a stop: ε and T up to the next, so that an accuracy asked for is reached.

    >>> fields.stop_above(0.2853, fields.EPSILON_SLIDER)
    0.3
    >>> from engine.parameters import EPSILON_STOPS
    >>> set(EPSILON_STOPS) <= set(fields.EPSILON_SLIDER)
    True
    """
    old_values = offers.read_values()
    session().values_by_link[page_id(), *sorted(link.link_texts().items())] = old_values
    for key, target in values.items():
        field, chosen = FIELDS_BY_KEY.get(key), target
        if field is not None and not field.has(chosen):
            up = key in ("epsilon", "max_trips")
            find_stop = fields.stop_above if up else fields.nearest_stop
            chosen = find_stop(float(target), list(field.options))
        st.session_state[key] = chosen
    undo_step.remember(old_values, set(values))
    link.write_link(stale=(*FIELDS_BY_KEY, *NAMES, *values))


def values_by_key(setting: Setting) -> dict[str, Any]:
    """Return the values for `set_values` that set the whole setting: *Use this*."""
    parameters: Any = setting.parameters
    part = "density" if isinstance(parameters, DensityParameters) else "trips"
    values = {field.key: getattr(parameters, name) for name, field in PARAMETERS[part].items()}
    values[DATASET_KEYS[part]] = offers.entry_of(setting).name
    values[ZONE_KEYS[part]] = setting.zone_level
    return values if part == "density" else {**values, "od_time": setting.time.aggregation}


def pinned_setting(setting: Setting) -> Setting | None:
    """Return the other setting of the same product that is pinned, while its dataset is there."""
    kind, ids = type(setting.parameters), {e.key.dataset_id for e in catalogue.entries().values()}
    pins = (pin for pin in session().pins if type(pin.parameters) is kind and pin != setting)
    return next((pin for pin in pins if pin.dataset_id in ids), None)


def reset() -> None:
    """Put every field back to its default, and the first noise."""
    set_values(**offers.default_values())  # without a value the link would be read again
    session().redraw_count = 0


def undo() -> None:
    """Take back what the last button has set (a callback)."""
    memo, step = session(), undo_step.find_step()
    if step is not None:
        set_values(**undo_step.values_before(step))
        memo.twin_choice, memo.redraw_count, memo.undo_step = *step[-2:], None


def density() -> Setting | None:
    """Return the density that is set; None where its dataset has no visits."""
    source = offers.entry_for("density")
    if source is None or "density" not in source.parts:
        return None
    values = {name: fields.value(field) for name, field in PARAMETERS["density"].items()}
    calibration = "analytic" if fields.value(GAUSSIAN) else "classical"
    gaussian = parameters.choose_calibration(values["method"], values["epsilon"], calibration)
    selection = replace(source.key, zone_level=offers.level("density"))
    return Setting(selection=selection, parameters=DensityParameters(**values, gaussian=gaussian))


def flows() -> Setting | None:
    """Return the flows that are set; None where their dataset has no trips."""
    source = offers.entry_for("trips")
    if source is None or "trips" not in source.parts:
        return None
    values = {name: fields.value(field) for name, field in PARAMETERS["trips"].items()}
    allowed = offers.units(source)
    if values["unit"] not in allowed:
        values["unit"] = allowed[0]
    if values["unit"] == "trip" or source.metadata.people_once:
        values["max_trips_per_user"] = 1
    aggregation = "whole" if values["unit"] == "person" else fields.value(OD_TIME)
    when = TimeSelection(aggregation=aggregation)
    selection = replace(source.key, zone_level=offers.level("trips"), time=when)
    return Setting(selection=selection, parameters=ODParameters(**values))


def stamp() -> tuple[list[str], bool]:
    """Return the stamp of every saved picture, and whether any shown people are real."""
    memo, setting = session(), flows()
    entries = (*memo.shown_entries.values(), offers.entry_for("trips"), offers.entry_for("density"))
    real = any(entry is not None and not entry.metadata.simulated for entry in entries)
    banner = CONFIDENTIAL_BANNER.replace("**", "") if real else f"{SIMULATED_BANNER}."
    words = [memo.stamp or f"ε {fields.value(EPSILON):g}"]
    if setting is not None and not memo.stamp:
        words = [format_controls(setting), UNIT_LABELS[setting.parameters.unit]]
        words += [name_level(setting.zone_level)] if setting.zone_level != FINEST else []
        if setting.time.aggregation != "day":
            words.append(TIME_LABELS[setting.time.aggregation].lower())
    names = f"{' and '.join(memo.shown_entries)}: " if memo.shown_entries else ""
    return [f"Exploration, not a release. {banner}", names + ", ".join(words)], real
