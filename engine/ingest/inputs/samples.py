"""The first rows of a raw table as text, which are confidential."""

import csv
import gzip
import io
from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from . import sources
from .sources import Source

LONGEST_TEXT = 1_000
"""Bytes of a value, on average, beyond which a column holds no ids, times or numbers."""


def first_rows(source: Source, rows: int, needed: Collection[str] = ()) -> list[list[str]]:
    """Return at most `rows` first rows, of a CSV file out of its first megabyte.

    Of `needed` columns one that holds no text is an error; of others a note in brackets stands for
    the value.

    Raises
    ------
    InputError
        If the file is damaged, or a needed column is not in it, not UTF-8 or far too long.
    """
    check_columns(source, needed)
    if source.format == "csv":
        return _csv_rows(source, rows)
    return _parquet_rows(source, rows, needed)


def check_columns(source: Source, needed: Collection[str]) -> None:
    """Refuse needed columns that are not there, or far longer than an id, a time or a number."""
    for column in needed:
        if column not in source.columns:
            raise InputError(
                f"{source.name}: column '{sources.shown(column)}' is missing",
                remedy="choose another column, or read this file on its own",
                code="column-missing",
                settings=("mapping",),
            )
        if source.widths and (width := source.widths[source.columns.index(column)]) > LONGEST_TEXT:
            raise InputError(
                f"{source.name}: column '{sources.shown(column)}' takes {width:,} bytes a row; "
                f"ids, times and numbers take at most {LONGEST_TEXT:,}",
                remedy="choose another column",
                code="long-value",
                settings=("mapping",),
            )


def _csv_rows(source: Source, rows: int) -> list[list[str]]:
    head = source.head
    if not source.addresses:
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


def _parquet_rows(source: Source, rows: int, needed: Collection[str]) -> list[list[str]]:
    batch = (_beginning(source, rows) if source.sample is None else source.sample).slice(0, rows)
    texts: list[list[str]] = []
    for name in source.columns:
        if name not in batch.schema.names:
            texts.append(["(long values)"] * batch.num_rows)
            continue
        try:
            texts.append(_texts(batch.column(name)))
        except UnicodeDecodeError:
            if name in needed:
                raise InputError(
                    f"{source.name}: column '{sources.shown(name)}' holds text that is not UTF-8",
                    remedy="export it again as UTF-8",
                    code="encoding",
                ) from None
            texts.append(["(not UTF-8)"] * batch.num_rows)
    return [list(row) for row in zip(*texts, strict=True)]


def _beginning(source: Source, rows: int) -> Any:
    fit = [
        column
        for column, width in zip(source.columns, source.widths, strict=True)
        if width <= LONGEST_TEXT
    ]
    try:
        with pq.ParquetFile(source.path) as file:
            return next(file.iter_batches(batch_size=rows, columns=fit))
    except (pa.ArrowException, OSError, StopIteration):
        raise InputError(f"{source.name}: the Parquet file is damaged; export it again") from None


def _texts(column: Any) -> list[str]:
    try:
        values = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:  # of lists and the like, which no mapping takes
        values = [f"({column.type})"] * len(column)
    return ["" if value is None else str(value) for value in values]
