"""How often and in which pieces draws are repeated, the same on every page, and their generators.

One piece of work is cached once, in one chunking, whoever asks.
"""

from typing import Literal

import numpy as np

from engine.parameters import HOURS_PER_WEEK
from pages._ui.shell.settings import Seed

Purpose = Literal["density", "trips", "sweep"]

REPEATS = 20
"""Draws behind a range; the page's own is the first of them."""
DISTANCE_REPEATS = 3
"""Draws whose earth mover's distance is computed: each takes seconds."""
CHUNK_HOURS = 6
"""Hours of the earth mover's distance that are computed at a time, at most about 0.3 s."""
CHUNKS = HOURS_PER_WEEK // CHUNK_HOURS

_PURPOSES: dict[Purpose, int] = {"density": 1, "trips": 2, "sweep": 3}


def generator(seed: Seed, purpose: Purpose, repeat: int = 0, layer: int = 0) -> np.random.Generator:
    """Return the generator of one draw.

    Seed, redraw, purpose, repeat and layer (a day) each change all of its noise, so that no two
    mechanisms, days or repeats share any: whoever subtracts one from another learns nothing.
    """
    return np.random.default_rng([*seed, _PURPOSES[purpose], repeat, layer])
