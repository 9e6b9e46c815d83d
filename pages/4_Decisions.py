"""Decisions: whether the right zones act on the right day, and help goes to the right places."""

import streamlit as st

from engine import origin_destination as od
from pages._ui.decisions import aid, choice, epidemic, question, zones
from pages._ui.shell import frame, setting
from pages._ui.shell.settings import current, dataset_with, has_part
from pages._ui.views.context import of, of_density, of_trips
from pages._ui.wording.labels import OD_PUBLISHED_ONLY

EPIDEMIC, AID, ZONES, CHOICE = VIEWS = (
    "Epidemic",
    "Aid after a shock",
    "Zones to act in",
    "ε from a decision",
)
_VIEW = setting.choice("decisions_view", VIEWS, EPIDEMIC)

LEAD = (
    "A number that is 10% off may change nothing, or send help to the wrong place. This page "
    "follows the noise through to the decision."
)


def draw() -> None:
    """Draw the page."""
    zoned = setting.value(_VIEW) == ZONES
    visits = zones.visits() and (zoned or (setting.value(_VIEW) == CHOICE and choice.on_zones()))
    settings = current(resolution=zoned)
    entry, part = (settings.density_data, "density") if visits else (settings.od_data, "trips")
    frame.banners([entry])
    about = _VIEW
    if entry is not None and entry.has_trips:
        about = question.which("decisions_view", entry, VIEWS, epidemic=EPIDEMIC, aid=AID)
    view = setting.draw(st.segmented_control, "View", about, VIEWS, label_visibility="collapsed")
    if view == ZONES:
        zones.choose_counts()
    if entry is None or not has_part(entry, part):
        frame.missing(entry, part, dataset_with(part), "density_data" if visits else "od_data")
        return
    if view == ZONES:
        context = of_density(settings) if visits else of_trips(settings)
        assert context is not None  # the dataset has the part
        zones.draw(context)
        return
    if od.METHODS[settings.od_method].expected is None and not visits:
        st.info(OD_PUBLISHED_ONLY)
    if view == CHOICE:
        choice.draw(entry, settings)
    else:
        (epidemic if view == EPIDEMIC else aid).draw(of(entry, settings.trips()))


frame.show(draw, "Decisions", LEAD)
