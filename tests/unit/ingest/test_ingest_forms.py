"""Ways in which publishers write times, numbers, names and ids, each read as it is meant."""

import re
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.ingest import command, presets
from engine.ingest.inputs import column_mapping, detection
from engine.ingest.inputs.zones import read_zones
from engine.ingest.options import Reading
from engine.ingest.row_cleaning import ValueParser
from engine.ingest.row_report import Reason
from pages._ui.data import table_form
from tests.support.ingests import TOWERS, arguments, built, refused, squares, table, write_csv

FORMS = tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))
SECOND = 1_441_684_029
"""2015-09-08 03:47:09 in UTC."""


def read(
    values: Sequence[Any] | Path, reading: Reading | None = None, zone: str = "UTC"
) -> list[str]:
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


@pytest.mark.parametrize(("value", "local"), FORMS["times"].items())
def test_a_time_is_read_as_it_is_meant_or_not_at_all(value: str, local: str) -> None:
    order, _ = detection.detect_date_order([value])
    unit = detection.detect_time_unit([value]) if re.fullmatch("[0-9.]+", value) else None
    reading = Reading(date_order=order, decimal=".", number_times=unit)
    assert read([value], reading, "America/New_York") == [local]


def test_a_clock_of_twelve_hours_is_moved_from_the_zone_it_is_written_in() -> None:
    reading = Reading(date_order="mdy", text_time_zone="UTC")
    assert read(["3/4/2019 1:00 PM"], reading, "America/New_York") == ["2019-03-04 08:00:00"]


def test_iso_times_down_to_the_hour_are_read() -> None:
    assert read(list(FORMS["iso"])) == list(FORMS["iso"].values())


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
def test_times_of_every_type_are_cut_off_to_the_second(tmp_path: Path, kind: str) -> None:
    pq.write_table(pa.table({"v": TYPED[kind]}), tmp_path / "t.parquet")
    expected = ["2015-09-08 03:47:09", "2015-09-08 03:47:10", "1969-12-31 23:59:59"]
    assert read(tmp_path / "t.parquet") == expected[: len(TYPED[kind])]


def test_nanoseconds_are_cut_off_to_the_last_digit() -> None:
    numbers = [*NANOSECONDS, 2**63 - 1]
    expected = ["2015-09-08 03:47:09", "2015-09-08 03:47:10", "1969-12-31 23:59:59", ""]
    reading = Reading(number_times="nanoseconds")
    assert read(numbers, reading) == expected
    assert read([str(number) for number in numbers], reading) == expected


def test_the_unit_of_numbers_is_told_by_their_size() -> None:
    units = ("seconds", "milliseconds", "microseconds", "nanoseconds")
    for power, unit in zip((0, 3, 6, 9), units, strict=True):
        assert detection.detect_time_unit([str(SECOND * 10**power)]) == unit


@pytest.mark.parametrize("form", FORMS["names"])
def test_columns_are_known_by_the_names_that_publishers_give(form: str) -> None:
    kind, columns, expected = FORMS["names"][form].values()
    guessed = column_mapping.guess_columns(kind, columns)
    assert expected.items() <= guessed.items()
    assert expected or "zone_id" not in guessed


@pytest.mark.parametrize("form", FORMS["held"])
def test_the_data_page_guesses_what_they_hold(form: str) -> None:
    kind, columns = FORMS["held"][form].values()
    assert table_form.guess_kind(columns) == kind
    guessed = column_mapping.guess_columns(kind, columns)
    not_people = {"uid"} if "bike_id" in columns else set[str]()
    assert set(column_mapping.REQUIRED[kind]) - not_people == guessed.keys() & set(
        column_mapping.REQUIRED[kind]
    )
    assert ("tid" in guessed) == ("tid" in columns or "ride_id" in columns)
    dated = {"time", "date"} & set(columns) and kind == "flows"
    assert ("date" in guessed) == bool(dated)


def test_without_a_table_of_places_coordinates_count_before_ids(tmp_path: Path) -> None:
    lat, lng = map(float, TOWERS[0][1:])
    rows = [("2015-09-07 08:00", "7", "8", lat, lng, lat + 0.1, lng + 0.1)]
    header = ("datetime", "origin", "destination", *column_mapping.DEGREES[2:])
    grid = {"locations": None, "area": (lng - 0.3, lat - 0.3, lng + 0.3, lat + 0.3)}
    assert built(tmp_path, rows, kind="rides", header=header, **grid)[1].rows.rows_used == 1


def test_times_of_a_column_in_utc_are_moved(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("word", [r"\N", "NULL", "NA", "nan", ""])
def test_words_for_nothing_are_no_number_and_no_person(tmp_path: Path, word: str) -> None:
    rows = [("A", "B", 5), ("B", "A", word)]
    header = ("origin", "destination", "flow")
    how = {"kind": "flows", "header": header, "leave_out": ("unknown-flows",)}
    assert built(tmp_path, rows, **how)[1].rows.rows_unused[Reason.UNKNOWN] == 1
    people = [("p1", "2015-09-07 08:00", "A", "B"), (word, "2015-09-07 08:00", "A", "B")]
    _, report = built(tmp_path, people, leave_out=("people",), out=tmp_path / "p")
    assert report.rows.rows_unused[Reason.NO_PERSON] == 1


READ = {
    "Shift JIS": ("origin,what,destination,flow\nA,ソ表,B,7\n", Reading(encoding="cp932")),
    "Excel": ("sep=;\norigin;destination;flow\nA;B;7\n", Reading()),
    "HXL": ("origin,destination,flow\n#adm1+from,#adm1+to,#value\nA,B,7\n", Reading()),
    "commas at all ends": ("origin,destination,flow,\nA,B,7,\nA,A,9,\n", Reading()),
}


@pytest.mark.parametrize("form", READ)
def test_what_others_put_into_a_table_is_passed_over(tmp_path: Path, form: str) -> None:
    text, reading = READ[form]
    (tmp_path / "t.csv").write_bytes(text.encode(reading.encoding or "utf-8"))
    dataset, _ = built(tmp_path, tmp_path / "t.csv", kind="flows", reading=reading)
    assert list(table(dataset.folder, "trips").values()) == [7]


def test_places_without_names_of_columns_are_mapped_by_position(tmp_path: Path) -> None:
    lines = [f"{place}\t{lng}\t{lat}\n" for place, lat, lng in TOWERS]
    (tmp_path / "ANT_POS.TSV").write_text("".join(lines))
    where = {"locations": tmp_path / "ANT_POS.TSV"}
    refused(tmp_path, r"first line looks like data.*location_id=column1", **where)
    given = {"location_id": "column1", "lng": "column2", "lat": "column3"}
    assert built(tmp_path, locations_mapping=given, **where)[1].rows.rows_used == 1


@pytest.mark.parametrize("ending", ["geojson", "fgb"])
def test_parts_of_a_zone_are_joined_if_so_chosen(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"z.{ending}"
    squares(3, LocationID=[103, 103, 56]).to_file(path)
    with pytest.raises(InputError, match=r"repeats an id.*join the parts"):
        read_zones(path, {})
    zones, notes = read_zones(path, {}, leave_out=("repeated-places",))
    assert list(zones["zone_id"]) == ["103", "56"]
    assert [zone.area for zone in zones.geometry] == pytest.approx([0.004, 0.002])
    assert any("1 further parts" in note for note in notes)
    assert any("by the column 'LocationID'" in note for note in notes)


def test_a_form_is_read_with_names_of_columns_and_without(tmp_path: Path) -> None:
    row = ["7", "v", "c", "Café", "20.67", "-103.35", "540", "Mon Sep 07 14:00:00 +0000 2015"]
    names = "userId,venueId,venueCategoryId,venueCategory,latitude,longitude,timezoneOffset"
    for mark, header in (("\t", ""), (",", f"{names},utcTimestamp\n")):
        (tmp_path / "t.txt").write_text(header + mark.join(row) + "\n")
        preset, columns = presets.select_preset("tsmc", tmp_path / "t.txt", {})
        assert presets.preset_options(preset, columns)["mapping"].keys() == {
            *("uid", "datetime", "lat", "lng")
        }


def test_a_point_between_thousands_leaves_a_comma_for_fractions(tmp_path: Path) -> None:
    rows = [("A", "B", "1.234"), ("B", "A", "12,2")]
    how = {"kind": "flows", "header": ("origin", "destination", "flow")}
    refused(tmp_path, "can be a thousand or one and a fraction", rows[:1], **how)
    dataset, _ = built(tmp_path, rows, **how, reading=Reading(thousands="."))
    assert sorted(table(dataset.folder, "trips").values()) == [12, 1234]


def test_a_form_does_not_join_zones_by_a_column_that_is_only_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    squares(3, BoroCode=[1, 1, 2]).to_file(tmp_path / "z.geojson")
    header = ("pickup_datetime", "PULocationID", "DOLocationID")
    path = write_csv(tmp_path / "t.csv", header, [("2015-09-07 08:00:00", 1, 2)])
    _, _, _, _, *rest = arguments(tmp_path)
    zones = ("--zones", str(tmp_path / "z.geojson"))
    assert command.main(["--as", "tlc", str(path), *zones, *rest]) == 2
    assert "repeats an id" in capsys.readouterr().err
