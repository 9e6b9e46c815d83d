"""The table ``report.parquet``: its measures, fine public bins and stops of M.

A row (measure, cap, bin, n) is the change of a bin's count when M rises from the stop before `cap`
to `cap`: counts at M sum n over cap ≤ M, counts of all trips sum n over everything. For trips and
points n is at least 0; people change bins as M rises, so their n may be negative.

Bins are fixed by public numbers. Bin −1 lies below the first, the bin after the last above.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np

from ..arrays import Floats, Integers
from ..parameters import MAX_TRIPS_STOPS as STOPS

OVERFLOW_CAP = STOPS[-1] + 1
EARTH_RADIUS_M = 6_371_009
FINE_KM = 10_000
"""Bins of 100 m up to 1,000 km; beyond them bins of 100 km up to half the globe."""


class Measure(StrEnum):
    """Measures of ``report.parquet``.

    ``day`` counts trips by day of the period from 0, −1 for those before and after it; ``hour``
    points by (end, weekend, hour); ``zone`` points by zone, the last is outside; ``flow`` trips by
    origin and destination. The others are histograms with the edges of `FINE_EDGES`.
    """

    DAY = "day"
    HOUR = "hour"
    ZONE = "zone"
    FLOW = "flow"
    TRAVEL_TIME = "travel_time"
    JUMP_LENGTH = "jump_length"
    GYRATION = "gyration"


_KILOMETRES = np.append(np.arange(FINE_KM + 1.0) / 10, 1000.0 + 100.0 * np.arange(1.0, 192.0))
FINE_EDGES: dict[Measure, Floats] = {
    Measure.TRAVEL_TIME: np.arange(1441.0),
    Measure.JUMP_LENGTH: _KILOMETRES,
    Measure.GYRATION: _KILOMETRES,
}
"""Edges of the fine bins, left closed: minutes, km, km."""


@dataclass(frozen=True)
class Extent:
    """Extent of a dataset's categories: its declared days and zones, both public."""

    first_day: date
    day_count: int
    zone_count: int

    def bins(self, measure: Measure) -> tuple[int, int]:
        """Return the lowest bin number of `measure`, and its number of bins."""
        if measure in FINE_EDGES:
            return -1, len(FINE_EDGES[measure]) + 1
        return {
            Measure.DAY: (-1, self.day_count + 1),
            Measure.HOUR: (0, 96),
            Measure.ZONE: (0, self.zone_count + 1),
            Measure.FLOW: (0, self.zone_count**2),
        }[measure]


def metres_in_space(lat: Floats, lng: Floats) -> Integers:
    """Return x, y, z from the earth's centre, whole metres for equal lengths on every machine."""
    phi, theta = np.radians(lat), np.radians(lng)
    along = np.cos(phi)
    unit = np.column_stack([along * np.cos(theta), along * np.sin(theta), np.sin(phi)])
    return np.round(EARTH_RADIUS_M * unit).astype(np.int64)
