"""Decisions: whether the right zones act on the right day, and help goes to the right places."""

import streamlit as st

from engine import origin_destination as od
from pages._ui.decisions import aid, choice, epidemic, question
from pages._ui.shell import frame, setting, sidebar
from pages._ui.shell.settings import dataset_with
from pages._ui.views.context import of
from pages._ui.wording.labels import OD_PUBLISHED_ONLY

EPIDEMIC, AID, CHOICE = "Epidemic", "Aid after a shock", "ε from a decision"
VIEWS = (EPIDEMIC, AID, CHOICE)

LEAD = (
    "A number that is 10% off may change nothing, or send help to the wrong place. This page "
    "follows the noise through to the decision."
)


def draw() -> None:
    """Draw the page."""
    settings = sidebar.draw(density=False)
    entry = settings.od_data
    frame.banners([entry])
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return
    view = setting.draw(
        st.segmented_control,
        "View",
        question.which("decisions_view", entry, VIEWS, epidemic=EPIDEMIC, aid=AID),
        VIEWS,
        required=True,
        label_visibility="collapsed",
    )
    if od.METHODS[settings.od_method].expected is None:
        st.info(OD_PUBLISHED_ONLY)
    if view == CHOICE:
        choice.draw(entry, settings)
    else:
        (epidemic if view == EPIDEMIC else aid).draw(of(entry, settings.trips()))


frame.show(draw, "Decisions", LEAD)
