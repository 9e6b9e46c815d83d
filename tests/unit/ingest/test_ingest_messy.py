"""Look-alikes of real files: each becomes the same dataset, or gets one message that mends it."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.errors import InputError
from engine.ingest.options import Reading
from tests.support import ingests
from tests.support.ingests import built, table
from tests.support.messy_files import HEADER, MESSY, Row, dated, instant, lines, trips

QUICK = ("windows", "utf16", "american", "split_hour", "taxi_comma")
"""What the ordinary run reads: each goes through another branch of the reading."""


@pytest.fixture(scope="module")
def expected() -> dict[tuple[date, str, str], int]:
    counts: dict[tuple[date, str, str], int] = {}
    for _, at, origin, destination in trips():
        key = (at.date(), origin, destination)
        counts[key] = counts.get(key, 0) + 1
    return counts


def counted(folder: Path) -> dict[tuple[date, str, str], int]:
    result: dict[tuple[date, str, str], int] = {}
    for (day, origin, destination, _rank), n in table(folder, "trips").items():
        result[day, origin, destination] = result.get((day, origin, destination), 0) + n
    return result


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in MESSY],
)
def test_a_messy_file_becomes_the_same_dataset(
    tmp_path: Path, name: str, expected: dict[tuple[date, str, str], int]
) -> None:
    path = tmp_path / f"{name}.csv"
    path.write_bytes(MESSY[name])
    dataset, report = built(tmp_path, path)
    assert counted(dataset.folder) == expected
    assert report.people_with_trips == 7


def refused(folder: Path, contents: bytes) -> InputError:
    path = folder / "messy.csv"
    path.write_bytes(contents)
    return ingests.refused(folder, "messy.csv", path)


def test_dates_that_can_be_two_days_are_asked_never_taken(tmp_path: Path) -> None:
    early = "uid,datetime,origin,destination\n1,03/04/2016 08:00,A,B\n2,05/04/2016 09:00,B,C\n"
    error = refused(tmp_path, early.encode())
    assert error.code == "ambiguous-dates"
    assert error.settings == ("date_order",)
    for order, day in (("dmy", date(2016, 4, 3)), ("mdy", date(2016, 3, 4))):
        year = {"first_day": date(2016, 1, 1), "last_day": date(2016, 12, 31)}
        how = {**year, "reading": Reading(date_order=order), "out": tmp_path / order}
        dataset, _ = built(tmp_path, tmp_path / "messy.csv", **how)
        assert min(key[0] for key in counted(dataset.folder)) == day


@pytest.mark.parametrize("quoted", [False, True])
def test_mixed_line_ends_are_read(tmp_path: Path, expected: Any, quoted: bool) -> None:
    head, *rows = lines(dated("%Y-%m-%d %H:%M:%S")).splitlines()
    if quoted:
        rows = [f'"{row.split(",")[0]}"' + row[row.index(",") :] for row in rows]
    above = "Trips of the city"
    path = tmp_path / "mixed.csv"
    text = "\r\n".join([above, head, *rows[:20]]) + "\r\n" + "\n".join(rows[20:]) + "\r"
    path.write_bytes(text.encode())
    dataset, _ = built(tmp_path, path, reading=Reading(skip_rows=1))
    assert counted(dataset.folder) == expected


def test_times_in_another_zone_are_moved(tmp_path: Path, expected: Any) -> None:
    def utc(row: Row) -> list[Any]:
        moment = datetime.fromtimestamp(instant(row[1]), UTC)
        return [row[0], moment.strftime("%Y-%m-%d %H:%M:%S"), row[2], row[3]]

    path = tmp_path / "utc.csv"
    path.write_text(lines(utc), encoding="utf-8")
    dataset, _ = built(tmp_path, path, reading=Reading(text_time_zone="UTC"))
    assert counted(dataset.folder) == expected


def test_a_file_in_utc_beside_one_in_local_time_is_refused(tmp_path: Path) -> None:
    for name, header in (("a", "datetime"), ("b", "utc time")):
        rows = f"uid,{header},origin,destination\n1,2015-09-07 20:00,A,B\n"
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    for files in ((first, second), (second, first)):
        error = ingests.refused(tmp_path, "is not written as the times of", *files)
        assert error.settings == ("text_time_zone",)
    built(tmp_path, second)


def test_thousands_and_decimals_of_flows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    late = "A;B;12\n" * 2_500 + "B;C;1.234\n"
    (tmp_path / "late.csv").write_text("origin;destination;flow\n" + late, encoding="utf-8")
    with pytest.raises(InputError, match="can be a thousand or one and a fraction"):
        built(tmp_path, tmp_path / "late.csv", kind="flows")
    path.write_text("origin;destination;flow\nA;B;1.234\nB;C;12\n", encoding="utf-8")
    with pytest.raises(InputError, match="can be a thousand or one and a fraction"):
        built(tmp_path, path, kind="flows")  # it was read as one trip
    reading = Reading(decimal=",", thousands=".")
    dataset, _ = built(tmp_path, path, kind="flows", reading=reading)
    assert sorted(counted(dataset.folder).values()) == [12, 1234]


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_parquet_nanoseconds_are_read_and_cut_off(
    tmp_path: Path, expected: Any, zone: str | None
) -> None:
    rows = trips()
    columns = dict(zip(HEADER, zip(*rows, strict=True), strict=True))
    # just before midnight: rounded up, the trip would count on the day after
    late = [r[1].replace(hour=23, minute=59, second=59) for r in rows]
    times = late if zone is None else [datetime.fromtimestamp(instant(at), UTC) for at in late]
    numbers = [int(at.replace(tzinfo=UTC).timestamp()) * 10**9 + 999_999_999 for at in times]
    columns["datetime"] = pa.array(numbers, pa.timestamp("ns", tz=zone))
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert counted(built(tmp_path, tmp_path / "t.parquet")[0].folder) == expected


def test_more_zones_than_can_be_shown_are_offered_coarser(tmp_path: Path) -> None:
    west, south = np.divmod(np.arange(72**2), 72)
    cells: Any = shapely.box(west / 1_000, south / 1_000, (west + 1) / 1_000, (south + 1) / 1_000)
    names = [f"P{i}" for i in range(len(cells))]
    gpd.GeoDataFrame({"zone_id": names}, geometry=cells, crs=4326).to_parquet(
        tmp_path / "z.parquet"
    )
    rows = [("a", "2015-09-07 08:00", f"P{i}", "P7") for i in range(0, 5_000, 100)]
    zones = tmp_path / "z.parquet"
    error = ingests.refused(tmp_path, "5,184 zones, more than 5,000", rows, zones=zones)
    assert error.code == "too-fine"
    assert "hexagon_m" in error.settings
    dataset, report = built(tmp_path, rows, zones=zones, hexagon_m=2_000)
    assert 10 < len(dataset.zones) < 60
    assert report.rows.read == 50
