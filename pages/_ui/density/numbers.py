"""The Density page's large numbers: errors with their ranges, and what they cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from engine.density import DensityScores, mean_of_known
from engine.ledger import Ledger
from engine.parameters import DensityParameters
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.cache.draws import CHUNKS, DISTANCE_REPEATS, REPEATS
from pages._ui.density import wording as density_wording
from pages._ui.density.settings import Chosen
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job, Step
from pages._ui.shell.settings import Seed
from pages._ui.wording.density_cards import density_cards

STYLE = Path(__file__).with_name("density.css")
_DELAY_S = 0.3


@dataclass(frozen=True)
class Drawn:
    """Repeated draws: scores, and the week's mean earth mover's distance of some of them."""

    scores: tuple[DensityScores, ...] = ()
    distances_m: tuple[float, ...] = ()


def draw(chosen: Chosen, ledger: Ledger) -> None:
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
        told = _cards(first, drawn, ledger, chosen.epsilon, waiting=running.running)
        st.html(f'<div class="across">{cards.cards_html(told)}</div>')

    jobs.live("numbers", work, show)


def _steps(key: str, parameters: DensityParameters, seed: Seed) -> Iterator[Step]:
    total = REPEATS + DISTANCE_REPEATS * CHUNKS
    done, drawn = 0, Drawn()
    for repeat in range(REPEATS):
        score = cached_density.scores(key, parameters, seed, repeat)
        done, drawn = done + 1, Drawn((*drawn.scores, score))
        yield Step(done, total, drawn)
    for repeat in range(DISTANCE_REPEATS):
        hours = []
        for part in cached_density.distances(key, parameters, seed, repeat):
            hours.append(part)
            done += 1
            yield Step(done, total, drawn)
        distance = mean_of_known(np.concatenate(hours))
        drawn = Drawn(drawn.scores, (*drawn.distances_m, distance))
        yield Step(done, total, drawn)


def _cards(
    first: DensityScores, drawn: Drawn, ledger: Ledger, epsilon: float, *, waiting: bool
) -> list[Card]:
    few = waiting and len(drawn.scores) < REPEATS
    above = ledger.exceeds(epsilon)
    return [
        *density_cards(
            first, None if few else drawn.scores, drawn.distances_m, finished=not waiting
        ),
        Card(
            "Proved privacy loss (ε)",
            f"{ledger.proved_epsilon:.3g}",
            f"above the slider's {epsilon:g}" if above else f"slider {epsilon:g}",
            f"For one person's whole week; {density_wording.privacy(ledger)}.",
        ),
    ]
