"""Ways in which publishers write times, numbers, names and ids, each read as it is meant."""

import re
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
from engine.ingest.inputs import guess, mapping
from engine.ingest.inputs.zones import read_zones
from engine.ingest.options import Reading
from engine.ingest.report import Reason
from engine.ingest.rows import Reader
from tests.support.ingests import TOWERS, arguments, built, refused, squares, table, write_csv

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
    seconds = Reader(reading or Reading()).seconds("v", str(raw.types[0]))
    found = raw.project(seconds).fetchall()
    return [
        "" if s is None else f"{datetime.fromtimestamp(s, UTC):%Y-%m-%d %H:%M:%S}" for (s,) in found
    ]


@pytest.mark.parametrize(
    ("value", "local"),
    [
        ("2019-03-04 10:00:00 UTC", "2019-03-04 05:00:00"),
        ("2019-03-04 10:00:00.000 GMT", "2019-03-04 05:00:00"),
        ("2019-03-04 10:00:00.000 Asia/Tokyo", "2019-03-03 20:00:00"),
        ("2019-03-04 10:00:00 +0900", "2019-03-03 20:00:00"),
        ("2019-03-04 10:00 PM", "2019-03-04 22:00:00"),
        ("2019-03-04 0800", "2019-03-04 08:00:00"),
        ("Mon Mar 04 10:00:00 +0000 2019", "2019-03-04 05:00:00"),
        ("03/14/2019, 8:05 PM", "2019-03-14 20:05:00"),
        ("2019-03-04 10:00:00 EST", ""),
        ("2019-03-04 10:00:00 BC", ""),
        ("2019.03.04 (Mon)", ""),
        ("2019-03-04 - 2019-03-10", ""),
        ("03/14/19 - 03/20/19", ""),
        ("epoch", ""),
        ("14.3.2019 8:05", "2019-03-14 08:05:00"),
        ("14/3/19 08:05", "2019-03-14 08:05:00"),
        ("3/14/2019 08:05PM", "2019-03-14 20:05:00"),
        ("2019/03/14 08:05", "2019-03-14 08:05:00"),
        ("20190314", "2019-03-14 00:00:00"),
        ("43538.336806", "2019-03-14 08:05:00"),
        ("1552565100123", "2019-03-14 08:05:00"),
    ],
)
def test_a_time_is_read_as_it_is_meant_or_not_at_all(value: str, local: str) -> None:
    order, _ = guess.order_of([value])
    unit = guess.unit_of([value]) if re.fullmatch("[0-9.]+", value) else None
    reading = Reading(date_order=order, decimal=".", number_times=unit)
    assert read([value], reading, "America/New_York") == [local]


def test_a_clock_of_twelve_hours_is_moved_from_the_zone_it_is_written_in() -> None:
    reading = Reading(date_order="mdy", text_time_zone="UTC")
    assert read(["3/4/2019 1:00 PM"], reading, "America/New_York") == ["2019-03-04 08:00:00"]


ISO = {
    "2015-09-08T04": "2015-09-08 04:00:00",
    "2015-09-08 23": "2015-09-08 23:00:00",
    "2015-09-08T04Z": "2015-09-08 04:00:00",
    "2015-09-08T04+02": "2015-09-08 02:00:00",
    "2015-09-08T04-05:30": "2015-09-08 09:30:00",
    "20150908T0407+0200": "2015-09-08 02:07:00",
    "20150908T040709Z": "2015-09-08 04:07:09",
    "2015-09-08": "2015-09-08 00:00:00",
    "2015-09-08T24": "",
    "2015-09-08T": "",
}


def test_iso_times_down_to_the_hour_are_read() -> None:
    assert dict(zip(ISO, read(list(ISO)), strict=True)) == ISO


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
        assert guess.unit_of([str(SECOND * 10**power)]) == unit


NAMES: dict[str, tuple[str, str, dict[str, str]]] = {
    "Capital Bikeshare": (
        "rides",
        "Duration,Start date,End date,Start station number,Start station,End station number",
        {"datetime": "Start date", "end_datetime": "End date", "origin": "Start station number"},
    ),
    "BIXI": (
        "rides",
        "STARTSTATIONLATITUDE,STARTSTATIONLONGITUDE,ENDSTATIONLATITUDE,ENDSTATIONLONGITUDE,"
        "STARTTIMEMS,ENDTIMEMS",
        {"datetime": "STARTTIMEMS", "destination_lng": "ENDSTATIONLONGITUDE"},
    ),
    "Helsinki": (
        "rides",
        "Departure,Return,Departure station id,Return station id,Return station name",
        {"datetime": "Departure", "end_datetime": "Return", "destination": "Return station id"},
    ),
    "Louisville": (
        "rides",
        "TripID,StartDate,StartTime,EndDate,EndTime",
        {"datetime": "StartDate", "clock": "StartTime"}
        | {"end_datetime": "EndDate", "end_clock": "EndTime"},
    ),
    "Buenos Aires": (
        "trips",
        "fecha_origen_recorrido,id_estacion_origen,long_estacion_origen,lat_estacion_origen,"
        "id_estacion_destino,lat_estacion_destino,id_usuario",
        {"datetime": "fecha_origen_recorrido", "origin": "id_estacion_origen"}
        | {"origin_lng": "long_estacion_origen", "uid": "id_usuario"},
    ),
    "BCycle": (
        "rides",
        "Trip ID,Checkout Datetime,Checkout Date,Checkout Time,Checkout Kiosk ID,Return Kiosk ID",
        {"datetime": "Checkout Datetime", "origin": "Checkout Kiosk ID"},
    ),
    "Ecobici": (
        "rides",
        "Bici,Ciclo_Estacion_Retiro,Fecha_Retiro,Hora_Retiro,Ciclo_Estacion_Arribo,Fecha_Arribo",
        {"datetime": "Fecha_Retiro", "clock": "Hora_Retiro", "end_datetime": "Fecha_Arribo"}
        | {"origin": "Ciclo_Estacion_Retiro", "destination": "Ciclo_Estacion_Arribo"},
    ),
    "FlowKit": ("flows", "pcod_from,pcod_to,value", {"origin": "pcod_from", "flow": "value"}),
    "cells": ("flows", "h3_o,h3_d,trip_count", {"destination": "h3_d", "flow": "trip_count"}),
    "stations": (
        "locations",
        "TERMINAL_NUMBER,ADDRESS,gtfs_latitude,location_lon",
        {"location_id": "TERMINAL_NUMBER", "lat": "gtfs_latitude", "lng": "location_lon"},
    ),
    "areas": ("zones", "OBJECTID,MSOA21CD,MSOA21NM", {"zone_id": "MSOA21CD"}),
    "IBGE": ("zones", "CD_MUN,NM_MUN,AREA_KM2", {"zone_id": "CD_MUN"}),
    "HDX": ("zones", "ADM2_EN,ADM2_PCODE,ADM1_PCODE,ADM0_PCODE", {"zone_id": "ADM2_PCODE"}),
    "BKG": ("zones", "OBJID,AGS,GEN", {"zone_id": "AGS"}),
    "calls": (
        "visits",
        "msisdn,call_date,call_time,cell_id",
        {"datetime": "call_date", "clock": "call_time", "location_id": "cell_id"},
    ),
    "two keys": ("zones", "BoroCode,NTACode", {}),
}


@pytest.mark.parametrize("form", NAMES)
def test_columns_are_known_by_the_names_that_publishers_give(form: str) -> None:
    kind, header, expected = NAMES[form]
    guessed = mapping.guess(kind, header.split(","))
    assert expected.items() <= guessed.items()
    assert expected or "zone_id" not in guessed


def test_without_a_table_of_places_coordinates_count_before_ids(tmp_path: Path) -> None:
    lat, lng = map(float, TOWERS[0][1:])
    rows = [("2015-09-07 08:00", "7", "8", lat, lng, lat + 0.1, lng + 0.1)]
    header = ("datetime", "origin", "destination", *mapping.DEGREES[2:])
    grid = {"locations": None, "area": (lng - 0.3, lat - 0.3, lng + 0.3, lat + 0.3)}
    assert built(tmp_path, rows, kind="rides", header=header, **grid)[1].rows.used == 1


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
    assert built(tmp_path, rows, **how)[1].rows.unused[Reason.UNKNOWN] == 1
    people = [("p1", "2015-09-07 08:00", "A", "B"), (word, "2015-09-07 08:00", "A", "B")]
    _, report = built(tmp_path, people, leave_out=("people",), out=tmp_path / "p")
    assert report.rows.unused[Reason.NO_PERSON] == 1


REFUSED = {
    "days": (
        "from,to,2020-01-13,2020-01-14,2020-01-15\nA,B,1,2,3\n",
        "is a matrix, a column for each day",
    ),
    "titles": (
        "Table 1. Flows,,,\nFrom,,,Workers\nState,County,State,Number\n08,005,08,7\n",
        "2 lines stand above the line of names, as it seems: line 3 has 4 columns",
    ),
    "a page": ("<!DOCTYPE html>\n<html>\n", "the file is XML or HTML"),
    "a matrix": ("zone,101,102,103\n101,0,4,5\n102,3,0,5\n103,1,2,0\n", "is a matrix, a column"),
    "names": (",A,B,C\nA,0,4,5\nB,3,0,5\nC,1,2,0\n", "is a matrix, a column"),
    "a track in a cell": (
        'TRIP_ID,POLYLINE\n1,"[[-8.6,41.1],[-8.5,41.2]]"\n',
        "'POLYLINE' holds several values in a cell: give each one",
    ),
    "Shift JIS": (
        "origin,destination,flow\nA,B,1\nー,B,1\n",
        "not windows-1252.*name its encoding",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_cannot_be_read_is_told_how_to_convert(tmp_path: Path, form: str) -> None:
    text, words = REFUSED[form]
    (tmp_path / "t.csv").write_bytes(text.encode("cp932"))
    refused(tmp_path, words, tmp_path / "t.csv", kind="flows")


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
    assert built(tmp_path, locations_mapping=given, **where)[1].rows.used == 1


@pytest.mark.parametrize("ending", ["geojson", "fgb"])
def test_parts_of_a_zone_are_joined_if_so_chosen(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"z.{ending}"
    squares(3, LocationID=[103, 103, 56]).to_file(path)
    with pytest.raises(InputError, match=r"repeats an id.*join the parts"):
        read_zones(path, {})
    zones, notes = read_zones(path, {}, join_parts=True)
    assert list(zones["zone_id"]) == ["103", "56"]
    assert [zone.area for zone in zones.geometry] == pytest.approx([0.004, 0.002])
    assert any("1 further parts" in note for note in notes)
    assert any("by the column 'LocationID'" in note for note in notes)


def test_a_form_is_read_with_names_of_columns_and_without(tmp_path: Path) -> None:
    row = ["7", "v", "c", "Café", "20.67", "-103.35", "540", "Mon Sep 07 14:00:00 +0000 2015"]
    names = "userId,venueId,venueCategoryId,venueCategory,latitude,longitude,timezoneOffset"
    for mark, header in (("\t", ""), (",", f"{names},utcTimestamp\n")):
        (tmp_path / "t.txt").write_text(header + mark.join(row) + "\n")
        preset, columns = presets.chosen("tsmc", tmp_path / "t.txt", {})
        assert presets.settings(preset, columns)["mapping"].keys() == {
            *("uid", "datetime", "lat", "lng")
        }


def test_a_point_between_thousands_leaves_a_comma_for_fractions(tmp_path: Path) -> None:
    rows = [("A", "B", "1.234"), ("B", "A", "12,2")]
    how = {"kind": "flows", "header": ("origin", "destination", "flow")}
    refused(tmp_path, "can be a thousand or one and a fraction", rows[:1], **how)
    dataset, _ = built(tmp_path, rows, **how, reading=Reading(thousands="."))
    assert sorted(table(dataset.folder, "trips").values()) == [12, 1234]


def test_rows_of_one_flow_add_up_and_this_is_told(tmp_path: Path) -> None:
    rows = [("A", "B", "total", 7), ("A", "B", "car", 3), ("B", "A", "total", 2)]
    header = ("origin", "destination", "mode", "flow")
    dataset, report = built(tmp_path, rows, kind="flows", header=header)
    assert sorted(table(dataset.folder, "trips").values()) == [2, 10]
    assert any(note.startswith("3 rows are of 2 flows") for note in report.notes)
    assert any("no column tells days: all flows are on 2015-09-01" in n for n in report.notes)


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
