"""Verdicts on privacy, utility and decisions: three levels, by one function.

A limit belongs to the better level. The share is rated as printed, in percent with one decimal, so
that no number contradicts the verdict beside it.
"""

import math
from typing import Literal

Verdict = Literal["good", "partly", "noisy"]
"""Keys of the best, the middle and the worst level, whatever is rated. Their words differ: utility
is good, fair or poor; privacy is strong, moderate or weak."""

GOOD_SHARE, FAIR_SHARE = 0.9, 0.5
"""Lower bounds of ``good`` and ``partly`` for shares of right zones, trips or decisions.

Nine in ten is nearly all; below half, more is wrong than right.
"""


def rate_value(share: float, *, good: float, fair: float) -> Verdict:
    """Return ``good`` or ``partly`` if a share reaches the limit `good` or `fair`, else ``noisy``.

    More is better if `good` is above `fair`, as for utility. Else less is better, as for an
    attacker's share of right guesses. NaN is ``noisy``.

    >>> [rate_value(share, good=0.75, fair=0.95) for share in (0.75, 0.752, 0.95, 0.96)]
    ['good', 'partly', 'partly', 'noisy']
    """
    if not math.isfinite(share):
        return "noisy"
    sign = 1 if good > fair else -1
    value, best, middle = (sign * round(100 * number, 1) for number in (share, good, fair))
    if value >= best:
        return "good"
    return "partly" if value >= middle else "noisy"


def rate_share(share: float) -> Verdict:
    """Return the verdict on a share of right zones, trips or decisions."""
    return rate_value(share, good=GOOD_SHARE, fair=FAIR_SHARE)
