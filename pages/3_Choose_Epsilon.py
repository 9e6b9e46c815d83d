"""Choose ε: from the error one can live with to the privacy loss, and back."""

import streamlit as st

from engine import origin_destination as od
from pages._ui.choose import answer, meaning, question as choose_question, table
from pages._ui.shell import frame, setting
from pages._ui.shell.settings import Settings, current, dataset_with
from pages._ui.views import context as contexts, frontier
from pages._ui.wording.labels import OD_PUBLISHED_ONLY

ANSWER, INVERSE = "From accuracy to ε", "From ε to accuracy"
MEANING, ERRATA = "What ε means", "Where the paper is corrected"
ALL = "All settings"

LEAD = (
    "How much privacy must an accurate number cost? Say which error you can live with, or see what "
    "a given privacy loss (ε) does. Nothing here reads data, so looking costs no privacy; only All "
    "settings does."
)


def draw() -> None:
    """Draw the page."""
    settings = current()
    view = setting.views("choose_view", (ANSWER, INVERSE, MEANING, ERRATA, ALL))
    if view == ALL:
        _all(settings)
        return
    if view != MEANING and od.METHODS[settings.od_method].expected is None:
        st.info(OD_PUBLISHED_ONLY)
    if view == ANSWER:
        answer.epsilon(choose_question.ask(settings), settings)
        frame.link("pages/4_Decisions.py", "Choose ε from a decision it must keep right")
        frame.link("pages/2_Origin_Destination.py", "Which zones and times an ε allows")
    elif view == INVERSE:
        answer.accuracy(choose_question.ask(settings), settings.trips())
    elif view == MEANING:
        days = None if settings.od_data is None else len(settings.od_data.metadata.days)
        meaning.draw(settings.epsilon, settings.unit, days)
    else:
        table.draw(settings.trips())


def _all(settings: Settings) -> None:
    """Draw every setting of the trips dataset by risk and use: this reads the data."""
    frame.banners([settings.od_data])
    context = contexts.of_trips(settings)
    if context is None:
        frame.missing(settings.od_data, "trips", dataset_with("trips"), "od_data")
        return
    frontier.draw(context)
    frame.link(frame.HOME, "State another need on home")


frame.show(draw, "Choose ε", LEAD)
