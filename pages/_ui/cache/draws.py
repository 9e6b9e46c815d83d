"""How often and in which pieces draws are repeated, the same on every page, and their generators.

One piece of work is cached once, in one chunking, whoever asks.
"""

from hashlib import sha256

import numpy as np

from pages._ui.shell.settings import Seed

REPEATS = 20
"""Draws behind a range; the page's own is the first of them."""


def generator(seed: Seed, purpose: str, repeat: int = 0, layer: int = 0) -> np.random.Generator:
    """Return the generator of one draw.

    Seed, redraw, purpose, repeat and layer each change all of its noise, so that no two
    mechanisms, days or repeats share any: whoever subtracts one from another learns nothing. The
    page is no part of it: a repeat is the same draw wherever it is shown.

    Parameters
    ----------
    purpose : str
        What the noise is for, such as ``density`` or ``trips``.
    repeat : int
        Which draw of it, 0 for the one that is shown.
    layer : int
        Which matrix: 0 is the whole period, then each day.

    Examples
    --------
    >>> first, second = (generator((1, 0), what).random() for what in ("density", "trips"))
    >>> first == second
    False
    """
    kind = int.from_bytes(sha256(purpose.encode()).digest()[:8], "big")
    return np.random.default_rng([*seed, kind, repeat, layer])
