"""Home's stage: two gauges on one line, one large picture, one slider under it."""

from pathlib import Path

import streamlit as st

from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import cards
from pages._ui.drawing.gauges import gauges_html
from pages._ui.drawing.svg import stage as drawn_stage
from pages._ui.home import methods as home_methods
from pages._ui.home import play as home_play
from pages._ui.home import side as home_side
from pages._ui.home import tour as home_tour
from pages._ui.home import verdict as home_verdict
from pages._ui.home.side import Side
from pages._ui.shell import epsilon_control, frame, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import Settings, use_settings

PARTS = {"trips": "Flows", "density": "Density"}
_PAGES = {
    "trips": ("pages/2_Origin_Destination.py", "Everything about these flows"),
    "density": ("pages/1_Density.py", "Everything about this density"),
}
_SHOWN = setting.choice("home_shown", PARTS.values(), PARTS["trips"])
_VIEW = setting.choice("view", ("Explore", "Presenter"), "Explore")
HEIGHT, PRESENTED_HEIGHT = 330, 400
_PRESENTER_STYLE = Path(__file__).with_name("presenter.css")


def presenting() -> bool:
    """Whether the page is shown to an audience: larger, without the sidebar."""
    return setting.value(_VIEW) == "Presenter"


def header(settings: Settings, available: list[str]) -> str | None:
    """Draw what is shown and for whom, and return the part, None where there is none."""
    if presenting():
        st.html(_PRESENTER_STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="home_header"):
        names = [PARTS[part] for part in available]
        shown = None
        if names:
            shown = setting.draw(
                st.segmented_control,
                "Shown",
                _SHOWN,
                names,
                required=True,
                label_visibility="collapsed",
            )
        part = next((one for one in available if PARTS[one] == shown), None)
        entry = None if part is None else _entry(settings, part)
        if part is not None and entry is not None:
            home_methods.choose(part, entry)
        if home_tour.ended() and not presenting():
            st.button("Tour", key="home_tour_again", on_click=home_tour.again, type="tertiary")
        setting.draw(
            st.segmented_control,
            "View",
            _VIEW,
            ("Explore", "Presenter"),
            required=True,
            label_visibility="collapsed",
            help="Presenter: larger type, no sidebar; the arrow keys move ε.",
        )
    return part


def _entry(settings: Settings, part: str) -> Entry | None:
    return settings.od_data if part == "trips" else settings.density_data


def draw(settings: Settings, part: str) -> Side:
    """Draw the stage of one part and return what is known of it."""
    entry = _entry(settings, part)
    assert entry is not None
    zone = marked(entry)
    if part == "trips":
        side = home_side.trips(settings, entry, zone)
    else:
        side = home_side.density(settings, entry)
    methods = home_methods.wanted(settings, part, entry, zone)
    st.html(gauges_html(home_verdict.gauges(side), of=entry.name))
    with st.container(key="home_stage"):
        left, right = st.columns([3.2, 1], gap="medium")
    picture = methods.picture if methods else side.picture
    with left:
        clicked = drawn_stage.draw(
            {**drawn_stage.for_screen(picture, narrow=session().narrow), "marked": zone},
            key="home_picture",
            height=PRESENTED_HEIGHT if presenting() else HEIGHT,
            presenting=presenting(),
            clickable=True,
        )
        if clicked is not None and clicked < len(side.picture["zones"]):
            mark(part, entry, clicked)
            st.rerun()
        with st.container(key="home_control"):
            epsilon_control.draw()
        if methods is not None:
            home_methods.draw_numbers(methods)
        if zone is not None:
            st.button(
                "Show all zones again" if part == "trips" else "Unmark the zone",
                on_click=mark,
                args=(part, entry, zone),
                key="home_all_zones",
            )
    with right:
        _beside(side)
    return side


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


def _beside(side: Side) -> None:
    level, word = home_verdict.standing(side)
    st.html(
        cards.verdict_html(
            level,
            home_verdict.sentence(side),
            of=side.entry.name,
            title=word,
            rule=home_verdict.CONVENTIONS,
        )
    )
    home_play.button()
    with st.container(key="home_presets", gap="small"):
        for preset in home_verdict.presets(side):
            with st.container(gap="xxsmall"):
                st.button(
                    f"{preset.name}: ε = {preset.epsilon:g}",
                    key=f"home_preset_{preset.name.lower().replace(' ', '_')}",
                    on_click=use_settings,
                    kwargs={"epsilon": preset.epsilon},
                    type="primary" if preset.epsilon == side.epsilon else "secondary",
                    width="stretch",
                )
                st.caption(preset.meaning)
    frame.link(*_PAGES[side.part])
