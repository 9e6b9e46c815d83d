"""Decisions: whether the right zones act on the right day, and help goes to the right places."""

import streamlit as st

from engine.decisions import default_question
from pages._ui.answers import assessments
from pages._ui.app.session import session
from pages._ui.decisions import aid, epidemic
from pages._ui.frame import layout, page_table, presenter
from pages._ui.settings import current, offers, widgets

EPIDEMIC, AID = VIEWS = "Epidemic", "Aid after a shock"

LEAD = (
    "An error of 10% may change nothing, or it may send help to the wrong place. This page shows "
    "how noise changes a decision."
)


def draw() -> None:
    """Draw the page."""
    entry, setting = offers.entry_for("trips"), current.flows()
    layout.draw_banners([entry])
    if entry is None or setting is None:
        layout.explain_missing(entry, "trips")
        return
    default = AID if default_question(entry.metadata) == "aid" else EPIDEMIC
    with st.container(horizontal=True, vertical_alignment="center"):
        view = widgets.choose("View", VIEWS, "decisions_view", default)
        presenter.draw_switch(page_table.HOME, "Home")
    if presenter.is_presenting():
        assessments.draw_gauges(setting)
    if view == EPIDEMIC and setting.time.aggregation != "day":
        epidemic.draw_as_if_daily(setting, entry)
        return
    session().judged_names.add(entry.name)
    if view == EPIDEMIC:
        epidemic.draw(setting, entry)
    else:
        aid.draw(setting, entry)
        if not presenter.is_presenting():
            path = "pages/2_Origin_Destination.py"
            layout.draw_link(path, "See where flows rose or fell", od_view="Change")


layout.show_page(draw, "Decisions", LEAD)
