"""Tables as the packages of the field write them are read without renaming a column."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from engine import report
from engine.ingest.row_report import Reason
from engine.report import STOPS
from engine.report.measures import FINE_EDGES, Measure
from tests.reference import report_reference as plain
from tests.reference.ingest_reference import TRIP_PERSON, digest, seconds
from tests.support.ingests import NUMBER, SALT, TOWERS, built, table, table_bytes

POINTS = ("uid", "tid", "datetime", "lat", "lng")
"""Trips of dp_mobility_report and scikit-mobility: rows are points, a trip has a `tid`."""
FLOWMAP = ("origin", "dest", "count")
RIDES = (
    *("ride_id", "rideable_type", "started_at", "ended_at", "start_station_name"),
    *("start_station_id", "end_station_name", "end_station_id"),
    *("start_lat", "start_lng", "end_lat", "end_lng", "member_casual"),
)
PLACE = {name: (lat, lng) for name, lat, lng in TOWERS}
Point = tuple[str, int, str, float, float]


def journeys(count=120):
    """Trips of a few people by way of two to four places; numbers of trips are a person's own."""
    rng = np.random.default_rng(3)
    return [
        (
            f"p{i % 9}",
            i // 9,
            datetime(2015, 9, 1) + timedelta(minutes=int(rng.integers(0, 30 * 1_440 - 60))),
            [str(name) for name in rng.choice(list(PLACE), int(rng.integers(2, 5)))],
        )
        for i in range(count)
    ]


def points():
    """The points of all trips, in no order."""
    rows = [
        (uid, tid, str(start + timedelta(minutes=7 * n)), *PLACE[name])
        for uid, tid, start, way in journeys()
        for n, name in enumerate(way)
    ]
    return [rows[i] for i in np.random.default_rng(4).permutation(len(rows))]


def test_a_trip_is_its_first_and_its_last_point(tmp_path):
    """The same tables as from a table of trips with the ends written out."""
    ends = [
        (uid, start, start + timedelta(minutes=7 * (len(way) - 1)), way[0], way[-1])
        for uid, _, start, way in journeys()
    ]
    dataset, summary = built(tmp_path, points(), kind="visits", header=POINTS, memory="1GB")
    header = ("uid", "datetime", "end_datetime", "origin", "destination")
    expected, _ = built(tmp_path, ends, header=header, out=tmp_path / "trips")
    for name in ("trips", "trips_person", "report"):
        assert table_bytes(dataset.folder, name) == table_bytes(expected.folder, name), name
    assert any("first to the last point" in note for note in summary.notes)
    assert summary.trips is not None
    assert summary.trips.rows_unused[Reason.SELF_TRIP] == sum(w[0] == w[-1] for *_, w in journeys())
    assert report.truth(dataset).counts(Measure.TRAVEL_TIME, None).sum() > 0
    assert summary.rows.rows_used == len(set(points()))


FIRST, SECOND = date(2015, 9, 1), date(2015, 9, 2)


def test_fractions_are_rounded_once_and_keep_totals(tmp_path):
    rng = np.random.default_rng(5)
    names = list(PLACE)
    rows = [
        (f"2015-09-{day:02}", str(a), str(b), round(float(rng.gamma(0.4, 1.7)), 3))
        for day in (1, 2, 3)
        for a in names
        for b in names
        if a != b
        for _ in range(2)
    ]
    how = {"kind": "flows", "header": ("date", *FLOWMAP)}
    dataset, summary = built(tmp_path, rows, **how)
    turned = [rows[i] for i in rng.permutation(len(rows))]
    again, _ = built(tmp_path, turned, out=tmp_path / "again", **how)
    counts = table(dataset.folder, "trips")
    assert counts == table(again.folder, "trips")
    exact: dict[tuple[date, str, str], Decimal] = {}
    for day, a, b, n in rows:
        key = (date.fromisoformat(day), a, b)
        exact[key] = exact.get(key, Decimal(0)) + Decimal(str(n))
    for key, n in exact.items():
        assert abs(counts.get((*key, 1), 0) - n) < 1
    for day in {key[0] for key in exact}:
        of_day = sum(n for key, n in exact.items() if key[0] == day)
        assert abs(sum(n for key, n in counts.items() if key[0] == day) - of_day) <= Decimal("0.5")
        for a in names:  # runs of flows are kept too: zones lie in the order of their names
            leaving = sum(n for key, n in exact.items() if key[:2] == (day, a))
            kept = sum(n for key, n in counts.items() if key[:2] == (day, a))
            assert abs(kept - leaving) < 1
    (said,) = (note for note in summary.notes if "rounded once" in note)
    assert "protects one whole trip of this table" in said


def test_whole_counts_stay_as_they_are_beside_fractions(tmp_path):
    rows = [("A", "B", 7), ("A", "C", "0.4"), ("B", "A", 12), ("B", "C", "0.4"), ("C", "A", 3)]
    dataset, summary = built(tmp_path, rows, kind="flows", header=FLOWMAP)
    assert any("all flows are on 2015-09-01" in note for note in summary.notes)
    counts = {key[1:3]: n for key, n in table(dataset.folder, "trips").items()}
    assert counts == {("A", "B"): 7, ("B", "A"): 12, ("B", "C"): 1, ("C", "A"): 3}
    half = [("A", "B", "2.05"), ("A", "C", "0.45")]  # a float's 2.05 is a little less
    dataset, _ = built(tmp_path, half, kind="flows", header=FLOWMAP, out=tmp_path / "half")
    assert sorted(table(dataset.folder, "trips").values()) == [1, 2]


def test_rides_without_people_are_single_trips(tmp_path):
    rest = (20.6, -103.3, 20.7, -103.4, "member")
    rows = [
        (f"R{i}", "classic", f"2015-09-0{day} 08:00:00", "", "x", a, "y", b, *rest)
        for i, (day, a, b) in enumerate([(1, "A", "B"), (1, "A", "B"), (2, "B", "C")])
    ]
    again = [*rows, rows[0]]
    dataset, summary = built(tmp_path, again, kind="rides", header=RIDES)
    assert table(dataset.folder, "trips") == {(FIRST, "A", "B", 1): 2, (SECOND, "B", "C", 1): 1}
    assert not dataset.metadata.trips_have_people
    assert any("trips alone are protected" in note for note in summary.notes)
    how = {"mapping": {"tid": ""}, "out": tmp_path / "unnamed"}  # then alike rows are two trips
    dataset, _ = built(tmp_path, again, kind="rides", header=RIDES, **how)
    assert table(dataset.folder, "trips")[FIRST, "A", "B", 1] == 3


TIMES = ("uid", "datetime", "end_datetime", "origin", "destination")
FIRST_DAY = date(2015, 9, 1)
DAYS = 30
PLACES = [plain.Place(lat, lng, number) for number, (_, lat, lng) in enumerate(TOWERS)]
PLACE_NAMES = [*(name for name, _, _ in TOWERS), "nowhere"]
Row = tuple[str, str, str, str, str]


@pytest.fixture(scope="module")
def rows():
    """Trips of forty people; some without an end, some to nowhere, some before the period."""
    rng = np.random.default_rng(2)
    trips: list[Row] = []
    for _ in range(1_500):
        start = datetime(2015, 8, 29) + timedelta(seconds=int(rng.integers(0, 34 * 86_400)))
        finish = start + timedelta(seconds=int(rng.exponential(1500)))
        ends = rng.choice(PLACE_NAMES, 2, p=(0.3, 0.3, 0.2, 0.15, 0.05))
        end = "" if rng.random() < 0.1 else str(finish)
        trips.append((f"p{int(40 * rng.random() ** 2)}", str(start), end, *map(str, ends)))
    return [*trips, *trips[:20]]


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


def test_ingest_counts_what_the_definitions_say_for_every_m(tmp_path, rows):
    table = report.truth(built(tmp_path, rows, header=TIMES)[0])
    people = people_of(rows)
    for kept in (*STOPS, None):
        expected = plain.Report(people, PLACES, len(TOWERS), FIRST_DAY, DAYS, kept)
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
        ("p", f"2015-09-0{day} {hour:02}:00:00", PLACE_NAMES[(day + hour) % 3])
        for day in (1, 2)
        for hour in range(8, 18)
    ]
    dataset, _ = built(tmp_path, sightings, kind="visits", header=header)
    table = report.truth(dataset)
    assert not table.has_travel_times
    assert table.counts(Measure.DAY, None).sum() == 18
    assert table.counts(Measure.ZONE, None).sum() == 36
