"""Hours of a density's week and their names."""

from typing import Literal

import numpy as np

from ..arrays import Integers
from ..parameters import HOURS_PER_WEEK

HourStep = Literal["hour"]

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def hour_blocks(step: HourStep) -> Integers:
    """Return every hour of the week by itself, shape (168,)."""
    del step
    return np.arange(HOURS_PER_WEEK, dtype=np.int64)


def block_names(step: HourStep) -> tuple[str, ...]:
    """Return the names of the hours from Monday 00:00.

    Examples
    --------
    >>> block_names("hour")[66]
    'Wed 18:00–19:00'
    """
    del step
    return tuple(f"{day} {start:02d}:00–{start + 1:02d}:00" for day in _DAYS for start in range(24))


def block_at(step: HourStep, hour: int) -> tuple[int, str]:
    """Return the number and the name of an hour of the week."""
    return hour, block_names(step)[hour]
