"""Small look-alike inputs, and their ingests in one line: built, refused, typed."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.datasets import Dataset
from engine.errors import InputError
from engine.ingest import IngestOptions, IngestReport, ingest

MONDAY = date(2015, 9, 7)
SALT = "test"
TOWERS = (
    ("A", 20.670, -103.350),
    ("B", 20.680, -103.360),
    ("C", 20.690, -103.340),
    ("D", 20.660, -103.370),
)
NUMBER = {name: number for number, (name, _, _) in enumerate(TOWERS)}
HEADER = ("uid", "datetime", "origin", "destination")
TIMES = ("uid", "datetime", "end_datetime", "origin", "destination")
VISITS = ("uid", "datetime", "location_id")
FLOWS = ("origin", "destination", "flow")
HEADERS = {"trips": HEADER, "rides": HEADER, "visits": VISITS, "flows": FLOWS}
ROWS = (("p1", "2015-09-07 08:00:00", "A", "B"),)
Rows = Iterable[Sequence[Any]]
TABLES = (
    *("truth", "presampled", "single_visit", "homes", "trips", "trips_person", "report"),
    *("zoom_towers", "zoom_districts", "zoom_city", "zoom_weeks", "zoom_total"),
)
"""All that is counted of people."""
BOTH = {"parts": ("density", "trips")}


def squares(count: int = 4, **columns: Any) -> gpd.GeoDataFrame:
    """Zones side by side, 0.02° wide, and their columns."""
    shapes = [shapely.box(-103.4 + x / 50, 20.6, -103.38 + x / 50, 20.7) for x in range(count)]
    columns = columns or {"zone_id": [f"z{number}" for number in range(count)]}
    return gpd.GeoDataFrame(columns, geometry=shapes, crs=4326)


def write_zones(folder: Path, count: int = 4, ending: str = "geojson", **columns: Any) -> Path:
    squares(count, **columns).to_file(folder / f"z.{ending}")
    return folder / f"z.{ending}"


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def write_trips(path: Path, trips: Sequence[tuple[Any, ...]]) -> Path:
    """Write trips (person, start, length in seconds or None, origin, destination) as Parquet."""
    people, starts, lengths, origins, ends = zip(*trips, strict=True)
    stops = [None if n is None else at + n for at, n in zip(starts, lengths, strict=True)]
    columns = {
        "uid": people,
        "datetime": pa.array(starts, pa.int64()),
        "end_datetime": pa.array(stops, pa.int64()),
        "origin": origins,
        "destination": ends,
    }
    pq.write_table(pa.table(columns), path)
    return path


def write_towers(folder: Path) -> Path:
    return write_csv(folder / "towers.csv", ("location_id", "lat", "lng"), TOWERS)


def options(folder: Path, kind: str, inputs: Sequence[Path], **changes: Any) -> IngestOptions:
    settings: dict[str, Any] = {
        "kind": kind,
        "inputs": tuple(str(path) for path in inputs),
        "out": folder / "city",
        "time_zone": "America/Mexico_City",
        "first_day": date(2015, 9, 1),
        "last_day": date(2015, 9, 30),
        "salt": SALT,
    }
    if "zones" not in changes:
        settings["locations"] = write_towers(folder)
    return IngestOptions(**{**settings, **changes})


def trip_options(folder: Path, kind: str, inputs: Sequence[Path], **changes: Any) -> IngestOptions:
    """The same without a density, which takes half of the time."""
    return options(folder, kind, inputs, **{"parts": ("trips",), **changes})


def table(dataset_folder: Path, name: str) -> dict[tuple[Any, ...], int]:
    """Read a table of a dataset as {key: n}."""
    rows = pq.read_table(dataset_folder / f"{name}.parquet").to_pylist()
    counts = {tuple(v for k, v in row.items() if k != "n"): row["n"] for row in rows}
    assert len(counts) == len(rows)
    return counts


def flows_of(dataset: Dataset) -> Counter[tuple[str, str]]:
    """Count trips by origin and destination, of all days and ranks."""
    counts: Counter[tuple[str, str]] = Counter()
    for (_day, origin, destination, _rank), n in table(dataset.folder, "trips").items():
        counts[origin, destination] += n
    return counts


def table_bytes(dataset_folder: Path, name: str) -> bytes:
    return (dataset_folder / f"{name}.parquet").read_bytes()


def write_parquet(path: Path, rows: int = 2, **columns: Any) -> Path:
    """Write trips of different people from A to B, with some columns as they are given."""
    times = [1_441_612_800 + 60 * i for i in range(rows)]
    given = {"uid": [f"p{i}" for i in range(rows)], "datetime": times}
    given |= {"origin": ["A"] * rows, "destination": ["B"] * rows, **columns}
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(given), path)
    return path


def built(
    folder: Path,
    *tables: Path | Rows,
    kind: str = "trips",
    header: Sequence[str] = (),
    **changes: Any,
) -> tuple[Dataset, IngestReport]:
    """Ingest files, or rows out of ``t.csv``; trips alone unless `parts` say otherwise."""
    paths = [
        table
        if isinstance(table, Path)
        else write_csv(folder / "t.csv", header or HEADERS[kind], table)
        for table in tables or (ROWS,)
    ]
    return ingest(trip_options(folder, kind, paths, **changes))


def refused(folder: Path, words: str, *tables: Path | Rows, **how: Any) -> InputError:
    """Return the error of an ingest that is refused in such `words`; nothing was written."""
    with pytest.raises(InputError, match=words) as caught:
        built(folder, *tables, **how)
    assert not (folder / "city").exists()
    return caught.value


def arguments(folder: Path, *more: str, table: str = "t.csv", kind: str = "trips") -> list[str]:
    """Return what is typed to ingest a table into the folder ``city``."""
    places = ("--locations", str(write_towers(folder)))
    return [
        *(kind, str(folder / table), *places, "--out", str(folder / "city")),
        *("--timezone", "America/Mexico_City", "--from", "2015-09-01", "--to", "2015-09-30"),
        *more,
    ]
