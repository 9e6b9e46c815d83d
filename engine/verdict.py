"""The three steps of every verdict, on privacy, use and decisions alike, by one function.

A limit belongs to the better step. What is judged is the figure as it is written, in percent with
one decimal, so that no number stands beside a verdict that its own limit denies.
"""

import math
from typing import Literal

Verdict = Literal["good", "partly", "noisy"]
"""The better, the middle and the worse step; each judgement has words of its own for them."""

GOOD_SHARE, FAIR_SHARE = 0.9, 0.5
"""What must be usable or right for a verdict to be good, or good in part: of zones, of trips, of
decisions. Nine in ten is nearly all; below half, more is wrong than right."""


def rate_value(share: float, *, good: float, fair: float) -> Verdict:
    """Return the step that a share reaches; without a value (NaN) it is ``noisy``.

    More is better where `good` is the larger of the two, as for what can be used; else less is
    better, as for what an attacker guesses.

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
    """Return the verdict on a share that is usable or right: the same for all that is judged."""
    return rate_value(share, good=GOOD_SHARE, fair=FAIR_SHARE)
