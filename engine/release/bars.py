"""What the noise of a release allows, by its law alone: scales, error bars, uses; no count is read.

Two things a custodian can know before anyone looks at the data: how often a number that should be
0 is shown, and from which size on a number can be relied on. Both are of *kept* counts: what
trimming takes from the truth only the data can tell.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import ndtr, ndtri

from ..arrays import Floats
from ..origin_destination.estimate import total_reach
from ..origin_destination.laws import NoiseLaw
from ..usability import CONFIDENCE, USABLE_FLOW_ERROR
from .ledger import exact

LEVEL = 0.9
"""Share of draws within the error bars of a release."""

_POINTS = 256
"""Points of the grid to a standard deviation."""
_SIZE = 2**15
"""Points of the grid: 64 standard deviations to each side."""
_REACH = 25
"""Scales to each side beyond which a Laplace variate is left out: 10⁻¹¹ of it."""


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What the noise alone allows of one kind of number.

    Attributes
    ----------
    what : str
        A number of this kind, such as ``a flow``.
    empty : str
        One whose kept count is 0.
    least : int
        The least number that is shown; smaller ones are suppressed or read 0.
    empty_shown : float
        Probability that an empty one reads `least` or more.
    near_from : int
        The least kept count from which on a number is shown and within a quarter of its kept
        count in 95% of releases (`engine.usability`: what a usable flow is, but for trimming).
    """

    what: str
    empty: str
    least: int
    empty_shown: float
    near_from: int

    @property
    def misleads(self) -> bool:
        """Whether empty ones are shown more often than the errors that a usable flow may have."""
        return self.empty_shown > 1 - CONFIDENCE


def safe_scale(sensitivity: float, epsilon: float) -> float:
    """Return the least float scale whose privacy loss sensitivity/scale is at most ε, exactly.

    ε counts as it is written: 0.1 is one tenth, and not the float that is a little more.

    Examples
    --------
    >>> safe_scale(1, 0.1), safe_scale(4, 0.5), safe_scale(1, 10)
    (10.0, 8.0, 0.1)
    """
    allowed = min(exact(epsilon), Fraction(epsilon))
    scale = sensitivity / epsilon
    while Fraction(sensitivity) > allowed * Fraction(scale):
        scale = float(np.nextafter(scale, np.inf))
    return scale


def laplace_bar(scale: float, level: float = LEVEL) -> int:
    """Return the least whole z with P(|Z| > z) ≤ 1 − level for discrete Laplace noise.

    P(|Z| > z) = 2 q^(z+1) / (1 + q) with q = e^(−1/scale) (erratum O5).

    Examples
    --------
    >>> laplace_bar(10.0)
    23
    """
    return int(NoiseLaw(1 / scale, "discrete_laplace").reach(1 - level))


def holds_where_shown(scale: float, bar: int, size: int, least: int) -> float:
    """Return P(the bar holds the kept number | it is shown), for discrete Laplace noise.

    A number m is shown where m + Z ≥ `least`, and its bar holds m where |Z| ≤ `bar`: whoever looks
    at shown numbers alone sees those that noise lifted over the threshold.

    Examples
    --------
    >>> round(holds_where_shown(10.0, 23, 1000, 15), 3), holds_where_shown(1.0, 3, 0, 15)
    (0.905, 0.0)
    """
    law = NoiseLaw(1 / scale, "discrete_laplace")
    lowest = max(least - size, -bar)
    within = float(law.tail(lowest) - law.tail(bar + 1)) if lowest <= bar else 0.0
    return within / float(law.tail(least - size)) if within else 0.0


def laplace_sd(scale: float) -> float:
    """Return the standard deviation √(2q)/(1 − q) of discrete Laplace noise."""
    q = float(np.exp(-1 / scale))
    return float(np.sqrt(2 * q) / -np.expm1(-1 / scale))


def sum_bar(scale: float, cells: int, level: float = LEVEL) -> int:
    """Return the error bar of a sum of `cells` numbers with noise of this scale, by its exact law.

    Examples
    --------
    >>> sum_bar(10.0, 1) == laplace_bar(10.0), sum_bar(10.0, 420)
    (True, 476)
    """
    return total_reach(1 / scale, max(cells, 1), confidence=level)


def normal_bar(standard_deviation: float, level: float = LEVEL) -> float:
    """Return the error bar of a sum of many noisy counts, by the normal law."""
    return float(ndtri((1 + level) / 2) * standard_deviation)


def of_counts(what: str, empty: str, scale: float, least: int = 1) -> Outlook:
    """Return the outlook of whole counts with discrete Laplace noise, exactly.

    A count m is shown within a quarter where max(m − ⌊m/4⌋, `least`) ≤ m + Z ≤ m + ⌊m/4⌋. The
    bounds on Z never shrink as m grows, so that the least such m is found by halving.

    Examples
    --------
    >>> flow = of_counts("a flow", "an empty pair of zones", scale=40.0, least=15)
    >>> round(flow.empty_shown, 3), flow.near_from
    (0.348, 480)
    """
    law = NoiseLaw(1 / scale, "discrete_laplace")

    def near(size: int) -> bool:
        reach = int(USABLE_FLOW_ERROR * size)
        low = max(-reach, least - size)
        return float(law.tail(low) - law.tail(reach + 1)) >= CONFIDENCE

    low, high = 0, least
    while not near(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if near(middle) else (middle, high)
    return Outlook(
        what=what, empty=empty, least=least, empty_shown=float(law.tail(least)), near_from=high
    )


def of_shares(what: str, empty: str, scale: float, shares: Floats) -> Outlook:
    """Return the outlook of a sum of shares of noisy counts, rounded to a whole number.

    The law of Σ wⱼ·Zⱼ, the Zⱼ discrete Laplace, on a grid of at least 256 points to a standard
    deviation, which holds sums that are just ½.

    Parameters
    ----------
    scale : float
        Of the discrete Laplace noise.
    shares : array, shape (counts,)
        wⱼ, above 0.

    Examples
    --------
    >>> whole = of_shares("a zone", "an empty zone", 40.0, np.ones(1))
    >>> abs(whole.near_from - of_counts("", "", 40.0).near_from) <= 4
    True
    """
    deviation = laplace_sd(scale) * float(np.sqrt((shares**2).sum()))
    step = 2.0 ** np.floor(np.log2(deviation / _POINTS))  # sums that are just ½ lie on the grid
    law = NoiseLaw(1 / scale, "discrete_laplace")
    z = np.arange(-int(np.ceil(_REACH * scale)) - 1, int(np.ceil(_REACH * scale)) + 2)
    chance = law.pmf(z)
    spectrum = np.ones(_SIZE // 2 + 1, dtype=np.complex128)
    for share in shares:
        place = share * z / step
        below = np.floor(place).astype(np.int64)
        upper = place - below  # a value between two points goes to both, so that its mean stays
        mass = np.bincount(below % _SIZE, weights=chance * (1 - upper), minlength=_SIZE)
        mass += np.bincount((below + 1) % _SIZE, weights=chance * upper, minlength=_SIZE)
        spectrum *= np.fft.rfft(mass)
    mass = np.fft.irfft(spectrum, _SIZE)
    read = np.floor(step * np.fft.fftfreq(_SIZE, 1 / _SIZE) + 0.5)  # the whole number written
    order = np.argsort(np.abs(read), kind="stable")
    within = np.cumsum(mass[order])
    reach = int(np.abs(read)[order][np.searchsorted(within, CONFIDENCE)])
    return Outlook(
        what=what,
        empty=empty,
        least=1,
        empty_shown=float(mass[read >= 1].sum()),
        near_from=max(int(np.ceil(reach / USABLE_FLOW_ERROR)), 1),
    )


def of_normal(what: str, empty: str, deviation: float) -> Outlook:
    """Return the outlook of a measured number with normal noise.

    Examples
    --------
    >>> of_normal("a zone", "an empty zone", 10.0).near_from
    79
    """
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * deviation
    return Outlook(
        what=what,
        empty=empty,
        least=1,
        empty_shown=float(ndtr(-1 / deviation)),
        near_from=int(np.ceil(reach / USABLE_FLOW_ERROR)),
    )
