"""The counts behind a mobility report, as ingest makes them, are those of their definitions."""

from datetime import date, datetime, timedelta

import numpy as np
import pytest

from engine import report
from engine.ingest import ingest
from engine.report import STOPS
from engine.report.measures import FINE_EDGES, Measure
from tests.reference import report_reference as plain
from tests.reference.ingest_reference import TRIP_PERSON, digest, seconds
from tests.support.ingests import NUMBER, SALT, TOWERS, options, write_csv

HEADER = ("uid", "datetime", "end_datetime", "origin", "destination")
FIRST = date(2015, 9, 1)
DAYS = 30
PLACES = [plain.Place(lat, lng, number) for number, (_, lat, lng) in enumerate(TOWERS)]
NAMES = [*(name for name, _, _ in TOWERS), "nowhere"]
Row = tuple[str, str, str, str, str]


@pytest.fixture(scope="module")
def rows():
    """Trips of forty people; some without an end, some to nowhere, some before the period."""
    rng = np.random.default_rng(2)
    trips: list[Row] = []
    for _ in range(1_500):
        start = datetime(2015, 8, 29) + timedelta(seconds=int(rng.integers(0, 34 * 86_400)))
        finish = start + timedelta(seconds=int(rng.exponential(1500)))
        ends = rng.choice(NAMES, 2, p=(0.3, 0.3, 0.2, 0.15, 0.05))
        end = "" if rng.random() < 0.1 else str(finish)
        trips.append((f"p{int(40 * rng.random() ** 2)}", str(start), end, *map(str, ends)))
    return [*trips, *trips[:20]]


def written(folder, rows):
    return write_csv(folder / "trips.csv", HEADER, rows)


def people_of(rows):
    """Each person's trips in the order of the keyed hash that ranks them."""
    hashed: dict[str, list[tuple[str, plain.Trip]]] = {}
    for uid, start, finish, origin, destination in set(rows):
        places = [NUMBER.get(origin), NUMBER.get(destination)]
        times = [datetime.fromisoformat(at) if at else None for at in (start, finish)]
        parts = [seconds(at) for at in times] + [-1 if at is None else at for at in places]
        key = digest(SALT, TRIP_PERSON, uid, *parts)
        hashed.setdefault(uid, []).append((key, plain.Trip(*times, *places)))
    return [[trip for _, trip in sorted(own, key=lambda p: p[0])] for own in hashed.values()]


def built(folder, rows, **changes):
    folder.mkdir(exist_ok=True)
    asked = options(folder, "trips", [written(folder, rows)], parts=("trips",), **changes)
    return ingest(asked)[0]


def test_ingest_counts_what_the_definitions_say_for_every_m(tmp_path, rows):
    table = report.truth(built(tmp_path / "a", rows))
    people = people_of(rows)
    for kept in (*STOPS, None):
        expected = plain.Report(people, PLACES, len(TOWERS), FIRST, DAYS, kept)
        counts = {measure: table.counts(measure, kept) for measure in Measure}
        assert counts[Measure.DAY].tolist() == expected.by_day()
        assert counts[Measure.HOUR].tolist() == expected.by_hour()
        assert counts[Measure.ZONE].tolist() == expected.by_zone()
        assert counts[Measure.FLOW].tolist() == expected.flows()
        for measure, values, slack in (
            (Measure.TRAVEL_TIME, expected.travel_minutes(), 0),
            (Measure.JUMP_LENGTH, expected.jumps_km(), 2),
            (Measure.GYRATION, expected.gyrations_km(), 2),
        ):
            fine = plain.histogram(values, FINE_EDGES[measure][:200].tolist())
            head = np.append(counts[measure][:200], counts[measure][200:].sum())
            head = head[: len(fine)]
            # metres are rounded: a value on an edge may fall on its other side
            assert np.abs(head - np.array(fine)[: len(head)]).sum() <= slack, (measure, kept)


def test_trips_found_between_sightings_have_no_travel_times(tmp_path):
    header = ("uid", "datetime", "location_id")
    sightings = [
        ("p", f"2015-09-0{day} {hour:02}:00:00", NAMES[(day + hour) % 3])
        for day in (1, 2)
        for hour in range(8, 18)
    ]
    path = write_csv(tmp_path / "visits.csv", header, sightings)
    dataset, _ = ingest(options(tmp_path, "visits", [path], parts=("trips",)))
    table = report.truth(dataset)
    assert not table.has_travel_times
    assert table.counts(Measure.DAY, None).sum() == 18
    assert table.counts(Measure.ZONE, None).sum() == 36
