"""Suppression without noise, today's usual practice: flows below k hidden, all others as they are.

It has no ε and protects nobody. It is shown to compare with; no release has it.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Integers
from ..datasets import Dataset
from .matrices import truth


class SubtractionAttack(NamedTuple):
    """Flows of the last day that the rule hides: all, those read exactly, those of one trip.

    `days` is the number of days of the longer table. `single_flows` are part of `read_flows`.
    """

    days: int
    hidden_flows: int
    read_flows: int
    single_flows: int


def suppress_small_flows(counts: Integers, min_shown: int) -> Integers:
    """Return the counts of at least `min_shown` as they are, all others as 0."""
    return np.where(counts >= min_shown, counts, 0)


def subtract_tables(daily_view: Dataset, min_shown: int) -> SubtractionAttack | None:
    """Return what the table of all days reveals beside that of all but the last; None of one day.

    Both tables obey the rule. A flow that both show differs by its trips of the last day: they are
    read exactly, even if the rule hides them in that day's own table. Confidential.
    """
    days = len(daily_view.metadata.days)
    if days < 2:
        return None
    last_day = truth(daily_view, days=days - 1)[0]
    before = truth(daily_view, sum_days=True)[0] - last_day  # the sum of all days is no smaller
    is_hidden = (last_day > 0) & (suppress_small_flows(last_day, min_shown) == 0)
    is_read = is_hidden & (suppress_small_flows(before, min_shown) > 0)
    sums = (int(flows.sum()) for flows in (is_hidden, is_read, is_read & (last_day == 1)))
    return SubtractionAttack(days, *sums)
