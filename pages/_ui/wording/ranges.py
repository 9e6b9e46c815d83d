"""Ranges of repeated draws, written alike wherever they stand."""

import math
from collections.abc import Callable, Sequence

from pages._ui.cache.draws import REPEATS

WAITING = "calculating range …"
RANGES = (
    "Ranges beside the numbers hold in 9 of 10 draws of the noise; where a range uses fewer draws, "
    "their number is shown."
)


def interval(
    values: Sequence[float] | None, write: Callable[[float], str], *, finished: bool = False
) -> str:
    """Write the range of the draws, or that it is to come.

    The next draw lies between the least and the largest of n with probability (n − 1)/(n + 1):
    9 in 10 for `REPEATS`. Fewer are named.

    Examples
    --------
    >>> interval([3.0, 1.0, 2.0], "{:g}".format)
    '1 to 3 (3 draws)'
    """
    if not values:
        return WAITING
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 2:
        return "no value in most draws" if finished or len(values) >= REPEATS else WAITING
    low, high = write(min(known)), write(max(known))
    if low == high:
        return f"{low} in all draws"
    return f"{low} to {high}" + (f" ({len(known)} draws)" if len(known) < REPEATS else "")
