"""Times as text and numbers, read value by value."""

from collections.abc import Sequence
from datetime import UTC, datetime

import duckdb
import pyarrow as pa

from engine.ingest.inputs import guess
from engine.ingest.options import Reading
from engine.ingest.rows import Reader

SECOND = 1_441_684_029
"""2015-09-08 03:47:09 in UTC."""


def read(
    values: Sequence[str] | Sequence[int], reading: Reading | None = None, zone: str = "UTC"
) -> list[str]:
    """Return each value as a time on the wall clock, empty where it cannot be read."""
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{zone}'")
    connection.register("raw", pa.table({"v": list(values), "row": range(len(values))}))
    kind = "VARCHAR" if isinstance(values[0], str) else "BIGINT"
    seconds = Reader(reading or Reading()).seconds("v", kind)
    found = connection.execute(f"SELECT {seconds} FROM raw ORDER BY row").fetchall()
    return ["" if s is None else f"{datetime.fromtimestamp(s, UTC):%d %H:%M:%S}" for (s,) in found]


ISO = {
    "2015-09-08T04": "08 04:00:00",
    "2015-09-08 23": "08 23:00:00",
    "2015-09-08T04Z": "08 04:00:00",
    "2015-09-08T04+02": "08 02:00:00",
    "2015-09-08T04-05:30": "08 09:30:00",
    "20150908T0407+0200": "08 02:07:00",
    "20150908T040709Z": "08 04:07:09",
    "2015-09-08": "08 00:00:00",
    "2015-09-08T24": "",
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
