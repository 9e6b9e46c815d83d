"""Trips → aggregates, the sums of `multiscale`: plain reference, command line, bad input."""

import gzip
import json
import re
import stat
import tomllib
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.datasets import load
from engine.errors import ParameterError
from engine.ingest import counting, duckdb_engine, ingest
from engine.ingest.command import main
from engine.ingest.inputs.places import Places
from engine.ingest.progress import Monitor
from engine.ingest.row_report import Reason
from tests.reference import ingest_reference as reference, zoom_reference
from tests.support.ingests import (
    BOTH,
    MONDAY,
    NUMBER,
    SALT,
    TABLES,
    TIMES,
    TOWERS,
    arguments,
    built,
    options,
    refused,
    squares,
    table,
    table_bytes,
    write_csv,
)

ZONE_OF = {number: number for number in NUMBER.values()}
NAMES = list(NUMBER)
WITH_ENDS = {"header": TIMES, **BOTH}


def some_trips(count=400, seed=0):
    """Trips of a few people over the period, with self-trips, ends left out and repeats."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        start = datetime(2015, 9, 1) + timedelta(seconds=int(rng.integers(0, 30 * 86_400)))
        end = start + timedelta(seconds=int(rng.integers(60, 7_200)))
        uid = f"p{int(rng.integers(0, 12))}"
        ends = rng.choice(NAMES, 2)
        rows.append((uid, str(start), str(end) if rng.random() < 0.8 else "", *ends))
    return [*rows, *rows[:20]]


def as_reference(rows):
    return [
        reference.Trip(
            uid,
            datetime.fromisoformat(start),
            datetime.fromisoformat(end) if end else None,
            NUMBER[origin],
            NUMBER[destination],
        )
        for uid, start, end, origin, destination in rows
    ]


def visits_of(rows):
    return [
        visit
        for trip in set(as_reference(rows))
        for visit in (
            reference.Visit(trip.uid, trip.start, trip.origin),
            *([reference.Visit(trip.uid, trip.finish, trip.destination)] if trip.finish else []),
        )
    ]


def assert_trips_equal(dataset, trips):
    for name, by_person in (("trips", False), ("trips_person", True)):
        counts = reference.trip_counts(trips, ZONE_OF, SALT, by_person=by_person)
        assert table(dataset.folder, name) == {
            (day, NAMES[o], NAMES[d], rank): n for (day, o, d, rank), n in counts.items()
        }


def assert_visits_equal(dataset, visits, cap):
    """Compare what a person's visits give with the reference, and return that."""
    expected = reference.density(visits, MONDAY, SALT, cap=cap)
    for name in ("truth", "presampled"):
        assert table(dataset.folder, name) == {
            (NAMES[key[0]], *key[1:]): n for key, n in expected[name].items()
        }
    return expected


@pytest.fixture(scope="module")
def few_visits(tmp_path_factory):
    """Some trips, of which a person's visits are trimmed to nine."""
    how = {**WITH_ENDS, "max_visits_cap": 9}
    return built(tmp_path_factory.mktemp("few"), some_trips(), **how)


def test_equals_the_plain_reference(tmp_path):
    rows = some_trips()
    dataset, report = built(tmp_path, rows, **WITH_ENDS)
    assert_trips_equal(dataset, as_reference(rows))
    visits = visits_of(rows)
    single_visits = assert_visits_equal(dataset, visits, cap=840)["single_visit"]
    homes = reference.homes(visits, MONDAY, ZONE_OF)
    for name, counts in (("single_visit", single_visits), ("homes", homes)):
        assert table(dataset.folder, name) == {(NAMES[at],): n for at, n in counts.items()}
    assert report.rows.rows_read == len(rows) == 420
    assert report.rows.rows_unused[Reason.DUPLICATE] == 20
    selves = {row for row in rows if row[3] == row[4]}
    assert report.rows.rows_unused[Reason.SELF_TRIP] == len(selves)
    assert report.rows.rows_used == int(dataset.trips.all_days.trip_count.sum())
    assert int(dataset.truth_by_tower.sum()) == report.visits.rows_used
    assert int(dataset.single_visit_by_tower.sum()) == report.people_with_visits
    assert load(dataset.folder.parent).metadata.week == MONDAY


def crowd(people=25, seed=4):
    """People with few visits and with hundreds, with exact duplicates, other weeks and places."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for _ in range(int(rng.integers(1, 4) ** 5)):
            at = datetime(2015, 9, 5) + timedelta(minutes=int(rng.integers(0, 12 * 1_440)))
            rows.append((f"p{person}", str(at), str(rng.choice([*NAMES, "Z"]))))
    return [*rows, *rows[:50]]


def sightings(rows):
    return [
        reference.Visit(uid, datetime.fromisoformat(at), NUMBER.get(place))
        for uid, at, place in rows
    ]


def test_visits_equal_the_plain_reference_and_give_trips(tmp_path):
    rows = crowd()
    how = {"kind": "visits", "header": ("user", "timestamp", "location_id"), **BOTH}
    dataset, report = built(tmp_path, rows, **how)
    visits = sightings(rows)
    expected = assert_visits_equal(dataset, visits, cap=840)
    assert_trips_equal(dataset, reference.trips_between(visits, ZONE_OF))
    assert report.rows.rows_read == len(rows)
    assert report.rows.rows_unused[Reason.OUTSIDE_AREA] == sum(v.location is None for v in visits)
    assert report.rows.rows_used == sum(expected["truth"].values())


def test_trips_alone_need_no_full_week(tmp_path):
    days = {"first_day": date(2015, 9, 8), "last_day": date(2015, 9, 11)}
    dataset, report = built(tmp_path, crowd(), kind="visits", **BOTH, **days)
    assert (dataset.has_density, dataset.has_trips, dataset.metadata.week) == (False, True, None)
    assert any("no full week" in note for note in report.notes)


@pytest.mark.parametrize(
    "bytes_a_row",
    [
        pytest.param(None, id="order, files"),
        pytest.param(20_000_000, id="three shares of the people"),
        pytest.param(200_000_000, id="piles, more shares than people"),
    ],
)
def test_nothing_but_the_rows_decides_a_bit(tmp_path, monkeypatch, bytes_a_row, few_visits):
    """Not their order, their files and formats, or memory."""
    rows, (one, told) = some_trips(), few_visits
    assert told.visits.rows_unused[Reason.TRIMMED] > 0
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    write_csv(inputs / "a[1].csv", TIMES, rows[300:])
    order = (3, 0, 4, 2, 1)
    shuffled = [tuple(row[i] for i in order) for row in reversed(rows[:100])]
    turned = write_csv(tmp_path / "b.csv", [TIMES[i] for i in order], shuffled)
    (inputs / "b.csv.gz").write_bytes(gzip.compress(turned.read_bytes()))
    columns = dict(zip(TIMES, zip(*rows[100:300], strict=True), strict=True))
    columns["datetime"] = pa.array([datetime.fromisoformat(t) for t in columns["datetime"]])
    pq.write_table(pa.table(columns), inputs / "c.parquet")
    if bytes_a_row is not None:
        monkeypatch.setattr(duckdb_engine, "BYTES_PER_ROW", bytes_a_row)
        monkeypatch.setattr(duckdb_engine, "BYTES_PER_RECORD", bytes_a_row)  # kept in a file
    how = {"max_visits_cap": 9, "out": tmp_path / "other"}
    many, again = ingest(options(tmp_path, "trips", [inputs], **how))
    assert again.rows == told.rows
    for name in TABLES:
        assert table_bytes(one.folder, name) == table_bytes(many.folder, name), name


def test_trips_that_differ_by_a_border_alone_have_ranks_of_their_own(tmp_path):
    """Places and times are one, and so is the digest: the order of rows must not decide."""
    zones = squares(5)
    towers = zones[:1].set_geometry([zones.geometry[0].centroid]).assign(location_id="t")
    places = Places(towers, zones, np.zeros(1, dtype=np.int32))
    day = date(1970, 1, 1)
    found: list[list[Any]] = []
    for order in (range(4), reversed(range(4))):
        alike = {"start": 10, "finish": 20, "origin": 0, "destination": 0, "destination_zone": 4}
        rows = [{"reason": 0, "uid": "p", **alike, "origin_zone": zone} for zone in order]
        monitor = Monitor()
        engine = duckdb_engine.DuckDB(monitor, tmp_path)
        engine.register_table("every", pa.Table.from_pylist(rows))
        run = counting.CountingRun(engine, monitor, places, day, day, "salt", 840)
        tables = counting.count_trips(run, len(rows), measured=False).tables
        found.append([tables[name].sort_by("rank") for name in ("trips", "trips_person")])
        engine.close()
    assert found[0] == found[1]


def test_the_period_holds_its_first_second_and_its_last_and_no_other(tmp_path):
    inside = ("2015-09-01 00:00:00", "2015-09-08 12:00:00", "2015-09-30 23:59:59")
    starts = (*inside, "2015-08-31 23:59:59", "2015-10-01 00:00:00")
    rows = [(f"p{n}", start, "", "A", "B") for n, start in enumerate(starts)]
    dataset, report = built(tmp_path, rows, header=TIMES)
    assert report.rows.rows_unused[Reason.OUTSIDE_PERIOD] == 2
    for trips in (dataset.trips, dataset.trips_by_person):
        assert trips.all_days.day.tolist() == [0, 7, 29]


def test_same_salt_same_tables_other_salt_other_ranks_same_truth(tmp_path):
    path = write_csv(tmp_path / "t.csv", TIMES, some_trips())
    kept, _ = ingest(options(tmp_path, "trips", [path], salt=None))
    again, _ = ingest(options(tmp_path, "trips", [path], salt=None))
    other, _ = ingest(options(tmp_path, "trips", [path], salt="another", out=tmp_path / "o"))
    assert kept.folder == again.folder
    ranked = ("presampled", "single_visit", "trips", "trips_person", "report")
    for name in ("truth", "homes", *ranked):
        same = table(again.folder, name) == table(other.folder, name)
        assert same == (name not in ranked), name
    for name in ("trips", "trips_person", "single_visit"):
        totals = {sum(table(each.folder, name).values()) for each in (kept, other)}
        assert len(totals) == 1
    assert kept.metadata.salt_id != other.metadata.salt_id
    salt = (kept.folder / "salt").read_text(encoding="utf-8").strip()
    assert salt not in json.dumps(kept.metadata.to_json())


def test_the_cap_trims_the_truth_and_says_so(few_visits):
    dataset, report = few_visits
    visits = visits_of(some_trips())
    assert_visits_equal(dataset, visits, cap=9)
    records = reference.records_by_person(visits, MONDAY).values()
    trimmed = sum(max(0, len(own) - 9) for own in records)
    assert report.visits.rows_unused[Reason.TRIMMED] == trimmed > 0


def test_everything_written_is_for_its_owner_only(few_visits):
    dataset, _ = few_visits
    there = list(dataset.folder.rglob("*"))
    files = [path for path in there if path.is_file()]
    assert (dataset.folder / "salt") in files
    assert (dataset.folder / "ingest.json") in files
    for path in there:
        assert stat.S_IMODE(path.stat().st_mode) == (0o600 if path in files else 0o700)


SETTINGS = tomllib.loads(Path(__file__).with_name("settings.toml").read_text("utf-8"))
REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", REFUSED)
def test_bad_tables_are_refused_with_file_column_count_and_remedy(tmp_path, name):
    case = REFUSED[name]
    places = case.get("kind") == "locations"
    path, real = tmp_path / ("p.csv" if places else "t.csv"), tmp_path / "real"
    real.mkdir()
    (real / path.name).write_text(case["text"], encoding=case.get("encoding", "utf-8"))
    path.symlink_to(real / path.name)
    words = re.escape(case["words"][0])
    if places:
        error = refused(tmp_path, words, locations=path)
    else:
        error = refused(tmp_path, words, path, kind=case.get("kind", "trips"))
    assert all(word in str(error) for word in case["words"]), error
    assert not any(word in str(error) for word in case.get("never", ())), "no row is quoted"


@pytest.mark.parametrize("case", SETTINGS["refused"], ids=lambda case: case["words"][0])
def test_bad_settings_are_refused(tmp_path, case):
    words, changes = case["words"], case["changes"]
    with pytest.raises(ParameterError) as caught:
        replace(options(tmp_path, "trips", [tmp_path / "t.csv"]), **changes)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    ("more", "period", "places"),
    [
        ((), False, None),
        (("--period-from-data", "--public-places"), True, True),
        (("--no-public-places",), False, False),
    ],
)
def test_the_command_records_how_all_was_fixed(tmp_path, capsys, more, period, places):
    write_csv(tmp_path / "t.csv", ("who", *TIMES[1:]), some_trips(20))
    assert main(arguments(tmp_path, "--map", "uid=who", "--week", "2015-09-14", *more)) == 0
    printed = capsys.readouterr().out
    assert "40 rows = " in printed
    assert "confidential" in printed
    recorded = load(tmp_path / "city").metadata
    assert recorded.week == date(2015, 9, 14)
    assert (recorded.period_from_data, recorded.places_public) == (period, places)


POSITIONS = [(lng, lat) for _, lat, lng in TOWERS]


LONG = [pytest.param(*a, marks=pytest.mark.long) for a in ((1, 45, None), (4, 840, None))]


@pytest.mark.parametrize(
    ("shares", "cap", "mean"), [(1, 840, None), (4, 45, None), (1, 45, 2.5), (1, 4, 2.0), *LONG]
)
def test_sums_equal_those_counted_person_by_person(tmp_path, cap, shares, mean, monkeypatch):
    rows = crowd()
    if shares > 1:
        monkeypatch.setattr(duckdb_engine, "BYTES_PER_ROW", 500_000)
    how = {"kind": "visits", "parts": ("density",)}
    dataset, _ = built(tmp_path, rows, max_visits_cap=cap, mean_visits_public=mean, **how)
    visits = sightings(rows)
    kept = {}
    for uid, records in reference.records_by_person(visits, MONDAY).items():
        keyed = [(reference.digest(SALT, reference.CAP, uid, *r), r) for r in records]
        kept[uid] = [(tower, hour) for _, (hour, tower) in sorted(keyed)[:cap]]
    # c² is the mean; the sum takes at most a twentieth of whoever has it, in 64ths
    share = 63 if mean is None else min(63, int(3.2 * (cap / mean) ** 2))
    given = POSITIONS, cap, mean or 10.0, Fraction(share, 64)
    expected = zoom_reference.sums_of(kept.values(), *given)
    assert max(map(len, kept.values())) > min(cap - 1, 40)
    assert dataset.metadata.mean_visits_public == mean
    for name in ("towers", "districts", "city", "tower_totals", "visit_total", "max_visits_cap"):
        sums = getattr(dataset.multiscale_tables, name)
        np.testing.assert_array_equal(sums, getattr(expected, name), err_msg=name)
