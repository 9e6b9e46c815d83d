"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui.cache import trips as cached_trips
from pages._ui.drawing import cards
from pages._ui.shell import frame, setting, sidebar
from pages._ui.shell.settings import dataset_with, seed
from pages._ui.trips import days as trips_days
from pages._ui.trips import detail as trips_detail
from pages._ui.trips import errors as trips_errors
from pages._ui.trips import flows as trips_flows
from pages._ui.trips import grid as trips_grid
from pages._ui.trips import matrix as trips_matrix
from pages._ui.trips import numbers as trips_numbers
from pages._ui.trips import origin as trips_origin
from pages._ui.trips import ours as trips_ours
from pages._ui.trips import outcomes as trips_outcomes
from pages._ui.trips import trimming as trips_trimming
from pages._ui.trips import window as trips_window

FLOWS, ORIGIN, MATRIX, OUTCOMES = "Flows", "From one zone", "Matrix", "Outcomes"
ERRORS, GRID, TRIMMING, DAYS = "Errors", "ε × τ", "Trimming (T)", "Days and totals"
DETAIL = "Usable detail"
VIEWS = (FLOWS, ORIGIN, MATRIX, OUTCOMES, ERRORS, GRID, DETAIL, TRIMMING, DAYS)

LEAD = (
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents."
)


def draw() -> None:
    """Draw the page."""
    settings = sidebar.draw(density=False, od_method=True, resolution=True)
    entry = settings.od_data
    frame.banners([entry])
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return

    parameters, noise = settings.trips(), seed(entry)
    picker, judgement = st.columns([1, 2.9], gap="medium")
    with picker:
        window = trips_window.pick(entry, parameters)
    note = trips_window.cost(parameters, window, entry.metadata)
    if settings.od_method == "estimate":
        trips_ours.draw(entry, parameters, noise, window, note, judgement)
        return
    true = cached_trips.truth(entry.key, window)
    drawn = cached_trips.drawn(entry.key, parameters, noise, window)
    with judgement:
        st.html(trips_numbers.judged(entry, parameters, window, note))
        trips_detail.beside_verdict(entry, parameters)
    cards.row(trips_numbers.headline(entry.key, parameters, noise, window, drawn))
    view = setting.draw(
        st.segmented_control,
        "View",
        setting.choice("od_view", VIEWS, FLOWS),
        VIEWS,
        required=True,
        label_visibility="collapsed",
    )
    if view == FLOWS:
        trips_flows.draw(entry.key, true, drawn, window.several)
    elif view == ORIGIN:
        trips_origin.draw(entry.key, true, drawn)
    elif view == MATRIX:
        trips_matrix.draw(entry.key, true, drawn)
    elif view == OUTCOMES:
        trips_outcomes.draw(entry, parameters, window, drawn)
    elif view == ERRORS:
        trips_errors.draw(entry, parameters, window)
    elif view == GRID:
        trips_grid.draw(entry, parameters, window)
    elif view == DETAIL:
        trips_detail.draw(entry, parameters)
    elif view == TRIMMING:
        trips_trimming.draw(entry, parameters, window)
    else:
        trips_days.draw(entry, parameters, window, drawn, settings.delta)


frame.show(draw, "Origin–destination flows", LEAD)
