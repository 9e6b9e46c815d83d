"""The table ``report.parquet``: its measures, their fine public bins and the stops of M.

A row (measure, cap, bin, n) says how the count of a bin changes when the trips kept per person go
from the stop before `cap` up to `cap`: the counts at M are the sums of n over cap ≤ M, and the
counts of all trips the sums over everything. For trips and points n is at least 0; people move
from bin to bin as more of their trips are kept, so that theirs may be negative.

Bins are fixed by public numbers alone. Bin −1 lies below the first, the bin after the last above.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..parameters import MAX_TRIPS_LIMIT

STOPS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, MAX_TRIPS_LIMIT)
"""The values that M can take: the stops of the slider for trips kept per person."""
BEYOND = MAX_TRIPS_LIMIT + 1
"""The cap under which everything beyond the last stop is counted."""

WINDOWS = (0, 6, 10, 14, 18, 24)
"""Edges of the time windows of a day, in hours."""
WINDOW_CLASSES = 2 * (len(WINDOWS) - 1) + 1
"""Windows on weekdays, windows on weekends, and points of unknown time."""
UNKNOWN_TIME = WINDOW_CLASSES - 1
FINE_KM = 10_000
"""Bins of 100 m up to 1,000 km; beyond them bins of 100 km up to half the globe."""
COARSE_KM = 191


class Measure(StrEnum):
    """What ``report.parquet`` counts.

    ``day`` counts trips by day of the period from 0, −1 for those before and after it; ``hour``
    points by (end, weekend, hour); ``zone_window`` points by zone (the last is outside) and
    window; ``flow`` trips by origin and destination; ``no_end`` trips without an end time, in bin
    0. The others are histograms with the edges of `FINE_EDGES`.
    """

    DAY = "day"
    HOUR = "hour"
    ZONE_WINDOW = "zone_window"
    FLOW = "flow"
    NO_END = "no_end"
    TRAVEL_TIME = "travel_time"
    JUMP_LENGTH = "jump_length"
    TRIPS_PER_USER = "trips_per_user"
    TIME_BETWEEN = "time_between"
    GYRATION = "gyration"
    ZONES_PER_USER = "zones_per_user"
    ENTROPY = "entropy"


def _kilometres() -> Floats:
    fine = np.arange(FINE_KM + 1.0) / 10
    return np.concatenate([fine, 1000.0 + 100.0 * np.arange(1.0, COARSE_KM + 1)])


FINE_EDGES: dict[Measure, Floats] = {
    Measure.TRAVEL_TIME: np.arange(1441.0),
    Measure.JUMP_LENGTH: _kilometres(),
    Measure.TRIPS_PER_USER: np.arange(10_002.0),
    Measure.TIME_BETWEEN: np.arange(4001) / 4,
    Measure.GYRATION: _kilometres(),
    Measure.ZONES_PER_USER: np.arange(10_002.0),
    Measure.ENTROPY: np.arange(101) / 100,
}
"""Edges of the fine bins, left closed: minutes, km, trips, hours, km, zones, share."""

DISCRETE = frozenset({Measure.TRIPS_PER_USER, Measure.ZONES_PER_USER})
"""Measures in whole numbers: the bin of width 1 from k holds k alone."""

UNITS: dict[Measure, str] = {
    Measure.TRAVEL_TIME: "minutes",
    Measure.JUMP_LENGTH: "km",
    Measure.TRIPS_PER_USER: "trips",
    Measure.TIME_BETWEEN: "hours",
    Measure.GYRATION: "km",
    Measure.ZONES_PER_USER: "zones",
    Measure.ENTROPY: "share",
}


@dataclass(frozen=True)
class Extent:
    """How far the categories of a dataset reach: its declared days and its zones, both public."""

    first_day: date
    days: int
    zones: int

    def bins(self, measure: Measure) -> tuple[int, int]:
        """Return the lowest bin number of `measure`, and how many bins it has.

        Examples
        --------
        >>> extent = Extent(first_day=date(2026, 6, 1), days=7, zones=3)
        >>> extent.bins(Measure.DAY), extent.bins(Measure.FLOW)
        ((-1, 8), (0, 9))
        """
        if measure in FINE_EDGES:
            return -1, len(FINE_EDGES[measure]) + 1
        return {
            Measure.DAY: (-1, self.days + 1),
            Measure.HOUR: (0, 96),
            Measure.ZONE_WINDOW: (0, (self.zones + 1) * WINDOW_CLASSES),
            Measure.FLOW: (0, self.zones**2),
            Measure.NO_END: (0, 1),
        }[measure]


def cap_of(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the smallest stop that keeps a trip of random rank `rank` (1, 2, …).

    Examples
    --------
    >>> cap_of(np.array([1, 7, 256, 300])).tolist()
    [1, 8, 256, 257]
    """
    return np.array((*STOPS, BEYOND))[np.searchsorted(np.array(STOPS), rank)]
