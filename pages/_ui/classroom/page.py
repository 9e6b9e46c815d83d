"""The page Class: open a room, or come into one."""

from pathlib import Path

import streamlit as st

from pages._ui.classroom import participant, presenter
from pages._ui.classroom.participant import CODE
from pages._ui.classroom.question import About
from pages._ui.classroom.rooms import LASTS_S, RoomError
from pages._ui.shell import address, frame, setting, sidebar
from pages._ui.shell.settings import dataset_with

_STYLE = Path(__file__).with_name("class.css")


def taking_part() -> bool:
    """Whether the page is a participant's: nothing but the question."""
    return bool(setting.value(CODE)) and not presenter.leads()


def draw() -> None:
    """Draw the page."""
    st.html(_STYLE)
    if taking_part():
        _come_in(setting.value(CODE))
        return
    settings = sidebar.draw(
        density=False,
        trips=False if presenter.leads() else ("od_data", "unit", "threshold"),
        epsilon=False,
        noise=False,
    )
    if presenter.leads():
        presenter.draw()
        return
    entry = settings.od_data
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return
    with st.container(key="class_open"):
        _open(
            entry.shipped,
            About(
                dataset=entry.name,
                unit=settings.unit,
                time="period" if settings.unit == "person" else settings.od_time,
                threshold=settings.threshold,
            ),
        )
    _doors()


def _come_in(code: str) -> None:
    """Draw a participant's page, or why there is none."""
    try:
        participant.draw(code)
    except RoomError as problem:
        st.warning(f"{problem}.", icon=":material/meeting_room:")
        st.button("Type another code", on_click=setting.put, args=(CODE, ""))
    address.write(frame.path(), list(frame.PAGES))


def _open(shipped: bool, about: About) -> None:
    st.subheader("Open a room", anchor=False)
    if not shipped:
        st.info("A class works on shipped data: what a room shows is seen by everybody in it.")
        return
    st.caption(
        f"The class will decide on {about.words}. Choose other flows at the left. A room holds "
        f"votes only, no names, in this server's memory, and ends after {LASTS_S / 3600:.0f} hours."
    )
    if st.button("Open a room", type="primary"):
        presenter.start(about)
        st.rerun()


def _doors() -> None:
    """Draw the ways into a room that is open."""
    left, right = st.columns(2, gap="large")
    with left, st.form("class_join"):
        code = st.text_input("Take part: the code on the screen", max_chars=12)
        if st.form_submit_button("Come in") and code.strip():
            setting.put(CODE, code.strip().upper())
            st.rerun()
    with right, st.form("class_lead"):
        code = st.text_input("Lead a room again: its code", max_chars=12)
        key = st.text_input("Its key", type="password", max_chars=12)
        if st.form_submit_button("Lead it"):
            if presenter.take(code, key):
                st.rerun()
            st.warning("There is no room of that code and key on this server.")
