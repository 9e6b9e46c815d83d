"""The Density page's large numbers: errors with their ranges, and what they cost."""

from pathlib import Path

import streamlit as st

from engine.density import DensityScores
from engine.ledger import Ledger
from pages._ui import jobs
from pages._ui.cache import density as cached_density
from pages._ui.cache.repeats import Drawn, density_draws
from pages._ui.density import wording as density_wording
from pages._ui.density.settings import Chosen
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.jobs import Job
from pages._ui.wording.density_cards import density_cards

STYLE = Path(__file__).with_name("density.css")


def draw(chosen: Chosen, ledger: Ledger) -> None:
    """Draw the numbers at once; ranges and distances fill in as they are computed."""
    st.html(STYLE)
    parameters = chosen.parameters
    first = cached_density.scores(chosen.key, parameters, chosen.seed)
    work = jobs.job(
        "numbers", density_draws, chosen.key, parameters, chosen.seed, delay_s=jobs.RESTED_S
    )

    def show(running: Job) -> None:
        drawn = running.result or Drawn()
        shown = _cards(first, drawn, ledger, chosen.epsilon, waiting=running.running)
        st.html(f'<div class="across">{cards.cards_html(shown)}</div>')

    jobs.live("numbers", work, show)


def _cards(
    first: DensityScores, drawn: Drawn, ledger: Ledger, epsilon: float, *, waiting: bool
) -> list[Card]:
    few = waiting and not drawn.ranges_known
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
