"""What holds of a measurement whatever the world is like: no model, only the law of the noise.

With q = e^(−a) discrete Laplace noise has P(|Z| > z) = 2q^(z+1)/(1 + q). All statements are about
kept counts, that is after trimming.
"""

import math

import numpy as np

from .. import validation
from ..arrays import Floats, Integers
from .laws import NoiseLaw

FALSE_DISCOVERIES = 0.05
"""On average at most this share of the flows named certain is empty."""

_QUADRATURE_WIDTH = 60.0
_NEGLIGIBLE = 30.0


def noise_variance(rate: float) -> float:
    """Return the variance of discrete Laplace noise, v = 2q/(1 − q)²."""
    return float(2 * np.exp(-rate) / np.expm1(-rate) ** 2)


def cell_reach(rate: float, *, confidence: float = 0.95, cells: int = 1) -> int:
    """Return the least z such that a kept count lies in noisy ± z with the given confidence.

    Of a flow that was chosen without looking at the measurement; with `cells` above 1 of all of
    them at once (Bonferroni), hence of those chosen by looking too.
    """
    return int(NoiseLaw(rate, "discrete_laplace").reach((1 - confidence) / cells))


def total_reach(rate: float, cells: int, *, confidence: float = 0.95) -> int:
    """Return the least z such that a total of `cells` kept counts lies in its noisy sum ± z.

    The cells must be chosen without looking at the measurement. By Fourier inversion P(|S| ≤ z) =
    (1/2π) ∫ φ(t)^k sin((z + ½)t)/sin(t/2) dt, φ(t) = (1 − q)²/(1 − 2q cos t + q²).
    """
    validation.finite_above("rate", rate, 0, "it is ε/T")
    validation.inside_open_interval("confidence", confidence, 0, 1, "0.95 is usual")
    count = validation.whole_number("cells", cells, 1, remedy="1 is one flow")
    if count == 1:
        return cell_reach(rate, confidence=confidence)
    weights, angles = _inversion(rate, count)

    def within(z: int) -> float:
        return float(weights[0] * (2 * z + 1) + weights[1:] @ np.sin((z + 0.5) * angles))

    deviation = math.sqrt(count * noise_variance(rate))
    low, high = -1, math.ceil(deviation / math.sqrt(1 - confidence))
    while high - low > 1:  # Chebyshev's bound holds at `high`
        middle = (low + high) // 2
        low, high = (low, middle) if within(middle) >= confidence else (middle, high)
    return high


def _inversion(rate: float, cells: int) -> tuple[Floats, Floats]:
    """Weights and angles of the trapezoid rule, which is exact up to mass beyond its period."""
    deviation = math.sqrt(cells * noise_variance(rate))
    period = int(_QUADRATURE_WIDTH * (deviation + 1 / rate)) + 64
    gap, decay = -math.expm1(-rate), math.exp(-rate)
    # beyond this angle φ^k is below e^−30
    most = math.expm1(min(_NEGLIGIBLE / cells, 700.0)) * gap**2 / (4 * max(decay, 1e-300))
    last = 2 * math.asin(math.sqrt(min(most, 1.0))) if most < 1 else math.pi
    terms = min(period // 2, int(last / (2 * math.pi) * period) + 1)
    angles = 2 * np.pi * np.arange(1, terms + 1) / period
    # 1 − 2q cos t + q² = (1 − q)² + 4q sin²(t/2)
    spread = 4 * decay * np.sin(angles / 2) ** 2 / gap**2
    weights = np.exp(-cells * np.log1p(spread)) / np.sin(angles / 2) * (2 / period)
    if 2 * terms == period:
        weights[-1] /= 2
    return np.concatenate([[1 / period], weights]), angles


def least_certain(days: Integers, rate: float) -> int:
    """Return the least noisy count that is named certain, of one release, (days, zones, zones).

    Benjamini–Hochberg at 5% over all flows of the release, all its days together, on
    P(Z ≥ y) = q^y/(1 + q) for y ≥ 1: the noise of cells is independent, so on average at most 5%
    of the named flows are empty (Benjamini and Hochberg 1995, theorem 1). Day by day it would not
    hold of the list of all days. One day is in memory at a time.
    """
    off, none = ~np.eye(days.shape[-1], dtype=bool), np.log1p(np.exp(-rate))
    flows = days.size - days.size // days.shape[-1]
    # no rank names a flow that the 5% would not name by itself
    least = max(1, int(np.ceil((-np.log(FALSE_DISCOVERIES) - none) / rate - 1e-9)))
    ordered = np.sort(np.concatenate([day[(day >= least) & off] for day in days]))[::-1]
    ranks = np.arange(1, len(ordered) + 1)
    below = np.flatnonzero(-rate * ordered - none <= np.log(FALSE_DISCOVERIES * ranks / flows))
    return int(ordered[below[-1]]) if len(below) else int(np.iinfo(np.int64).max)
