"""Home's second column under a method without an exact law: four numbers of repeated draws."""

import streamlit as st

from engine import origin_destination as od, usability
from pages._ui.cache import trips as cached_trips, verbs
from pages._ui.cache.window import declared
from pages._ui.drawing import cards
from pages._ui.home.density import Column, said_html
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import trip_cards
from pages._ui.wording.privacy import trips_protection


def draw(settings: Settings, entry: Entry) -> Column:
    """Draw the column; its verdict is of repeated draws, for there is no exact expectation."""
    noise, parameters = seed(entry), settings.trips(method=settings.od_method)
    window = declared(parameters)
    true = verbs.truth(entry.key, window)
    with st.spinner("Drawing repeatedly …"):
        methods = (settings.trips(), parameters)
        *_, (other, own) = cached_trips.repeated(entry.key, methods, noise, window)
    judged = usability.judge_drawn_trips(true, own.near)
    finding = verdict.drawn_trips(judged, parameters, other.scores, own.scores)
    shown = trip_cards(own.scores, parameters)
    st.html(said_html(finding, entry))
    cards.draw(shown)
    method = od.METHODS[parameters.method]
    protected = trips_protection(parameters, entry.metadata)
    st.caption(f"{protected} Method: {method.name}. Others are in the sidebar.")
    return Column(entry=entry, ledger=None)
