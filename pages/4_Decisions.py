"""Decisions: whether the right zones act on the right day, and help goes to the right places."""

import streamlit as st

from pages._ui.decisions import aid as decisions_aid
from pages._ui.decisions import choice as decisions_choice
from pages._ui.decisions import epidemic as decisions_epidemic
from pages._ui.decisions import fields
from pages._ui.shell import frame, setting, sidebar
from pages._ui.shell.settings import dataset_with, seed
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

    parameters, noise = settings.trips(), seed(entry)
    view = setting.draw(
        st.segmented_control,
        "View",
        fields.question("decisions_view", entry, VIEWS, epidemic=EPIDEMIC, aid=AID),
        VIEWS,
        required=True,
        label_visibility="collapsed",
    )
    if settings.od_method == "estimate":
        st.info(OD_PUBLISHED_ONLY)
    if view == EPIDEMIC:
        decisions_epidemic.draw(entry, settings, noise)
    elif view == AID:
        decisions_aid.draw(entry, parameters, noise)
    else:
        decisions_choice.draw(entry, settings, noise)


frame.show(draw, "Decisions", LEAD)
