"""How far the noise of a count, or of a sum of counts, can reach: exact, no draw."""

from functools import lru_cache
from typing import Any

import numpy as np

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
    terms = tuple((scale, count) for scale, count in terms if scale > 0 and count > 0)
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
    deviation = float(np.sqrt(sum(2 * count * scale**2 for scale, count in terms)))
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
    terms = tuple((scale, count) for scale, count in terms if scale > 0 and count > 0)
    if not terms:
        return 0.0
    if len(terms) == 1:
        scale, count = terms[0]
        # k variates of one scale: b·k·C(2k, k)/4^k·2, and b for k = 1
        ratio = 1.0
        for i in range(1, count + 1):
            ratio *= (2 * i - 1) / (2 * i)
        return 2 * scale * count * ratio
    deviation = float(np.sqrt(sum(2 * count * scale**2 for scale, count in terms)))
    return deviation * float(np.sqrt(2 / np.pi))
