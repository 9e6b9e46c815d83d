"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui.shell import frame
from pages._ui.shell.settings import current, dataset_with
from pages._ui.trips import views as trips_views, window as trips_window
from pages._ui.views import context as contexts, numbers, verdict

LEAD = (
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents."
)


def draw() -> None:
    """Draw the page."""
    settings = current(resolution=True)
    frame.banners([settings.od_data])
    declared = contexts.of_trips(settings)
    if declared is None:
        frame.missing(settings.od_data, "trips", dataset_with("trips"), "od_data")
        return
    picker, judgement = st.columns([1, 2.9], gap="medium")
    with picker:
        context = trips_window.pick(declared)
    law = context.method.expected is not None
    with judgement:
        if context.several and not law:
            st.info(trips_views.SEVERAL_DAYS)
            return
        verdict.draw(context, trips_window.cost(context))
    numbers.draw(context)
    trips_views.draw(context, settings.delta)


frame.show(draw, "Origin–destination flows", LEAD)
