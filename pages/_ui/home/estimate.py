"""Home's second column under a method without an exact law: four numbers of repeated draws."""

import numpy as np
import streamlit as st

from engine import origin_destination as od, usability
from engine.arrays import Integers, Numbers
from engine.resolution import Key
from pages._ui.cache import datasets as cached_datasets, trips as cached_trips, verbs
from pages._ui.cache.window import declared
from pages._ui.drawing import cards
from pages._ui.home.density import Column, Worst, said_html
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.cards import agreement_cards
from pages._ui.wording.numbers import signed_percent
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
    finding = verdict.drawn_trips(judged, parameters, other.agreements, own.agreements)
    shown = agreement_cards(own.agreements)
    st.html(said_html(finding, entry))
    cards.draw(shown)
    method = od.METHODS[parameters.method]
    protected = trips_protection(parameters, entry.metadata)
    st.caption(f"{protected} Method: {method.name}. Others are in the sidebar.")

    def curve() -> None:
        st.caption(
            "The curve over ε of this method, beside the published one, is on the "
            "Origin–destination page."
        )

    def worst_zones() -> Worst:
        ours = verbs.release(entry.key, parameters, noise, window)
        return worst(entry.key, true, ours.counts[0])

    return Column(entry=entry, ledger=None, part="trips", worst=worst_zones, curve=curve)


def worst(key: Key, true_flows: Integers, drawn_flows: Numbers) -> Worst:
    """Return the zones whose departures are off by most trips in this draw."""
    true, private = true_flows.sum(axis=1), drawn_flows.sum(axis=1)
    order = np.argsort(-np.abs(private - true), kind="stable")[:6]
    error = (private - true)[order] / np.where(true[order] > 0, true[order], np.nan)
    names = cached_datasets.dataset(key).zones["name"].to_numpy()
    columns = {
        "Zone": [str(name) for name in names[order]],
        "Departures": [f"{value:,}" for value in true[order]],
        "Private": [f"{value:,.0f}" for value in private[order]],
        "Error": [signed_percent(value) for value in error],
    }
    return Worst(tuple(order.tolist()), columns)
