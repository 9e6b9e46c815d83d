"""Coarser times of a density's week: which hours are counted together, and what they are called.

The published scheme (P1) and ours are made for 168 hours: they release those, and the private
hours are added up afterwards, which costs nothing more. The Laplace methods know no hours, so they
count the coarse cells themselves and add noise once to each. A visit lies in one block of hours, so
one person still changes the coarse counts by at most ℓ in L₁, and any one of them by at most the
smaller of ℓ and the block's hours.
"""

from typing import Literal, get_args

import numpy as np

from .. import validation
from ..arrays import Integers
from ..parameters import HOURS_PER_WEEK

HourStep = Literal["hour", "four-hours", "day-part"]
"""An hour, four of them, or a quarter of the day on weekdays and at weekends."""

_DAY_HOURS, _BLOCK_HOURS, _PART_HOURS, _WEEKEND = 24, 4, 6, 5
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_PARTS = ("night", "morning", "afternoon", "evening")


def hour_blocks(step: HourStep) -> Integers:
    """Return the block of every hour of the week, shape (168,), numbered without gaps from 0.

    Weeks begin on Monday at midnight, local time. Parts of the day begin at 0, 6, 12 and 18.

    Examples
    --------
    >>> int(hour_blocks("four-hours")[66]), int(hour_blocks("day-part")[66])
    (16, 3)
    """
    validation.one_of("hours", step, get_args(HourStep), "'hour' takes every hour by itself")
    hours = np.arange(HOURS_PER_WEEK, dtype=np.int64)
    if step == "hour":
        return hours
    if step == "four-hours":
        return hours // _BLOCK_HOURS
    weekend = hours // _DAY_HOURS >= _WEEKEND
    return weekend * len(_PARTS) + hours % _DAY_HOURS // _PART_HOURS


def block_names(step: HourStep) -> tuple[str, ...]:
    """Return what the blocks are called, in their order.

    Examples
    --------
    >>> block_names("four-hours")[16], block_names("day-part")[3]
    ('Wed 16:00–20:00', 'weekday evening (18–24)')
    """
    if step == "day-part":
        return tuple(
            f"{when} {part} ({start}–{start + _PART_HOURS})"
            for when in ("weekday", "weekend")
            for part, start in zip(_PARTS, range(0, _DAY_HOURS, _PART_HOURS), strict=True)
        )
    length = 1 if step == "hour" else _BLOCK_HOURS
    return tuple(
        f"{day} {start:02d}:00–{start + length:02d}:00"
        for day in _DAYS
        for start in range(0, _DAY_HOURS, length)
    )


def block_at(step: HourStep, hour: int) -> tuple[int, str]:
    """Return the number and the name of the block in which an hour of the week lies.

    Examples
    --------
    >>> block_at("hour", 66), block_at("day-part", 66)
    ((66, 'Wed 18:00–19:00'), (3, 'weekday evening (18–24)'))
    """
    block = int(hour_blocks(step)[hour])
    return block, block_names(step)[block]
