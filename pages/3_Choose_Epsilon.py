"""Choose ε: from the error one can live with to the privacy loss, and back."""

import streamlit as st

from pages._ui.choose import answer as choose_answer
from pages._ui.choose import errata as choose_errata
from pages._ui.choose import inverse as choose_inverse
from pages._ui.choose import meaning as choose_meaning
from pages._ui.choose import question as choose_question
from pages._ui.shell import frame, setting, sidebar
from pages._ui.wording.labels import OD_PUBLISHED_ONLY

ANSWER, INVERSE = "From accuracy to ε", "From ε to accuracy"
MEANING, ERRATA = "What ε means", "Where the paper is corrected"
VIEWS = (ANSWER, INVERSE, MEANING, ERRATA)

LEAD = (
    "How much privacy must an accurate number cost? Say which error you can live with, or see what "
    "a given privacy loss (ε) does. Nothing here reads data, so looking costs no privacy."
)


def draw() -> None:
    """Draw the page."""
    settings = sidebar.draw(density=False, noise=False)
    parameters = settings.trips()
    view = setting.draw(
        st.segmented_control,
        "View",
        setting.choice("choose_view", VIEWS, ANSWER),
        VIEWS,
        required=True,
        label_visibility="collapsed",
    )
    if settings.od_method == "estimate" and view != MEANING:
        st.info(OD_PUBLISHED_ONLY)
    if view in (ANSWER, INVERSE):
        question = choose_question.ask(settings)
        if view == ANSWER:
            choose_answer.draw(question, settings)
            frame.link("pages/4_Decisions.py", "Choose ε from a decision it must keep right")
            frame.link(
                "pages/2_Origin_Destination.py",
                "Which zones and times an ε allows: Usable detail",
            )
        else:
            choose_inverse.draw(question, parameters)
    elif view == MEANING:
        days = None if settings.od_data is None else len(settings.od_data.metadata.days)
        choose_meaning.draw(settings.epsilon, settings.unit, days)
    else:
        choose_errata.draw(parameters)


frame.show(draw, "Choose ε", LEAD)
