"""Input files and their true format, detected from their first bytes, not their names."""

import bz2
import csv
import glob
import gzip
import io
import lzma
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePath
from typing import IO, Any, Literal, cast

import pyarrow as pa
import pyarrow.parquet as pq

from ..options import Reading, build_error
from ..read_errors import translate_errors

FILE_ENDINGS = (
    *(".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".tsv", ".txt", ".parquet", ".pq", ".zip"),
)
HEAD_BYTES = 1_000_000
MAX_UNPACKED_BYTES = 20_000_000_000
_DELIMITERS = "\t;|,"
"""Where two fit alike the first is taken: a comma may also be a decimal mark."""
_HEAD_ROWS = 200
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{9,}$")
_DAY = re.compile(r"(19|20)\d\d-?\d\d-?\d\d")
_VALUE = re.compile(r"[-+]?\d[\d.:/ -]*$|$")
_BLANKS = re.compile(r'("[^"]*")|[ \t]+')
_QUOTED = re.compile(r'"[^"]*("|$)')
_HDF5 = b"\x89HDF"
_PACKERS: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bz2", bz2.open),
    b"\xfd7zXZ": ("xz", lzma.open),
    **{b"\x28\xb5\x2f\xfd": ("zstd", None), b"7z\xbc\xaf": ("7z", None), b"Rar!": ("RAR", None)},
}
"""Kinds of packing by the first bytes, and what opens them; None is not read."""


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
    packing: str = ""
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
        text = self.delimiter, self.encoding, self.packing, self.skipped_rows, self.needs_copy
        return self.format, self.columns, self.column_types, *text

    @property
    def needs_copy(self) -> bool:
        """Whether DuckDB reads a copy: unpacked, in UTF-8, one kind of line ends, no blanks."""
        odd = self.encoding not in ("utf-8", "latin-1") or self.packing not in ("", "gzip")
        odd = odd or self.has_mixed_endings or self.delimiter == " "
        return self.format == "csv" and (odd or bool(self.archive_member))

    @contextmanager
    def open(self) -> Generator[IO[bytes]]:
        """Open the file's own bytes, unpacked."""
        if self.archive_member:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.archive_member) as handle:
                yield handle
            return
        unpack = next((how for kind, how in _PACKERS.values() if kind == self.packing), open)
        with unpack(self.path, "rb") as handle:
            yield cast(IO[bytes], handle)

    @contextmanager
    def open_text(self) -> Generator[Iterator[str]]:
        """Open the file's text as pieces of UTF-8 with its line ends; blanks made tabs."""
        ends = None if self.has_mixed_endings else ""
        with self.open() as packed, io.TextIOWrapper(packed, self.encoding, newline=ends) as text:
            is_blank = self.delimiter == " "
            yield map(_blanks_to_tabs, text) if is_blank else iter(lambda: text.read(1 << 22), "")


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
            raise build_error(
                "no-table-file",
                file=to_printable(path.name or pattern),
                endings=", ".join(FILE_ENDINGS),
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
    initials = "".join(name[:1].lower() for name in values)
    for first in ("ymd", "amd", "amj", "jmt"):  # English, Spanish, French, German
        start = initials.find(first)
        day = "-".join(value.zfill(2) for value in list(values.values())[start : start + 3])
        if start >= 0 and _DAY.fullmatch(day):
            return [("date", day)]
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
        raise build_error("empty-file", file=to_printable(path.name))
    with translate_errors(to_printable(path.name)):
        with path.open("rb") as handle:
            head = handle.read(HEAD_BYTES)
        if head.startswith(b"PAR1"):
            return _inspect_parquet(path, size)
        if path.name.lower().endswith((".parquet", ".pq")):
            raise build_error("not-parquet", file=to_printable(path.name))
        return _inspect_csv(path, size, head, reading or Reading())


def _inspect_parquet(path: Path, size: int) -> Source:
    with pq.ParquetFile(path) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow
    if len({column.lower() for column in schema.names}) < len(schema.names):
        raise build_error("repeated-column", file=to_printable(path.name))
    if rows == 0:
        raise build_error("empty-table", file=to_printable(path.name))
    kinds = tuple(str(kind) for kind in schema.types)
    return Source(path, "parquet", tuple(schema.names), kinds, size, row_count=rows)


def _inspect_csv(path: Path, size: int, head: bytes, reading: Reading) -> Source:
    name = to_printable(path.name)
    inner = ""
    if head.startswith(b"PK\x03\x04"):
        inner = find_archive_member(name, path, (".csv", ".txt", ".tsv"), MAX_UNPACKED_BYTES)
    packing = next((kind for first, (kind, _) in _PACKERS.items() if head.startswith(first)), "")
    if packing in ("zstd", "7z", "RAR"):
        raise build_error("packed", file=name, packing=packing)
    source = Source(path, "csv", (), (), size, packing=packing, archive_member=inner)
    with source.open() as handle:
        head = handle.read(HEAD_BYTES)
    if head.startswith(_HDF5):
        raise build_error("hdf5", file=name)
    encoding = reading.encoding or _detect_encoding(head)
    if b"\x00" in head and encoding != "utf-16":
        raise build_error("not-text", file=name)
    whole_text = decode_head(name, head, encoding)
    if foreign := re.match(r"\s*([\[{]\s*[\"\[{]|(?i:<(\?xml|!doctype|html)))", whole_text):
        fault = "XML or HTML" if "<" in foreign[0] else "JSON"
        raise build_error("foreign-text", file=name, fault=fault)
    lines = whole_text.splitlines(keepends=True)
    skipped = reading.skip_rows
    while skipped < len(lines) and re.match(r'[\r\n]+$|"?sep=', lines[skipped]):  # of Excel
        skipped += 1
    body = "".join(lines[skipped:])
    if not body.strip():
        raise build_error("empty-file", file=name)
    delimiter = reading.delimiter or _detect_delimiter(body)
    numbered = _numbered_rows(body, delimiter)
    fields, rows = [f.strip() for f in numbered[0][1]], [row for _, row in numbered[1:] if row]
    if reading.header is not None:
        numbers = [f"column{number}" for number in range(1, len(fields) + 1)]
        fields = [*reading.header[: len(fields)], *numbers[len(reading.header) :]]
    else:
        if not rows and len(head) < HEAD_BYTES:
            if any("\n" in field for field in fields):
                raise build_error("open-quote", file=name)
            raise build_error("only-header", file=name)
        widths = {len(row) for row in rows}
        if widths == {len(fields) + 1} and not any(row[-1].strip() for row in rows):
            fields.append("")  # rows end in a mark
        elif widths == {len(fields) - 1} and not fields[-1]:
            fields.pop()  # the names do
        _check_names(name, fields, numbered, skipped, delimiter)
        if rows and any(rows[0]) and all(re.match(r"#[a-z]+|$", field) for field in rows[0]):
            skipped += 1  # tags of humanitarian data (HXL) under the names
    columns = _make_names_unique(fields)
    return replace(
        source,
        columns=columns,
        column_types=("string",) * len(columns),
        delimiter=delimiter,
        encoding=encoding,
        skipped_rows=skipped + (reading.header is None),
        has_mixed_endings=_has_mixed_endings(whole_text),
    )


def _blanks_to_tabs(line: str) -> str:
    return _BLANKS.sub(lambda match: match[1] or "\t", line.strip(" \t\r\n")) + "\n"


def _split_lines(lines: Iterable[str], delimiter: str) -> Any:
    """Return a reader of rows; a blank stands for any number of them."""
    is_blank = delimiter == " "
    lines = map(_blanks_to_tabs, lines) if is_blank else lines
    return csv.reader(lines, delimiter="\t" if is_blank else delimiter)


def _numbered_rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the first rows of a text, each with the number of its last line."""
    reader = _split_lines(io.StringIO(text, newline=""), delimiter)
    return [(reader.line_num, row) for row, _ in zip(reader, range(_HEAD_ROWS), strict=False)]


def _detect_delimiter(body: str) -> str:
    """Return the mark that cuts the head into rows of one width; blanks if no other does."""
    fits: dict[str, tuple[bool, bool, bool]] = {}
    for mark in _DELIMITERS + " ":
        widths = [len(row) for _, row in _numbered_rows(body, mark) if row]
        width, count = Counter(widths).most_common(1)[0]
        if width > 1:
            fits[mark] = (mark != " ", count > 0.8 * len(widths), widths[0] > 1)
    return max(fits, key=lambda mark: fits[mark], default=",")


def is_small_text(path: Path) -> bool:
    """Return whether a file is no pattern, neither packed nor Parquet, and below 2 MB."""
    if not path.is_file() or path.stat().st_size > 2_000_000:
        return False
    with path.open("rb") as handle:
        return not handle.read(8).startswith((b"PAR1", b"PK", *_PACKERS))


def find_archive_member(name: str, path: Path, endings: tuple[str, ...], largest: int) -> str:
    """Return the one file with such an ending in a zip of one layer, up to a size."""
    with zipfile.ZipFile(path) as archive:
        members = [
            member for member in archive.infolist() if not member.filename.startswith("__MACOSX/")
        ]
    if any(member.filename.startswith(("xl/", "word/", "content.xml")) for member in members):
        raise build_error("workbook", file=name)
    candidates = [
        member.filename for member in members if member.filename.lower().endswith(endings)
    ]
    if len(candidates) != 1:
        raise build_error(
            "zip-members", file=name, number=len(candidates), endings=", ".join(endings)
        )
    unpacked = sum(member.file_size for member in members)
    if unpacked > largest:
        raise build_error("too-large", file=name, size=unpacked)
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
        raise build_error("encoding", file=name, encoding=encoding) from None
    return (text[: text.rfind("\n") + 1] if cut else text) or text


def _check_names(
    name: str,
    fields: Sequence[str],
    numbered: Sequence[tuple[int, list[str]]],
    skipped: int,
    delimiter: str,
) -> None:
    """Raise `InputError` for a first line of data instead of names; none of it is quoted."""
    lines, some = [skipped + n for n, row in numbered if row], [row for _, row in numbered if row]
    first = [row[0] for row in some[1:51]]
    days = [i for i, field in enumerate(fields) if _DAY.fullmatch(field)]
    dated = len(days) > 2 and not any(_DAY.fullmatch(f) for row in some[1:2] for f in row)
    column_values = "day" if dated else "destination"
    if dated or (len(first) > 2 and first == list(fields[1:])[: len(first)]):
        raise build_error("matrix", file=name, each=column_values)
    widths = [len(fields), *(len(row) for row in some[1:])]
    wide = next((i for i, width in enumerate(widths) if width > widths[0]), 0)
    above = wide < 20 and all(width == widths[wide] for width in widths[wide : wide + 5])
    above = above and not any(field and _VALUE.match(field) for field in some[wide])
    if 2 * fields.count("") >= len(fields) > 2:
        wide, above = next((i for i, row in enumerate(some) if all(row)), 0), True
    if wide and above:
        count = "1 line stands" if lines[wide] == 2 else f"{lines[wide] - 1} lines stand"
        raise build_error(
            "rows-above",
            file=name,
            count=count,
            line=lines[wide],
            columns=widths[wide],
            named=widths[0] - fields.count(""),
        )
    if wide:
        all_wide = set(widths[1:]) == {widths[wide]}
        rows = f"every row from line {lines[wide]} on" if all_wide else f"line {lines[wide]}"
        remedy = f"quote each value that holds the mark {delimiter!r}"
        raise build_error(
            "too-wide",
            file=name,
            rows=rows,
            columns=widths[wide],
            named=widths[0],
            remedy=f"name every column (as row names of R), or {remedy}" if all_wide else remedy,
        )
    times = sum(bool(_TIME.match(field)) for field in fields)
    values = sum(bool(_VALUE.match(field)) for field in fields)
    rest = [row for row in some[1:] if row != some[0]] or some[1:]  # names may stand again below
    below = [row for row in rest if len(row) == len(fields)]
    repeated = any(field and field in column for field, *column in zip(fields, *below, strict=True))
    if times or repeated or 2 * values >= len(fields):
        raise build_error("no-header", file=name)


def _make_names_unique(fields: Sequence[str]) -> tuple[str, ...]:
    """Return unique names: a repeated name is numbered."""
    used_names: dict[str, int] = {}
    names: list[str] = []
    for field in fields:
        used_names[field.lower()] = number = used_names.get(field.lower(), 0) + 1
        names.append(field if number == 1 else f"{field} ({number})")
    return tuple(names)


def to_printable(text: str) -> str:
    """Return a column or file name printable in a message, and short."""
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= 60 else printable[:59] + "…"


def _find_tables(folder: Path) -> list[Path]:
    """Return every table below `folder`; `InputError` for a folder that cannot be read."""
    paths: list[Path] = []

    def refuse(_problem: OSError) -> None:
        raise build_error("unreadable-folder", file=to_printable(folder.name)) from None

    for place, _folders, names in os.walk(folder, onerror=refuse, followlinks=False):
        paths += [
            Path(place, name)
            for name in names
            if name.lower().endswith(FILE_ENDINGS) and not name.startswith((".", "_"))
        ]
    return [path for path in paths if path.is_file()]


def first_rows(
    source: Source, rows: int, columns: Collection[str] | None = None
) -> list[list[str]]:
    """Return at most `rows` first rows as text, which are confidential; of Parquet `columns`."""
    if source.folder_days:
        days = [day for _, day in source.folder_days]
        own = len(source.columns) - len(days)
        plain = replace(source, columns=source.columns[:own], folder_days=())
        read = first_rows(plain, rows, columns)
        return [[*row, *[""] * (own - len(row))][:own] + days for row in read]
    with translate_errors(source.name):
        if source.format == "csv":
            with source.open() as handle:
                head = handle.read(HEAD_BYTES)
            text = io.StringIO(decode_head(source.name, head, source.encoding), newline="")
            last = source.skipped_rows + rows
            read = islice(_split_lines(text, source.delimiter), source.skipped_rows, last)
            header = [column.lower() for column in source.columns]  # which may stand again
            return [row for row in read if [value.lower() for value in row] != header]
        with pq.ParquetFile(source.path) as file:
            wanted = [name for name in source.columns if columns is None or name in columns]
            batch = next(file.iter_batches(batch_size=rows, columns=wanted)).slice(0, rows)
        read, unread = {*wanted}, [""] * len(batch)
        texts = [_to_texts(batch.column(n)) if n in read else unread for n in source.columns]
        return [list(row) for row in zip(*texts, strict=True)]


def _to_texts(column: Any) -> list[str]:
    try:
        values = column.cast(pa.string()).to_pylist()
    except (pa.ArrowException, UnicodeDecodeError):  # lists and other types, which no mapping takes
        values = [f"({column.type})"] * len(column)
    return ["" if value is None else str(value) for value in values]
