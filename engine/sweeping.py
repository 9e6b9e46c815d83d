"""Sweeps of settings for every product: the same noise under many settings, by repeats."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from . import validation
from .datasets import Dataset

SEED_WORDS = 4


def sweep(
    product: Any,
    dataset: Dataset,
    settings: Sequence[Any],
    repeats: int,
    *,
    rng: np.random.Generator,
    score: Callable[[Any, Any], Any] | None = None,
    **when: Any,
) -> Iterator[tuple[int, int, Any]]:
    """Yield setting, repeat and scores of releases under every setting, `repeats` times.

    All settings of one method and repeat share their noise (common random numbers), so that a
    difference between two points is the settings'. The state of `rng` fixes all noise, and repeat i
    of a longer sweep is that of a shorter one. `score` maps a truth and a release to the result, by
    default the product's ``scores``; `when` goes to the product's ``release``.
    """
    validation.check_whole_number("repeats", repeats, 1, remedy="20 is usual")
    truth, scorer = product.truth(dataset, **when), score or product.scores
    for repeat, source in enumerate(map(draw_generators(rng), range(repeats))):
        drawn_for, noise = None, None
        for setting, parameters in enumerate(settings):
            if drawn_for != parameters.method:  # every method from the same state
                values, drawn_for = deepcopy(source), parameters.method
                noise = product.draw_noise(dataset, parameters, rng=values, **when)
            release = product.release(dataset, parameters, noise=noise, **when)
            yield setting, repeat, scorer(truth, release)


def draw_generators(rng: np.random.Generator) -> Callable[[int], np.random.Generator]:
    """Return a function from i to the generator of draw i, independent of the number of draws.

    >>> numbered = draw_generators(np.random.default_rng(0))
    >>> numbered(7).random() == numbered(7).random() != numbered(8).random()
    True
    """
    seed = rng.integers(0, 2**32, size=SEED_WORDS)
    return lambda draw: np.random.default_rng([*seed, draw])
