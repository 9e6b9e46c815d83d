"""Home's second column: one origin–destination matrix in four numbers; curve and worst zones."""

from dataclasses import replace

import streamlit as st

from engine import origin_destination as od
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.resolution import Key
from pages._ui import jobs
from pages._ui.cache import details as cached_details, trips as cached_trips, verbs
from pages._ui.cache.repeats import trip_draws
from pages._ui.cache.window import Window, declared
from pages._ui.drawing import cards
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.home import estimate as home_estimate, play as home_play
from pages._ui.home.density import Column, delay_s, said_html, take
from pages._ui.jobs import Job
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import trip_cards
from pages._ui.wording.places import details_sentence
from pages._ui.wording.privacy import trips_protection

_JOB, _FINEST = "home_trips", "home_finest"


def draw(settings: Settings, entry: Entry) -> Column:
    """Draw the column's expected values; the intervals of draws follow from beside the page."""
    if od.METHODS[settings.od_method].expected is None:
        return home_estimate.draw(settings, entry)
    noise, parameters = seed(entry), settings.trips()
    window = declared(parameters)
    exact = cached_trips.numbers(entry.key, parameters, window)
    parts = (exact.scores, exact.account, exact.zeros, parameters)
    finding = verdict.trips(exact.judged, parameters)
    st.html(said_html(finding, entry))

    def show(job: Job) -> None:
        draws = None if job.running else list(job.result or ()) or None
        cards.draw(trip_cards(*parts, draws))

    if home_play.playing():
        cards.draw(trip_cards(*parts))
    else:
        asked = (trip_draws, entry.key, parameters, noise, window)
        work = jobs.job(_JOB, *asked, delay_s=delay_s(_JOB))
        jobs.live(_JOB, work, show)
        _finest(entry, parameters)
    st.caption(trips_protection(parameters, entry.metadata))
    return Column(
        entry=entry,
        ledger=None,
        part="trips",
        worst=lambda: home_estimate.worst(
            entry.key,
            verbs.truth(entry.key, window),
            cached_trips.drawn(entry.key, parameters, noise, window).counts,
        ),
        curve=lambda: _curve(entry.key, settings, window),
    )


def _finest(entry: Entry, parameters: ODParameters) -> None:
    """Say which detail would make this ε usable; it follows when it is known."""
    fixed = replace(parameters, epsilon=1.0)  # so that the slider finds the same answer
    asked = (cached_details.trips, entry.key.finest, fixed)
    work = jobs.job(_FINEST, *asked, delay_s=delay_s(_FINEST))

    def show(job: Job) -> None:
        text = details_sentence(job.result, parameters.epsilon, running=job.running)
        if text:
            st.caption(text)

    jobs.follow(_FINEST, work, show)


def _curve(key: Key, settings: Settings, window: Window) -> None:
    stops = sorted({settings.epsilon, *EPSILON_STOPS})
    values = [
        cached_trips.usable_share(key, settings.trips(epsilon=stop), window) for stop in stops
    ]
    picked = sketch_curve.epsilon_curve(
        stops,
        values,
        settings.epsilon,
        title="Trips in usable flows",
        key="home_trips_curve",
        alt=f"Share of trips in usable flows over epsilon, now {settings.epsilon:g}",
    )
    take(picked)
