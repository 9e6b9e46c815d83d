"""Compute what home first shows, while the browser is still loading the page."""

import logging

from engine.errors import ExplorerError
from pages._ui.cache import datasets as cached_datasets
from pages._ui.cache import density as cached_density
from pages._ui.shell.settings import SIMULATED_SEED, Seed, Settings, untouched

FIRST_DRAW: Seed = (SIMULATED_SEED, 0)
_ABSENT_SESSION = "streamlit.runtime.scriptrunner_utils.script_run_context"


def home() -> None:
    """Fill the shared caches with what home asks for where nobody has set anything yet.

    Nothing for data of real people: their noise comes from a secret of each session. A dataset
    that cannot be read is left to the page, which says what is wrong with it.
    """
    spinners = logging.getLogger(_ABSENT_SESSION)
    spinners.disabled = True  # no session has a place for a spinner yet
    try:
        _compute(untouched())
    except (ExplorerError, OSError):
        pass
    finally:
        spinners.disabled = False


def _compute(settings: Settings) -> None:
    noise = FIRST_DRAW
    visits = settings.density_data
    if visits is not None and visits.metadata.simulated:
        cached_density.scores(visits.key, settings.density(), noise)
        cached_datasets.sketch(visits.key)
