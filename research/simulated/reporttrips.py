"""Trips of simulated people with clock times, counted for the mobility report.

A person's visits of one hour come one after the other; a trip leads from one visit to the next at
another tower on the same day. It ends when that visit begins and starts as much earlier as the
way takes, but not before the visit that it leaves.
"""

from datetime import date

import duckdb
import numpy as np
import pyarrow as pa

from engine.arrays import Floats, Integers
from engine.report.counting import places_table, statement
from engine.report.measures import EARTH_RADIUS_M, metres_in_space
from engine.synthetic.sampling import random_rank_within

from .counts import Visits

_DAYS = 7
_HOUR_S = 3_600
_SETTING_OUT_S = 240.0
_METRES_A_SECOND = 5.0
_SPREAD = 0.35


class ReportTrips:
    """Collects the trips of simulated people, chunk by chunk."""

    def __init__(
        self, places: Floats, zone_of_place: Integers, zones: int, first_day: date, *, seed: int = 0
    ) -> None:
        self._places, self._metres = places, metres_in_space(places[:, 1], places[:, 0])
        self._zone_of_place, self._zones, self._first_day = zone_of_place, zones, first_day
        self.first_second = (first_day - date(1970, 1, 1)).days * 24 * _HOUR_S
        self._rng = np.random.default_rng(seed)
        self._parts: list[dict[str, Integers]] = []

    def way_s(self, origin: Integers, destination: Integers) -> Floats:
        """Return how long it takes from one place to another, in seconds."""
        step = self._metres[origin] - self._metres[destination]
        half = np.sqrt((step**2).sum(axis=1).astype(np.float64)) / (2.0 * EARTH_RADIUS_M)
        metres = 2.0 * EARTH_RADIUS_M * np.arcsin(np.minimum(half, 1.0))
        return metres / _METRES_A_SECOND + _SETTING_OUT_S

    def add(self, visits: Visits, first_person: int) -> None:
        """Take the trips of one chunk of people."""
        begins = self.first_second + _clock(visits, self._rng)
        day = visits.person * _DAYS + visits.hour // 24
        moved = np.flatnonzero((day[1:] == day[:-1]) & (visits.tower[1:] != visits.tower[:-1]))
        origin, destination = visits.tower[moved], visits.tower[moved + 1]
        way_s = self.way_s(origin, destination) * self._rng.lognormal(0.0, _SPREAD, len(moved))
        finish = begins[moved + 1]
        start = np.maximum(begins[moved], finish - way_s.astype(np.int64))
        person = visits.person[moved]
        self.take(first_person, person, start, finish, (origin, destination), self._rng)

    def take(
        self,
        first_person: int,
        person: Integers,
        start: Integers,
        finish: Integers,
        ends: tuple[Integers, Integers],
        rng: np.random.Generator,
    ) -> None:
        """Take trips whose times are known; `rng` decides their ranks within the person."""
        self._parts.append(
            {
                "person": first_person + person,
                "rank": random_rank_within(person, rng),
                "start": start,
                "finish": finish,
                "origin": ends[0],
                "destination": ends[1],
                "origin_zone": self._zone_of_place[ends[0]],
                "destination_zone": self._zone_of_place[ends[1]],
            }
        )

    def table(self) -> pa.Table:
        """Return the rows of ``report.parquet``."""
        columns = {
            name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]
        }
        none = np.zeros(0, dtype=np.int64)
        with duckdb.connect() as engine:
            engine.register("report_trips", pa.table(columns))
            engine.register("report_outside", pa.table({"person": none, "rank": none}))
            engine.register("report_places", places_table(*self._places.T))
            query = statement(self._zones, self._first_day, measured=True)
            return engine.sql(query).to_arrow_table()


def _clock(visits: Visits, rng: np.random.Generator) -> Integers:
    """Return the second of the week in which each visit begins, in the order of the visits."""
    slot = visits.person * (_DAYS * 24) + visits.hour
    _, first, number = np.unique(slot, return_index=True, return_counts=True)
    position = np.arange(len(slot)) - np.repeat(first, number)
    share = (position + rng.random(len(slot))) / np.repeat(number, number)
    return visits.hour * _HOUR_S + np.floor(share * _HOUR_S).astype(np.int64)
