# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportAttributeAccessIssue=false
"""Which files come in and what they really are: told from their first bytes, not their names."""

import csv
import glob
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from engine.errors import InputError

ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq")
HEAD_BYTES = 1_000_000
LONGEST_HEADER = 100_000
LONGEST_LINE = 1_000_000
MOST_COLUMNS = 2_000
MOST_UNPACKED = 1_000_000_000
LARGEST_RATIO = 1_000
LARGEST_PACKING = 300
_PACKED_HEAD = 4_096
_DELIMITERS = ",;\t|"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{9,}$")
_VALUE = re.compile(r"[-+]?\d[\d.:/ -]*$|$")
_REFUSED = {
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"SQLite format 3": "an SQLite database; export the table as CSV or Parquet",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x80\x02": "a Python pickle, which could run code; export the table as CSV or Parquet",
    b"\x80\x03": "a Python pickle, which could run code; export the table as CSV or Parquet",
    b"\x80\x04": "a Python pickle, which could run code; export the table as CSV or Parquet",
    b"\x80\x05": "a Python pickle, which could run code; export the table as CSV or Parquet",
    b"%PDF": "a PDF document; export the table as CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; export the table as CSV",
}


@dataclass(frozen=True)
class Source:
    """One input file: its real format, columns in order, and size.

    `kinds` gives each column's type as text (``string`` for CSV); `rows` is None for CSV.
    """

    path: Path
    format: Literal["csv", "parquet"]
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    size_bytes: int
    delimiter: str = ","
    encoding: str = "utf-8"
    packed: bool = False
    rows: int | None = None

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.name

    @property
    def signature(self) -> tuple[object, ...]:
        """Files of equal signature can be read as one table."""
        return (
            self.format,
            self.columns,
            self.kinds,
            self.delimiter,
            self.encoding,
            self.packed,
        )


def find(patterns: Sequence[str]) -> list[Path]:
    """Return the files that `patterns` name, each once, sorted by path.

    Raises
    ------
    InputError
        If a pattern matches nothing, or a folder holds no table.
    """
    found: set[Path] = set()
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            files = [p for p in path.rglob("*") if p.is_file() and _is_table(p)]
        elif path.is_file():
            files = [path]
        else:
            matches = (Path(name) for name in glob.glob(pattern, recursive=True))
            files = [p for p in matches if p.is_file()]
        if not files:
            raise InputError(
                f"{path.name or pattern}: no such file, or a folder or pattern without tables; "
                f"name CSV, CSV.gz or Parquet files ({', '.join(ENDINGS)})"
            )
        found.update(file.resolve() for file in files)
    return sorted(found)


def inspect(path: Path, encoding: str | None = None) -> Source:
    """Tell the format, columns and encoding of one file from its first bytes.

    Raises
    ------
    InputError
        If it is empty, no table, not what it claims to be, or its header cannot be used.
    """
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{path.name}: the file is empty (0 rows); name a file with data")
    with path.open("rb") as handle:
        head = handle.read(HEAD_BYTES)
    if head.startswith(b"PAR1"):
        return _inspect_parquet(path, size)
    if path.name.lower().endswith((".parquet", ".pq")):
        raise InputError(
            f"{path.name}: claims to be Parquet but is not (its first bytes say otherwise); "
            "export it again, or give it the ending of what it is"
        )
    return _inspect_csv(path, size, head, encoding)


def _inspect_parquet(path: Path, size: int) -> Source:
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(
            f"{path.name}: the Parquet file is damaged or cut short; export it again"
        ) from None
    columns = tuple(schema.names)
    _check_header(path.name, columns)
    if metadata.num_rows == 0:
        raise InputError(f"{path.name}: the table is empty (0 rows); name a file with data")
    check_unpacked(path.name, size, metadata)
    kinds = tuple(str(kind) for kind in schema.types)
    return Source(path, "parquet", columns, kinds, size, rows=metadata.num_rows)


def check_unpacked(name: str, size: int, metadata: pq.FileMetaData) -> None:
    """Refuse a Parquet bomb: rows × column width, told before a row is read."""
    unpacked = 0
    for group in (metadata.row_group(i) for i in range(metadata.num_row_groups)):
        for column in (group.column(i) for i in range(group.num_columns)):
            told = column.is_stats_set and column.physical_type == "BYTE_ARRAY"
            longest = column.statistics.max if told else None
            width = len(longest) if isinstance(longest, str | bytes) else 8
            unpacked += max(group.num_rows * width, column.total_uncompressed_size)
    if unpacked > MOST_UNPACKED and unpacked > LARGEST_RATIO * size:
        raise InputError(
            f"{name}: {metadata.num_rows:,} rows would unpack to {unpacked:,} bytes, more than "
            f"{LARGEST_RATIO:,} times the file's size; no real table does: export it again"
        )


def _inspect_csv(path: Path, size: int, head: bytes, encoding: str | None) -> Source:
    packed = head.startswith(b"\x1f\x8b")
    if packed:
        head = _unpacked_head(path)
        _check_packing(path)
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{path.name}: the file is {what}")
    if b"\x00" in head:
        raise InputError(
            f"{path.name}: the file is not text (it holds NUL bytes); name a CSV or Parquet file"
        )
    encoding = encoding or _encoding(head, whole=not packed and size <= HEAD_BYTES)
    text = _decoded(path.name, head, encoding)
    first = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""
    if len(first) > LONGEST_HEADER:
        raise InputError(
            f"{path.name}: the first line is longer than {LONGEST_HEADER:,} characters; a table "
            "starts with a line of column names"
        )
    if not first:
        raise InputError(f"{path.name}: the file is empty (0 rows); name a file with data")
    delimiter = max(_DELIMITERS, key=first.count)
    columns = tuple(
        name.strip() for name in next(csv.reader(io.StringIO(first), delimiter=delimiter))
    )
    _check_names(path.name, columns)
    _check_header(path.name, columns)
    if not text[len(first) + 1 :].strip() and len(head) < HEAD_BYTES:
        raise InputError(f"{path.name}: only a header, 0 rows of data; name a file with data")
    _check_lines(path, packed=packed)
    kinds = ("string",) * len(columns)
    return Source(path, "csv", columns, kinds, size, delimiter, encoding, packed)


def _check_lines(path: Path, *, packed: bool) -> None:
    """Refuse a line that fills a whole block of the longest line's length.

    DuckDB would lose such a line in silence if it is the file's last. A block of a plain file is
    read to its end only where its beginning holds no line break.
    """
    first = LONGEST_LINE // 50
    start, length = 0, first
    try:
        with gzip.open(path) if packed else path.open("rb") as handle:
            while length >= first:
                handle.seek(start)
                block = handle.read(first)
                length = len(block)
                if b"\n" not in block and b"\r" not in block:
                    block += handle.read(LONGEST_LINE - first)
                    if len(block) == LONGEST_LINE and b"\n" not in block and b"\r" not in block:
                        raise InputError(
                            f"{path.name}: has a line longer than {LONGEST_LINE:,} bytes; check "
                            "that it is a table"
                        )
                start += LONGEST_LINE
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{path.name}: the gzip file is damaged; export it again") from None


def _check_packing(path: Path) -> None:
    """Refuse a gzip bomb by how far its beginning unpacks."""
    with path.open("rb") as handle:
        start = handle.read(_PACKED_HEAD)
    try:
        text = zlib.decompressobj(31).decompress(start, LARGEST_PACKING * _PACKED_HEAD + 1)
    except zlib.error:
        return  # told where it is read
    if len(text) > LARGEST_PACKING * _PACKED_HEAD:
        raise InputError(
            f"{path.name}: unpacks to more than {LARGEST_PACKING} times its size; no real table "
            "does: export it again"
        )


def _unpacked_head(path: Path) -> bytes:
    try:
        with gzip.open(path) as handle:
            return handle.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{path.name}: the gzip file is damaged; export it again") from None


def _encoding(head: bytes, *, whole: bool) -> str:
    """Tell UTF-8 from Latin-1; the end of a cut head may split a character."""
    body = head if whole else head[: head.rfind(b"\n") + 1]
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _decoded(name: str, head: bytes, encoding: str) -> str:
    body = head[: head.rfind(b"\n") + 1] or head
    try:
        return body.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError:
        raise InputError(
            f"{name}: the text is not {encoding}; leave the encoding out, or give latin-1"
        ) from None


def _check_names(name: str, columns: tuple[str, ...]) -> None:
    """Refuse a first line of data, without quoting any of it."""
    times = sum(bool(_TIME.match(column)) for column in columns)
    values = sum(bool(_VALUE.match(column)) for column in columns)
    if times or 2 * values >= len(columns):
        raise InputError(
            f"{name}: the first line looks like data; add a line of column names above it"
        )


def _check_header(name: str, columns: tuple[str, ...]) -> None:
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            f"{name}: {len(columns):,} columns, more than {MOST_COLUMNS:,}; keep those needed"
        )
    seen: set[str] = set()
    for column in columns:
        if column.lower() in seen:
            raise InputError(
                f"{name}: column '{shown(column)}' appears twice in the header (case aside); "
                "rename or remove one"
            )
        seen.add(column.lower())


def shown(text: str, longest: int = 60) -> str:
    """Return a column or file name fit for a message: printable and short."""
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + "…"


def _is_table(path: Path) -> bool:
    return path.name.lower().endswith(ENDINGS) and not path.name.startswith((".", "_"))
