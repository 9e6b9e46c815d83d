"""How wide the numbers of a map range over draws, in steps."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.contract import Seen
from pages._ui.cache import verbs
from pages._ui.cache.draws import REPEATS
from pages._ui.cache.window import Window
from pages._ui.jobs.work import Step
from pages._ui.shell.settings import Seed

MIDDLE = (0.05, 0.95)
"""The ends of a range: the middle 90% of draws."""


def ranges(
    key: Seen, parameters: Any, seed: Seed, window: Window | None, block: int | None
) -> Iterator[Step]:
    """Yield, once all draws are there, the ends of the middle 90% of what a map shows.

    Parameters
    ----------
    block : int or None
        The hours that a map of visits shows; None for flows, of which it shows each.
    """
    drawn: list[Floats] = []
    for repeat in range(REPEATS):
        release = verbs.draw(key, verbs.used(parameters), seed, window, repeat)
        shown = release.as_shown[0] if block is None else np.maximum(release.counts[:, block], 0.0)
        drawn.append(shown.astype(np.float32))
        ends = None
        if len(drawn) == REPEATS:
            ends = tuple(np.quantile(np.stack(drawn), MIDDLE, axis=0))
        yield Step(len(drawn), REPEATS, ends)
