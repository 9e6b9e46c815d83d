"""What a report says of one analysis: its private numbers and the law of their noise."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Floats, Integers
from .analyses import Analysis

Terms = tuple[tuple[float, int], ...]
"""Independent Laplace variates: scale and how many of each."""

_LEVEL = 0.9
_FARTHEST, _STEP = 400.0, 0.1
"""Where the integral over the characteristic function of a sum of variance 1 ends, and its step:
the trapezoid rule errs by what lies 2π/0.1 deviations out, far below the last digit."""
_NEGLIGIBLE = 1e-17
_DIGITS = 12


def half_width(terms: Terms, level: float = _LEVEL) -> float:
    """Return x with P(|sum of Laplace variates| ≤ x) = `level`.

    For one variate x = −b·ln(1 − level). For sums the characteristic function Π (1 + b²t²)^−k is
    inverted (Gil-Pelaez).

    Parameters
    ----------
    terms : tuple of (float, int)
        Scale b and number k of the variates.
    level : float
        From 0 to 1.

    Examples
    --------
    >>> round(half_width(((10.0, 1),)), 2), round(half_width(((10.0, 2),)), 1)
    (23.03, 32.7)
    """
    terms = _noisy(terms)
    if not terms:
        return 0.0
    if len(terms) == 1 and terms[0][1] == 1:
        return -terms[0][0] * float(np.log1p(-level))
    largest = max(scale for scale, _ in terms)
    # a law keeps its shape when ε or M stretch all scales alike
    shape = tuple((float(f"{scale / largest:.{_DIGITS}g}"), count) for scale, count in terms)
    return largest * _half_width_of_shape(shape, level)


@lru_cache(maxsize=4096)
def _half_width_of_shape(terms: Terms, level: float) -> float:
    deviation = _deviation(terms)
    t = np.arange(_STEP, _FARTHEST, _STEP)
    logarithm = sum(-count * np.log1p((scale / deviation * t) ** 2) for scale, count in terms)
    weight = np.exp(logarithm) / t
    end = int(np.searchsorted(-weight, -_NEGLIGIBLE)) + 1
    t, weight = t[:end], weight[:end]

    def excess(x: float) -> float:
        within = 2 / np.pi * _STEP * (float(np.sin(t * x) @ weight) + x / 2)
        return within - level

    from scipy.optimize import brentq  # slow to load, and an ingest has no use for it

    root: Any = brentq(excess, 1e-6, 40.0)
    return deviation * float(root)


def mean_absolute(terms: Terms) -> float:
    """Return the mean of |sum of Laplace variates|: b for one, near √(2/π) deviations for many.

    Examples
    --------
    >>> mean_absolute(((10.0, 1),)), mean_absolute(((10.0, 2),))
    (10.0, 15.0)
    """
    terms = _noisy(terms)
    if not terms:
        return 0.0
    if len(terms) == 1:
        scale, count = terms[0]
        # k variates of one scale: b·k·C(2k, k)/4^k·2, and b for k = 1
        return 2 * scale * count * math.prod((2 * i - 1) / (2 * i) for i in range(1, count + 1))
    return _deviation(terms) * float(np.sqrt(2 / np.pi))


def _noisy(terms: Terms) -> Terms:
    return tuple((scale, count) for scale, count in terms if scale > 0 and count > 0)


def _deviation(terms: Terms) -> float:
    return float(np.sqrt(sum(2 * count * scale**2 for scale, count in terms)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """The numbers of one analysis; all arrays have one shape.

    Attributes
    ----------
    analysis : Analysis
        Which one.
    epsilon : float
        What it costs: 0 where it is derived.
    sources : tuple of Analysis
        What it is derived from; empty where it was asked.
    noisy : array of int64
        Private numbers, possibly negative. Totals are computed from these.
    terms : tuple of (scales, counts)
        The independent Laplace variates in each number: their scale and how many there are.
    """

    analysis: Analysis
    epsilon: float
    sources: tuple[Analysis, ...]
    noisy: Integers
    terms: tuple[tuple[Floats, Integers], ...]

    @property
    def shown(self) -> Integers:
        """Private numbers as shown: not below 0."""
        return np.maximum(self.noisy, 0)

    @property
    def total(self) -> int:
        """Sum of the private numbers before clipping: unbiased for the kept trips."""
        return int(self.noisy.sum())

    def clear_share(self, kept: Integers) -> float:
        """Return the share of the kept numbers above 0 that stand clear of the noise.

        A number is clear if it is larger than what noise moves it by nine times in ten; NaN where
        all are 0. `kept` are the analysis's `numbers` before the noise (confidential).
        """
        some = np.count_nonzero(kept > 0)
        if not some:
            return float("nan")
        return np.count_nonzero(kept > self.half_widths()) / some

    def half_widths(self, level: float = 0.9) -> Floats:
        """Return how far the noise moves each number at most, with probability `level`.

        Exact, from the noise alone: what bounding takes away is not in it.
        """
        return self._of_terms(lambda terms: half_width(terms, level))

    def mean_absolute_noise(self) -> Floats:
        """Return the mean of the absolute noise in each number."""
        return self._of_terms(mean_absolute)

    def _of_terms(self, law: Callable[[Terms], float]) -> Floats:
        if len(self.terms) == 1 and all(not any(column.strides) for column in self.terms[0]):
            scale, count = self.terms[0]  # one law for all: a million flows need no sorting
            one = np.float64(law(((float(scale[0]), int(count[0])),)))
            return np.broadcast_to(one, len(self.noisy))
        columns = np.column_stack([column for term in self.terms for column in term])
        kinds, kind = np.unique(columns, axis=0, return_inverse=True)
        values = [law(tuple((float(b), int(k)) for b, k in row.reshape(-1, 2))) for row in kinds]
        return np.array(values)[kind.reshape(-1)]
