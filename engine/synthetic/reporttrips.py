"""Trips of simulated people with clock times, counted for the mobility report.

A person's visits of one hour come one after the other; a trip leads from one visit to the next at
another tower on the same day. It ends when that visit begins and starts as much earlier as the
way takes, but not before the visit that it leaves.
"""

from datetime import date

import geopandas as gpd
import numpy as np
import pyarrow as pa
import shapely

from ..arrays import Integers
from ..report.measures import Extent
from ..report.places import great_circle_m, metres_in_space
from ..report.tabulate import PeopleTrips, tabulate
from .sampling import random_rank_within
from .visits import Visits

_DAYS = 7
_HOUR_S = 3_600
_SETTING_OUT_S = 240.0
_METRES_A_SECOND = 5.0
_SPREAD = 0.35


class ReportTrips:
    """Collects the trips of simulated people, chunk by chunk.

    `seed` decides clock times and ranks, apart from everything else.
    """

    def __init__(
        self,
        towers: gpd.GeoDataFrame,
        zone_of_tower: Integers,
        zones: int,
        monday: date,
        seed: int,
    ) -> None:
        coordinates = shapely.get_coordinates(towers.geometry.to_numpy())
        self._metres = metres_in_space(coordinates[:, 1], coordinates[:, 0])
        self._zone_of_tower = zone_of_tower
        self._extent = Extent(first_day=monday, days=_DAYS, zones=zones)
        self._first_second = (monday - date(1970, 1, 1)).days * 24 * _HOUR_S
        self._rng = np.random.default_rng(seed)
        self._parts: list[dict[str, Integers]] = []

    def add(self, visits: Visits, first_person: int) -> None:
        """Take the trips of one chunk of people."""
        begins = self._first_second + _clock(visits, self._rng)
        day = visits.person * _DAYS + visits.hour // 24
        moved = np.flatnonzero((day[1:] == day[:-1]) & (visits.tower[1:] != visits.tower[:-1]))
        origin, destination = visits.tower[moved], visits.tower[moved + 1]
        step = self._metres[origin] - self._metres[destination]
        way_s = great_circle_m((step**2).sum(axis=1)) / _METRES_A_SECOND + _SETTING_OUT_S
        way_s *= self._rng.lognormal(0.0, _SPREAD, len(moved))
        finish = begins[moved + 1]
        self._parts.append(
            {
                "person": first_person + visits.person[moved],
                "rank": random_rank_within(visits.person[moved], self._rng),
                "start": np.maximum(begins[moved], finish - way_s.astype(np.int64)),
                "finish": finish,
                "origin": origin,
                "destination": destination,
                "origin_zone": self._zone_of_tower[origin],
                "destination_zone": self._zone_of_tower[destination],
            }
        )

    def trips(self) -> PeopleTrips:
        """Return all trips taken so far."""
        columns = {
            name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]
        }
        return PeopleTrips(**columns, outside_period=np.zeros(0, dtype=np.int64))

    def table(self) -> pa.Table:
        """Return the rows of ``report.parquet``."""
        return tabulate(self.trips(), self._metres, self._extent)


def _clock(visits: Visits, rng: np.random.Generator) -> Integers:
    """Return the second of the week in which each visit begins, in the order of the visits."""
    slot = visits.person * (_DAYS * 24) + visits.hour
    _, first, number = np.unique(slot, return_index=True, return_counts=True)
    position = np.arange(len(slot)) - np.repeat(first, number)
    share = (position + rng.random(len(slot))) / np.repeat(number, number)
    return visits.hour * _HOUR_S + np.floor(share * _HOUR_S).astype(np.int64)
