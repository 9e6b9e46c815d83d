"""The median error over many cells and all their draws, by bisection.

P(error ≤ x) of one cell is a step function of x that is flat nearly everywhere. A cell whose
probability is the same at both ends of the bracket is settled, so each halving of the bracket
looks at fewer cells.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Booleans, Floats
from ..laws import NoiseLaw, effective_threshold, total

RELATIVE_STEP = 1e-5
"""Median relative errors are found to within this."""

_SETTLED = 1e-17  # a smaller difference changes no sum of probabilities

Reach = Callable[[Floats, float], tuple[Floats | float, Floats | float]]


class Deviations:
    """P(−below ≤ out − t ≤ above) of many cells, kept m ≤ true t, under one setting."""

    def __init__(self, law: NoiseLaw, kept: Floats, true: Floats, threshold: Floats) -> None:
        self.law, self.true = law, true
        self.trimmed = true - kept
        self.bound = effective_threshold(threshold) - kept
        self.suppressed = law.tail(1 - self.bound)

    def __getitem__(self, which: Booleans | slice) -> "Deviations":
        chosen = object.__new__(Deviations)
        chosen.law = self.law
        for name in ("true", "trimmed", "bound", "suppressed"):
            setattr(chosen, name, getattr(self, name)[which])
        return chosen

    def within(self, below: Floats | float, above: Floats | float) -> Floats:
        """Return the probabilities for whole numbers `below` and `above` of at least 0."""
        # in terms of the noise, out − t is Z − d: no count is added to a small number
        lowest = np.maximum(self.bound, self.trimmed - below)
        released = self.law.tail(lowest) - self.law.tail(self.trimmed + above + 1)
        zero = np.where(self.true <= below, self.suppressed, 0.0)
        return np.maximum(released, 0.0) + zero


def relative_reach(true: Floats, x: ArrayLike) -> tuple[Floats, Floats]:
    """Return how far out may lie below and above t for 2|out − t|/(out + t) ≤ x."""
    # t − o ≤ 2tx/(2 + x) and o − t ≤ 2tx/(2 − x); every o for x = 2. Bounds that should be whole
    # are met in spite of rounding.
    most = np.asarray(x, dtype=np.float64)
    reach = true * (2 * most * (1 + 1e-12))
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(most < 2, np.floor(reach / (2 - most)), np.inf)
    return np.floor(reach / (2 + most)), above


def median_absolute(cells: Deviations, weights: Floats) -> float:
    """Return the least whole x with P(|out − t| ≤ x) ≥ ½ over cells that count `weights`."""
    ends = (4.0**k - 1 for k in range(32))

    def halfway(low: float, high: float) -> float | None:
        return float(np.floor((low + high) / 2)) if high - low > 1 else None

    return _median(cells, weights, lambda _true, x: (x, x), ends, halfway)


def median_relative(cells: Deviations, weights: Floats) -> float:
    """Return the median of 2|out − t|/(out + t), from above to within `RELATIVE_STEP`."""

    def halfway(low: float, high: float) -> float | None:
        return (low + high) / 2 if high - low > RELATIVE_STEP else None

    # often it is one of the ends: an empty cell that stays empty, a flow that is suppressed
    return min(_median(cells, weights, relative_reach, (0.0, 2.0 - RELATIVE_STEP), halfway), 2.0)


def _median(
    cells: Deviations,
    weights: Floats,
    reach: Reach,
    ends: Iterable[float],
    halfway: Callable[[float, float], float | None],
) -> float:
    """Return the upper end of the last bracket; infinity where no end is enough."""
    half, settled = float(weights.sum()) / 2, 0.0
    low, at_low = -1.0, np.zeros(len(weights))
    high, at_high = np.inf, at_low
    for end in ends:
        at_high = cells.within(*reach(cells.true, end))
        if float(total(weights, at_high)) >= half:
            high = end
            break
        low, at_low = end, at_high
    while low >= 0 and (middle := halfway(low, high)) is not None:
        moving = at_high - at_low > _SETTLED
        if 2 * np.count_nonzero(moving) < len(moving):
            settled += float(total(weights[~moving], at_low[~moving]))
            cells, weights = cells[moving], weights[moving]
            at_low, at_high = at_low[moving], at_high[moving]
        between = cells.within(*reach(cells.true, middle))
        if settled + float(total(weights, between)) >= half:
            high, at_high = middle, between
        else:
            low, at_low = middle, between
    return high
