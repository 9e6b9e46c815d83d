"""Trips on disk: one Parquet file per table and one row group per day, so that a day is read alone.

``trips.parquet`` (and ``trips_person.parquet``): date, origin, destination, rank, n, sorted. Large
tables have ``trips_whole.parquet`` (all days added up) and ``trips_distinct.parquet``
(`engine.datasets.distinct`) beside them, written at the same time.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..arrays import Integers
from ..errors import DatasetError
from . import distinct
from .trip_counts import (
    RANK_BUCKET,
    TripCounts,
    Trips,
    concatenate_trips,
    narrow_counts,
    sum_over_days,
    zone_type,
)

TRIP_TABLE_NAMES = ("trips", "trips_person")
MANY_ROWS, MAX_UNCOUNTED_ROWS = 2_000_000, 20_000_000
"""Rows above which the sum of all days, and distinct counts, are stored."""
_ZONE_COLUMNS = ["origin", "destination"]
_MAX_VALUES = 2**53
_PARQUET_OPTIONS: dict[str, Any] = {"compression": "zstd", "compression_level": 9}


def write_trips(
    version: Path, name: str, table: pa.Table, zone_ids: Sequence[str], days: Sequence[date]
) -> None:
    """Write a table of ``date, origin, destination, rank, n``, whatever the order of its rows.

    Of many rows their sum over days, and distinct counts, are written too.
    """
    ids = pa.array(zone_ids, pa.string())
    when = table["date"].cast(pa.date32()).cast(pa.int32()).to_numpy()
    when = when - (days[0] - date(1970, 1, 1)).days
    ends = [find_positions(table[column].cast(pa.string()), ids) for column in _ZONE_COLUMNS]
    if any((end < 0).any() for end in ends):
        raise DatasetError("trips name a zone that is not listed", remedy="build the dataset again")
    ends = [end.astype(zone_type(len(ids))) for end in ends]
    rank, n = table["rank"].to_numpy().astype(np.int16), table["n"].to_numpy()
    order = np.lexsort((rank, ends[1], ends[0], when))
    starts = np.searchsorted(when[order], np.arange(len(days) + 1)).tolist()

    def trips_of_day(day: int) -> TripCounts:
        rows = order[starts[day] : starts[day + 1]]
        that = np.broadcast_to(np.int32(day), rows.shape)
        return TripCounts(that, ends[0][rows], ends[1][rows], rank[rows], n[rows])

    positions, rows = range(len(days)), len(table)
    _write_row_groups(version / f"{name}.parquet", map(trips_of_day, positions), ids, days)
    if rows > MANY_ROWS and len(days) > 1:
        total = trips_of_day(0)
        for day in positions[1:]:
            total = sum_over_days(concatenate_trips([total, trips_of_day(day)]))
        _write_row_groups(version / f"{name}_whole.parquet", [total], ids, days)
    if rows > MAX_UNCOUNTED_ROWS:
        counts = distinct.count_distinct(map(trips_of_day, positions))
        pq.write_table(counts, version / f"{name}_distinct.parquet", **_PARQUET_OPTIONS)


def open_trips(
    version: Path,
    name: str,
    zone_index: Callable[[pa.ChunkedArray], Integers],
    zones: int,
    days: Sequence[date],
) -> Trips:
    """Return the trips of a table; a day is read on request."""
    path, total_path, distinct_path = (
        version / f"{name}{part}.parquet" for part in ("", "_whole", "_distinct")
    )
    file = pq.ParquetFile(path, read_dictionary=_ZONE_COLUMNS, memory_map=True)
    reading = threading.Lock()  # two concurrent readers of one file crash the process
    groups = {
        file.metadata.row_group(i).column(0).statistics.min: i for i in range(file.num_row_groups)
    }

    def counts(table: pa.Table, number: int) -> TripCounts:
        rank, n = table["rank"].to_numpy(), table["n"].to_numpy()
        for values, smallest, largest in ((rank, 1, RANK_BUCKET), (n, 0, _MAX_VALUES)):
            if len(values) and not smallest <= values.min() <= values.max() <= largest:
                raise DatasetError(
                    f"dataset '{version.parent.name}': {name}.parquet holds what cannot be counted",
                    remedy="build the dataset again",
                )
        kind = zone_type(zones)
        origin, destination = (zone_index(table[column]).astype(kind) for column in _ZONE_COLUMNS)
        that = np.broadcast_to(np.int32(number), n.shape)
        return TripCounts(that, origin, destination, rank.astype(np.int16), narrow_counts(n))

    def day(number: int) -> TripCounts:
        group = groups.get(days[number])
        with reading:
            empty = file.schema_arrow.empty_table()
            table = empty if group is None else file.read_row_group(group)
        return counts(table, number)

    if file.metadata.num_rows <= MANY_ROWS:  # 20 MB at most, read for each draw of an evaluation
        day = cache(day)

    def whole() -> TripCounts:
        return counts(pq.read_table(total_path, read_dictionary=_ZONE_COLUMNS), 0)

    total = whole if total_path.is_file() else None
    distinct_counts = (lambda: pq.read_table(distinct_path)) if distinct_path.is_file() else None
    return Trips(len(days), day, total, distinct_counts)


def _write_row_groups(
    path: Path, parts: Iterable[TripCounts], ids: pa.Array, days: Sequence[date]
) -> None:
    columns = {"date": pa.date32(), "origin": pa.string(), "destination": pa.string()}
    schema = pa.schema(columns | {"rank": pa.int16(), "n": pa.int64()})
    with pq.ParquetWriter(path, schema, **_PARQUET_OPTIONS) as writer:
        for part in parts:
            if rows := len(part.trip_count):
                when = pa.repeat(pa.scalar(days[int(part.day[0])], pa.date32()), rows)
                ends = [ids.take(pa.array(end)) for end in (part.origin, part.destination)]
                rest = pa.array(part.rank), pa.array(part.trip_count.astype(np.int64))
                table = pa.table([when, *ends, *rest], schema=schema)
                writer.write_table(table, row_group_size=rows)


def find_positions(ids: pa.ChunkedArray, listed_ids: pa.Array) -> Integers:
    """Return the position of each id among those listed, -1 where it is none of them."""
    encoded = ids.dictionary_encode().combine_chunks()  # look up each id once, not each row
    matches = pc.index_in(encoded.dictionary.cast(pa.string()), value_set=listed_ids)
    positions = np.append(matches.fill_null(-1).to_numpy().astype(np.int64), -1)
    return positions[encoded.indices.fill_null(-1).to_numpy()]
