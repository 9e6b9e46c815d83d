"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages._ui.shell import frame, setting
from pages._ui.shell.settings import current, dataset_with
from pages._ui.trips import (
    errors as trips_errors,
    flows as trips_flows,
    grid as trips_grid,
    outcomes as trips_outcomes,
    totals as trips_totals,
    window as trips_window,
)
from pages._ui.views import answer as answers, context as contexts, numbers
from pages._ui.views.context import Flows

LEAD = (
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents."
)
SEVERAL_DAYS = (
    "Choose one day: our method reads one matrix at a time here. A release of several days reads "
    "each with the help of all others."
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
            st.info(SEVERAL_DAYS)
            return
        answers.draw(context.setting, trips_window.cost(context))
    numbers.draw(context.setting)
    views: dict[str, Callable[[Flows], None]] = {
        "Map": trips_flows.draw,
        "Outcomes": trips_outcomes.draw,
        "Errors": trips_errors.draw,
        **({"ε × τ with T": trips_grid.draw} if law else {}),
        "Days and totals": partial(trips_totals.draw, delta=settings.delta),
    }
    views[setting.views("od_view", list(views), "Map")](context)


frame.show(draw, "Origin–destination flows", LEAD)
