"""Density: where and when private counts of visits hold, and what they cost."""

from pathlib import Path

import streamlit as st

from engine import density
from pages._ui.density import (
    settings as density_settings,
    views as density_views,
    wording as density_wording,
)
from pages._ui.shell import frame
from pages._ui.shell.settings import current, dataset_with
from pages._ui.views import numbers, verdict
from pages._ui.wording.privacy import delta_warning

STYLE = Path(density_wording.__file__).with_name("density.css")


def draw() -> None:
    """Draw the page."""
    st.html(STYLE)
    settings = current(resolution=True)
    entry = settings.density_data
    frame.banners([entry])
    if entry is None or not entry.has_density:
        frame.missing(entry, "density", dataset_with("density"), "density_data")
        return

    verdict_slot = st.container()
    warnings = st.container()
    numbers_slot = st.container()
    context = density_settings.switches(settings)
    with st.spinner("Computing the release …", show_time=False):
        release = context.release

    with verdict_slot:
        verdict.draw(context)
    with warnings:
        for flag in release.flags:
            text = density_wording.flag(flag, context.parameters, release.cluster_minimum)
            if flag == density.NOISE_EXCEEDS_DATA:
                st.error(text, icon=":material/error:")
            else:
                st.caption(f":material/info: {text}")
        for text in (
            density_wording.exceeds(release.ledger, settings.epsilon),
            delta_warning(settings.delta, entry.metadata.people_public),
        ):
            if text:
                st.warning(text, icon=":material/warning:")
    with numbers_slot:
        numbers.draw(context, [density_wording.proved(release.ledger, context.epsilon)])
    for note in density_settings.notes(context):
        st.caption(note)
    density_views.draw(context)


frame.show(draw, "Density", density_wording.LEAD)
