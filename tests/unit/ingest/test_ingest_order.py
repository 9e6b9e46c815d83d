"""Nothing but the rows decides the aggregates: not their order, their files, threads or memory."""

import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.ingest import counting, engines, ingest
from engine.ingest.inputs.places import Places
from engine.ingest.progress import Monitor
from tests.reference.ingest_inputs import TOWERS, options, table_bytes, write_csv
from tests.support.ingests import TABLES

HEADER = ("uid", "datetime", "location_id")
NAMES = [name for name, _, _ in TOWERS]


@pytest.fixture
def visits() -> list[tuple[str, str, str]]:
    """A few people who come and go, some of them much, with exact duplicates."""
    rng = np.random.default_rng(8)
    rows = []
    for _ in range(3_000):
        at = datetime(2015, 9, 5) + timedelta(minutes=int(rng.integers(0, 12 * 1_440)))
        rows.append((f"p{int(60 * rng.random() ** 3)}", str(at), str(rng.choice(NAMES))))
    return [*rows, *rows[:50]]


def written(folder: Path, rows: list[tuple[str, str, str]], files: int) -> Path:
    """The rows in CSV and Parquet files by turns."""
    folder.mkdir()
    for number in range(files):
        own = rows[number::files]
        if number % 2 == 0:
            write_csv(folder / f"{number}.csv", HEADER, own)
        else:
            columns = dict(zip(HEADER, zip(*own, strict=True), strict=True))
            pq.write_table(pa.table(columns), folder / f"{number}.parquet")
    return folder


def built(folder: Path, name: str, inputs: Path, **changes: Any) -> dict[str, bytes]:
    """The bytes of every table of the dataset, and the account of its rows."""
    asked = options(folder, "visits", [inputs], out=folder / name, max_visits_cap=60, **changes)
    dataset, report = ingest(asked)
    files = {name: b"".join(table_bytes(dataset.folder, name)) for name in TABLES}
    return {**files, "rows": json.dumps(report.to_json()["rows"]).encode()}


@pytest.mark.parametrize(
    ("rows", "files", "bytes_a_row"),
    [
        (1_000, 2, 8_000_000),
        (1_000, 1, 30_000_000),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                (3_050, 1, None),
                (3_050, 5, None),
                (3_050, 5, 10_000_000),
                (20, 1, 2 * 10**10),
            )
        ),
    ],
    ids=[
        "three shares",
        "shares of piles",
        "order",
        "files",
        "ten shares",
        "more shares than people",
    ],
)
def test_order_of_rows_files_threads_and_shares_never_change_a_bit(
    tmp_path: Path,
    visits: list[tuple[str, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    rows: int,
    files: int,
    bytes_a_row: int | None,
) -> None:
    some = visits[:rows]
    expected = built(tmp_path, "one", written(tmp_path / "a", some, 1))
    shuffled = [some[i] for i in np.random.default_rng(9).permutation(len(some))]
    if bytes_a_row is not None:
        monkeypatch.setattr(engines, "BYTES_A_ROW", bytes_a_row)
        monkeypatch.setattr(engines, "BYTES_A_RECORD", bytes_a_row)  # kept in a file
    assert built(tmp_path, "other", written(tmp_path / "b", shuffled, files), threads=2) == expected


def test_trips_that_differ_by_a_border_alone_have_ranks_of_their_own(tmp_path: Path) -> None:
    """Places and times are one, and so is the digest: the order of rows must not decide."""
    cells: Any = shapely.box(np.arange(5), 0, np.arange(5) + 1, 1)
    zones = gpd.GeoDataFrame({"zone_id": [*"ABCDE"]}, geometry=cells, crs=4326)
    towers = gpd.GeoDataFrame({"location_id": ["t"]}, geometry=[cells[0].centroid], crs=4326)
    places = Places(towers, zones, np.zeros(1, dtype=np.int32))
    day = date(1970, 1, 1)
    found: list[list[Any]] = []
    for order in (range(4), reversed(range(4))):
        alike = {"start": 10, "finish": 20, "origin": 0, "destination": 0, "destination_zone": 4}
        rows = [{"reason": 0, "uid": "p", **alike, "origin_zone": zone} for zone in order]
        engine = engines.DuckDB(Monitor(), tmp_path)
        engine.put("every", pa.Table.from_pylist(rows))
        monitor = Monitor()
        monitor.plan([*counting.TRIPS])
        run = counting.Run(engine, monitor, places, day, day, "salt", 840)
        tables = counting.trips(run, len(rows), measured=False).tables
        found.append([tables[name].sort_by("rank") for name in ("trips", "trips_person")])
        engine.close()
    assert found[0] == found[1]
