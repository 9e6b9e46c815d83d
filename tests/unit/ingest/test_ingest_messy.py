"""Look-alikes of real files: each becomes the same dataset, or gets one message that mends it."""

import bz2
import re
import tomllib
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.errors import InputError
from engine.ingest import command, presets
from engine.ingest.command import main
from engine.ingest.inputs import column_mapping, detection
from engine.ingest.inputs.zones import read_zones
from engine.ingest.options import Reading
from engine.ingest.row_cleaning import ValueParser
from engine.ingest.row_report import Reason
from pages._ui.data import table_form
from tests.support.ingests import (
    HEADER,
    TOWERS,
    arguments,
    built,
    refused,
    squares,
    table,
    write_csv,
    write_zones,
)

FORMS = tomllib.loads(Path(__file__).with_name("messy.toml").read_text("utf-8"))
EXPECTED = {
    (date(2015, 9, 1), "A", "B", 1): 1,
    (date(2015, 9, 14), "B", "C", 1): 1,
    (date(2015, 9, 30), "C", "A", 1): 1,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_messy_file_becomes_the_same_dataset(tmp_path, form):
    how, path = FORMS[form], tmp_path / "m.csv"
    kind, reading = how.get("kind", "trips"), Reading(**how.get("reading", {}))
    contents = how["text"].replace("\n", how.get("end", "\n")).encode(how.get("encoding", "utf-8"))
    if "packed" in how:
        contents = import_module(how["packed"]).compress(contents)
    path.write_bytes(contents)
    if "refused" in how:
        error = refused(tmp_path, how["refused"], path, kind=kind)
        assert error.settings == ("skip_rows",)
    dataset, report = built(tmp_path, path, kind=kind, reading=reading)
    counts = table(dataset.folder, "trips")
    if kind == "flows":
        assert (sorted(counts.values()), report.rows.rows_read) == ([10, 20], 2)
    else:
        assert (counts, report.people_with_trips) == (EXPECTED, 2)


def test_dates_that_can_be_two_days_are_asked_never_taken(tmp_path):
    early = [("1", "03/04/2016 08:00", "A", "B"), ("2", "05/04/2016 09:00", "B", "C")]
    error = refused(tmp_path, "t.csv", early)
    assert error.code == "ambiguous-dates"
    assert error.settings == ("date_order",)
    for order, day in (("dmy", date(2016, 4, 3)), ("mdy", date(2016, 3, 4))):
        year = {"first_day": date(2016, 1, 1), "last_day": date(2016, 12, 31)}
        how = {**year, "reading": Reading(date_order=order), "out": tmp_path / order}
        dataset, _ = built(tmp_path, early, **how)
        assert min(key[0] for key in table(dataset.folder, "trips")) == day


@pytest.mark.parametrize("quoted", [False, True])
def test_mixed_line_ends_are_read(tmp_path, quoted):
    head, first, *rows = FORMS["plain"]["text"].splitlines()
    if quoted:
        rows = [f'"{row[0]}"{row[1:]}' for row in rows]
    text = "\r\n".join(["Trips of the city", head, first]) + "\r\n" + "\n".join(rows) + "\r"
    (tmp_path / "mixed.csv").write_bytes(text.encode())
    dataset, _ = built(tmp_path, tmp_path / "mixed.csv", reading=Reading(skip_rows=1))
    assert table(dataset.folder, "trips") == EXPECTED


def test_a_file_in_utc_beside_one_in_local_time_is_refused(tmp_path):
    row = ("1", "2015-09-07 20:00", "A", "B")
    first = write_csv(tmp_path / "a.csv", HEADER, [row])
    second = write_csv(tmp_path / "b.csv", ("uid", "utc time", *HEADER[2:]), [row])
    for files in ((first, second), (second, first)):
        error = refused(tmp_path, "is not written as the times of", *files)
        assert error.settings == ("text_time_zone",)
    built(tmp_path, second)


def test_more_zones_than_can_be_shown_are_offered_coarser(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.options.MAX_ZONES", 59)
    given = squares(60)
    zones = write_zones(tmp_path, 60, "gpkg")
    rows = [("a", "2015-09-07 08:00", f"z{i}", "z7") for i in range(60)]
    error = refused(tmp_path, "60 zones, more than 59", rows, zones=zones)
    assert error.code == "too-fine"
    assert error.settings == ("hexagon_m",)
    dataset, report = built(tmp_path, rows, zones=zones, hexagon_m=20_000)
    assert 5 < len(dataset.zones) < 20
    uncovered = given.union_all().difference(dataset.zones.union_all())
    assert uncovered.area < 1e-6 * given.union_all().area
    assert report.rows.rows_read == 60


def test_the_line_of_names_again_is_left_out_if_chosen(tmp_path):
    rows = [("p1", "1441612800", "A", "B"), ("uid", "datetime", "origin", "destination")]
    _, report = built(tmp_path, [*rows, ("p2", "1441612900", "B", "A")], leave_out=("unreadable",))
    assert (report.rows.rows_used, report.rows.rows_read) == (2, 3)


def test_a_guessed_column_of_times_can_be_left_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("origin,destination,flow,day\nA,B,10,1\nB,A,20,7\n")
    assert main(arguments(tmp_path, kind="flows")) == 2
    assert "'day' (for date, guessed)" in capsys.readouterr().err
    assert main(arguments(tmp_path, "--map", "date=", kind="flows")) == 0


def test_a_copy_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.ingest.tables.MAX_UNPACKED_BYTES", 20)
    (tmp_path / "t.csv").write_bytes(bz2.compress(FORMS["bz2"]["text"].encode()))
    with pytest.raises(InputError, match="unpacks to too much"):
        built(tmp_path, tmp_path / "t.csv", kind="flows")


WRITTEN = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))
SECOND = 1_441_684_029
"""2015-09-08 03:47:09 in UTC."""


def read(values, reading=None, zone="UTC"):
    """Return each value, or those of a Parquet file, as a time on the wall clock; else empty."""
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{zone}'")
    if isinstance(values, Path):
        raw = connection.read_parquet(str(values))
    else:
        raw = connection.from_arrow(pa.table({"v": values}))
    seconds = ValueParser(reading or Reading()).seconds_sql("v", str(raw.types[0]))
    found = raw.project(seconds).fetchall()
    return [
        "" if s is None else f"{datetime.fromtimestamp(s, UTC):%Y-%m-%d %H:%M:%S}" for (s,) in found
    ]


@pytest.mark.parametrize(("value", "local"), WRITTEN["times"].items())
def test_a_time_is_read_as_it_is_meant_or_not_at_all(value, local):
    order, _ = detection.detect_date_order([value])
    unit = detection.detect_time_unit([value]) if re.fullmatch("[0-9.]+", value) else None
    reading = Reading(date_order=order, decimal=".", number_times=unit)
    assert read([value], reading, "America/New_York") == [local]


def test_clocks_of_twelve_hours_and_iso_times_down_to_the_hour_are_read():
    reading = Reading(date_order="mdy", text_time_zone="UTC")
    assert read(["3/4/2019 1:00 PM"], reading, "America/New_York") == ["2019-03-04 08:00:00"]
    assert read(list(WRITTEN["iso"])) == list(WRITTEN["iso"].values())


NANOSECONDS = [SECOND * 10**9 + 999_999_999, (SECOND + 1) * 10**9, -1]
"""As a float the first would be a second late."""
TYPED = {
    "fractions": pa.array([SECOND + 0.999, SECOND + 1.0, -0.1]),
    "decimal": pa.array([Decimal(f"{SECOND}.99"), Decimal(SECOND + 1), Decimal("-0.01")]),
    "uint64": pa.array([SECOND, SECOND + 1], pa.uint64()),
    "instant": pa.array([SECOND, SECOND + 1, -1], pa.timestamp("s", "UTC")),
    "nanoseconds": pa.array(NANOSECONDS, pa.timestamp("ns")),
    "instant in nanoseconds": pa.array(NANOSECONDS, pa.timestamp("ns", "UTC")),
}


@pytest.mark.parametrize("kind", TYPED)
def test_times_of_every_type_are_cut_off_to_the_second(tmp_path, kind):
    pq.write_table(pa.table({"v": TYPED[kind]}), tmp_path / "t.parquet")
    expected = ["2015-09-08 03:47:09", "2015-09-08 03:47:10", "1969-12-31 23:59:59"]
    assert read(tmp_path / "t.parquet") == expected[: len(TYPED[kind])]


def test_nanoseconds_are_cut_off_and_the_unit_of_numbers_told_by_their_size():
    numbers = [*NANOSECONDS, 2**63 - 1]
    expected = ["2015-09-08 03:47:09", "2015-09-08 03:47:10", "1969-12-31 23:59:59", ""]
    reading = Reading(number_times="nanoseconds")
    assert read(numbers, reading) == expected
    assert read([str(number) for number in numbers], reading) == expected
    units = ("seconds", "milliseconds", "microseconds", "nanoseconds")
    for power, unit in zip((0, 3, 6, 9), units, strict=True):
        assert detection.detect_time_unit([str(SECOND * 10**power)]) == unit


@pytest.mark.parametrize("form", WRITTEN["names"])
def test_columns_are_known_by_the_names_that_publishers_give(form):
    kind, columns, expected = WRITTEN["names"][form].values()
    guessed = column_mapping.guess_columns(kind, columns)
    assert expected.items() <= guessed.items()
    assert expected or "zone_id" not in guessed


@pytest.mark.parametrize("form", WRITTEN["held"])
def test_the_data_page_guesses_what_they_hold(form):
    kind, columns = WRITTEN["held"][form].values()
    assert table_form.guess_kind(columns) == kind
    guessed = column_mapping.guess_columns(kind, columns)
    not_people = {"uid"} if "bike_id" in columns else set[str]()
    required = set(column_mapping.REQUIRED[kind])
    assert required - not_people == guessed.keys() & required
    assert ("tid" in guessed) == ("tid" in columns or "ride_id" in columns)
    dated = {"time", "date"} & set(columns) and kind == "flows"
    assert ("date" in guessed) == bool(dated)


def test_without_a_table_of_places_coordinates_count_before_ids(tmp_path):
    lat, lng = map(float, TOWERS[0][1:])
    rows = [("2015-09-07 08:00", "7", "8", lat, lng, lat + 0.1, lng + 0.1)]
    header = ("datetime", "origin", "destination", *column_mapping.DEGREES[2:])
    grid = {"locations": None, "area": (lng - 0.3, lat - 0.3, lng + 0.3, lat + 0.3)}
    assert built(tmp_path, rows, kind="rides", header=header, **grid)[1].rows.rows_used == 1


def test_times_of_a_column_in_utc_are_moved(tmp_path):
    at = [datetime(2015, 9, 7, 3), datetime(2015, 9, 7, 8)]  # 6 September in Mexico, and 7
    columns = {"origin": ["A", "A"], "destination": ["B", "B"], "flow": [1, 1]}
    pq.write_table(pa.table({**columns, "date": at}), tmp_path / "f.parquet")
    how = {"kind": "flows", "reading": Reading(text_time_zone="UTC")}
    dataset, report = built(tmp_path, tmp_path / "f.parquet", **how)
    assert {day.day for day, *_ in table(dataset.folder, "trips")} == {6, 7}
    assert not any("UTC" in note for note in report.notes)  # it was asked for
    rows = [("p1", "2015-09-07 03:00:00", "A"), ("p1", "2015-09-07 04:00:00", "B")]
    how = {"kind": "visits", "header": ("user", "utc_time", "place id"), "out": tmp_path / "v"}
    dataset, report = built(tmp_path, rows, **how)
    assert {day.day for day, *_ in table(dataset.folder, "trips")} == {6}
    assert any("are taken as UTC" in note for note in report.notes)


def test_words_for_nothing_are_no_person(tmp_path):
    words = ("p1", r"\N", "NULL", "NA", "nan", "")
    rows = [(word, "2015-09-07 08:00", "A", "B") for word in words]
    _, report = built(tmp_path, rows, leave_out=("people",))
    assert report.rows.rows_unused[Reason.NO_PERSON] == 5


def test_places_without_names_of_columns_are_mapped_by_position(tmp_path):
    lines = [f"{place}\t{lng}\t{lat}\n" for place, lat, lng in TOWERS]
    (tmp_path / "ANT_POS.TSV").write_text("".join(lines))
    where = {"locations": tmp_path / "ANT_POS.TSV"}
    refused(tmp_path, r"first line looks like data.*location_id=column1", **where)
    given = {"location_id": "column1", "lng": "column2", "lat": "column3"}
    assert built(tmp_path, locations_mapping=given, **where)[1].rows.rows_used == 1
    places = tmp_path / "places.csv"
    places.write_text("\ufeffA;48,1;2,1\nB;48,2;2,2\nC;48,3;2,2\n", encoding="utf-8")
    rows = [("A", "B", 10), ("B", "C", 20)]
    mapping = {"location_id": "column1", "lat": "column2", "lng": "column3"}
    given = {"locations": places, "locations_mapping": mapping}
    dataset, _ = built(tmp_path, rows, kind="flows", **given)
    places_at = shapely.points([2.1, 2.2, 2.2], [48.1, 48.2, 48.3])
    assert shapely.contains(dataset.zones.geometry.to_numpy(), places_at).all()


@pytest.mark.parametrize("ending", ["geojson", "fgb"])
def test_parts_of_a_zone_are_joined_if_so_chosen(tmp_path, ending):
    path = write_zones(tmp_path, 3, ending, LocationID=[103, 103, 56])
    with pytest.raises(InputError, match=r"repeats an id.*join parts"):
        read_zones(path, {})
    zones, notes = read_zones(path, {}, leave_out=("repeated-places",))
    assert list(zones["zone_id"]) == ["103", "56"]
    assert [zone.area for zone in zones.geometry] == pytest.approx([0.004, 0.002])
    assert any("1 further parts" in note for note in notes)
    assert any("by the column 'LocationID'" in note for note in notes)


def test_a_form_is_read_with_names_of_columns_and_without(tmp_path):
    row = ["7", "v", "c", "Café", "20.67", "-103.35", "540", "Mon Sep 07 14:00:00 +0000 2015"]
    names = "userId,venueId,venueCategoryId,venueCategory,latitude,longitude,timezoneOffset"
    for mark, header in (("\t", ""), (",", f"{names},utcTimestamp\n")):
        (tmp_path / "t.txt").write_text(header + mark.join(row) + "\n")
        preset, columns = presets.select_preset("tsmc", tmp_path / "t.txt", {})
        mapping = presets.preset_options(preset, columns)["mapping"]
        assert sorted(mapping) == ["datetime", "lat", "lng", "uid"]


def test_a_point_between_thousands_leaves_a_comma_for_fractions(tmp_path):
    rows = [("A", "B", "1.234"), ("B", "A", "12,2")]
    refused(tmp_path, "can be a thousand or one and a fraction", rows[:1], kind="flows")
    dataset, _ = built(tmp_path, rows, kind="flows", reading=Reading(thousands="."))
    assert sorted(table(dataset.folder, "trips").values()) == [12, 1234]


def test_a_form_does_not_join_zones_by_a_column_that_is_only_guessed(tmp_path, capsys):
    zones = ("--zones", str(write_zones(tmp_path, 3, BoroCode=[1, 1, 2])))
    header = ("pickup_datetime", "PULocationID", "DOLocationID")
    path = write_csv(tmp_path / "t.csv", header, [("2015-09-07 08:00:00", 1, 2)])
    _, _, _, _, *rest = arguments(tmp_path)
    assert command.main(["--as", "tlc", str(path), *zones, *rest]) == 2
    assert "repeats an id" in capsys.readouterr().err
