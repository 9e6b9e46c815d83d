"""The settings, the same on every page; home draws ε and what is needed itself."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from engine import density, origin_destination
from pages._ui import facts as cached_facts, state
from pages._ui.shell import presenter
from pages._ui.shell.session import session
from pages._ui.wording.datasets import PARTS, facts
from pages._ui.wording.glossary import GLOSSARY
from pages._ui.wording.labels import DRAWS, HELP, NOBODY_SAMPLED, SHARE
from pages._ui.wording.privacy import TRIP_LEVEL

_ABOUT = {"1_": "density", "2_": "trips", "4_": "trips", "6_": "trips"}
"""What a page is about, by the number of its file; on others what home shows is unfolded."""


def draw(path: str) -> None:
    """Draw the settings beside the page of a path."""
    home = "0_Home" in path
    part = _ABOUT.get(Path(path).name[:2], state.value(state.SHOWN))
    with st.sidebar:
        if not (home or (presenter.on() and "4_" in path)):  # the page draws it
            state.draw(state.EPSILON)
        with st.expander("Density", expanded=part == "density"):
            _density(need=not home)
        with st.expander("Origin–destination", expanded=part == "trips"):
            _flows(need=not home)
        with st.container(horizontal=True):
            st.button(
                "Redraw",
                on_click=state.redraw,
                help="Draw other noise with the same settings. Moving a slider keeps the noise, so "
                "that a change you see comes from the slider.",
            )
            kept = session().pinned
            st.button(
                "Unpin" if kept else "Pin",
                key="pin",
                on_click=_pin,
                help="The numbers of what is set now stand beside those of what you set next.",
            )
            st.button("Reset", on_click=state.reset)
            if session().before is not None:
                st.button("Undo", on_click=state.undo)
        with st.popover("Words", type="tertiary", icon=":material/menu_book:"):
            st.markdown("  \n".join(f"**{word}** {said}" for word, said in GLOSSARY.items()))
        st.caption(f"{DRAWS} {SHARE}")


def _pin() -> None:
    both = state.density(), state.flows()
    session().pinned = () if session().pinned else tuple(one for one in both if one is not None)


def _density(*, need: bool) -> None:
    if need:
        dataset("density")
        zones("density")
    uses = density.METHODS[state.value(state.VARIANT)].used_fields
    state.draw(state.VARIANT)
    state.draw(state.DELTA)
    sampled = "max_visits_per_user" in uses
    state.draw(state.MAX_VISITS, disabled=not sampled)
    if not sampled:
        st.caption(NOBODY_SAMPLED)


def _flows(*, need: bool) -> None:
    if need:
        dataset("trips")
        zones("trips")
        time()
        unit()
    of = state.flows()
    if of is not None and of.parameters.unit == "trip":
        st.caption(TRIP_LEVEL)
    else:
        state.draw(state.MAX_TRIPS)
    state.draw(state.OD_METHOD)
    method = origin_destination.METHODS[state.value(state.OD_METHOD)]
    hides = "suppression_threshold" in method.used_fields
    state.draw(state.THRESHOLD, disabled=not hides)
    if not hides:
        st.caption(f"{method.short_name} suppresses nothing, so τ has no effect.")


def dataset(part: str, *, described: bool = True) -> None:
    """Draw the picker of a part's dataset, ``density`` or ``trips``."""
    chosen = state.entry(part)
    if chosen is None:
        return
    state.pick(state.DATA[part], f"{PARTS[part].capitalize()} dataset")
    if described:
        about = cached_facts.facts(chosen.key)
        st.caption(facts(chosen.metadata, about.levels[0].zone_count, about.size_bytes))


def zones(part: str) -> None:
    """Draw the picker of a part's zones: levels that its dataset names, and clusters."""
    of = state.entry(part)
    if of is None or part not in of.parts:
        return
    label = "Zones of visits" if part == "density" else "Zones"
    state.pick(state.ZONES[part], label, help=HELP["zones"])
    if problem := cached_facts.facts(of.key).problem:
        st.caption(f"Only clusters are offered as coarser zones: {problem}.")


def time() -> None:
    """Draw how long one matrix of flows collects; a person's trips have the whole period."""
    if state.value(state.UNIT) == "person":
        of = state.entry("trips")
        count = len(of.metadata.days) if of else 1
        days = "the day" if count == 1 else f"all {count} days{' (a week)' * (count == 7)}"
        st.selectbox(
            "Time",
            [f"{days[0].upper()}{days[1:]}"],
            disabled=True,
            key="od_time_person",
            help=f"Whoever is protected over the whole period stands in one matrix of {days}; "
            "shorter ones need the weaker promise about one person's day.",
        )
    else:
        state.draw(state.OD_TIME)


def unit() -> None:
    """Draw who is protected, of what the dataset allows."""
    allowed = state.units(state.entry("trips"))
    offered: Sequence[str] = [one for one in state.UNIT.options if one in allowed]
    state.draw(state.UNIT, options=offered)
