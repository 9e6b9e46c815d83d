"""Small sets of people with trips, counted for a report by the engine's statement."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pyarrow as pa

from engine import report
from engine.report.counting import counting_sql, places_table
from engine.report.measures import Extent
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
_ENGINE = duckdb.connect(config={"threads": 1})  # small tables: threads would wait for each other
_COLUMNS = ("person", "rank", "start", "finish")
_COLUMNS += ("origin", "destination", "origin_zone", "destination_zone")


def random_people(rng: np.random.Generator, people: int, mean: float) -> list[list[Trip]]:
    """Trips in random order; some without an end, some at unknown places, some outside."""
    return [
        [random_trip(rng) for _ in range(1 + rng.poisson(mean * rng.exponential()))]
        for _ in range(people)
    ]


def random_trip(rng: np.random.Generator) -> Trip:
    midnight = datetime.combine(FIRST_DAY, datetime.min.time())
    start = midnight + timedelta(seconds=int(rng.integers(-86_400, (DAYS + 1) * 86_400)))
    finish = start + timedelta(seconds=int(rng.exponential(1800)) - 60)
    places = [int(p) if rng.random() > 0.05 else None for p in rng.integers(0, len(PLACES), 2)]
    return Trip(start, finish if rng.random() > 0.1 else None, *places)


def table_of(people: list[list[Trip]], *, measured: bool = True) -> report.ReportTable:
    """Count people's trips with the engine; each person's trips are in random order."""
    rows: list[tuple[int | None, ...]] = []
    outside: list[tuple[int, int]] = []
    end = FIRST_DAY + timedelta(days=DAYS)
    for person, trips in enumerate(people):
        inside = [t for t in trips if FIRST_DAY <= t.start.date() < end]
        outside += [(person, rank) for rank in range(len(inside) + 1, len(trips) + 1)]
        for rank, trip in enumerate(inside, start=1):
            ends = [trip.origin, trip.destination]
            zones = [None if p is None else PLACES[p].zone for p in ends]
            rows.append((person, rank, _seconds(trip.start), _seconds(trip.finish), *ends, *zones))
    for name, columns, values in (
        ("report_trips", _COLUMNS, rows),
        ("report_outside", ("person", "rank"), outside),
    ):
        arrays = [pa.array([row[i] for row in values], pa.int64()) for i in range(len(columns))]
        _ENGINE.register(name, pa.table(dict(zip(columns, arrays, strict=True))))
    lat, lng = (np.array([getattr(place, axis) for place in PLACES]) for axis in ("lat", "lng"))
    _ENGINE.register("report_places", places_table(lng, lat))
    counted = _ENGINE.sql(counting_sql(ZONES, FIRST_DAY, measured=measured)).to_arrow_table()
    return report.ReportTable(
        counted, Extent(first_day=FIRST_DAY, day_count=DAYS, zone_count=ZONES)
    )


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.replace(tzinfo=UTC).timestamp())
