"""Attack: how much the strongest attacker can learn about one person."""

import streamlit as st

from pages._ui.attack import density as attack_density
from pages._ui.attack import measured as attack_measured
from pages._ui.attack import question as attack_question
from pages._ui.attack import trips as attack_trips
from pages._ui.attack.wording import LEAD
from pages._ui.shell import frame, setting, sidebar

FLOWS, DENSITY = "On flows", "On density"
VIEWS = (FLOWS, DENSITY)


def draw() -> None:
    """Draw the page."""
    view = setting.draw(
        st.segmented_control,
        "View",
        setting.choice("attack_view", VIEWS, FLOWS),
        VIEWS,
        required=True,
        label_visibility="collapsed",
    )
    flows = view == FLOWS
    settings = sidebar.draw(density=not flows, trips=flows, noise=False, od_method=flows)
    if view == DENSITY:
        attack_density.draw(settings)
    else:
        question = attack_question.ask(settings.trips(), settings.od_method)
        attack_trips.draw(question, settings.od_data)
        attack_measured.draw()


frame.show(draw, "Attack", LEAD)
