"""What holds of a measurement whatever the world is like: no model, only the law of the noise.

With q = e^(−a) the noise of a cell has P(|Z| > z) = 2q^(z+1)/(1 + q). All statements are about
kept counts, that is after trimming.

What holds for one flow holds where it was chosen without looking at the measurement. Among flows
chosen by their noisy counts – the largest, say – the noise that raised them gathers: only what
holds for all flows at once holds for those.
"""

import math

import numpy as np

from ... import validation
from ...arrays import Booleans, Floats, Integers
from ..laws import NoiseLaw

FALSE_DISCOVERIES = 0.05
"""On average at most this share of the flows named certain is empty."""

_QUADRATURE_WIDTH = 60.0
_NEGLIGIBLE = 30.0


def cell_reach(rate: float, *, confidence: float = 0.95, cells: int = 1) -> int:
    """Return the least z such that a kept count lies in noisy ± z with the given confidence.

    The flow must be chosen without looking at the measurement.
    With `cells` above 1 the statement holds for all of them at once (level (1 − confidence)/cells,
    Bonferroni), hence for those chosen by looking too.

    Examples
    --------
    >>> cell_reach(0.1), cell_reach(0.1, cells=421 * 420)
    (30, 151)
    """
    validation.finite_above("rate", rate, 0, "it is ε/T")
    validation.inside_open_interval("confidence", confidence, 0, 1, "0.95 is usual")
    level = (1 - confidence) / validation.whole_number("cells", cells, 1, remedy="1 is one flow")
    return int(NoiseLaw(rate, "discrete_laplace").reach(level))


def noise_variance(rate: float) -> float:
    """Return the variance of the noise of a cell, v = 2q/(1 − q)².

    Examples
    --------
    >>> round(noise_variance(0.1), 1)
    199.8
    """
    return float(2 * np.exp(-rate) / np.expm1(-rate) ** 2)


def total_deviation(rate: float, cells: int) -> float:
    """Return the standard deviation of the noise of a sum of `cells` cells, √(kv)."""
    return float(np.sqrt(cells * noise_variance(rate)))


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
    validation.finite_above("rate", rate, 0, "it is ε/T")
    validation.inside_open_interval("confidence", confidence, 0, 1, "0.95 is usual")
    count = validation.whole_number("cells", cells, 1, remedy="1 is one flow")
    if count == 1:
        return cell_reach(rate, confidence=confidence)
    weights, angles = _inversion(rate, count)

    def within(z: int) -> float:
        return float(weights[0] * (2 * z + 1) + weights[1:] @ np.sin((z + 0.5) * angles))

    low, high = -1, int(np.ceil(total_deviation(rate, count) / np.sqrt(1 - confidence)))
    while high - low > 1:  # Chebyshev's bound holds at `high`
        middle = (low + high) // 2
        low, high = (low, middle) if within(middle) >= confidence else (middle, high)
    return high


def certain_flows(cells: Integers, rate: float) -> Booleans:
    """Return which flows are named certain, shape of `cells`: one release, (…, zones, zones).

    Benjamini–Hochberg at 5% over all flows of the release, all its days together, on
    P(Z ≥ y) = q^y/(1 + q) for y ≥ 1: the noise of cells is independent, so on average at most 5%
    of the named flows are empty (Benjamini and Hochberg 1995, theorem 1). Day by day it would not
    hold of the list of all days: each day adds false ones, also where it has nothing to name.

    Examples
    --------
    >>> certain_flows(np.array([[0, 90], [12, 0]]), 0.1)
    array([[False,  True],
           [False, False]])
    """
    off = ~np.eye(cells.shape[-1], dtype=bool)
    return (cells >= least_certain(cells.reshape(-1, *off.shape), rate)) & off


def least_certain(days: Integers, rate: float) -> int:
    """Return the least noisy count that `certain_flows` names, one day in memory after another."""
    off, none = ~np.eye(days.shape[-1], dtype=bool), np.log1p(np.exp(-rate))
    flows = days.size - days.size // days.shape[-1]
    # no rank names a flow that the 5% would not name by itself
    least = max(1, int(np.ceil((-np.log(FALSE_DISCOVERIES) - none) / rate - 1e-9)))
    ordered = np.sort(np.concatenate([day[(day >= least) & off] for day in days]))[::-1]
    ranks = np.arange(1, len(ordered) + 1)
    below = np.flatnonzero(-rate * ordered - none <= np.log(FALSE_DISCOVERIES * ranks / flows))
    return int(ordered[below[-1]]) if len(below) else int(np.iinfo(np.int64).max)


def may_all_be_noise(named: int) -> bool:
    """Whether so few flows are named that all of them may be empty.

    The 5% are an average over releases, those that name none included: where flows hardly stand
    clear of the noise, a release that names a few is one whose noise was unusually large.

    Examples
    --------
    >>> may_all_be_noise(3), may_all_be_noise(100), may_all_be_noise(0)
    (True, False, False)
    """
    return 0 < named < 1 / FALSE_DISCOVERIES


def _inversion(rate: float, cells: int) -> tuple[Floats, Floats]:
    """Weights and angles of the trapezoid rule, which is exact up to mass beyond its period."""
    period = int(_QUADRATURE_WIDTH * (total_deviation(rate, cells) + 1 / rate)) + 64
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
