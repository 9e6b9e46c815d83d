"""People of a simulated dataset: their homes, destinations, days and counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import shapely

from ..arrays import Floats, Geometries, Integers
from ..errors import InputError
from ..geography import centre_distances_m, zone_areas_km2
from ..parameters import HOURS_PER_WEEK
from ..report.measures import EARTH_RADIUS_M, metres_in_space
from .sampling import (
    RowDistributions,
    draw_distinct_visits,
    draw_indices,
    heavy_tailed_distribution,
    simulate_walk,
    to_cumulative,
    week_rhythm,
)
from .simulated_rows import DAY_S
from .twin_inputs import ASSUMED_FACTS, MAX_ZONES, TRAVELLERS, TwinInputs

MAX_CHUNK_PEOPLE = 100_000
"""Maximum people simulated at once; each chunk has a generator of its own."""
_MAX_CHUNK_TRIPS = 1_000_000
"""Trips, or a fifth of the records, expected of a chunk, so that memory stays bounded."""
_MAX_OUTING_PROBABILITY = 0.95
_LONGEST_OUTING = 200
_RETURN_PROBABILITY = 0.5
"""Probability that a trip off the routine leads home."""
_DEPARTURE_S, _METRES_PER_SECOND = 240.0, 5.0
_MAX_DRAWS = 2_000
"""Maximum draws of a person's hours; they give 159 of the 168 hours of a week."""
_VISITS_SPREAD = 1.35
"""Standard deviation of visits a person, relative to their mean: P1's Paris (13.55 ± 18.33)."""


@dataclass(frozen=True, eq=False)
class PeopleChunk:
    """Trips of some people over the period, sorted by person, day and second of the day."""

    home: Integers
    person: Integers
    day: Integers
    second: Integers
    origin: Integers
    destination: Integers
    rng: np.random.Generator


def chunk_size(inputs: TwinInputs) -> int:
    """Return the number of people simulated at once: fewer where each has many records."""
    of_each = max(inputs.days * max(inputs.trips_a_day, 0.1), inputs.visits_a_week / 5)
    return int(min(MAX_CHUNK_PEOPLE, max(_MAX_CHUNK_TRIPS / of_each, 1)))


class TwinPopulation:
    """Homes, destinations and days of people."""

    def __init__(self, zones: gpd.GeoDataFrame, inputs: TwinInputs) -> None:
        self._inputs = inputs
        residents = residents_by_zone(zones)
        distances_km = centre_distances_m(zones) / 1000.0
        radius = float(np.sqrt(zone_areas_km2(zones).sum() / np.pi))
        rng = np.random.default_rng([inputs.seed, 0])
        uneven = _clustered_normals(distances_km, radius / 4, rng) * ASSUMED_FACTS["unevenness"]
        pull = np.maximum(residents, residents.mean() * 1e-3) * np.exp(uneven)
        friction = inputs.friction_km or radius / 3
        ties = np.triu(rng.standard_normal(distances_km.shape), 1)
        choice = pull * np.exp(
            -distances_km / friction + ASSUMED_FACTS["affinity"] * (ties + ties.T)
        )
        np.fill_diagonal(choice, 0.0)
        self._home = to_cumulative(residents)
        self._choice = RowDistributions(choice)
        weekday = week_rhythm().reshape(7, 24)
        turn = (inputs.first_day.weekday() + np.arange(inputs.days)) % 7
        self._rhythm = weekday.sum(axis=1)[turn] * 7
        self._rhythm /= self._rhythm.mean()
        self._hours = to_cumulative(weekday)[turn]

    def simulate_chunks(self) -> Iterator[tuple[int, PeopleChunk]]:
        """Yield the number of the first person and the trips, chunk by chunk."""
        size = chunk_size(self._inputs)
        for number, first in enumerate(range(0, self._inputs.people, size)):
            rng = np.random.default_rng([self._inputs.seed, 1, number])
            yield first, self._simulate_chunk(min(size, self._inputs.people - first), rng)

    def _simulate_chunk(self, people: int, rng: np.random.Generator) -> PeopleChunk:
        inputs, home = self._inputs, draw_indices(self._home, rng, people)
        work = self._choice.draw(home, rng)
        person, day, size = self._draw_outings(people, rng)
        origin, destination = self._simulate_outings(home[person], work[person], size, rng)
        person, day = np.repeat(person, size), np.repeat(day, size)
        hour = (rng.random(len(day))[:, None] >= self._hours[day]).sum(axis=1)
        second = 3_600 * hour + rng.integers(0, 3_600, len(day))
        order = np.argsort((person * inputs.days + day) * DAY_S + second, kind="stable")
        return PeopleChunk(home, person, day, second[order], origin, destination, rng)

    def _draw_outings(
        self, people: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers, Integers]:
        """Return person, day and number of trips of each outing."""
        inputs, spread, outing = self._inputs, ASSUMED_FACTS["spread"], ASSUMED_FACTS["outing"]
        if inputs.one_trip:
            shares = self._rhythm / self._rhythm.sum()
            ones = np.ones(people, dtype=np.int64)
            return np.arange(people), rng.choice(inputs.days, people, p=shares), ones
        rate = rng.lognormal(-(spread**2) / 2, spread, people)
        share = inputs.travellers or TRAVELLERS
        rate *= np.where(rng.random(people) < share, 1 / share, 0.0)
        today = inputs.trips_a_day * rate[:, None] * self._rhythm
        out = rng.random(today.shape) < np.minimum(today / outing, _MAX_OUTING_PROBABILITY)
        person, day = np.nonzero(out)
        mean = np.maximum(outing, today[out] / _MAX_OUTING_PROBABILITY)
        size = np.minimum(rng.geometric(1.0 / mean), _LONGEST_OUTING).astype(np.int64)
        return person, day, size

    def _simulate_outings(
        self, home: Integers, work: Integers, size: Integers, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        """Return the destinations of the trips of each outing, which starts at home."""

        def choose(out: Integers, place: Integers) -> Integers:
            routine = rng.random(len(out)) < ASSUMED_FACTS["commuting"]
            back = rng.random(len(out)) < _RETURN_PROBABILITY
            there = self._choice.draw(place, rng)
            there = np.where((routine | back) & (place != home[out]), home[out], there)
            return np.where(routine & (place == home[out]), work[out], there)

        return simulate_walk(home, size, choose)


class WeekRecords:
    """Records of one week: at random hours, at the person's place."""

    def __init__(self, inputs: TwinInputs) -> None:
        assert inputs.monday is not None
        self._first = (inputs.monday - inputs.first_day).days * 24
        mean = max(inputs.visits_a_week, 1.0)
        self._numbers = heavy_tailed_distribution(mean, _VISITS_SPREAD * mean, HOURS_PER_WEEK)
        rhythm = week_rhythm()
        self._hours = to_cumulative(rhythm)
        hit = 1.0 - (1.0 - rhythm[:, None]) ** np.arange(_MAX_DRAWS)
        self._distinct = hit.sum(axis=0)  # distinct hours of so many draws
        self._span = inputs.days * 24

    def draw_records(self, chunk: PeopleChunk) -> tuple[Integers, Integers, Integers]:
        """Return person, zone and hour of the distinct records of a chunk of people."""
        rng = chunk.rng
        visit_counts = draw_indices(self._numbers, rng, len(chunk.home)) + 1
        # drawn with repetition: more draws than needed, without the repeated ones
        draws = np.searchsorted(self._distinct, visit_counts)
        person = np.repeat(np.arange(len(chunk.home)), (1.2 * draws).astype(np.int64) + 5)
        hour = draw_indices(self._hours, rng, len(person))
        departures = chunk.person * self._span + chunk.day * 24 + chunk.second // 3_600
        last = np.searchsorted(departures, person * self._span + self._first + hour, "right") - 1
        today = (self._first + hour) // 24
        zone = chunk.home[person]
        if len(departures):
            trip = np.maximum(last, 0)
            gone = (last >= 0) & (chunk.person[trip] == person) & (chunk.day[trip] == today)
            zone = np.where(gone, chunk.destination[trip], zone)
        return draw_distinct_visits(person, hour, zone, visit_counts, rng)


def travel_time_s(points: Geometries, origin: Integers, destination: Integers) -> Integers:
    """Return travel times between points in EPSG:4326, in seconds."""
    metres = metres_in_space(*shapely.get_coordinates(points).T[::-1])
    step = metres[origin] - metres[destination]
    half = np.sqrt((step**2).sum(axis=1).astype(np.float64)) / (2.0 * EARTH_RADIUS_M)
    straight = 2.0 * EARTH_RADIUS_M * np.arcsin(np.minimum(half, 1.0))
    return (straight / _METRES_PER_SECOND + _DEPARTURE_S).astype(np.int64)


def arrival_times_s(points: Geometries, chunk: PeopleChunk) -> Integers:
    """Return the second of the period in which each trip ends, before the next begins."""
    start = chunk.day * DAY_S + chunk.second
    following = np.append(start[1:], 2**40)[: len(start)]
    following[np.flatnonzero(np.diff(chunk.person))] = 2**40
    return np.minimum(start + travel_time_s(points, chunk.origin, chunk.destination), following)


def residents_by_zone(zones: gpd.GeoDataFrame) -> Floats:
    """Return residents by zone, or areas where the file has none."""
    if not 2 <= len(zones) <= MAX_ZONES:
        raise InputError(
            f"a twin needs 2 to {MAX_ZONES:,} zones",
            value=f"{len(zones):,}",
            remedy="join zones or take a coarser level",
        )
    if "residents" not in zones:
        return zone_areas_km2(zones)
    residents = np.asarray(zones["residents"], dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(residents) | (residents < 0))
    if len(wrong) or residents.sum() <= 0:
        which = f"zone {zones['zone_id'].iloc[wrong[0]]}" if len(wrong) else "all zones together"
        raise InputError(
            "residents must be 0 or more in each zone and above 0 in some",
            remedy=f"name another column: {which} has none",
        )
    return residents


def _clustered_normals(distances_km: Floats, reach_km: float, rng: np.random.Generator) -> Floats:
    near = np.exp(-((distances_km / reach_km) ** 2) / 2)
    smooth = near @ rng.standard_normal(len(distances_km))
    smooth /= np.sqrt((near**2).sum(axis=1))
    return (smooth + rng.standard_normal(len(distances_km))) / np.sqrt(2)
