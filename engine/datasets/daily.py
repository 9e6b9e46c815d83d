"""Trips on disk, one Arrow file a day: mapped into memory, so that whoever reads it shares it.

Layout of a table (``trips``, ``trips_person``) in a version's folder::

    trips_days.parquet           what is in the folder: file, date, rows, trips, bytes, sha256
    trips/2024-01-01.arrow       origin, destination (dictionaries of all zones), rank, n, sorted
    trips/total.arrow            the same, all days added up
    trips/tallies.arrow          distinct counts of all days, where those are many

Sizes are checked when a dataset is opened, checksums and contents of a file when it is first read.
A day's file depends on that day alone: days that are added later leave it as it is.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import DatasetError
from . import tallies
from .storage import sha256
from .tripcounts import RANK_BUCKET, TripCounts, Trips, added_up, count_type, together, zone_type

NAMES = ("trips", "trips_person")
TOTAL, TALLIES = "total.arrow", "tallies.arrow"
MOST_UNTALLIED = 20_000_000
"""Rows of all days above which tallies are kept; fewer are counted in a second or two."""
_MOST = 2**53
_DAYS_AT_ONCE = 16
_SCHEMA = pa.schema(
    {
        "file": pa.string(),
        "date": pa.date32(),
        "rows": pa.int64(),
        "trips": pa.int64(),
        "bytes": pa.int64(),
        "sha256": pa.string(),
    }
)


class File(NamedTuple):
    """One line of the index."""

    file: str
    date: date | None
    rows: int
    trips: int
    bytes: int
    sha256: str


def index_name(name: str) -> str:
    """Return the file that lists the files of a table."""
    return f"{name}_days.parquet"


def read_index(version: Path, name: str) -> dict[str, File]:
    """Return the files of a table by name; raise `DatasetError` unless they are there, whole."""
    try:
        lines = pq.read_table(version / index_name(name), schema=_SCHEMA).to_pylist()
        files = {line["file"]: File(**line) for line in lines}
        there = {path.name: path.stat().st_size for path in (version / name).iterdir()}
    except (OSError, pa.ArrowException, TypeError) as error:
        raise _damaged(version, name) from error
    for wrong in sorted({file.file: file.bytes for file in files.values()}.items() ^ there.items()):
        raise _damaged(version, f"{name}/{wrong[0]}")
    return files


class Writer:
    """Writes days of a table into a new version, and what is kept of them together."""

    def __init__(self, version: Path, name: str, zone_ids: Sequence[str]) -> None:
        self._folder, self._index = version / name, version / index_name(name)
        self._ids = pa.array(zone_ids, pa.string())
        self._files: list[File] = []
        self._days: list[TripCounts] = []
        self._totals: list[TripCounts] = []
        self._tallied: list[pa.Table] = []
        self._untallied: list[str] = []
        self._folder.mkdir(mode=0o700)

    def add(self, day: date, counts: TripCounts) -> None:
        """Write the rows of one day, sorted by origin, destination and rank."""
        name = f"{day.isoformat()}.arrow"
        self._write(name, day, self._columns(counts), counts.n)
        self._untallied.append(name)
        self._days.append(counts)
        if len(self._days) >= _DAYS_AT_ONCE:
            self._condense()

    def take(self, version: Path, trips: Trips) -> None:
        """Take over the days of another version: their files are linked, or copied, as they are."""
        name = self._folder.name
        for file in read_index(version, name).values():
            if file.date is not None:
                link(version / name / file.file, self._folder / file.file)
                self._files.append(file)
                if trips.tallies is None:
                    self._untallied.append(file.file)
        self._totals.append(trips.summed(range(trips.days)))
        if trips.tallies is not None:
            self._tallied.append(trips.tallies())

    def close(self) -> None:
        """Write what is kept of all days, and the index."""
        self._condense()
        total = self._totals[0]
        if sum(file.rows for file in self._files) > MOST_UNTALLIED:
            self._write(TALLIES, None, self._tallies(), np.zeros(0, dtype=np.int64))
        self._write(TOTAL, None, self._columns(total), total.n)
        self._files.sort(key=lambda file: file.file)
        lines = {name: [getattr(file, name) for file in self._files] for name in _SCHEMA.names}
        pq.write_table(pa.table(lines, schema=_SCHEMA), self._index, compression="zstd")

    def _condense(self) -> None:
        self._totals = [added_up(together([*self._totals, *self._days]))]
        self._days = []

    def _tallies(self) -> pa.Table:
        parts = self._tallied
        for name in self._untallied:
            rows = _counts(read_arrow(self._folder / name), 0, self._ids)
            parts.append(tallies.of_day(rows))
            if len(parts) > _DAYS_AT_ONCE:
                parts = [tallies.merged(parts)]
        return tallies.merged(parts)

    def _columns(self, counts: TripCounts) -> pa.Table:
        kind = zone_type(len(self._ids))
        n = count_type(int(counts.n.min(initial=0)), int(counts.n.max(initial=0)))
        return pa.table(
            {
                "origin": pa.DictionaryArray.from_arrays(counts.origin.astype(kind), self._ids),
                "destination": pa.DictionaryArray.from_arrays(
                    counts.destination.astype(kind), self._ids
                ),
                "rank": counts.rank.astype(np.int16),
                "n": counts.n.astype(n),
            }
        )

    def _write(self, name: str, day: date | None, table: pa.Table, n: Any) -> None:
        path = self._folder / name
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        size, trips = path.stat().st_size, int(n.sum(dtype=np.int64))
        self._files.append(File(name, day, len(table), trips, size, sha256(path)))


def write(
    version: Path, name: str, table: pa.Table, zone_ids: Sequence[str], days: Iterable[date]
) -> None:
    """Write a table of ``date, origin, destination, rank, n`` by day; its order never matters."""
    writer = Writer(version, name, zone_ids)
    for day, counts in by_day(table, zone_ids, days):
        writer.add(day, counts)
    writer.close()


def by_day(
    table: pa.Table, zone_ids: Sequence[str], days: Iterable[date]
) -> Iterator[tuple[date, TripCounts]]:
    """Yield the rows of each day of ``date, origin, destination, rank, n``, sorted."""
    ids = pa.array(zone_ids, pa.string())
    ends = [_positions(table[column], ids) for column in ("origin", "destination")]
    when = table["date"].cast(pa.date32()).cast(pa.int32()).to_numpy()
    rank, n = table["rank"].to_numpy(), table["n"].to_numpy()
    order = np.lexsort((rank, ends[1], ends[0], when))
    ordered = when[order]
    for number, day in enumerate(days):
        since = (day - date(1970, 1, 1)).days
        rows = order[slice(*np.searchsorted(ordered, [since, since + 1]).tolist())]
        days_of = np.broadcast_to(np.int32(number), rows.shape)
        yield day, TripCounts(days_of, ends[0][rows], ends[1][rows], rank[rows], n[rows])


def opened(version: Path, name: str, zone_ids: Sequence[str], first_day: date, days: int) -> Trips:
    """Return the trips of a table; each file is mapped, and checked when it is first read."""
    folder, files = version / name, read_index(version, name)
    ids, checked = pa.array(zone_ids, pa.string()), set[str]()

    def table(file: str) -> pa.Table:
        if file not in files:
            raise _damaged(version, f"{name}/{file}")
        try:
            if file not in checked and sha256(folder / file) != files[file].sha256:
                raise _damaged(version, f"{name}/{file}")
            return read_arrow(folder / file)
        except (OSError, pa.ArrowException) as error:
            raise _damaged(version, f"{name}/{file}") from error

    def counts(file: str, day: int) -> TripCounts:
        columns = table(file)
        try:
            rows = _counts(columns, day, ids)
        except (pa.ArrowException, ValueError, TypeError, KeyError, AttributeError) as error:
            raise _damaged(version, f"{name}/{file}") from error
        if file not in checked and not _countable(rows, len(ids)):
            raise _damaged(version, f"{name}/{file}")
        checked.add(file)
        return rows

    def day(number: int) -> TripCounts:
        return counts(f"{(first_day + timedelta(days=number)).isoformat()}.arrow", number)

    rows = sum(file.rows for file in files.values() if file.date is not None)
    kept = (lambda: table(TALLIES)) if TALLIES in files else None
    return Trips(days, rows, day, lambda: counts(TOTAL, 0), kept)


def read_arrow(path: Path) -> pa.Table:
    """Return the table of an Arrow file, mapped into memory."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def _counts(table: pa.Table, day: int, ids: pa.Array) -> TripCounts:
    table = table.combine_chunks()
    columns: list[Any] = []
    for name in ("origin", "destination", "rank", "n"):
        chunks = table[name].chunks
        column = chunks[0] if chunks else pa.array([], table.schema.field(name).type)
        if column.null_count:
            raise ValueError(name)
        if name in ("origin", "destination"):
            if chunks and not column.dictionary.equals(ids):
                raise ValueError(name)
            column = column.indices
        columns.append(column.to_numpy(zero_copy_only=True))
    return TripCounts(np.broadcast_to(np.int32(day), columns[0].shape), *columns)


def _countable(counts: TripCounts, zones: int) -> bool:
    """Whether every number lies where it can be looked up and counted."""
    limits = ((counts.origin, 0, zones - 1), (counts.destination, 0, zones - 1))
    return all(
        values.dtype.kind in "iu" and low <= values.min() and values.max() <= high
        for values, low, high in (*limits, (counts.rank, 1, RANK_BUCKET), (counts.n, 0, _MOST))
        if len(values)
    )


def _damaged(version: Path, file: str) -> DatasetError:
    return DatasetError(
        f"dataset '{version.parent.name}': {file} is missing, was changed or cut short, or holds "
        "what cannot be counted",
        remedy="build the dataset again or restore it from a copy",
        code="damaged",
    )


def link(old: Path, new: Path) -> None:
    """Let `new` be the file `old`; a copy where the file system has no links."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)


def _positions(values: pa.ChunkedArray, ids: pa.Array) -> Any:
    encoded = values.dictionary_encode().combine_chunks()
    where = pc.index_in(encoded.dictionary.cast(pa.string()), value_set=ids).fill_null(-1)
    rows = where.to_numpy()[encoded.indices.to_numpy()]
    if values.null_count or (rows < 0).any():
        raise DatasetError("trips name a zone that is not listed; build the dataset again")
    return rows.astype(zone_type(len(ids)))
