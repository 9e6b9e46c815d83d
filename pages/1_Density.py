"""Density: where and when private counts of visits hold, and what they cost."""

import streamlit as st

from engine import density
from pages._ui.cache import density as cached_density
from pages._ui.density import map as density_map
from pages._ui.density import numbers as density_numbers
from pages._ui.density import ours as density_ours
from pages._ui.density import settings as density_settings
from pages._ui.density import views as density_views
from pages._ui.density import wording as density_wording
from pages._ui.drawing import cards
from pages._ui.shell import frame, sidebar
from pages._ui.shell.settings import dataset_with
from pages._ui.wording import verdict
from pages._ui.wording.measures import density_needs
from pages._ui.wording.privacy import delta_warning


def draw() -> None:
    """Draw the page."""
    settings = sidebar.draw(trips=False, resolution=True)
    entry = settings.density_data
    frame.banners([entry])
    if entry is None or not entry.has_density:
        frame.missing(entry, "density", dataset_with("density"), "density_data")
        return

    verdict_slot = st.container()
    warnings = st.container()
    numbers = st.container()
    chosen = density_settings.switches(settings)
    with st.spinner("Computing the release …", show_time=False):
        parameters = chosen.parameters
        release = cached_density.release(entry.key, parameters, chosen.seed)

    finding = verdict.density(
        cached_density.judged(entry.key, parameters, chosen.seed),
        needed=density_needs(parameters, cached_density.needs(entry.key, parameters)),
    )
    verdict_slot.html(
        cards.verdict_html(*verdict.headline([finding]), verdict.remedies([finding]), of=entry.name)
    )
    with warnings:
        needs = cached_density.needs(entry.key, parameters)
        for flag in release.flags:
            text = density_wording.flag(flag, parameters, needs, release.cluster_minimum)
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
    with numbers:
        density_numbers.draw(chosen, release.ledger)
    for note in chosen.notes:
        st.caption(note)
    density_ours.teaser(chosen)
    density_map.draw(chosen)
    density_views.draw(chosen, release.ledger)


frame.show(draw, "Density", density_wording.LEAD)
