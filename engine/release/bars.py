"""What the noise of a release allows, by its law alone: scales and error bars; no count is read."""

from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from ..origin_destination.laws import NoiseLaw
from ..origin_destination.statements import total_reach
from .ledger import exact

LEVEL = 0.95
"""Share of draws within the error bars of a release."""


def safe_scale(sensitivity: float, epsilon: float) -> float:
    """Return the least float scale whose loss sensitivity/scale is at most ε as it is written."""
    allowed = min(exact(epsilon), Fraction(epsilon))  # 0.1 is a tenth, and no float a little above
    scale = sensitivity / epsilon
    while Fraction(sensitivity) > allowed * Fraction(scale):
        scale = float(np.nextafter(scale, np.inf))
    return scale


def law_of(scale: float) -> NoiseLaw:
    """Return the law of discrete Laplace noise of a scale."""
    return NoiseLaw(1 / scale, "discrete_laplace")


def laplace_bar(scale: float) -> int:
    """Return the least whole z with P(|Z| > z) = 2 q^(z+1)/(1 + q) ≤ 1 − 95%; q = e^(−1/b)."""
    return int(law_of(scale).reach(1 - LEVEL))


def holds_where_shown(scale: float, bar: int, size: int, least: int) -> float:
    """Return P(|Z| ≤ bar | size + Z ≥ least): shown numbers may be lifted over a threshold."""
    law, lowest = law_of(scale), max(least - size, -bar)
    within = float(law.tail(lowest) - law.tail(bar + 1)) if lowest <= bar else 0.0
    return within / float(law.tail(least - size)) if within else 0.0


def laplace_sd(scale: float) -> float:
    """Return the standard deviation √(2q)/(1 − q) of discrete Laplace noise."""
    return float(np.sqrt(2 * np.exp(-1 / scale)) / -np.expm1(-1 / scale))


def sum_bar(scale: float, cells: int, level: float = LEVEL) -> int:
    """Return the error bar of a sum of `cells` numbers with noise of this scale, by its law."""
    return total_reach(1 / scale, max(cells, 1), confidence=level)


def few_bar(standard_deviation: float) -> float:
    """Return the error bar of a weighted sum of few Laplace noises: a single one's, the widest."""
    return float(-np.log(1 - LEVEL) / np.sqrt(2) * standard_deviation)


def normal_bar(standard_deviation: float) -> float:
    """Return the error bar of a sum of many noisy counts, by the normal law."""
    return float(ndtri((1 + LEVEL) / 2) * standard_deviation)
