"""Home's second column: one origin–destination matrix in four numbers; curve and worst zones."""

import streamlit as st

from engine import origin_destination as od
from pages._ui import jobs
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.repeats import trip_draws
from pages._ui.cache.window import declared
from pages._ui.drawing import cards
from pages._ui.home import estimate as home_estimate
from pages._ui.home.density import Column, delay_s, said_html
from pages._ui.jobs import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import trip_cards
from pages._ui.wording.privacy import trips_protection

_JOB = "home_trips"


def draw(settings: Settings, entry: Entry) -> Column:
    """Draw the column's expected values; the intervals of draws follow from beside the page."""
    if od.METHODS[settings.od_method].expected is None:
        return home_estimate.draw(settings, entry)
    noise, parameters = seed(entry), settings.trips()
    window = declared(parameters)
    exact = cached_trips.numbers(entry.key, parameters, window)
    finding = verdict.trips(exact.judged, parameters)
    st.html(said_html(finding, entry))

    def show(job: Job) -> None:
        draws = None if job.running else list(job.result or ()) or None
        cards.draw(trip_cards(draws or (), parameters, exact.scores))

    asked = (trip_draws, entry.key, parameters, noise, window)
    work = jobs.job(_JOB, *asked, delay_s=delay_s(_JOB))
    jobs.live(_JOB, work, show)
    st.caption(trips_protection(parameters, entry.metadata))
    return Column(entry=entry, ledger=None)
