"""Ways in which publishers write times, numbers, names and ids, each read as it is meant."""

from pathlib import Path

import duckdb
import pytest

from engine.ingest.inputs import guess, mapping
from engine.ingest.options import Reading
from engine.ingest.rows import Reader
from tests.reference.ingest_inputs import TOWERS
from tests.support.ingests import built


@pytest.mark.parametrize(
    ("value", "local"),
    [
        ("2019-03-04 10:00:00 UTC", "2019-03-04 05:00"),
        ("2019-03-04 10:00:00.000 GMT", "2019-03-04 05:00"),
        ("2019-03-04 10:00:00.000 Asia/Tokyo", "2019-03-03 20:00"),
        ("2019-03-04 10:00:00 +0900", "2019-03-03 20:00"),
        ("2019-03-04 10:00 PM", "2019-03-04 22:00"),
        ("2019-03-04 0800", "2019-03-04 08:00"),
        ("Mon Mar 04 10:00:00 +0000 2019", "2019-03-04 05:00"),
        ("2019-03-04 10:00:00 EST", None),
        ("2019-03-04 10:00:00 BC", None),
        ("2019.03.04 (Mon)", None),
        ("2019-03-04 - 2019-03-10", None),
        ("03/14/19 - 03/20/19", None),
        ("epoch", None),
    ],
)
def test_what_stands_behind_a_clock_is_read_or_the_time_is_not(
    value: str, local: str | None
) -> None:
    order, _ = guess.order_of([value])
    seconds = Reader(Reading(date_order=order, decimal=".")).seconds("v", "VARCHAR")
    with duckdb.connect() as engine:
        engine.execute("SET TimeZone = 'America/New_York'")
        moment = f"strftime(make_timestamp(({seconds}) * 1000000), '%Y-%m-%d %H:%M')"
        found = engine.execute(f"SELECT {moment} FROM (SELECT ? AS v)", [value]).fetchone()
    assert found == (local,)


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
    "FlowKit": ("flows", "pcod_from,pcod_to,value", {"origin": "pcod_from", "flow": "value"}),
    "cells": ("flows", "h3_o,h3_d,trip_count", {"destination": "h3_d", "flow": "trip_count"}),
    "stations": (
        "locations",
        "TERMINAL_NUMBER,ADDRESS,gtfs_latitude,location_lon",
        {"location_id": "TERMINAL_NUMBER", "lat": "gtfs_latitude", "lng": "location_lon"},
    ),
    "areas": ("zones", "OBJECTID,MSOA21CD,MSOA21NM", {"zone_id": "MSOA21CD"}),
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
