"""Density: where and when private counts of visits hold, and what they cost."""

import streamlit as st

from engine import density
from pages._ui import (
    cached,
    cached_density,
    cards,
    density_map,
    density_numbers,
    density_settings,
    density_views,
    density_wording,
    frame,
    state,
    verdict,
    wording,
)

frame.frame("Density", density_wording.LEAD)
settings = state.sidebar(trips=False)
entry = settings.density_data
frame.banners([entry])
if entry is None or not entry.has_density:
    frame.missing(entry, "density", state.offer("density"), "density_data")
    st.stop()

verdict_slot = st.container()
warnings = st.container()
numbers = st.container()
chosen = density_settings.switches(settings)
with st.spinner("Computing the release …", show_time=False):
    parameters = chosen.parameters
    truth = cached.density_truth(entry.key)
    release = cached.density_release(entry.key, parameters, chosen.seed)
    scores = cached.density_scores(entry.key, parameters, chosen.seed)

finding = verdict.density(
    scores.error,
    scores.correlation,
    truth.mean(axis=1),
    epsilon=settings.epsilon,
    exceeded=density.NOISE_EXCEEDS_DATA in release.flags,
)
verdict_slot.html(cards.verdict_html(*verdict.headline([finding]), verdict.remedies([finding])))
with warnings:
    needs = cached_density.needs(entry.key, parameters)
    for flag in release.flags:
        told = density_wording.flag(flag, parameters, needs, release.cluster_minimum)
        if flag == density.NOISE_EXCEEDS_DATA:
            st.error(told, icon=":material/error:")
        else:
            st.caption(f":material/info: {told}")
    for told in (
        density_wording.exceeds(release.ledger, settings.epsilon),
        wording.delta_warning(settings.delta, entry.metadata.people_public),
    ):
        if told:
            st.warning(told, icon=":material/warning:")
with numbers:
    density_numbers.draw(chosen, release.ledger)
for note in chosen.notes:
    st.caption(note)
density_map.draw(chosen)
density_views.draw(chosen, release.ledger)
