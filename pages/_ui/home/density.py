"""Home's first column: the density of visits in four numbers; its curve and worst zones."""

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
from pages._ui.drawing import cards
from pages._ui.drawing.svg import curve as sketch_curve
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.settings import Seed, Settings, seed
from pages._ui.wording import verdict
from pages._ui.wording.density_cards import density_cards
from pages._ui.wording.measures import density_needs
from pages._ui.wording.numbers import fixed, number, percent
from pages._ui.wording.privacy import ledger_line


@dataclass(frozen=True)
class Column:
    """What the page needs of a drawn column."""

    entry: Entry
    ledger: Ledger | None
    numbers: dict[str, str]
    worst: Callable[[], dict[str, list[str]]]
    curve: Callable[[], None]
    fill: Callable[[], dict[str, str]]


def said_html(finding: verdict.Finding, entry: Entry) -> str:
    """Return what the column's own dataset can be used for."""
    level, sentence = verdict.headline([finding])
    return cards.verdict_html(level, sentence, verdict.remedies([finding]), of=entry.name)


def draw(settings: Settings, entry: Entry) -> Column:
    """Draw the column's point values; `fill` adds intervals and distances as they come."""
    noise, parameters = seed(entry), settings.density()
    release = cached_density.release(entry.key, parameters, noise)
    scores = cached_density.scores(entry.key, parameters, noise)
    finding = verdict.density(
        cached_density.judged(entry.key, parameters, noise),
        needed=density_needs(parameters, cached_density.needs(entry.key, parameters)),
    )
    st.html(said_html(finding, entry))
    slot = st.empty()
    slot.html(cards.cards_html(density_cards(scores)))
    st.caption(
        f"Protects **one person, the whole week** ({_kept(settings)}). "
        + ledger_line(release.ledger)
    )
    return Column(
        entry=entry,
        ledger=release.ledger,
        numbers=cards.numbers(density_cards(scores)),
        worst=lambda: _worst(entry, cached_density.truth(entry.key), scores),
        curve=lambda: _curve(entry.key, settings, noise),
        fill=lambda: _fill(slot, entry.key, settings, noise),
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
            _ = "home_details" in st.session_state
        distances.append(mean_of_known(np.concatenate(hours)))
        slot.html(cards.cards_html(density_cards(first, repeats, distances)))
    finished = density_cards(first, repeats, distances, finished=True)
    slot.html(cards.cards_html(finished))
    return cards.numbers(finished)


def _curve(key: str, settings: Settings, noise: Seed) -> None:
    """Draw the share of usable zones over ε."""
    stops = sorted({settings.epsilon, *EPSILON_STOPS})
    sketch_curve.epsilon_curve(
        stops,
        [
            cached_density.judged(key, settings.density(epsilon=stop), noise).usable_share
            for stop in stops
        ],
        settings.epsilon,
        title="Usable zones",
        key="home_density_curve",
        alt=f"Share of usable zones over epsilon, now {settings.epsilon:g}",
    )


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
