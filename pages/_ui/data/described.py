"""Data: what the dataset is called and what is said of it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from engine import datasets
from engine.parameters import DEFAULT_MAX_VISITS_CAP
from pages._ui.data import guesses as data_guesses
from pages._ui.data import zoning as data_zoning
from pages._ui.data.draft import Draft
from pages._ui.data.files import Asked


def draw(asked: Asked, draft: Draft) -> None:
    """Draw the last fields; what is missing is noted in the draft."""
    st.markdown("**6 · Name and build**")
    guess = data_guesses.dataset_name([f.name for f in draft.files]) if draft.files else ""
    left, right = st.columns([2, 1])
    name = left.text_input(
        "Name of the dataset",
        value=guess,
        max_chars=data_guesses.LONGEST_NAME,
        key=asked.key(f"name_{guess}"),
        persist_state="session",
        help="Lower-case letters, digits, - and _.",
    )
    people = right.number_input(
        "People, public estimate",
        min_value=1,
        max_value=10**10,
        value=None,
        step=1,
        placeholder="unknown",
        key=asked.key("people"),
        persist_state="session",
        help="From public sources, never counted in the data. It tells whether δ is small enough.",
    )
    data_zoning.public_places(asked, draft, right)
    if not data_guesses.NAME.fullmatch(name or ""):
        draft.missing.append("a name in lower-case letters, digits, - and _")
    elif name in datasets.available():
        draft.missing.append("another name (this one is taken)")
    with st.expander("Advanced", icon=":material/tune:"):
        advanced = _advanced(asked, by_points=draft.by_points)
    draft.values |= {"people_public": people, **advanced}
    draft.values["out"] = name


def _advanced(asked: Asked, *, by_points: bool) -> Mapping[str, Any]:
    one, two, three = st.columns(3)
    values: dict[str, Any] = {
        "max_visits_cap": one.number_input(
            "Most visits of a person in the week (Kₘₐₓ)",
            1,
            10**6,
            DEFAULT_MAX_VISITS_CAP,
            key=asked.key("cap"),
            persist_state="session",
            help="A public bound, not read off the data. Visits beyond it are trimmed and counted "
            "in the report; a smaller bound means less noise.",
        ),
        "skip_unparsable": three.toggle(
            "Leave unreadable rows out, and count them",
            key=asked.key("skip"),
            persist_state="session",
            help="Rows without a person or a readable time are left out of the dataset and "
            "counted in the report. Without this, the file is refused.",
        ),
    }
    if by_points:
        values["max_distance_m"] = float(
            three.number_input(
                "Metres outside every zone that still count",
                1,
                100_000,
                1_000,
                key=asked.key("distance"),
            )
        )
    for column, name, label in (
        (one, "description", "Description"),
        (two, "source", "Source"),
        (three, "licence", "Licence"),
    ):
        values[name] = column.text_input(label, max_chars=200, key=asked.key(name))
    return values
