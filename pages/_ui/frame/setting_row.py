"""The row of all five sliders, at one place on every page, which stays in sight."""

from typing import Any

import streamlit as st

from engine.text.privacy_text import PAIR_ONLY, PEOPLE_ONCE
from engine.text.utility_text import find_method
from pages._ui.frame.page_table import HOME, PAGES, REPORT
from pages._ui.settings import current, fields, widgets
from pages._ui.settings.fields import DELTA, MAX_TRIPS, MAX_VISITS, PARAMETERS, THRESHOLD

_EPSILON_LABEL = "Privacy loss (ε) ← more private · less noise →"
_OTHERS: tuple[fields.Field[Any], ...] = (MAX_TRIPS, THRESHOLD, DELTA, MAX_VISITS)


def draw(path: str) -> None:
    """Draw the row for the page of a path; a slider without effect there says why."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="sliders"):
        widgets.draw(fields.EPSILON, label=_EPSILON_LABEL)
        for field in _OTHERS:
            word, reason = _explain_unused(field, path)
            look: dict[str, Any] = {}
            if word:
                sign = field.label.rpartition("(")[2].removesuffix(")")
                look = {"label": f"{sign}: {word}", "disabled": True, "help": reason}
            elif path == HOME and (part := _other_part(field)):
                look = {"label": f"{field.label}, {part}"}
            widgets.draw(field, **look)


def _other_part(field: fields.Field[Any]) -> str:
    """Return what a slider of home is for, if that is the part which home does not draw."""
    shows_flows, for_flows = (
        fields.value(fields.HOME_PART) == "trips",
        field in (MAX_TRIPS, THRESHOLD),
    )
    if shows_flows == for_flows:
        return ""
    return "flows" if for_flows else "density"


def _explain_unused(field: fields.Field[Any], path: str) -> tuple[str, str]:
    """Return a word and a sentence on why a slider has no effect on a page; empty if it has."""
    if path == REPORT:
        return "unused", "A report has a limit of its own, M, and neither T, τ, δ nor ℓ."
    for_flows, page_part = field in (MAX_TRIPS, THRESHOLD), PAGES[path].part
    part = "trips" if for_flows else "density"
    if path != HOME and page_part and part != page_part:
        return (
            ("flows only", "Flows alone use it.")
            if for_flows
            else ("density only", "A density alone uses it.")
        )
    setting = current.flows() if for_flows else current.density()
    if setting is None:
        return "unused", "The dataset has no such part."
    if field is MAX_TRIPS and setting.parameters.unit == "trip":
        return "unused", "Each trip is protected by itself, so T is 1."
    if field is MAX_TRIPS and setting.selection.people_once:
        return PAIR_ONLY, PEOPLE_ONCE
    method = find_method(setting)
    if any(PARAMETERS[part].get(name) is field for name in method.used_fields):
        return "", ""
    return "unused", f"{method.short_name} does not use it."
