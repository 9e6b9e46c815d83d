"""The attack on raw and on private matrices, with each target's own trips and without them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import origin_destination as od
from ..arrays import Floats, Integers
from .classifiers import CLASSIFIERS, Classifier, area

RAW = "raw"


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """One person's trips. **Confidential**.

    Attributes
    ----------
    cells : array, shape (k,)
        Positions in the flattened matrix where the person ever travels.
    trips : array, shape (days, k)
        Trips by day; a person is in the data on days with any.
    """

    cells: Integers
    trips: Integers


@dataclass(frozen=True, kw_only=True)
class Row:
    """Mean AUC over the targets, and its standard error, on one kind of matrices.

    Attributes
    ----------
    matrices : str
        ``raw``, or private at ``ε = 0.1`` and so on.
    classifier : str
        ``logistic`` (L1) or ``forest``.
    present, removed : float
        Mean AUC with each target's own trips in the matrices, and without them.
    error : float
        Standard error of `present`.
    difference, difference_error : float
        What the target's own trips add, and its standard error over the targets.
    """

    matrices: str
    classifier: Classifier
    present: float
    error: float
    removed: float
    difference: float
    difference_error: float


def control(
    counts: Integers,
    targets: Sequence[Target],
    *,
    epsilons: Sequence[float],
    rng: np.random.Generator,
    progress: Callable[[float], None] = lambda _share: None,
) -> tuple[Row, ...]:
    """Run P2's attack on every target, with the target's trips in the matrices and without.

    Noise is P2's: trip level, τ = 15; it is the same with and without the target, so that the
    difference is what the target's own trips tell.

    Parameters
    ----------
    counts : int array, shape (days, zones, zones)
        All trips, those of the targets included. **Confidential**.
    targets : sequence of Target
        At least two.
    epsilons : sequence of float
        Where private matrices are attacked, beside the raw ones.
    rng : numpy.random.Generator
        For noise, samples of days and classifiers.
    progress : callable
        Called with the share that is done.
    """
    kinds: list[float | None] = [None, *epsilons]
    areas = np.empty((len(kinds), len(CLASSIFIERS), 2, len(targets)))
    steps = areas.size
    for place, target in enumerate(targets):
        present, without = target.trips.sum(axis=1) > 0, counts.reshape(len(counts), -1).copy()
        without[:, target.cells] -= target.trips
        for kind, epsilon in enumerate(kinds):
            seed = int(rng.integers(2**32))
            for removed, matrices in enumerate((counts, without.reshape(counts.shape))):
                seen = _seen(matrices, epsilon, seed).reshape(len(counts), -1)
                for number, classifier in enumerate(CLASSIFIERS):
                    areas[kind, number, removed, place] = area(classifier, seen, present, seed)
                    done = ((place * len(kinds) + kind) * 2 + removed) * len(CLASSIFIERS) + number
                    progress((done + 1) / steps)
    return tuple(
        _row(RAW if epsilon is None else f"ε = {epsilon:g}", classifier, *areas[kind, number])
        for kind, epsilon in enumerate(kinds)
        for number, classifier in enumerate(CLASSIFIERS)
    )


def _seen(counts: Integers, epsilon: float | None, seed: int) -> Integers:
    if epsilon is None:
        return counts
    parameters = od.ODParameters(epsilon=epsilon, unit="trip")
    return od.release_matrix(counts, parameters, rng=np.random.default_rng(seed))


def _row(matrices: str, classifier: Classifier, present: Floats, removed: Floats) -> Row:
    difference = present - removed
    return Row(
        matrices=matrices,
        classifier=classifier,
        present=float(present.mean()),
        error=_error(present),
        removed=float(removed.mean()),
        difference=float(difference.mean()),
        difference_error=_error(difference),
    )


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
