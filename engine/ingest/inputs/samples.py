"""The first rows of a raw table as text, which are confidential."""

import csv
import gzip
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError
from engine.ingest.inputs import sources
from engine.ingest.inputs.sources import Source


def first_rows(source: Source, rows: int) -> list[list[str]]:
    """Return at most `rows` first rows, of a CSV file out of its first megabyte."""
    return _parquet_rows(source, rows) if source.format == "parquet" else _csv_rows(source, rows)


def _csv_rows(source: Source, rows: int) -> list[list[str]]:
    with gzip.open(source.path) if source.packed else source.path.open("rb") as handle:
        head = handle.read(sources.HEAD_BYTES)
    text = sources.decoded(source.name, head, source.encoding)
    lines = io.StringIO(text.lstrip("\r\n"), newline="")
    reader = csv.reader(lines, delimiter=source.delimiter)
    try:
        next(reader)
        return [row for row, _number in zip(reader, range(rows), strict=False)]
    except csv.Error:
        raise InputError(
            f"{source.name}: a value near the beginning is longer than "
            f"{csv.field_size_limit():,} characters",
            remedy="check the mark between the columns and the quotes",
            code="long-value",
            settings=("delimiter",),
        ) from None


def _parquet_rows(source: Source, rows: int) -> list[list[str]]:
    try:
        with pq.ParquetFile(source.path) as file:
            batch = next(file.iter_batches(batch_size=rows))
    except (pa.ArrowException, OSError, StopIteration):
        raise InputError(f"{source.name}: the Parquet file is damaged; export it again") from None
    texts = [_texts(column) for column in batch.slice(0, rows).columns]
    return [list(row) for row in zip(*texts, strict=True)]


def _texts(column: Any) -> list[str]:
    try:
        values = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:  # of lists and the like, which no mapping takes
        values = [f"({column.type})"] * len(column)
    return ["" if value is None else str(value) for value in values]
