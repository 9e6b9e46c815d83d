"""The laws of sums of released cells: totals of zones, whichever method released them."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .. import validation
from ..arrays import Floats
from . import laws
from .laws import NoiseLaw

NORMAL_95 = 1.959964
_QUADRATURE_WIDTH = 60.0
_NEGLIGIBLE = 30.0


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Released totals under published flows: true, expected, and about where 95% of them lie.

    A total is a sum of independent released cells, so means and variances add up; `low` and `high`
    are 1.96 standard deviations away and hold about 95% of releases.
    """

    true: Floats
    expected: Floats
    standard_deviation: Floats

    @property
    def bias(self) -> Floats:
        """Expected minus true."""
        return self.expected - self.true

    @property
    def low(self) -> Floats:
        """Lower end, at least 0."""
        return np.maximum(np.round(self.expected - NORMAL_95 * self.standard_deviation), 0.0)

    @property
    def high(self) -> Floats:
        """Upper end."""
        return np.maximum(np.round(self.expected + NORMAL_95 * self.standard_deviation), 0.0)

    @classmethod
    def of_cells(
        cls,
        law: NoiseLaw,
        kept: Floats,
        cells: sparse.csr_array | Floats,
        *,
        true: Floats,
        threshold: float,
    ) -> "Totals":
        """Return the totals of independent cells.

        `kept` are counts after trimming, shape (counts,); `cells`, shape (totals, counts) or
        (counts,), says how many cells of each count every total adds up.

        >>> two = Totals.of_cells(NoiseLaw(2.0), np.array([0.0, 40.0]), np.array([9.0, 1.0]),
        ...                       true=np.array(40.0), threshold=15)
        >>> float(two.low), float(two.high)
        (39.0, 41.0)
        """
        shift, variance = laws.bias_and_variance(law, kept, threshold)
        spread = np.sqrt(np.maximum(np.asarray(cells @ variance), 0.0))
        return cls(
            true=true, expected=np.asarray(cells @ (kept + shift)), standard_deviation=spread
        )


def noise_variance(rate: float) -> float:
    """Return the variance of discrete Laplace noise, v = 2q/(1 − q)².

    >>> round(noise_variance(0.1), 1)
    199.8
    """
    return float(2 * np.exp(-rate) / np.expm1(-rate) ** 2)


def cell_reach(rate: float, *, confidence: float = 0.95, cells: int = 1) -> int:
    """Return the least z such that a kept count lies in noisy ± z with the given confidence.

    The flow must be chosen without looking at the measurement. With `cells` above 1 the statement
    holds for all of them at once (Bonferroni), hence for those chosen by looking too.

    Examples
    --------
    >>> cell_reach(0.1), cell_reach(0.1, cells=421 * 420)
    (30, 151)
    """
    _checked(rate, confidence)
    level = (1 - confidence) / validation.whole_number("cells", cells, 1, remedy="1 is one flow")
    return int(NoiseLaw(rate, "discrete_laplace").reach(level))


def total_reach(rate: float, cells: int, *, confidence: float = 0.95) -> int:
    """Return the least z such that a total of `cells` kept counts lies in its noisy sum ± z.

    The cells must be chosen without looking at the measurement. The law of the summed noise is the
    `cells`-fold convolution of the discrete Laplace law, by Fourier inversion:
    P(|S| ≤ z) = (1/2π) ∫ φ(t)^k sin((z + ½)t)/sin(t/2) dt, φ(t) = (1 − q)²/(1 − 2q cos t + q²).

    Examples
    --------
    >>> total_reach(0.1, 420)
    568
    """
    _checked(rate, confidence)
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


def _checked(rate: float, confidence: float) -> None:
    validation.finite_above("rate", rate, 0, "it is ε/T")
    validation.inside_open_interval("confidence", confidence, 0, 1, "0.95 is usual")


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
