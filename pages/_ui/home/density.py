"""Home's left column: the density of visits in four numbers, a curve and two small maps."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.ledger import Ledger
from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK, DensityParameters
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.cache.density import DensityScores
from pages._ui.density import wording as density_wording
from pages._ui.drawing import cards, maps
from pages._ui.drawing.cards import Card
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.drawing.svg import sketches
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.measures import density_displacement, density_error, density_rhythm
from pages._ui.wording.numbers import fixed, metres, number, percent
from pages._ui.wording.privacy import ledger_line

MAP_HOUR = 2 * 24 + 18
"""The hour on the maps: Wednesday 18:00 to 19:00, a public choice, not the fullest hour."""

REPEATS = 20
DISTANCE_REPEATS = 3
_CHUNK_HOURS = 4
_CURVE_DRAWN = "home_density_curve_drawn"
WAITING = "range follows …"
_CURVE_SPACE = 160  # pixels of a curve with its axis and titles
MAP_HEIGHT, MAP_WIDTH = 230, 190


@dataclass(frozen=True)
class Places:
    """Where the parts of one column go; rows keep both columns level."""

    head: DeltaGenerator
    numbers: DeltaGenerator
    curve: DeltaGenerator
    maps: DeltaGenerator


@dataclass(frozen=True)
class Column:
    """What the page needs of a drawn column."""

    finding: verdict.Finding
    ledger: Ledger | None
    numbers: dict[str, str]
    worst: dict[str, list[str]]
    curve: Callable[[], None]
    fill: Callable[[], dict[str, str]]


def hold(place: DeltaGenerator, *, held: bool) -> DeltaGenerator:
    """Return where a curve over ε goes; if `held`, blank space keeps its place until it comes."""
    if not held:
        return place
    slot = place.empty()
    slot.html(f'<div style="height: {_CURVE_SPACE}px"></div>')
    return slot


def draw(settings: Settings, entry: Entry, places: Places) -> Column:
    """Draw the column's point values and maps.

    `curve` adds the curve over ε as far as known, `fill` the rest of it, intervals and distances;
    it returns the finished numbers.
    """
    noise, parameters = seed(entry), settings.density()
    truth = cached_density.truth(entry.key)
    release = cached_density.release(entry.key, parameters, noise)
    scores = cached_density.scores(entry.key, parameters, noise)

    places.head.caption(
        f"Protects **one person, the whole week** (at most {settings.max_visits} "
        f"{'visit' if settings.max_visits == 1 else 'visits'} kept). "
        + ledger_line(
            release.ledger.published_epsilon, release.ledger.proved_epsilon, release.ledger.delta
        )
    )
    slot = places.numbers.html(cards.cards_html(_cards(scores, None, None)))
    drawn = (entry.key, settings.density(epsilon=1.0), noise)
    complete = drawn == st.session_state.get(_CURVE_DRAWN)
    curve_place = hold(places.curve, held=_CURVE_DRAWN not in st.session_state)
    with places.maps:
        _maps(entry, truth[:, MAP_HOUR], np.maximum(release.counts[:, MAP_HOUR], 0.0))

    def curve() -> None:
        # else the curve of the last setting stays until `fill` replaces it: no blank in between
        if complete or _CURVE_DRAWN not in st.session_state:
            with curve_place:
                _curve(entry.key, settings, noise, computed=complete)

    def fill() -> dict[str, str]:
        if not complete:
            with curve_place:
                _curve(entry.key, settings, noise, computed=True)
            st.session_state[_CURVE_DRAWN] = drawn
        return _fill(slot, entry.key, settings, noise)

    return Column(
        finding=verdict.density(
            scores.error,
            scores.correlation,
            truth.mean(axis=1),
            epsilon=settings.epsilon,
            exceeded=scores.exceeded,
            needed=_needed(entry.key, parameters) if scores.exceeded else "",
        ),
        ledger=release.ledger,
        numbers=cards.numbers(_cards(scores, None, None)),
        worst=_worst(entry, truth, scores),
        curve=curve,
        fill=fill,
    )


def _needed(key: str, parameters: DensityParameters) -> str:
    return density_wording.needed(parameters, cached_density.needs(key, parameters))


def _fill(slot: DeltaGenerator, key: str, settings: Settings, noise: Seed) -> dict[str, str]:
    """Compute what takes longer, in small steps that a slider move can interrupt."""
    parameters = settings.density()
    first = cached_density.scores(key, parameters, noise)
    repeats = [first]
    for repeat in range(1, REPEATS):
        repeats.append(cached_density.scores(key, parameters, noise, repeat))
        if repeat in (9, REPEATS - 1):
            slot.html(cards.cards_html(_cards(first, repeats, None)))
    distances: list[float] = []
    for repeat in range(DISTANCE_REPEATS):
        hours = []
        for hour in range(0, HOURS_PER_WEEK, _CHUNK_HOURS):
            part = cached_density.distance(key, parameters, noise, repeat, hour, _CHUNK_HOURS)
            hours.append(part)
            # Looking at the state lets a slider move interrupt, as sending something would; but
            # a browser that is sent something all the time does not get to loading the maps.
            _ = _CURVE_DRAWN in st.session_state
        known = np.concatenate(hours)
        known = known[np.isfinite(known)]
        distances.append(float(known.mean()) if len(known) else float("nan"))
        slot.html(cards.cards_html(_cards(first, repeats, distances)))
    finished = _cards(first, repeats, distances, finished=True)
    slot.html(cards.cards_html(finished))
    return cards.numbers(finished)


def _cards(
    scores: DensityScores,
    repeats: list[DensityScores] | None,
    distances: list[float] | None,
    *,
    finished: bool = False,
) -> list[Card]:
    def over(name: str) -> list[float] | None:
        return None if repeats is None else [getattr(score, name) for score in repeats]

    moved = distances[0] if distances else float("nan")
    # where every count reads 0 the error says nothing: such draws are left out of its range
    errors = repeats and [math.nan if one.exceeded else one.mean_error for one in repeats]
    error = Card(
        "Relative error (MRE)",
        percent(scores.mean_error),
        interval(errors, percent),
        density_error(scores.mean_error),
    )
    if scores.exceeded:
        told = "Every private count reads 0: the noise exceeds the data."
        error = Card(error.label, "–", "", told)
    return [
        error,
        Card(
            "Rhythm kept (Pearson r)",
            fixed(scores.mean_correlation),
            interval(over("mean_correlation"), fixed),
            density_rhythm(scores.mean_correlation),
        ),
        Card(
            "Displacement (EMD)",
            metres(moved) if distances else "…",
            interval(distances, metres, finished=finished) if distances else "computed last …",
            density_displacement(moved) if distances else "How far visits seem to move.",
        ),
        Card(
            "Error of the total",
            percent(scores.total_error),
            interval(over("total_error"), percent),
            "All visits of the week together are off by this share.",
        ),
    ]


def interval(
    values: list[float] | None, write: Callable[[float], str], *, finished: bool = False
) -> str:
    """Write the range of the draws, or that it is to come.

    The next draw lies between the least and the largest of n with probability (n − 1)/(n + 1):
    9 in 10 for `REPEATS`. Fewer are named.
    """
    if not values:
        return WAITING
    known = np.array([value for value in values if np.isfinite(value)])
    if len(known) < 2:
        return "undefined in most draws" if finished or len(values) >= REPEATS else WAITING
    low, high = write(float(known.min())), write(float(known.max()))
    if low == high:
        return "the same in all draws"
    return f"{low} to {high}" + (f" ({len(known)} draws)" if len(known) < REPEATS else "")


def _curve(key: str, settings: Settings, noise: Seed, *, computed: bool) -> None:
    """Draw MRE over ε; points not computed yet are left out until `computed`."""
    stops = [stop for stop in EPSILON_STOPS if computed or stop == settings.epsilon]
    scores = [cached_density.scores(key, settings.density(epsilon=stop), noise) for stop in stops]
    # where every count reads 0 there is no curve: an error of all and nothing else would look good
    values = [float("nan") if one.exceeded else one.mean_error for one in scores]
    sketch_curve.epsilon_curve(
        stops,
        values,
        settings.epsilon,
        title="Relative error (MRE)",
        key="home_density_curve" if computed else "home_density_point",  # both in one run
        alt=f"Mean relative error of the density over epsilon, now {settings.epsilon:g}",
    )


def _maps(entry: Entry, truth: cached_datasets.Floats, private: cached_datasets.Floats) -> None:
    scale = maps.Scale(0.0, float(truth.max(initial=1.0)))
    drawn = cached_datasets.sketch(entry.key)
    tooltip = {
        "true": [number(value) for value in truth],
        "private": [number(value) for value in private],
        "error": [number(value) for value in private - truth],
    }
    grid = st.grid(2, min_column_width=MAP_WIDTH)
    for name, values in (("true", truth), ("private", private)):
        with grid.cell():
            st.html(f'<div class="maptitle">{name.capitalize()}</div>')
            sketches.zone_sketch(
                drawn,
                values,
                scale,
                key=f"home_density_{name}",
                alt=f"Map of {name} visits by zone, Wednesday 18:00 to 19:00",
                tooltip=tooltip,
                height=MAP_HEIGHT,
            )
    scale.legend("visits, Wednesday 18:00–19:00", "0", f"{scale.high:,.0f} or more")


def _worst(
    entry: Entry, truth: cached_datasets.Floats, scores: DensityScores
) -> dict[str, list[str]]:
    """Return the zones with the largest relative error."""
    order = np.argsort(-np.nan_to_num(scores.error, nan=-1.0))[:6]
    names = cached_datasets.dataset(entry.key).zones["name"].to_numpy()
    return {
        "Zone": [str(name) for name in names[order]],
        "Visits an hour": [number(value) for value in truth[order].mean(axis=1)],
        "Relative error": [percent(value) for value in scores.error[order]],
        "Pearson r": [fixed(value) for value in scores.correlation[order]],
    }
