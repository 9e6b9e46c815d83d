"""Which files come in and what they really are: told from their first bytes, not their names."""

import csv
import glob
import gzip
import io
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from . import bombs

ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq")
HEAD_BYTES = 1_000_000
LONGEST_HEADER = 100_000
MOST_COLUMNS = 2_000
_DELIMITERS = ",;\t|"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{9,}$")
_QUOTED = re.compile(r'"[^"]*("|$)')
_VALUE = re.compile(r"[-+]?\d[\d.:/ -]*$|$")
_REFUSED = {
    b"\xff\xfe\x00\x00": "text in UTF-32; save it as UTF-8",
    b"\x89PNG": "a picture; export the table as CSV or Parquet",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it, or pack it with gzip",
    b"BZh": "packed with bzip2; unpack it, or pack it with gzip",
    b"\xfd7zXZ": "packed with xz; unpack it, or pack it with gzip",
    b"PARE": "encrypted Parquet; export it without encryption",
    b"PK\x03\x04": "a zip archive; unpack it first",
    b"SQLite format 3": "an SQLite database; export the table as CSV or Parquet",
    **dict.fromkeys(
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        "a Python pickle, which could run code; export the table as CSV or Parquet",
    ),
    b"%PDF": "a PDF document; export the table as CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; export the table as CSV",
}


@dataclass(frozen=True)
class Source:
    """One input file: its real format, columns in order, and size.

    `kinds` gives each column's type as text (``string`` for CSV); `rows` is None for CSV.
    """

    path: Path
    format: Literal["csv", "parquet", "table"]
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    size_bytes: int
    delimiter: str = ","
    encoding: str = "utf-8"
    packed: bool = False
    rows: int | None = None
    skipped: int = 0
    """Empty lines above the line of column names."""
    widths: tuple[int, ...] = ()
    """Bytes that a value of each column takes on average; of Parquet only."""
    addresses: tuple[str, ...] = ()
    """Where Spark finds what is no file of this machine: paths of its files, or a table's name."""
    head: bytes = field(default=b"", repr=False)
    """The beginning of such a CSV file: confidential rows."""
    sample: "pa.Table | None" = field(default=None, repr=False, compare=False)
    """The first rows of such another table: confidential, too."""

    @property
    def name(self) -> str:
        """The file's name without its folder, fit for a message."""
        return shown(self.path.name)

    @property
    def signature(self) -> tuple[object, ...]:
        """Files of equal signature can be read as one table."""
        names = ("format", "columns", "kinds", "delimiter", "encoding", "packed", "skipped")
        return tuple(getattr(self, name) for name in names)


def find(patterns: Sequence[str]) -> list[Path]:
    """Return the files that `patterns` name, each once, sorted by path.

    Raises
    ------
    InputError
        If a pattern matches nothing, or a folder holds no table.
    """
    paths: set[Path] = set()
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            files = _tables_in(path)
        elif path.is_file():
            files = [path]
        else:
            matches = (Path(name) for name in glob.glob(pattern, recursive=True))
            files = [p for p in matches if p.is_file()]
        if not files:
            raise InputError(
                f"{shown(path.name or pattern)}: no such file, or a folder or pattern without "
                f"tables; name CSV, CSV.gz or Parquet files ({', '.join(ENDINGS)})"
            )
        paths.update(file.resolve() for file in files)
    return sorted(paths)


def inspect(path: Path, encoding: str | None = None, delimiter: str | None = None) -> Source:
    """Tell the format, columns and encoding of one file from its first bytes.

    `encoding` and `delimiter` hold where they are given.

    Raises
    ------
    InputError
        If it is empty, no table, not what it claims to be, or its header cannot be used.
    """
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{shown(path.name)}: the file is empty (0 rows); name a file with data")
    with path.open("rb") as handle:
        head = handle.read(HEAD_BYTES)
    if head.startswith(b"PAR1"):
        return _inspect_parquet(path, size)
    if path.name.lower().endswith((".parquet", ".pq")):
        raise InputError(
            f"{shown(path.name)}: claims to be Parquet but is not (its first bytes say otherwise); "
            "export it again, or give it the ending of what it is"
        )
    return _inspect_csv(path, size, head, encoding, delimiter)


def _inspect_parquet(path: Path, size: int) -> Source:
    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(
            f"{shown(path.name)}: the Parquet file is damaged or cut short; export it again"
        ) from None
    columns = tuple(schema.names)
    _check_header(shown(path.name), columns)
    if metadata.num_rows == 0:
        raise InputError(f"{shown(path.name)}: the table is empty (0 rows); name a file with data")
    bombs.check_unpacked(shown(path.name), path, metadata)
    kinds = tuple(str(kind) for kind in schema.types)
    widths = bombs.mean_widths(metadata, columns)
    return Source(path, "parquet", columns, kinds, size, rows=metadata.num_rows, widths=widths)


def _inspect_csv(
    path: Path, size: int, head: bytes, encoding: str | None, delimiter: str | None
) -> Source:
    packed = head.startswith(b"\x1f\x8b")
    if packed:
        head = _unpacked_head(path)
        bombs.check_packing(shown(path.name), path)
    whole = not packed and size <= HEAD_BYTES
    source = inspect_text(path, size, head, encoding, delimiter, packed=packed, whole=whole)
    if source.encoding != "utf-16":  # its line breaks are told when it is made UTF-8
        bombs.check_lines(source.name, path, packed=packed)
    return source


def inspect_text(
    path: Path,
    size: int,
    head: bytes,
    encoding: str | None,
    delimiter: str | None,
    addresses: tuple[str, ...] = (),
    *,
    packed: bool = False,
    whole: bool = False,
) -> Source:
    """Tell the columns and encoding of a CSV file from its beginning, as `inspect` does."""
    name = shown(path.name)
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{name}: the file is {what}")
    encoding = encoding or _encoding(head, whole=whole)
    if b"\x00" in head and encoding != "utf-16":
        raise InputError(
            f"{name}: the file is not text (it holds NUL bytes); name a CSV or Parquet file"
        )
    text = decoded(name, head, encoding)
    body = text.lstrip("\r\n")
    skipped = len(text[: len(text) - len(body)].splitlines())
    first = body.splitlines()[0] if text.strip() else ""
    if len(first) > LONGEST_HEADER:
        raise InputError(
            f"{name}: the first line is longer than {LONGEST_HEADER:,} characters; a table "
            "starts with a line of column names"
        )
    if not first:
        raise InputError(f"{name}: the file is empty (0 rows); name a file with data")
    delimiter = delimiter or max(_DELIMITERS, key=first.count)
    columns = tuple(
        column.strip() for column in next(csv.reader(io.StringIO(first), delimiter=delimiter))
    )
    _check_names(name, columns)
    _check_header(name, columns)
    if not body[len(first) + 1 :].strip() and len(head) < HEAD_BYTES:
        raise InputError(f"{name}: only a header, 0 rows of data; name a file with data")
    _check_line_ends(name, text)
    return Source(
        path,
        "csv",
        columns,
        ("string",) * len(columns),
        size,
        delimiter,
        encoding,
        packed,
        skipped=skipped,
        addresses=addresses,
        head=head if addresses else b"",
    )


def _check_line_ends(name: str, text: str) -> None:
    """Refuse lines that end in two ways, which engines read in two ways; what is quoted may."""
    if '"' in text:
        text = _QUOTED.sub("", text)
    windows = text.count("\r\n")
    unix, mac = text.count("\n") - windows, text.count("\r") - windows
    if (windows > 0) + (unix > 0) + (mac > 0) > 1:
        raise InputError(
            f"{name}: some lines end as on Windows and some do not",
            remedy="save the file again with one kind of line ends",
            code="line-ends",
        )


def _unpacked_head(path: Path) -> bytes:
    try:
        with gzip.open(path) as handle:
            return handle.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{shown(path.name)}: the gzip file is damaged; export it again") from None


def _encoding(head: bytes, *, whole: bool) -> str:
    """Tell UTF-8, UTF-16 and the rest apart; the end of a cut head may split a character.

    What is no UTF-8 is Windows-1252 where it uses the bytes that only that has, else Latin-1.
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    body = head if whole else head[: head.rfind(b"\n") + 1]
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        windows = any(0x80 <= byte < 0xA0 for byte in set(body))
        return "windows-1252" if windows else "latin-1"
    return "utf-8"


def decoded(name: str, head: bytes, encoding: str) -> str:
    """Return the whole lines at the beginning of a file as text, without a byte order mark."""
    cut = len(head) >= HEAD_BYTES
    if encoding == "utf-16":
        body = head[: len(head) // 2 * 2]
    else:
        whole = head[: head.rfind(b"\n") + 1] if cut else head
        body = (whole or head).removeprefix(b"\xef\xbb\xbf")
    try:
        text = body.decode(encoding, errors="ignore" if encoding == "utf-16" else "strict")
    except UnicodeDecodeError:
        raise InputError(
            f"{name}: the text is not {encoding}",
            remedy="leave the encoding out, or name another one",
            code="encoding",
            settings=("encoding",),
        ) from None
    return (text[: text.rfind("\n") + 1] if cut else text) or text


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
    for position, column in enumerate(columns, start=1):
        if column.lower() in seen:
            raise InputError(
                f"{name}: a column's name appears twice in the first line (case aside), again as "
                f"column {position}",
                remedy="rename or remove one, or add a line of column names",
                code="repeated-column",
            )
        seen.add(column.lower())


def shown(text: str, longest: int = 60) -> str:
    """Return a column or file name fit for a message: printable and short."""
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + "…"


def _tables_in(folder: Path) -> list[Path]:
    """Return every table below `folder`; what cannot be looked into is an error, not left out."""
    paths: list[Path] = []

    def refuse(_problem: OSError) -> None:
        raise InputError(
            f"{shown(folder.name)}: a folder in it cannot be read",
            remedy="name the files, or get the right to read it",
            code="unreadable-folder",
            settings=("inputs",),
        ) from None

    for place, _folders, names in os.walk(folder, onerror=refuse, followlinks=False):
        paths += [
            Path(place, name)
            for name in names
            if name.lower().endswith(ENDINGS) and not name.startswith((".", "_"))
        ]
    return [path for path in paths if path.is_file()]
