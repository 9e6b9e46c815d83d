"""Home's first screen: the need, two gauges, one slider, one large picture, one answer."""

from pathlib import Path

import streamlit as st

from pages._ui import state
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing.gauges import gauges_html
from pages._ui.drawing.svg import stage as drawn_stage
from pages._ui.drawing.svg.stage import Picture
from pages._ui.home import card as home_card, side as home_side, verdict as home_verdict
from pages._ui.home.side import Side
from pages._ui.shell import frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import narrow
from pages._ui.shell.settings import Settings
from pages._ui.views import need as need_view

PARTS = {"trips": "Flows", "density": "Density"}
_PAGES = {
    "trips": ("pages/2_Origin_Destination.py", "More about flows"),
    "density": ("pages/1_Density.py", "More about density"),
}
_SHOWN = setting.choice("home_shown", PARTS.values(), PARTS["trips"])
_VIEW = setting.choice("view", ("Explore", "Presenter"), "Explore")
AROUND, PRESENTED_AROUND = 330, 350
"""Pixels of a window's height that the rest of the first screen takes."""
_PRESENTER_STYLE = Path(__file__).with_name("presenter.css")


def presenting() -> bool:
    """Whether the page is shown to an audience: larger, without the sidebar."""
    return setting.value(_VIEW) == "Presenter"


def header(available: list[str]) -> str | None:
    """Draw the need and for whom the page is, and return the part that is shown, if any."""
    if presenting():
        st.html(_PRESENTER_STYLE)
    shown = setting.value(_SHOWN)
    part = next((one for one in available if PARTS[one] == shown), next(iter(available), None))
    with st.container(horizontal=True, vertical_alignment="center", key="home_need", gap="xsmall"):
        if part is not None:
            need_view.draw(part)
        setting.draw(
            st.segmented_control,
            "View",
            _VIEW,
            {"Explore": "Explore", "Presenter": "Present"},
            label_visibility="collapsed",
            width="content",
            help="Present: larger type, no sidebar; ← → move ε, 1 and 2 show flows and density.",
        )
    return part


def draw(settings: Settings, part: str, available: list[str]) -> Side:
    """Draw the stage of one part and return what is known of it."""
    entry = settings.od_data if part == "trips" else settings.density_data
    assert entry is not None
    zone = marked(entry)
    if part == "trips":
        side = home_side.trips(settings, entry, zone)
    else:
        side = home_side.density(settings, entry)
    st.html(gauges_html(home_verdict.gauges(side), of=entry.name))
    with st.container(
        horizontal=True, vertical_alignment="center", key="home_control", gap="small"
    ):
        state.draw(state.EPSILON)
    with st.container(key="home_stage"):
        left, right = st.columns([2.7, 1], gap="small")
    with left:
        _picture(side.picture, part, entry, zone)
        _views(part, available)
    with right, st.container(key="home_card", gap="small"):
        home_card.draw(side)
    return side


def _picture(picture: Picture, part: str, entry: Entry, zone: int | None) -> None:
    """Draw the picture; a click marks a zone."""
    clicked = drawn_stage.draw(
        {**drawn_stage.for_screen(picture, narrow=narrow()), "marked": zone},
        key="home_picture",
        around=PRESENTED_AROUND if presenting() else AROUND,
        presenting=presenting(),
        clickable=True,
    )
    if clicked is not None and clicked < len(picture["zones"]):
        mark(part, entry, clicked)
        st.rerun()
    if zone is not None:
        st.button(
            "Show all zones again" if part == "trips" else "Unmark the zone",
            on_click=mark,
            args=(part, entry, zone),
            key="home_all_zones",
        )


def _views(part: str, available: list[str]) -> None:
    """Draw what the picture shows, and the way to everything about it."""
    with st.container(horizontal=True, vertical_alignment="center", key="home_views", gap="small"):
        setting.draw(
            st.segmented_control,
            "Shown",
            _SHOWN,
            [PARTS[one] for one in available],
            label_visibility="collapsed",
        )
        if not presenting():
            frame.link(*_PAGES[part])


def marked(entry: Entry) -> int | None:
    """Return the number of the zone that is marked on the picture; None of another dataset's."""
    picked, ids = _picked(entry)
    at = setting.value(picked)
    return ids.index(at) if at in ids else None


def mark(part: str, entry: Entry, zone: int) -> None:
    """Mark a zone and show its part, or take the mark off where it is there (a callback, too)."""
    picked, ids = _picked(entry)
    setting.put(picked, "" if marked(entry) == zone else ids[zone])
    setting.put(_SHOWN, PARTS[part])


def _picked(entry: Entry) -> tuple[setting.Setting[str], list[str]]:
    ids = cached_datasets.dataset(entry.key).zones["zone_id"].astype(str).tolist()
    return setting.place("home_zone", ids, "", shared=entry.shipped), ids
