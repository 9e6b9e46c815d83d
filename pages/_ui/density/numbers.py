"""The Density page's large numbers: errors with their ranges, and what they cost."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from engine.ledger import Ledger
from engine.parameters import HOURS_PER_WEEK, DensityParameters
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.cache.density import DensityScores
from pages._ui.density import wording as density_wording
from pages._ui.density.settings import Chosen
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.home.density import interval
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.wording.measures import density_displacement, density_error, density_rhythm
from pages._ui.wording.numbers import fixed, metres, percent

STYLE = Path(__file__).with_name("density.css")
REPEATS = 20
_DELAY_S = 0.3
DISTANCE_REPEATS = 5
CHUNK_HOURS = 42
"""Hours of one step of the earth mover's distance: what a cached wrapper computes at a time."""


@dataclass(frozen=True)
class Drawn:
    """Repeated draws: scores, and the week's mean earth mover's distance of some of them."""

    scores: tuple[DensityScores, ...] = ()
    distances_m: tuple[float, ...] = ()


def draw(chosen: Chosen, book: Ledger) -> None:
    """Draw the numbers at once; ranges and distances fill in as they are computed."""
    st.html(STYLE)
    parameters = chosen.parameters
    first = cached_density.scores(chosen.key, parameters, chosen.seed)
    work = jobs.job(
        "numbers",
        (chosen.key, parameters, chosen.seed),
        lambda: _steps(chosen.key, parameters, chosen.seed),
        delay_s=_DELAY_S,
    )

    def show(running: Job) -> None:
        drawn = running.result or Drawn()
        told = _cards(first, drawn, book, chosen.epsilon, waiting=running.running)
        st.html(f'<div class="across">{cards.cards_html(told)}</div>')

    jobs.live("numbers", work, show)


def distance_by_hour(
    key: str, parameters: DensityParameters, seed: Seed, repeat: int = 0
) -> Iterator[np.ndarray]:
    """Yield the earth mover's distance hour by hour, a few hours at a time."""
    for hour in range(0, HOURS_PER_WEEK, CHUNK_HOURS):
        yield cached_density.distance(key, parameters, seed, repeat, hour, CHUNK_HOURS)


def _steps(key: str, parameters: DensityParameters, seed: Seed) -> Iterator[Step]:
    chunks = math.ceil(HOURS_PER_WEEK / CHUNK_HOURS)
    total = REPEATS + DISTANCE_REPEATS * chunks
    done, drawn = 0, Drawn()
    for repeat in range(REPEATS):
        score = cached_density.scores(key, parameters, seed, repeat)
        done, drawn = done + 1, Drawn((*drawn.scores, score))
        yield Step(done, total, drawn)
    for repeat in range(DISTANCE_REPEATS):
        hours = []
        for part in distance_by_hour(key, parameters, seed, repeat):
            hours.append(part)
            done += 1
            yield Step(done, total, drawn)
        distance = mean(np.concatenate(hours))
        drawn = Drawn(drawn.scores, (*drawn.distances_m, distance))
        yield Step(done, total, drawn)


def mean(values: np.ndarray) -> float:
    """Return the mean of what is defined; NaN where nothing is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def _cards(
    first: DensityScores, drawn: Drawn, book: Ledger, epsilon: float, *, waiting: bool
) -> list[Card]:
    def over(name: str) -> list[float] | None:
        if waiting and len(drawn.scores) < REPEATS:
            return None
        return [getattr(score, name) for score in drawn.scores]

    distances = list(drawn.distances_m)
    moved = distances[0] if distances else math.nan
    pending = not distances and waiting
    exceeded = book.proved_epsilon > epsilon * (1 + 1e-9)
    return [
        Card(
            "Relative error (MRE)",
            percent(first.mean_error),
            interval(over("mean_error"), percent, finished=not waiting),
            density_error(first.mean_error),
        ),
        Card(
            "Rhythm kept (Pearson r)",
            fixed(first.mean_correlation),
            interval(over("mean_correlation"), fixed, finished=not waiting),
            density_rhythm(first.mean_correlation),
        ),
        Card(
            "Displacement (EMD)",
            "…" if pending else metres(moved),
            "computed last …" if pending else interval(distances, metres, finished=not waiting),
            "How far visits seem to move." if pending else density_displacement(moved),
        ),
        Card(
            "Error of the total",
            percent(first.total_error),
            interval(over("total_error"), percent, finished=not waiting),
            "All visits of the week together are off by this share.",
        ),
        Card(
            "Proved privacy loss (ε)",
            f"{book.proved_epsilon:.3g}",
            f"above the slider's {epsilon:g}" if exceeded else f"slider {epsilon:g}",
            f"For one person's whole week; {density_wording.privacy(book)}.",
        ),
    ]
