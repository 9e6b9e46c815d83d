"""Small sets of people with trips, counted for a report as the cached aggregates count them."""

from datetime import UTC, date, datetime, timedelta

import numpy as np

from engine import report
from engine.report.measures import Extent
from engine.report.places import metres_in_space
from engine.report.tabulate import NO_END, UNKNOWN, PeopleTrips, tabulate
from tests.reference.report_reference import Place, Trip

FIRST_DAY = date(2026, 6, 3)  # a Wednesday
DAYS = 10
ZONES = 4
PLACES = [
    Place(48.85, 2.35, 0),
    Place(48.86, 2.31, 0),
    Place(48.90, 2.40, 1),
    Place(48.80, 2.30, 2),
    Place(49.10, 2.00, 3),
    Place(48.70, 2.70, None),
]


def random_people(rng: np.random.Generator, people: int, mean: float) -> list[list[Trip]]:
    """Trips in random order; some without an end, some at unknown places, some outside."""
    return [
        [random_trip(rng) for _ in range(1 + rng.poisson(mean * rng.exponential()))]
        for _ in range(people)
    ]


def random_trip(rng: np.random.Generator) -> Trip:
    midnight = datetime.combine(FIRST_DAY, datetime.min.time())
    seconds = int(rng.integers(-86_400, (DAYS + 1) * 86_400))
    start = midnight + timedelta(seconds=seconds)
    finish = start + timedelta(seconds=int(rng.exponential(1800)))
    places = [int(p) if rng.random() > 0.05 else None for p in rng.integers(0, len(PLACES), 2)]
    return Trip(start, finish if rng.random() > 0.1 else None, *places)


def table_of(people: list[list[Trip]]) -> report.ReportTable:
    """Count people's trips with the engine; each person's trips are in random order."""
    extent = Extent(first_day=FIRST_DAY, days=DAYS, zones=ZONES)
    metres = metres_in_space(
        np.array([place.lat for place in PLACES]), np.array([place.lng for place in PLACES])
    )
    return report.ReportTable(tabulate(arrays_of(people), metres, extent), extent)


def arrays_of(people: list[list[Trip]]) -> PeopleTrips:
    rows: list[tuple[int, ...]] = []
    outside: list[int] = []
    end = FIRST_DAY + timedelta(days=DAYS)
    for person, trips in enumerate(people):
        inside = [t for t in trips if FIRST_DAY <= t.start.date() < end]
        outside += [person] * (len(trips) - len(inside))
        for rank, trip in enumerate(inside, start=1):
            ends = [trip.origin, trip.destination]
            zones = [None if p is None else PLACES[p].zone for p in ends]
            known = [UNKNOWN if value is None else value for value in (*ends, *zones)]
            rows.append((person, rank, _seconds(trip.start), _seconds(trip.finish), *known))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 8).T
    names = ("person", "rank", "start", "finish")
    names += ("origin", "destination", "origin_zone", "destination_zone")
    return PeopleTrips(
        **dict(zip(names, columns, strict=True)), outside_period=np.array(outside, dtype=np.int64)
    )


def _seconds(moment: datetime | None) -> int:
    return int(NO_END) if moment is None else round(moment.replace(tzinfo=UTC).timestamp())
