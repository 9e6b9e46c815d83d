"""Home's right column under our own method: four numbers of repeated draws and two maps."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from engine import usability
from engine.origin_destination.estimate import EstimateRelease
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import estimates as cached_estimates
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.drawing import cards, maps, marks
from pages._ui.drawing.svg import sketches
from pages._ui.home.density import MAP_HEIGHT, MAP_WIDTH, Column, Places
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.agreement_cards import agreement_cards
from pages._ui.wording.numbers import signed_percent
from pages._ui.wording.privacy import trips_protection

LARGEST = 40


def draw(settings: Settings, entry: Entry, places: Places) -> Column:
    """Draw the column; its verdict is of repeated draws, for there is no exact expectation."""
    noise, parameters = seed(entry), settings.trips()
    window = declared(parameters)
    true = cached_trips.truth(entry.key, window)
    ours = cached_estimates.release(entry.key, parameters, noise, window)
    protected = trips_protection(parameters, entry.metadata.days)
    places.head.caption(f"{protected} Read by our own method; the published one is in the sidebar.")
    with places.numbers, st.spinner("Drawing repeatedly …"):
        *_, draws = cached_estimates.repeated(entry.key, parameters, noise, window)
        shown = agreement_cards(draws.ours)
        cards.draw(shown)
    with places.maps:
        _maps(entry.key, true, ours.counts[0], ours)

    def curve() -> None:
        places.curve.caption(
            "The curve over ε of this method, beside the published one, is on the "
            "Origin–destination page."
        )

    return Column(
        finding=verdict.drawn_trips(
            usability.judge_drawn_trips(true, draws.near), parameters, draws.published, draws.ours
        ),
        ledger=None,
        numbers=cards.numbers(shown),
        worst=_worst(entry.key, true.sum(axis=1), ours.counts[0].sum(axis=1)),
        curve=curve,
        fill=lambda: cards.numbers(shown),
    )


def _maps(
    key: str, true: NDArray[np.int64], counts: NDArray[np.float64], ours: EstimateRelease
) -> None:
    largest = float(true.max(initial=1))
    scale = maps.Scale(0.0, largest)
    grid = st.grid(2, min_column_width=MAP_WIDTH)
    for name, matrix in (("true", true), ("ours", np.where(marks.shown(ours), counts, 0))):
        origins, destinations = maps.largest_flows(matrix, LARGEST)
        pairs = (origins, destinations)
        values = matrix[pairs].astype(float)
        with grid.cell():
            st.html(f'<div class="maptitle">{name.capitalize()}</div>')
            sketches.flow_sketch(
                cached_datasets.sketch(key),
                origins,
                destinations,
                values,
                scale,
                key=f"home_trips_{name}",
                alt=f"Map of the {LARGEST} largest flows, {name}",
                tooltip={
                    "true": [f"{value:,}" for value in true[pairs]],
                    "ours": marks.words(ours, pairs),
                },
                height=MAP_HEIGHT,
                colours=None if name == "true" else marks.colours(ours, pairs, scale, values),
            )
    scale.legend(f"trips, the {LARGEST} largest flows", "0", f"{largest:,.0f} or more")
    marks.key()


def _worst(key: str, true: NDArray[np.int64], ours: NDArray[np.float64]) -> dict[str, list[str]]:
    """Return the zones whose departures are off by most trips in this draw."""
    order = np.argsort(-np.abs(ours - true), kind="stable")[:6]
    error = (ours - true)[order] / np.where(true[order] > 0, true[order], np.nan)
    names = cached_datasets.dataset(key).zones["name"].to_numpy()
    return {
        "Zone": [str(name) for name in names[order]],
        "Departures": [f"{value:,}" for value in true[order]],
        "Private": [f"{value:,.0f}" for value in ours[order]],
        "Error": [signed_percent(value) for value in error],
    }
