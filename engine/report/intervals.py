"""How far the noise of a count, or of a sum of counts, can reach: exact, no draw."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

Terms = tuple[tuple[float, int], ...]
"""Independent Laplace variates: scale and how many of each."""

_LEVEL = 0.9
_FARTHEST = 400.0
_POINTS = 40_001


@lru_cache(maxsize=4096)
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
    deviation = float(np.sqrt(sum(2 * count * scale**2 for scale, count in terms)))
    t = np.linspace(0.0, _FARTHEST, _POINTS)[1:]
    logarithm = sum(-count * np.log1p((scale / deviation * t) ** 2) for scale, count in terms)
    weight = np.exp(logarithm) / t
    step = t[0]

    def excess(x: float) -> float:
        within = 2 / np.pi * step * (float(np.sin(t * x) @ weight) + x / 2)
        return within - level

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
