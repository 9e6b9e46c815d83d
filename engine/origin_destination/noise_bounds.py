"""Bounds on a measurement's errors from the noise distribution alone, without any model.

With q = e^(−a) discrete Laplace noise has P(|Z| > z) = 2q^(z+1)/(1 + q). All statements are about
truncated counts.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, roots_genlaguerre

from ..arrays import Floats, Integers
from .calculators import change_error_probability
from .noise_distribution import NoiseDistribution, NoiseName

FALSE_DETECTION_RATE = 0.05
"""On average at most this share of the detected flows is empty."""


def noise_variance(rate: float) -> float:
    """Return the variance of discrete Laplace noise, v = 2q/(1 − q)²."""
    return float(2 * np.exp(-rate) / np.expm1(-rate) ** 2)


def cell_half_width(rate: float, *, confidence: float = 0.95, cells: int = 1) -> int:
    """Return the least z such that a truncated count lies in noisy ± z with the given confidence.

    It holds for a flow chosen without looking at the measurement; with `cells` above 1 for all of
    them at once (Bonferroni), hence for those chosen by looking, too.
    """
    return int(NoiseDistribution(rate, "discrete_laplace").half_width((1 - confidence) / cells))


@lru_cache(maxsize=64)
def total_half_width(rate: float, cells: int, *, confidence: float = 0.95) -> int:
    """Return the least z: a total of `cells` cells picked in advance is in its noisy sum ± z."""
    if cells == 1:
        return cell_half_width(rate, confidence=confidence)
    return NoiseSum(NoiseDistribution(rate, "discrete_laplace"), cells).half_width(1 - confidence)


class NoiseSum:
    """Distribution of the sum of the noise of two or more cells; symmetric about 0."""

    def __init__(self, law: NoiseDistribution, cells: int) -> None:
        self.law, self.cells = law, cells

    def two_sided_tail(self, errors: ArrayLike) -> Floats:
        """Return P(|S| > z) for whole z; two cells in closed form, more to within 1e-12."""
        z = np.asarray(errors, dtype=np.float64)
        size = np.maximum(z, 0.0)
        if self.cells == 2:
            beyond = change_error_probability(size, self.law.rate, law=self.law.name)
        else:
            angles, weights = _fourier_inversion(float(self.law.rate), self.law.name, self.cells)
            sines = np.sin(np.multiply.outer(size + 0.5, angles))
            beyond = np.clip(1 - (2 * size + 1) * weights[0] - sines @ weights[1:], 0.0, 1.0)
        return np.where(z < 0, 1.0, beyond)

    def tail_with_chance(self, sizes: Integers, trips: ArrayLike) -> Floats:
        """Return P(|S + N| ≥ size), N the normal difference of Poisson counts of `trips` together.

        A sum of k Laplace noises is normal with a variance that is Gamma(k), averaged over by
        Gauss–Laguerre quadrature; beyond 150 noises its shape hardly matters.
        """
        shape = min(self.cells, 150)
        gammas, weights = _gamma_quadrature(shape)
        variances = self.cells * _variance(self.law) / shape * gammas
        deviations = np.sqrt(np.add.outer(np.maximum(trips, 1), variances))
        tails = 2 * ndtr((0.5 - np.asarray(sizes))[..., None] / deviations)
        return tails @ weights

    def half_width(self, level: float) -> int:
        """Return the least whole r with P(|S| > r) ≤ `level`."""
        return _half_width(float(self.law.rate), self.law.name, self.cells, float(level))


@lru_cache(maxsize=1024)
def _half_width(rate: float, name: NoiseName, cells: int, level: float) -> int:
    noise = NoiseSum(NoiseDistribution(rate, name), cells)
    low, high = -1, math.ceil(math.sqrt(cells * _variance(noise.law) / level))
    while high - low > 1:  # Chebyshev's bound holds at `high`
        middle = (low + high) // 2
        low, high = (low, middle) if noise.two_sided_tail(middle) <= level else (middle, high)
    return high


@lru_cache(maxsize=16)
def _gamma_quadrature(shape: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of the mean over a Gamma distribution."""
    nodes, weights = roots_genlaguerre(32, shape - 1)
    return nodes, weights / weights.sum()


def _variance(law: NoiseDistribution) -> float:
    return float(2 * law.positive_mass * (2 - law.gap) / law.gap**2)


@lru_cache(maxsize=8)
def _fourier_inversion(rate: float, name: NoiseName, cells: int) -> tuple[Floats, Floats]:
    """Return angles and weights of the Fourier inversion of a sum, by the trapezoid rule.

    P(|S| ≤ z) = (1/2π) ∫ φ(t)^k sin((z + ½)t)/sin(t/2) dt, φ(t) = 1 − 4h(1 + q)s²/((1 − q)² + 4qs²)
    and s = sin(t/2): exact up to the mass beyond the period.
    """
    law = NoiseDistribution(rate, name)
    gap, decay, first = float(law.gap), 1 - float(law.gap), float(law.positive_mass)
    period = 2 * int(30 * (math.sqrt(cells * _variance(law)) + 1 / rate)) + 65
    # φ of both is at most 1/(1 + 4qs²/(1 − q)²), and its power below e^−30 beyond this angle
    max_tangent = math.expm1(min(30 / cells, 700.0)) * gap**2 / (4 * max(decay, 1e-300))
    terms = int(math.asin(math.sqrt(min(max_tangent, 1.0))) / math.pi * period) + 1
    angles = 2 * np.pi * np.arange(1, min(terms, period // 2) + 1) / period
    wide = np.sin(angles / 2)
    drop = 4 * first * (1 + decay) * wide**2 / (gap**2 + 4 * decay * wide**2)
    weights = np.exp(cells * np.log1p(-drop)) / wide * (2 / period)
    return angles, np.append(1 / period, weights)


def min_detected_count(days: Integers, rate: float) -> int:
    """Return the least noisy count that is detected in one release, (days, zones, zones).

    Benjamini–Hochberg at 5% over all flows of the release, all its days together, on P(Z ≥ y) =
    q^y/(1 + q) for y ≥ 1: the noise of cells is independent, so on average at most 5% of the
    detected flows are empty (Benjamini and Hochberg 1995, theorem 1). Applied day by day, this
    would not hold for all days together. One day is in memory at a time.
    """
    off, none = ~np.eye(days.shape[-1], dtype=bool), np.log1p(np.exp(-rate))
    flows = days.size - days.size // days.shape[-1]
    # no rank detects a flow that the 5% would not detect alone
    lower_bound = max(1, int(np.ceil((-np.log(FALSE_DETECTION_RATE) - none) / rate - 1e-9)))
    ordered = np.sort(np.concatenate([day[(day >= lower_bound) & off] for day in days]))[::-1]
    ranks = np.arange(1, len(ordered) + 1)
    below = np.flatnonzero(-rate * ordered - none <= np.log(FALSE_DETECTION_RATE * ranks / flows))
    return int(ordered[below[-1]]) if len(below) else int(np.iinfo(np.int64).max)
