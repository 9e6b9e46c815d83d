"""What a release can be used for by the law of its noise alone: no count is read.

Two things a custodian can know before anyone looks at the data: how often a number that should be
0 is shown, and from which size on a number can be relied on. Both are of *kept* counts: what
trimming takes from the truth only the data can tell.
"""

import numpy as np
from scipy import stats

from engine.arrays import Floats
from engine.origin_destination.laws import NoiseLaw
from engine.release.plan import Outlook, laplace_sd
from engine.usability import CONFIDENCE, USABLE_FLOW_ERROR

_POINTS = 256
"""Points of the grid to a standard deviation."""
_SIZE = 2**15
"""Points of the grid: 64 standard deviations to each side."""
_REACH = 25
"""Scales to each side beyond which a Laplace variate is left out: 10⁻¹¹ of it."""


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

    The law of Σ wⱼ·Zⱼ, the Zⱼ discrete Laplace, on a grid of 256 points to a standard deviation.

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
    step = laplace_sd(scale) * float(np.sqrt((shares**2).sum())) / _POINTS
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
    size = step * np.minimum(np.arange(_SIZE), _SIZE - np.arange(_SIZE))
    order = np.argsort(size, kind="stable")
    within = np.cumsum(mass[order])
    enough = float(size[order][np.searchsorted(within, CONFIDENCE)])
    reach = int(np.ceil(max(enough - 0.5, 0.0)))  # |round(S)| ≤ f where |S| < f + 1/2
    return Outlook(
        what=what,
        empty=empty,
        least=1,
        empty_shown=float(mass[size >= 0.5].sum() / 2),
        near_from=max(int(np.ceil(reach / USABLE_FLOW_ERROR)), 1),
    )


def of_normal(what: str, empty: str, deviation: float) -> Outlook:
    """Return the outlook of a measured number with normal noise.

    Examples
    --------
    >>> of_normal("a zone", "an empty zone", 10.0).near_from
    79
    """
    reach = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) * deviation
    return Outlook(
        what=what,
        empty=empty,
        least=1,
        empty_shown=float(stats.norm.sf(1 / deviation)),
        near_from=int(np.ceil(reach / USABLE_FLOW_ERROR)),
    )
