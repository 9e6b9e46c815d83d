"""Decisions: whether the right zones act on the right day, and help goes to the right places."""

import streamlit as st

from engine.decisions import own_question
from pages._ui import state
from pages._ui.decisions import aid, epidemic
from pages._ui.shell import frame, presenter
from pages._ui.shell.session import session
from pages._ui.trips import change
from pages._ui.trips.matrix import Matrix

EPIDEMIC, AID = VIEWS = "Epidemic", "Aid after a shock"

LEAD = (
    "A number that is 10% off may change nothing, or send help to the wrong place. This page "
    "follows the noise through to the decision."
)


def draw() -> None:
    """Draw the page."""
    entry, setting = state.entry("trips"), state.flows()
    frame.banners([entry])
    if entry is None or setting is None:
        frame.missing(entry, "trips")
        return
    own = AID if own_question(entry.metadata) == "aid" else EPIDEMIC
    with st.container(horizontal=True, vertical_alignment="center"):
        view = state.choose("View", VIEWS, "decisions_view", own)
        presenter.switch()
        if presenter.on():
            frame.link(frame.HOME, "Home")
    if presenter.on():
        presenter.epsilon(view)
    if setting.when.step != "day":
        _daily()
        return
    session().judged.add(entry.name)
    if view == EPIDEMIC:
        epidemic.draw(setting, entry)
    else:
        aid.draw(setting, entry)
        st.subheader("Who left: what rose, what fell", anchor=False)
        change.leaving(Matrix(setting))


def _daily() -> None:
    """Say that decisions follow days, which this setting does not release, and offer it."""
    st.info(
        "A response follows the days, and this setting adds them up before it is released. Release "
        "each day by itself to judge decisions.",
        icon=":material/calendar_month:",
    )
    person = state.value(state.UNIT) == "person"
    changes = {"od_time": "day"} | ({"unit": "person-day"} if person else {})
    label = "Release each day, protecting a person's day" if person else "Release each day"
    st.button(label, key="decisions_daily", on_click=state.put, kwargs=changes)


frame.show(draw, "Decisions", LEAD)
