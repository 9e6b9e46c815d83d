"""Input files and their true format, detected from their first bytes, not their names."""

import csv
import glob
import gzip
import io
import os
import re
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import IO, Any, Literal, cast

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from ..options import Reading, build_error
from ..read_errors import translate_errors

FILE_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq", ".zip")
HEAD_BYTES = 1_000_000
MAX_UNPACKED_BYTES = 20_000_000_000
_DELIMITERS = ",;\t|"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{9,}$")
_DAY = re.compile(r"(19|20)\d\d-?\d\d-?\d\d")
_VALUE = re.compile(r"[-+]?\d[\d.:/ -]*$|$")
_QUOTED = re.compile(r'"[^"]*("|$)')
_HDF5 = b"\x89HDF"


@dataclass(frozen=True)
class Source:
    """One input file: its real format, columns in order, and size."""

    path: Path
    format: Literal["csv", "parquet", "table"]
    columns: tuple[str, ...]
    column_types: tuple[str, ...]
    size_bytes: int
    delimiter: str = ","
    encoding: str = "utf-8"
    is_compressed: bool = False
    row_count: int | None = None
    skipped_rows: int = 0
    archive_member: str = ""
    has_mixed_endings: bool = False
    folder_days: tuple[tuple[str, str], ...] = ()
    """Last columns, and their value in all rows: days that the folders' names tell."""

    @property
    def name(self) -> str:
        """The file's name without its folder, printable in a message."""
        return to_printable(self.path.name)

    @property
    def signature(self) -> tuple[object, ...]:
        """Files of equal signature can be read as one table."""
        names = (
            "format",
            "columns",
            "column_types",
            "delimiter",
            "encoding",
            "is_compressed",
            "skipped_rows",
        )
        return *(getattr(self, name) for name in names), self.needs_copy

    @property
    def needs_copy(self) -> bool:
        """Whether DuckDB reads a copy: unpacked, in UTF-8, with one kind of line ends."""
        odd = self.encoding not in ("utf-8", "latin-1")
        return self.format == "csv" and (odd or self.has_mixed_endings or bool(self.archive_member))

    @contextmanager
    def open(self) -> Generator[IO[bytes]]:
        """Open the file's own bytes, unpacked."""
        if self.archive_member:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.archive_member) as handle:
                yield handle
            return
        with gzip.open(self.path) if self.is_compressed else self.path.open("rb") as handle:
            yield cast(IO[bytes], handle)


def find_files(patterns: Sequence[str]) -> list[Path]:
    """Return the files that `patterns` name, each once, sorted by path."""
    paths: set[Path] = set()
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            files = _find_tables(path)
        elif path.is_file():
            files = [path]
        else:
            matches = (Path(name) for name in glob.glob(pattern, recursive=True))
            files = [p for p in matches if p.is_file()]
        if not files:
            raise InputError(
                f"{to_printable(path.name or pattern)}: no such file, or a folder or pattern "
                f"without tables; name CSV, CSV.gz or Parquet files ({', '.join(FILE_ENDINGS)})"
            )
        paths.update(file.resolve() for file in files)
    return sorted(paths)


def inspect_file(path: Path, reading: Reading | None = None) -> Source:
    """Return the format, columns and encoding of one file, and days of its folders' names."""
    source = _inspect_head(path, reading)
    there = {column.lower() for column in source.columns}
    days = tuple((name, day) for name, day in find_folder_days(path) if name.lower() not in there)
    return replace(
        source,
        columns=(*source.columns, *(name for name, _ in days)),
        column_types=(*source.column_types, *("string" for _ in days)),
        folder_days=days,
    )


def find_folder_days(path: PurePath) -> list[tuple[str, str]]:
    """Return names and days of folders such as dt=2024-01-31, or of year=, month= and day=."""
    parts = [part.partition("=") for part in path.parts[:-1] if "=" in part]
    values = {name: value for name, _, value in parts}
    parts_of_day = [values.get(name, "") for name in ("year", "month", "day")]
    if all(value.isdecimal() for value in parts_of_day):
        return [("date", "-".join(value.zfill(2) for value in parts_of_day))]
    return [(name, value) for name, value in values.items() if _DAY.match(value)]


def check_end(source: Source, check: Callable[[], None]) -> None:
    """Raise `InputError` for a text that ends in zero bytes, which readers drop with its rows."""
    if source.format != "csv":
        return
    with source.open() as text:
        if isinstance(text, io.BufferedReader):
            text.seek(max(source.size_bytes - 4, 0))
        last = b""
        while piece := text.read(1 << 22):  # calls `check` often: unpacking may take long
            check()
            last = (last + piece)[-4:]
    if last.endswith(b"\0\0\0\0" if source.encoding == "utf-16" else b"\0"):
        raise build_error("zero-end", file=source.name)


def _inspect_head(path: Path, reading: Reading | None) -> Source:
    size = path.stat().st_size
    if size == 0:
        raise InputError(
            f"{to_printable(path.name)}: the file is empty (0 rows); name a file with data"
        )
    with translate_errors(to_printable(path.name)):
        with path.open("rb") as handle:
            head = handle.read(HEAD_BYTES)
        if head.startswith(b"PAR1"):
            return _inspect_parquet(path, size)
        if path.name.lower().endswith((".parquet", ".pq")):
            raise InputError(
                f"{to_printable(path.name)}: claims to be Parquet but is not (its first bytes say "
                "otherwise); export it again, or give it the ending of what it is"
            )
        return _inspect_csv(path, size, head, reading or Reading())


def _inspect_parquet(path: Path, size: int) -> Source:
    with pq.ParquetFile(path) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow
    if len({column.lower() for column in schema.names}) < len(schema.names):
        raise InputError(
            f"{to_printable(path.name)}: a column's name appears twice (case aside)",
            remedy="rename or remove one",
        )
    if rows == 0:
        raise InputError(
            f"{to_printable(path.name)}: the table is empty (0 rows); name a file with data"
        )
    kinds = tuple(str(kind) for kind in schema.types)
    return Source(path, "parquet", tuple(schema.names), kinds, size, row_count=rows)


def _inspect_csv(path: Path, size: int, head: bytes, reading: Reading) -> Source:
    name = to_printable(path.name)
    inner = ""
    if head.startswith(b"PK\x03\x04"):
        inner = find_archive_member(name, path, (".csv", ".txt", ".tsv"), MAX_UNPACKED_BYTES)
    source = Source(
        path, "csv", (), (), size, is_compressed=head.startswith(b"\x1f\x8b"), archive_member=inner
    )
    with source.open() as handle:
        head = handle.read(HEAD_BYTES)
    if head.startswith(_HDF5):
        raise InputError(
            f"{name}: the file is HDF5, as OMX matrices are; write each matrix as a CSV of origin, "
            "destination and flow (openmatrix and pandas do)"
        )
    encoding = reading.encoding or _detect_encoding(head)
    if b"\x00" in head and encoding != "utf-16":
        raise InputError(
            f"{name}: the file is not text (it holds NUL bytes); name a CSV or Parquet file"
        )
    whole_text = decode_head(name, head, encoding)
    if foreign := re.match(r"\s*([\[{]\s*[\"\[{]|(?i:<(\?xml|!doctype|html)))", whole_text):
        fault = "XML or HTML" if "<" in foreign[0] else "JSON"
        raise InputError(
            f"{name}: the file is {fault}; write it as CSV, a line a row (a file of zones is "
            "chosen as zones)"
        )
    lines = whole_text.splitlines(keepends=True)
    skipped = reading.skip_rows
    while skipped < len(lines) and re.match(r'[\r\n]+$|"?sep=', lines[skipped]):  # of Excel
        skipped += 1
    body = "".join(lines[skipped:])
    first = body.splitlines()[0] if body.strip() else ""
    if not first:
        raise InputError(f"{name}: the file is empty (0 rows); name a file with data")
    delimiter = reading.delimiter or max(_DELIMITERS, key=first.count)
    fields = [f.strip() for f in next(csv.reader(io.StringIO(first), delimiter=delimiter))]
    if reading.header is not None:
        numbered = [f"column{number}" for number in range(1, len(fields) + 1)]
        fields = [*reading.header[: len(fields)], *numbered[len(reading.header) :]]
    else:
        _check_names(name, fields, body, delimiter)
    columns = _make_names_unique(fields)
    below = next(csv.reader(body.splitlines()[1:2], delimiter=delimiter), [])
    if (
        reading.header is None
        and any(below)
        and all(re.match(r"#[a-z]+|$", field) for field in below)
    ):
        skipped += 1  # tags of humanitarian data (HXL) under the names
    if reading.header is None and not body[len(first) + 1 :].strip() and len(head) < HEAD_BYTES:
        raise InputError(f"{name}: only a header, 0 rows of data; name a file with data")
    return replace(
        source,
        columns=columns,
        column_types=("string",) * len(columns),
        delimiter=delimiter,
        encoding=encoding,
        skipped_rows=skipped + (reading.header is None),
        has_mixed_endings=_has_mixed_endings(whole_text),
    )


def find_archive_member(name: str, path: Path, endings: tuple[str, ...], largest: int) -> str:
    """Return the one file with such an ending in a zip of one layer, up to a size."""
    with zipfile.ZipFile(path) as archive:
        members = [
            member for member in archive.infolist() if not member.filename.startswith("__MACOSX/")
        ]
    if any(member.filename.startswith(("xl/", "word/", "content.xml")) for member in members):
        raise InputError(
            f"{name}: the file is an Excel workbook, or one of LibreOffice; save its sheet as CSV"
        )
    candidates = [
        member.filename for member in members if member.filename.lower().endswith(endings)
    ]
    if len(candidates) != 1:
        raise InputError(
            f"{name}: the zip holds {len(candidates)} files of {', '.join(endings)}; zip exactly "
            "one, or unpack it and name the files"
        )
    unpacked = sum(member.file_size for member in members)
    if unpacked > largest:
        raise InputError(f"{name}: unpacks to {unpacked:,} bytes, which is too much: unpack it")
    return candidates[0]


def _has_mixed_endings(text: str) -> bool:
    """Return whether lines end in two ways, which readers treat differently; quoted text may."""
    text = _QUOTED.sub("", text) if '"' in text else text
    windows = text.count("\r\n")
    unix, mac = text.count("\n") - windows, text.count("\r") - windows
    return (windows > 0) + (unix > 0) + (mac > 0) > 1


def _detect_encoding(head: bytes) -> str:
    """Return the encoding: UTF-8, UTF-16 or another; a cut head may end within a character."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    body = head if len(head) < HEAD_BYTES else head[: head.rfind(b"\n") + 1]
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        windows = any(0x80 <= byte < 0xA0 for byte in set(body))
        return "windows-1252" if windows else "latin-1"
    return "utf-8"


def decode_head(name: str, head: bytes, encoding: str) -> str:
    """Return the whole lines at the beginning of a file as text, without a byte order mark."""
    cut = len(head) >= HEAD_BYTES
    errors = "ignore" if encoding == "utf-16" else "strict"
    if encoding != "utf-16":
        head = (head[: head.rfind(b"\n") + 1] or head) if cut else head
        head = head.removeprefix(b"\xef\xbb\xbf")
    try:
        text = head.decode(encoding, errors=errors)
    except UnicodeDecodeError:
        raise InputError(
            f"{name}: the text is not {encoding}, as it was named or seemed to be",
            remedy="name its encoding",
            settings=("encoding",),
        ) from None
    return (text[: text.rfind("\n") + 1] if cut else text) or text


def _check_names(name: str, fields: Sequence[str], body: str, delimiter: str) -> None:
    """Raise `InputError` for a first line of data instead of names; none of it is quoted."""
    some = list(csv.reader(body.splitlines(keepends=True)[:200], delimiter=delimiter))
    first = [row[0] for row in some[1:51] if row]
    days = [i for i, field in enumerate(fields) if _DAY.fullmatch(field)]
    dated = len(days) > 2 and not any(_DAY.fullmatch(f) for row in some[1:2] for f in row)
    column_values = "day" if dated else "destination"
    if dated or (len(first) > 2 and first == list(fields[1:])[: len(first)]):
        raise InputError(
            f"{name}: the table is a matrix, a column for each {column_values}; "
            "write it as a row for each origin, destination, day and flow (pandas' melt does)"
        )
    widths = [len(row) for row in some]
    wide = next((i for i, width in enumerate(widths) if width > widths[0]), 0)
    above = wide < 20 and all(width == widths[wide] for width in widths[wide : wide + 5])
    if 2 * fields.count("") >= len(fields) > 2:
        wide, above = next((i for i, row in enumerate(some) if all(row)), 0), True
    if wide and above:
        raise InputError(
            f"{name}: {wide} lines stand above the line of names, as it seems: line {wide + 1} has "
            f"{widths[wide]} columns with names, the first has {widths[0] - fields.count('')}",
            remedy="say how many to skip",
            code="rows-above",
            settings=("skip_rows",),
        )
    times = sum(bool(_TIME.match(field)) for field in fields)
    values = sum(bool(_VALUE.match(field)) for field in fields)
    below = [row for row in some[1:] if len(row) == len(fields)]
    repeated = any(field and field in column for field, *column in zip(fields, *below, strict=True))
    if times or repeated or 2 * values >= len(fields):
        raise InputError(
            f"{name}: the first line looks like data; add a line of column names above it, or say "
            "that there is none",
            code="no-header",
            settings=("header",),
        )


def _make_names_unique(fields: Sequence[str]) -> tuple[str, ...]:
    """Return unique names: a repeated name is numbered."""
    used_names: dict[str, int] = {}
    names: list[str] = []
    for field in fields:
        used_names[field.lower()] = number = used_names.get(field.lower(), 0) + 1
        names.append(field if number == 1 else f"{field} ({number})")
    return tuple(names)


def to_printable(text: str, longest: int = 60) -> str:
    """Return a column or file name printable in a message, and short."""
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + "…"


def _find_tables(folder: Path) -> list[Path]:
    """Return every table below `folder`; `InputError` for a folder that cannot be read."""
    paths: list[Path] = []

    def refuse(_problem: OSError) -> None:
        raise InputError(
            f"{to_printable(folder.name)}: a folder in it cannot be read",
            remedy="name the files, or get the right to read it",
            settings=("inputs",),
        ) from None

    for place, _folders, names in os.walk(folder, onerror=refuse, followlinks=False):
        paths += [
            Path(place, name)
            for name in names
            if name.lower().endswith(FILE_ENDINGS) and not name.startswith((".", "_"))
        ]
    return [path for path in paths if path.is_file()]


def first_rows(source: Source, rows: int) -> list[list[str]]:
    """Return at most `rows` first rows as text, which are confidential."""
    if source.folder_days:
        days = [day for _, day in source.folder_days]
        own = len(source.columns) - len(days)
        plain = replace(source, columns=source.columns[:own], folder_days=())
        return [[*row, *[""] * (own - len(row))][:own] + days for row in first_rows(plain, rows)]
    with translate_errors(source.name):
        if source.format == "csv":
            with source.open() as handle:
                head = handle.read(HEAD_BYTES)
            lines = decode_head(source.name, head, source.encoding).splitlines(keepends=True)
            reader = csv.reader(lines[source.skipped_rows :], delimiter=source.delimiter)
            return [row for row, _number in zip(reader, range(rows), strict=False)]
        with pq.ParquetFile(source.path) as file:
            batch = next(file.iter_batches(batch_size=rows)).slice(0, rows)
        texts = [_to_texts(batch.column(name)) for name in source.columns]
        return [list(row) for row in zip(*texts, strict=True)]


def _to_texts(column: Any) -> list[str]:
    try:
        values = column.cast(pa.string()).to_pylist()
    except (pa.ArrowException, UnicodeDecodeError):  # lists and other types, which no mapping takes
        values = [f"({column.type})"] * len(column)
    return ["" if value is None else str(value) for value in values]
