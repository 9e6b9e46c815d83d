"""The mobility report: how long a move of a slider takes."""

from collections.abc import Iterator
from datetime import date

import numpy as np

from benchmarks.measure import Row, bounded, median_seconds
from engine import datasets, report
from engine.report.measures import Extent
from engine.report.places import metres_in_space
from engine.report.tabulate import PeopleTrips, tabulate

ZONES, PEOPLE, DAYS = 1_024, 50_000, 7
LIMIT_S = 0.1


def rows() -> Iterator[Row]:
    """Yield the lines of the table of the report."""
    yield _moved("demo-city", report.truth(datasets.load("demo-city")))
    yield _moved(f"{ZONES:,} zones × {PEOPLE:,} people", large())


def _moved(name: str, table: report.ReportTable) -> Row:
    noise = report.ReportNoise.draw(np.random.default_rng(0))
    moves = iter(range(10**6))

    def move() -> None:
        number = next(moves)
        budget = report.Budget.of(weights={"flows": 1 + number % 3})
        params = report.ReportParameters(
            epsilon=1 + number / 100,
            max_trips_per_user=report.STOPS[number % len(report.STOPS)],
            budget=budget,
        )
        report.release_table(table, params, noise=noise)

    seconds = median_seconds(move)
    work = f"{name}: a move of M, ε and a weight"
    return bounded(work, seconds, LIMIT_S)


def large() -> report.ReportTable:
    """Return the counts of many people who travel between many zones."""
    rng = np.random.default_rng(1)
    trips = rng.poisson(8, PEOPLE)
    person = np.repeat(np.arange(PEOPLE), trips)
    rank = np.concatenate([1 + rng.permutation(n) for n in trips])
    home = rng.integers(0, ZONES, PEOPLE)[person]
    size = len(person)
    origin = np.where(rng.random(size) < 0.4, home, rng.integers(0, ZONES, size))
    destination = np.where(rng.random(size) < 0.4, home, rng.integers(0, ZONES, size))
    monday = date(2026, 6, 1)
    first = (monday - date(1970, 1, 1)).days * 86_400
    start = first + rng.integers(0, DAYS * 86_400, size)
    table = PeopleTrips(
        person=person,
        rank=rank,
        start=start,
        finish=start + rng.exponential(1_200, size).astype(np.int64),
        origin=origin,
        destination=destination,
        origin_zone=origin,
        destination_zone=destination,
        outside_period=np.zeros(0, dtype=np.int64),
    )
    places = rng.random((2, ZONES))
    metres = metres_in_space(48.7 + 0.3 * places[0], 2.1 + 0.5 * places[1])
    extent = Extent(first_day=monday, days=DAYS, zones=ZONES)
    return report.ReportTable(tabulate(table, metres, extent), extent)
