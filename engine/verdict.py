"""The three levels of every verdict, on privacy, utility and decisions alike, by one function.

A limit belongs to the better level. The figure is rated as printed, in percent with one decimal, so
that no number contradicts the verdict beside it.
"""

import math
from typing import Literal

Verdict = Literal["good", "partly", "noisy"]
"""The better, the middle and the worse level; each judgement has words of its own for them."""

GOOD_SHARE, FAIR_SHARE = 0.9, 0.5
"""Lower bounds of ``good`` and ``partly`` for shares of zones, trips or decisions.

Nine in ten is nearly all; below half, more is wrong than right.
"""


def rate_value(share: float, *, good: float, fair: float) -> Verdict:
    """Return the level that a share reaches; without a value (NaN) it is ``noisy``.

    More is better where `good` is the larger of the two, as for utility; else less is better, as
    for correct guesses of an attacker.

    >>> [rate_value(guess, good=0.75, fair=0.95) for guess in (0.75, 0.752, 0.95, 0.96)]
    ['good', 'partly', 'partly', 'noisy']
    """
    if not math.isfinite(share):
        return "noisy"
    sign = 1 if good > fair else -1
    percent, first, second = (sign * round(100 * value, 1) for value in (share, good, fair))
    if percent >= first:
        return "good"
    return "partly" if percent >= second else "noisy"


def rate_share(share: float) -> Verdict:
    """Return the verdict on a share that is usable or right, with the same limits for all."""
    return rate_value(share, good=GOOD_SHARE, fair=FAIR_SHARE)
