"""Times as text and numbers, read value by value."""

from collections.abc import Sequence
from datetime import UTC, datetime

import duckdb
import ibis
import pyarrow as pa

from engine.ingest.calendar import Calendar
from engine.ingest.counting import clock
from engine.ingest.inputs import guess
from engine.ingest.reading import Reading

UTC_CLOCK = Calendar(start=0, end=2**40, week=None, rules=[(0, 0)])
SECOND = 1_441_684_029
"""2015-09-08 03:47:09 in UTC."""


def read(values: Sequence[str] | Sequence[int], reading: Reading | None = None) -> list[str]:
    """Return each value as a time in UTC, empty where it cannot be read."""
    table = pa.table({"at": list(values), "row": range(len(values))})
    raw = ibis.table(ibis.Schema.from_pyarrow(table.schema), name="raw")
    moment = clock.moments(raw.at, UTC_CLOCK, reading or Reading())
    at = clock.local_seconds(*moment, UTC_CLOCK)
    connection = duckdb.connect()
    connection.register("raw", table)
    query = ibis.to_sql(raw.mutate(at=at).order_by("row").select("at"), dialect="duckdb")
    seconds = [row[0] for row in connection.execute(str(query)).fetchall()]
    return ["" if s is None else f"{datetime.fromtimestamp(s, UTC):%d %H:%M:%S}" for s in seconds]


ISO = {
    "2015-09-08T04": "08 04:00:00",
    "2015-09-08 23": "08 23:00:00",
    "2015-09-08T04Z": "08 04:00:00",
    "2015-09-08T04+02": "08 02:00:00",
    "2015-09-08T04-05:30": "08 09:30:00",
    "20150908T04": "08 04:00:00",
    "20150908T04+0200": "08 02:00:00",
    "20150908T0407+0200": "08 02:07:00",
    "20150908T040709Z": "08 04:07:09",
    "2015-09-08": "08 00:00:00",
    "2015-09-08T24": "",
    "2015-09-08T4": "",
    "2015-09-08T": "",
}


def test_iso_times_down_to_the_hour_are_read() -> None:
    assert dict(zip(ISO, read(list(ISO)), strict=True)) == ISO


def test_nanoseconds_are_cut_off_to_the_last_digit() -> None:
    last = SECOND * 10**9 + 999_999_999
    assert float(last) == float((SECOND + 1) * 10**9)  # a float would be a second late
    numbers = [last, last + 1, -1, 2**63 - 1]
    expected = ["08 03:47:09", "08 03:47:10", "31 23:59:59", ""]
    reading = Reading(number_times="nanoseconds")
    assert read(numbers, reading) == expected
    assert read([str(number) for number in numbers], reading) == expected


def test_the_unit_of_numbers_is_told_by_their_size() -> None:
    units = ("seconds", "milliseconds", "microseconds", "nanoseconds")
    for power, unit in zip((0, 3, 6, 9), units, strict=True):
        assert guess.unit_of([str(SECOND * 10**power)]) == (unit, None)
