"""Ways in which publishers write times, numbers, names and ids, each read as it is meant."""

import duckdb
import pytest

from engine.ingest.inputs import guess
from engine.ingest.options import Reading
from engine.ingest.rows import Reader


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
