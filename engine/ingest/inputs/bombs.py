"""Bombs: small files that unpack to more than any table holds, told before they are read."""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...errors import InputError

LONGEST_LINE = 1_000_000
MOST_UNPACKED = 1_000_000_000
LARGEST_RATIO = 1_000
LARGEST_PACKING = 100
_PACKED_HEAD = 4_000_000
_PACKED_PIECE = 16_384
_UNPACKED_PIECE = 1_000_000


def check_unpacked(name: str, path: Path, metadata: pq.FileMetaData) -> None:
    """Refuse a Parquet bomb: rows × width of the columns, told before a row is read.

    A dictionary holds a long text once for any number of rows. Where the file's statistics do not
    say how long its texts are, the first dictionary of a suspect column does.
    """
    size = path.stat().st_size
    most = max(MOST_UNPACKED, LARGEST_RATIO * size)
    unpacked = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for index in range(group.num_columns):
            column = group.column(index)
            width = 8
            if column.physical_type == "BYTE_ARRAY":
                longest = _largest(column)
                if isinstance(longest, str | bytes):
                    width = len(longest)
                elif group.num_rows * column.total_uncompressed_size > most:
                    width = _first_width(path, number, metadata.schema.column(index).path)
            unpacked += max(group.num_rows * width, column.total_uncompressed_size)
    if unpacked > most:
        raise InputError(
            f"{name}: {metadata.num_rows:,} rows would unpack to {unpacked:,} bytes, more than "
            f"{LARGEST_RATIO:,} times the file's size; no real table does: export it again"
        )


def _largest(column: pq.ColumnChunkMetaData) -> object:
    """Return the largest value that the file states; None where it states none, or no UTF-8."""
    try:
        return column.statistics.max if column.is_stats_set else None
    except UnicodeDecodeError:  # told where the column is read
        return None


def mean_widths(metadata: pq.FileMetaData, columns: Sequence[str]) -> tuple[int, ...]:
    """Return how many bytes a value of each of `columns` takes on average, lists and all."""
    totals = dict.fromkeys(columns, 0)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for index in range(group.num_columns):
            path = group.column(index).path_in_schema
            name = path if path in totals else path.partition(".")[0]
            if name in totals:
                totals[name] += group.column(index).total_uncompressed_size
    return tuple(total // max(metadata.num_rows, 1) for total in totals.values())


def _first_width(path: Path, group: int, column: str) -> int:
    """Return the length of the longest text in the first dictionary of a column, in bytes."""
    try:
        with pq.ParquetFile(path, read_dictionary=[column]) as file:
            batch = next(file.iter_batches(1, row_groups=[group], columns=[column]))
    except (pa.ArrowException, OSError, StopIteration):
        return 8  # told where it is read
    values = batch.column(0)
    texts = values.dictionary if isinstance(values, pa.DictionaryArray) else values
    if not (pa.types.is_string(texts.type) or pa.types.is_binary(texts.type)):
        return 8
    return max(int(pc.max(pc.binary_length(texts)).as_py() or 0), 8)


def check_lines(name: str, path: Path, *, packed: bool) -> None:
    """Refuse a line that fills a whole block of the longest line's length, and late gzip bombs.

    DuckDB would lose such a line in silence if it is the file's last. A block of a plain file is
    read to its end only where its beginning holds no line break.
    """
    first = LONGEST_LINE // 50
    start, length = 0, first
    try:
        with path.open("rb") as raw, gzip.open(raw) if packed else raw as handle:
            while length >= first:
                if packed and start > LARGEST_PACKING * max(raw.tell(), LONGEST_LINE):
                    raise _packed_too_far(name)
                handle.seek(start)
                block = handle.read(first)
                length = len(block)
                if b"\n" not in block and b"\r" not in block:
                    block += handle.read(LONGEST_LINE - first)
                    if len(block) == LONGEST_LINE and b"\n" not in block and b"\r" not in block:
                        raise InputError(
                            f"{name}: has a line longer than {LONGEST_LINE:,} bytes; check that it "
                            "is a table"
                        )
                start += LONGEST_LINE
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{name}: the gzip file is damaged; export it again") from None


def check_packing(name: str, path: Path) -> None:
    """Refuse a gzip bomb by how far its first megabytes unpack."""
    unpacked = packed = 0
    pieces = zlib.decompressobj(31)
    with path.open("rb") as handle:
        while packed < _PACKED_HEAD and (piece := handle.read(_PACKED_PIECE)):
            packed += len(piece)
            try:
                while piece:
                    unpacked += len(pieces.decompress(piece, _UNPACKED_PIECE))
                    piece = pieces.unconsumed_tail
                    if unpacked > max(LARGEST_PACKING * packed, _UNPACKED_PIECE):
                        raise _packed_too_far(name)
                    if pieces.eof:
                        piece, pieces = pieces.unused_data, zlib.decompressobj(31)
            except zlib.error:
                return  # told where it is read


def _packed_too_far(name: str) -> InputError:
    return InputError(
        f"{name}: unpacks to more than {LARGEST_PACKING} times its size; no real table "
        "does: export it again"
    )
