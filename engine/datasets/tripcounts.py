"""Counted trips, read piece by piece into the smallest types that hold them.

A year between 421 districts has 26 million rows: 260 MB here, and several times as much if the
table were read whole and turned into wide integers afterwards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..arrays import Integers
from ..parameters import MAX_TRIPS_LIMIT

RANK_BUCKET = MAX_TRIPS_LIMIT + 1
"""The rank under which all trips of a higher rank than 256 are counted together."""

_ROWS_AT_ONCE = 2**18


@dataclass(frozen=True)
class TripCounts:
    """Counted trips in coordinate form, sorted by day, origin, destination and rank.

    Types are as small as the largest number allows: widen before multiplying or subtracting.

    Attributes
    ----------
    day, origin, destination : (rows,) integer arrays
        Index into the dataset's days and zones.
    rank : (rows,) int16 array
        Random rank 1, 2, … of the trip within its person-day (or person); `RANK_BUCKET` stands
        for all ranks above 256.
    n : (rows,) integer array
        True number of trips.
    """

    day: NDArray[np.integer]
    origin: NDArray[np.integer]
    destination: NDArray[np.integer]
    rank: NDArray[np.int16]
    n: NDArray[np.integer]


def read_trip_counts(
    path: Path,
    *,
    first_day: date,
    days: int,
    zones: int,
    zone_index: Callable[[pa.ChunkedArray], Integers],
) -> TripCounts:
    """Return the rows of ``trips.parquet`` or ``trips_person.parquet``; day 0 is `first_day`.

    Raises
    ------
    pyarrow.ArrowInvalid, OSError
        If the file cannot be read.
    """
    zone_type = np.uint16 if zones <= 2**16 else np.int32
    start = pa.scalar(first_day, pa.date32())
    with pq.ParquetFile(path, read_dictionary=["origin", "destination"]) as file:
        rows = file.metadata.num_rows
        counts = TripCounts(
            day=np.empty(rows, dtype=np.int16 if days <= 2**15 else np.int32),
            origin=np.empty(rows, dtype=zone_type),
            destination=np.empty(rows, dtype=zone_type),
            rank=np.empty(rows, dtype=np.int16),
            n=np.empty(rows, dtype=_count_type(file)),
        )
        done = 0
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            part = slice(done, done + batch.num_rows)
            table = pa.Table.from_batches([batch])
            counts.day[part] = pc.days_between(start, table["date"].cast(pa.date32())).to_numpy()
            counts.origin[part] = zone_index(table["origin"])
            counts.destination[part] = zone_index(table["destination"])
            counts.rank[part] = table["rank"].to_numpy()
            counts.n[part] = table["n"].to_numpy()
            done = part.stop
    pa.default_memory_pool().release_unused()
    for values in vars(counts).values():
        values.flags.writeable = False
    return counts


def _count_type(file: pq.ParquetFile) -> type[np.integer]:
    """Return the smallest type that holds the largest count, which the file states."""
    column = file.schema_arrow.get_field_index("n")
    groups = [file.metadata.row_group(i).column(column) for i in range(file.num_row_groups)]
    if not all(group.is_stats_set and group.statistics.has_min_max for group in groups):
        return np.int64
    largest = max((group.statistics.max for group in groups), default=0)
    least = min((group.statistics.min for group in groups), default=0)
    for kind in (np.uint16, np.int32):
        if np.iinfo(kind).min <= least and largest <= np.iinfo(kind).max:
            return kind
    return np.int64
