"""Counted trips, a day at a time, in the smallest types that hold them.

A year between 421 districts has 26 million rows, one between 3,000 zones ten times as many: only
the requested days are in memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import Integers
from ..parameters import MAX_TRIPS_LIMIT

RANK_BUCKET = MAX_TRIPS_LIMIT + 1
"""The rank under which all trips of a higher rank than 256 are counted together."""


@dataclass(frozen=True)
class TripCounts:
    """Counted trips in coordinate form, sorted by day, origin, destination and rank.

    Arrays of shape (rows,): positions among the dataset's days and zones, the random rank 1, 2, …
    within the person-day (or person; `RANK_BUCKET` stands for all above 256), and the true
    `trip_count`. Types are as small as the largest number allows: widen before multiplying.
    """

    day: NDArray[np.integer]
    origin: NDArray[np.integer]
    destination: NDArray[np.integer]
    rank: NDArray[np.int16]
    trip_count: NDArray[np.integer]

    def __post_init__(self) -> None:
        for values in vars(self).values():
            values.flags.writeable = False


class Trips:
    """Counted trips of a dataset, read a day at a time.

    `day` returns the rows of one of `days` matrices by its position, `total` the sum of all and
    `distinct` their distinct counts (`engine.datasets.distinct`), where these are stored.
    """

    def __init__(
        self,
        days: int,
        day: Callable[[int], TripCounts],
        total: Callable[[], TripCounts] | None = None,
        distinct: Callable[[], pa.Table] | None = None,
    ) -> None:
        self.days = days
        self.day = day
        self.distinct = distinct
        self._total = total

    @property
    def all_days(self) -> TripCounts:
        """Rows of all days: for a year between many zones, more than fit in memory."""
        return concatenate_trips([self.day(position) for position in range(self.days)])

    def sum_days(self, days: Sequence[int]) -> TripCounts:
        """Return the rows of some days added up, as of day 0."""
        if self._total is not None and sorted(days) == list(range(self.days)):
            return self._total()
        return sum_over_days(concatenate_trips([self.day(position) for position in days]))


def concatenate_trips(parts: Sequence[TripCounts]) -> TripCounts:
    """Return the rows of `parts`, one after another."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return TripCounts(*(np.concatenate(column) for column in columns))


def sum_over_days(counts: TripCounts, day: int = 0) -> TripCounts:
    """Return counts by origin, destination and rank, summed over days, as of `day`."""
    zones = 1 + max(int(counts.origin.max(initial=0)), int(counts.destination.max(initial=0)))
    origin, ranks = counts.origin.astype(np.int64), RANK_BUCKET + 1
    keys, inverse = np.unique(
        (origin * zones + counts.destination) * ranks + counts.rank, return_inverse=True
    )
    # sums of whole numbers below 2⁵³ are exact in float64
    n = np.bincount(inverse, weights=counts.trip_count, minlength=len(keys)).astype(np.int64)
    pair, rank = np.divmod(keys, ranks)
    start, end = np.divmod(pair, zones)
    kind = zone_type(zones)
    return TripCounts(
        np.broadcast_to(np.int32(day), n.shape),
        start.astype(kind),
        end.astype(kind),
        rank.astype(np.int16),
        narrow_counts(n),
    )


def zone_type(zones: int) -> type[np.integer]:
    """Return the smallest type for positions among so many zones."""
    return np.int16 if zones <= 2**15 else np.int32


def narrow_counts(counts: Integers) -> NDArray[np.integer]:
    """Return counts in the smallest type that holds them."""
    smallest, largest = int(counts.min(initial=0)), int(counts.max(initial=0))
    for kind in (np.uint16, np.int32):
        if np.iinfo(kind).min <= smallest and largest <= np.iinfo(kind).max:
            return counts.astype(kind)
    return counts.astype(np.int64)
