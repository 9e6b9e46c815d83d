"""Origin–destination: what a private matrix keeps, loses and invents; exact beside drawn."""

import streamlit as st

from pages._ui import (
    cached_od,
    cards,
    frame,
    od_days,
    od_errors,
    od_fates,
    od_flows,
    od_grid,
    od_matrix,
    od_numbers,
    od_origin,
    od_trimming,
    od_window,
    state,
)

FLOWS, ORIGIN, MATRIX, FATES = "Flows", "From one zone", "Matrix", "Fates"
ERRORS, GRID, TRIMMING, DAYS = "Errors", "ε × τ", "Trimming (T)", "Days and totals"

frame.frame(
    "Origin–destination flows",
    "Who travels from where to where: which corridors a private release keeps, which it hides, and "
    "which it invents.",
)
settings = state.sidebar(density=False)
entry = settings.od_data
frame.banners([entry])
if entry is None or not entry.has_trips:
    frame.missing(entry, "trips", state.offer("trips"), "od_data")
    st.stop()

parameters, noise = settings.trips(), state.seed(entry)
picker, judgement = st.columns([1, 2.9], gap="medium")
with picker:
    window = od_window.pick(entry, parameters)
true = cached_od.truth(entry.key, window)
made = cached_od.drawn(entry.key, parameters, noise, window)
note = od_window.cost(parameters, window, len(entry.metadata.days))
judgement.html(od_numbers.judged(entry.key, parameters, window, note))
cards.row(od_numbers.headline(entry.key, parameters, window, made))
view = st.segmented_control(
    "View",
    [FLOWS, ORIGIN, MATRIX, FATES, ERRORS, GRID, TRIMMING, DAYS],
    default=FLOWS,
    required=True,
    key="od_view",
    label_visibility="collapsed",
    persist_state="session",
)
if view == FLOWS:
    od_flows.draw(entry.key, true, made, window.several)
elif view == ORIGIN:
    od_origin.draw(entry.key, true, made)
elif view == MATRIX:
    od_matrix.draw(entry.key, true, made)
elif view == FATES:
    od_fates.draw(entry, parameters, window, made)
elif view == ERRORS:
    od_errors.draw(entry, parameters, window)
elif view == GRID:
    od_grid.draw(entry, parameters, window)
elif view == TRIMMING:
    od_trimming.draw(entry, parameters, window)
else:
    od_days.draw(entry, parameters, window, made, settings.delta)
