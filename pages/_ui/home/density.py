"""Home's left column: the density of visits in four numbers, a curve and two small maps."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.arrays import Floats
from engine.density import DensityScores, mean_of_known
from engine.ledger import Ledger
from engine.parameters import EPSILON_STOPS
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.cache.draws import DISTANCE_REPEATS, REPEATS
from pages._ui.drawing import cards, maps
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.drawing.svg import sketches
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.density_cards import density_cards
from pages._ui.wording.measures import density_needs
from pages._ui.wording.numbers import fixed, number, percent
from pages._ui.wording.privacy import ledger_line

MAP_HOUR = 2 * 24 + 18
"""The hour on the maps: Wednesday 18:00 to 19:00, a public choice, not the fullest hour."""

_CURVE_DRAWN = "home_density_curve_drawn"
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
        f"Protects **one person, the whole week** ({_kept(settings)}). "
        + ledger_line(release.ledger)
    )
    slot = places.numbers.html(cards.cards_html(density_cards(scores)))
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
            cached_density.judged(entry.key, parameters, noise),
            needed=density_needs(parameters, cached_density.needs(entry.key, parameters)),
        ),
        ledger=release.ledger,
        numbers=cards.numbers(density_cards(scores)),
        worst=_worst(entry, truth, scores),
        curve=curve,
        fill=fill,
    )


def _kept(settings: Settings) -> str:
    if settings.variant == "zoom":
        return "nobody is sampled"
    return f"at most {settings.max_visits} {'visit' if settings.max_visits == 1 else 'visits'} kept"


def _fill(slot: DeltaGenerator, key: str, settings: Settings, noise: Seed) -> dict[str, str]:
    """Compute what takes longer, in small steps that a slider move can interrupt."""
    parameters = settings.density()
    first = cached_density.scores(key, parameters, noise)
    repeats = [first]
    for repeat in range(1, REPEATS):
        repeats.append(cached_density.scores(key, parameters, noise, repeat))
        if repeat in (9, REPEATS - 1):
            slot.html(cards.cards_html(density_cards(first, repeats)))
    distances: list[float] = []
    for repeat in range(DISTANCE_REPEATS):
        hours = []
        for part in cached_density.distances(key, parameters, noise, repeat):
            hours.append(part)
            # Looking at the state lets a slider move interrupt, as sending something would; but
            # a browser that is sent something all the time does not get to loading the maps.
            _ = _CURVE_DRAWN in st.session_state
        distances.append(mean_of_known(np.concatenate(hours)))
        slot.html(cards.cards_html(density_cards(first, repeats, distances)))
    finished = density_cards(first, repeats, distances, finished=True)
    slot.html(cards.cards_html(finished))
    return cards.numbers(finished)


def _curve(key: str, settings: Settings, noise: Seed, *, computed: bool) -> None:
    """Draw MRE over ε; points not computed yet are left out until `computed`."""
    here = settings.epsilon
    stops = sorted({here, *EPSILON_STOPS}) if computed else [here]
    judged = [cached_density.judged(key, settings.density(epsilon=stop), noise) for stop in stops]
    values = [one.usable_zones / one.zones if one.zones else math.nan for one in judged]
    sketch_curve.epsilon_curve(
        stops,
        values,
        settings.epsilon,
        title="Usable zones",
        key="home_density_curve" if computed else "home_density_point",  # both in one run
        alt=f"Share of usable zones over epsilon, now {settings.epsilon:g}",
    )


def _maps(entry: Entry, truth: Floats, private: Floats) -> None:
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


def _worst(entry: Entry, truth: Floats, scores: DensityScores) -> dict[str, list[str]]:
    """Return the zones with the largest relative error."""
    order = np.argsort(-np.nan_to_num(scores.error, nan=-1.0))[:6]
    names = cached_datasets.dataset(entry.key).zones["name"].to_numpy()
    return {
        "Zone": [str(name) for name in names[order]],
        "Visits an hour": [number(value) for value in truth[order].mean(axis=1)],
        "Relative error": [percent(value) for value in scores.error[order]],
        "Pearson r": [fixed(value) for value in scores.correlation[order]],
    }
