"""Datasets, methods and what stands beside the sliders; home draws what is needed itself."""

from collections.abc import Sequence

import streamlit as st

from engine.text.dataset_text import PART_NOUNS, describe_dataset
from engine.text.glossary import GLOSSARY, find_meaning
from engine.text.labels import DRAWS_NOTE, HELP, SHARE_NOTE
from engine.text.numbers import make_inert
from engine.text.privacy_text import PEOPLE_ONCE, TRIP_LEVEL, UNIT_LABELS
from pages._ui.app import dataset_facts
from pages._ui.app.session import session
from pages._ui.frame.page_table import PAGES, REPORT
from pages._ui.settings import current, fields, offers, seeds, widgets

_TITLES = {"density": "Density", "trips": "Origin–destination"}


def draw(path: str) -> None:
    """Draw the settings beside the page of a path."""
    home = "0_Home" in path
    part = PAGES[path].part or fields.value(fields.HOME_PART)
    with st.sidebar:
        for name, title in _TITLES.items():
            if not (home and name == part):  # home draws what it is about itself
                with st.expander(title, expanded=name == part):
                    _draw_part(name, has_mechanism=path != REPORT)
        with st.container(horizontal=True):
            st.button(
                "Redraw",
                on_click=seeds.redraw,
                help="Draw new noise with the same settings. Moving a slider keeps the noise, so "
                "every change you see comes from the slider.",
            )
            pins = session().pins
            st.button(
                "Unpin" if pins else "Pin",
                key="pin",
                on_click=_toggle_pin,
                help=(
                    "Keeps the numbers of the current setting beside those of the next "
                    "settings you try."
                ),
            )
            st.button("Reset", on_click=current.reset)
        with st.popover("Words", type="tertiary", icon=":material/menu_book:"):
            lines = (f"**{word}** {find_meaning(word, current.flows())}" for word in GLOSSARY)
            st.markdown("  \n".join(lines))
        st.caption(f"{DRAWS_NOTE} {SHARE_NOTE}")


def _toggle_pin() -> None:
    both = current.density(), current.flows()
    session().pins = () if session().pins else tuple(s for s in both if s is not None)


def _draw_part(part: str, *, has_mechanism: bool) -> None:
    """Draw the settings of a part; a report has a unit, a time and a method of its own."""
    pick_dataset(part)
    pick_zones(part)
    if not has_mechanism:
        return
    if part == "trips":
        pick_time()
        pick_unit()
        setting = current.flows()
        if setting is not None and setting.parameters.unit == "trip":
            st.caption(TRIP_LEVEL)
    widgets.draw(fields.METHODS[part])


def pick_dataset(part: str, *, is_described: bool = True) -> None:
    """Draw the picker of a part's dataset, ``density`` or ``trips``."""
    chosen = offers.entry_for(part)
    if chosen is None:
        return
    widgets.pick(fields.DATASET_KEYS[part], f"{PART_NOUNS[part].capitalize()} dataset")
    if is_described:
        about = dataset_facts.load_facts(chosen.key)
        st.caption(describe_dataset(chosen.metadata, about.levels[0].zone_count, about.size_bytes))


def pick_zones(part: str) -> None:
    """Draw the picker of a part's zones: levels that its dataset names, and clusters."""
    entry = offers.entry_for(part)
    if entry is None or part not in entry.parts:
        return
    label = "Zones of visits" if part == "density" else "Zones"
    widgets.pick(fields.ZONE_KEYS[part], label, help=HELP["zones"])
    if problem := dataset_facts.load_facts(entry.key).level_error:
        st.caption(f"Only clusters are offered as coarser zones. {make_inert(problem, None)}")


def pick_time() -> None:
    """Draw how long one matrix of flows collects; a person's trips have the whole period."""
    setting, entry = current.flows(), offers.entry_for("trips")
    once = setting is not None and setting.selection.people_once
    if once or fields.value(fields.UNIT) == "person":
        count = entry.metadata.period_length if entry else 1
        days = "the day" if count == 1 else f"all {count} days{' (a week)' * (count == 7)}"
        st.selectbox(
            "Time",
            [f"{days[0].upper()}{days[1:]}"],
            disabled=True,
            key="od_time_person",
            help=PEOPLE_ONCE
            if once
            else f"A person is protected over the whole period in one matrix of {days}. Shorter "
            "matrices can protect only one person's day, which is weaker.",
        )
    else:
        widgets.draw(fields.OD_TIME)


def pick_unit() -> None:
    """Draw who is protected, of what the dataset allows."""
    entry = offers.entry_for("trips")
    if entry is not None and entry.metadata.people_once:
        words = [UNIT_LABELS["person"]]
        st.selectbox(fields.UNIT.label, words, disabled=True, key="unit_once", help=PEOPLE_ONCE)
        return
    allowed = offers.units(entry)
    options: Sequence[str] = [value for value in fields.UNIT.options if value in allowed]
    widgets.draw(fields.UNIT, options=options)
