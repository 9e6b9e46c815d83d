"""Home's right column: one origin–destination matrix in four numbers, a curve and two maps."""

import numpy as np
import streamlit as st

from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.trips import TripScores
from pages._ui.drawing import cards, maps
from pages._ui.drawing.cards import Card
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.drawing.svg import sketches
from pages._ui.home.density import (
    MAP_HEIGHT,
    MAP_WIDTH,
    REPEATS,
    Column,
    Places,
    hold,
    interval,
)
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.measures import flow_error, flow_reading
from pages._ui.wording.numbers import number, percent, signed_percent, trip_count
from pages._ui.wording.privacy import trips_protection

LARGEST = 40
_DRAWN = "home_trips_curve_drawn"


def draw(settings: Settings, entry: Entry, places: Places) -> Column:
    """Draw the column's expected values and maps; `fill` adds the intervals of draws."""
    noise, parameters = seed(entry), settings.trips()
    period = cached_trips.span(parameters)
    expected = cached_trips.span_expected(entry.key, parameters, period)
    places.head.caption(trips_protection(parameters, entry.metadata.days))
    slot = places.numbers.html(cards.cards_html(_cards(expected, parameters, None)))
    curve_place = hold(places.curve, held=_DRAWN not in st.session_state)
    with places.maps:
        _maps(entry, parameters, noise, period)

    def curve() -> None:
        with curve_place:
            _curve(entry.key, settings, period)
        st.session_state[_DRAWN] = True

    def fill() -> dict[str, str]:
        drawn = [
            cached_trips.span_drawn(entry.key, parameters, noise, period, repeat)
            for repeat in range(REPEATS)
        ]
        finished = _cards(expected, parameters, drawn)
        slot.html(cards.cards_html(finished))
        return cards.numbers(finished)

    flows = cached_trips.span_histogram(entry.key, parameters, period)
    return Column(
        finding=verdict.trips(*flows, parameters),
        ledger=None,
        numbers=cards.numbers(_cards(expected, parameters, None)),
        worst=_worst(entry, parameters, noise, period),
        curve=curve,
        fill=fill,
    )


def _cards(
    expected: TripScores, parameters: ODParameters, drawn: list[TripScores] | None
) -> list[Card]:
    def over(name: str) -> list[float] | None:
        return None if drawn is None else [getattr(score, name) for score in drawn]

    least = max(parameters.suppression_threshold, 1)
    none = f"No flow has {least} trips or more." if np.isnan(expected.median_error) else ""
    return [
        Card(
            f"Median error, flows of {least}+",
            trip_count(expected.median_error),
            interval(over("median_error"), number),
            none or flow_reading(parameters),
        ),
        Card(
            f"Relative error, flows of {least}+",
            percent(expected.relative_error),
            interval(over("relative_error"), percent),
            none or flow_error(expected.relative_error),
        ),
        Card(
            "Suppressed cells",
            percent(expected.suppressed),
            interval(over("suppressed"), percent),
            f"Pairs of zones that read 0; without noise {percent(expected.suppressed_anyway)}.",
        ),
        Card(
            "Trips kept",
            percent(expected.trips_kept),
            interval(over("trips_kept"), percent),
            f"In flows of {least}+ that stay visible"
            + (
                f"; trimming drops {percent(expected.trimmed)} of all."
                if expected.trimmed >= 0.005
                else "."
            ),
        ),
    ]


def _curve(key: str, settings: Settings, period: cached_trips.Span) -> None:
    flows = cached_trips.span_histogram(key, settings.trips(), period)
    values = [verdict.usable_share(*flows, settings.trips(epsilon=stop)) for stop in EPSILON_STOPS]
    sketch_curve.epsilon_curve(
        EPSILON_STOPS,
        values,
        settings.epsilon,
        title="Trips in usable flows",
        key="home_trips_curve",
        alt=f"Share of trips in usable flows over epsilon, now {settings.epsilon:g}",
    )


def _maps(entry: Entry, parameters: ODParameters, noise: Seed, period: cached_trips.Span) -> None:
    truth = cached_trips.span_truth(entry.key, period)
    private = cached_trips.span_release(entry.key, parameters, noise, period)
    largest = float(truth.max(initial=1))
    scale = maps.Scale(0.0, largest)
    drawn = cached_datasets.sketch(entry.key)
    grid = st.grid(2, min_column_width=MAP_WIDTH)
    for name, matrix in (("true", truth), ("private", private)):
        origins, destinations = maps.largest_flows(matrix, LARGEST)
        pairs = (origins, destinations)
        with grid.cell():
            st.html(f'<div class="maptitle">{name.capitalize()}</div>')
            sketches.flow_sketch(
                drawn,
                origins,
                destinations,
                matrix[pairs].astype(float),
                scale,
                key=f"home_trips_{name}",
                alt=f"Map of the {LARGEST} largest {name} flows",
                tooltip={
                    "true": [f"{value:,}" for value in truth[pairs]],
                    "private": [f"{value:,}" for value in private[pairs]],
                    "error": [f"{value:+,}" for value in private[pairs] - truth[pairs]],
                },
                height=MAP_HEIGHT,
            )
    scale.legend(f"trips, the {LARGEST} largest flows", "0", f"{largest:,.0f} or more")


def _worst(
    entry: Entry, parameters: ODParameters, noise: Seed, period: cached_trips.Span
) -> dict[str, list[str]]:
    """Return the zones whose departures are off by most trips in this draw."""
    true = cached_trips.span_truth(entry.key, period).sum(axis=1)
    private = cached_trips.span_release(entry.key, parameters, noise, period).sum(axis=1)
    order = np.argsort(-np.abs(private - true), kind="stable")[:6]
    error = (private - true)[order] / np.where(true[order] > 0, true[order], np.nan)
    names = cached_datasets.dataset(entry.key).zones["name"].to_numpy()
    return {
        "Zone": [str(name) for name in names[order]],
        "Departures": [f"{value:,}" for value in true[order]],
        "Private": [f"{value:,}" for value in private[order]],
        "Error": [signed_percent(value) for value in error],
    }
