"""Ingests of small tables in one line: what is built, what is refused, what is typed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.datasets import Dataset
from engine.errors import InputError
from engine.ingest import IngestReport, ingest
from tests.reference.ingest_inputs import trip_options, write_csv, write_towers

HEADER = ("uid", "datetime", "origin", "destination")
ROWS = (("p1", "2015-09-07 08:00:00", "A", "B"),)
Rows = Iterable[Sequence[Any]]
TABLES = (
    *("truth", "presampled", "single_visit", "homes", "trips", "trips_person", "report"),
    *("zoom_towers", "zoom_districts", "zoom_city", "zoom_weeks", "zoom_total"),
)
"""All that is counted of people."""
BOTH = {"parts": ("density", "trips")}


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
    header: Sequence[str] = HEADER,
    **changes: Any,
) -> tuple[Dataset, IngestReport]:
    """Ingest files, or rows out of ``t.csv``; trips alone unless `parts` say otherwise."""
    paths = [
        table if isinstance(table, Path) else write_csv(folder / "t.csv", header, table)
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
