# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""A first look at a raw table, for mapping its columns. **Confidential**: it shows rows."""

import csv
import gzip
import io
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError
from engine.ingest.inputs import mapping, sources

LONGEST_VALUE = 80


@dataclass(frozen=True)
class Preview:
    """What a person needs to map columns.

    Attributes
    ----------
    source : Source
        Format, encoding, columns and size of the file.
    mapping : dict of str to str
        Guessed columns by canonical name.
    required, optional : tuple of str
        Canonical columns of this kind of table.
    rows : list of list of str
        The first rows as text, long values cut; empty strings for nulls.
    """

    source: sources.Source
    mapping: dict[str, str]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    rows: list[list[str]]


def preview(kind: str, path: Path, rows: int = 10, encoding: str | None = None) -> Preview:
    """Look at the first `rows` of one raw table and guess its columns.

    Parameters
    ----------
    kind : str
        ``trips``, ``visits``, ``flows`` or ``locations``.
    path : Path
        CSV, CSV.gz or Parquet.
    rows : int
        How many rows to show.
    encoding : str or None
        As in `IngestOptions`.

    Raises
    ------
    InputError
        If the file is empty, no table or not what it claims to be.
    """
    source = sources.inspect(path, encoding)
    shown = _parquet_rows(source, rows) if source.format == "parquet" else _csv_rows(source, rows)
    return Preview(
        source,
        mapping.guess(kind, source.columns),
        mapping.REQUIRED[kind],
        mapping.OPTIONAL[kind],
        [[_short(value) for value in row] for row in shown],
    )


def _csv_rows(source: sources.Source, rows: int) -> list[list[str]]:
    with gzip.open(source.path) if source.packed else source.path.open("rb") as handle:
        head = handle.read(sources.HEAD_BYTES)
    encoding = "utf-8-sig" if source.encoding == "utf-8" else source.encoding
    reader = csv.reader(
        io.StringIO(head.decode(encoding, errors="ignore")), delimiter=source.delimiter
    )
    try:
        next(reader)
        return [row for row, _number in zip(reader, range(rows), strict=False)]
    except csv.Error:
        raise InputError(
            f"{source.name}: a value near the beginning is longer than "
            f"{csv.field_size_limit():,} characters; check the delimiter and the quotes"
        ) from None


def _parquet_rows(source: sources.Source, rows: int) -> list[list[str]]:
    try:
        with pq.ParquetFile(source.path) as file:
            batch = next(file.iter_batches(batch_size=rows))
    except (pa.ArrowException, OSError, StopIteration):
        raise InputError(f"{source.name}: the Parquet file is damaged; export it again") from None
    lines = batch.slice(0, rows).to_pylist()
    return [["" if v is None else str(v) for v in line.values()] for line in lines]


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
