"""The embedded engine: DuckDB, locked down to the named inputs and one spill folder."""

import codecs
import gzip
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
from ibis.backends.sql.datatypes import DuckDBType

from ...datasets import storage
from ...errors import InputError
from ..expressions import Table
from ..inputs.bombs import LONGEST_LINE
from ..inputs.sources import Source
from ..options import IngestOptions
from ..progress import Monitor
from .engine import PARTS, Check, Place
from .statements import watched

STORE = "stored"
BYTES_A_ROW = 400
"""Memory to have for each row that is ranked at once: a third of it is the sort, the rest is
taken by the table that is read, the result and what the engine needs itself."""
BYTES_A_RECORD = 40
"""Of a table in memory."""
_BYTES_A_LINE = 40
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_NATIVE = ("utf-8", "latin-1")
"""Encodings that DuckDB reads itself, without an extension."""
_CHUNK = 1 << 22
_GLOB_CHARACTERS = set("*?[")
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS")


class DuckDBEngine:
    """DuckDB in memory, spilling into an owner-only folder that is removed at the end.

    No extension is installed or loaded, no file but the inputs is readable, and the configuration
    is locked before the first row is read.

    Attributes
    ----------
    connection : DuckDBPyConnection
        The locked connection.
    """

    def __init__(
        self,
        options: IngestOptions,
        sources: Sequence[Source],
        monitor: Monitor,
        *,
        keep_order: bool = False,
    ) -> None:
        self._monitor = monitor
        self._sources = sources
        self._folder = Path(tempfile.mkdtemp(prefix="ingest-", dir=options.spill))
        storage.make_owner_only(self._folder)
        self._tables = 0
        self._stored: set[str] = set()
        try:
            self._paths = {source.path: self._readable(source) for source in sources}
            self.connection = self._connect(options, keep_order)
            self._lock()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def read(self, sources: Sequence[Source], mapping: dict[str, str]) -> Table:
        """Return the columns of `mapping`, canonically named, of files of one signature."""
        first = sources[0]
        files = ", ".join(_text(self._paths[source.path]) for source in sources)
        if first.format == "parquet":
            # a folder named column=value must not overrule the column
            reader = f"read_parquet([{files}], hive_partitioning = false)"
            names = mapping
        else:
            columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(first.columns)))
            native = first.encoding in _NATIVE
            compression = "gzip" if first.packed and native else "none"
            reader = (
                f"read_csv([{files}], columns = {{{columns}}}, auto_detect = false, header = true,"
                f" delim = {_text(first.delimiter)}, quote = '\"', escape = '\"',"
                f" encoding = '{first.encoding if native else 'utf-8'}', skip = {first.skipped},"
                f" compression = '{compression}',"
                f" max_line_size = {LONGEST_LINE})"
            )
            names = {
                canonical: f"c{first.columns.index(column)}"
                for canonical, column in mapping.items()
            }
        self._tables += 1
        view = f"input_{self._tables}"
        wanted = ", ".join(f"{_name(column)} AS {canonical}" for canonical, column in names.items())
        kinds = self._kinds(f"SELECT {wanted} FROM {reader}")
        whole = ", ".join(
            f"{_whole_seconds(name, kind)} AS {name}"
            for name, kind in kinds.items()
            if kind in _NANOSECONDS
        )
        replaced = f"* REPLACE ({whole})" if whole else "*"
        query = f"SELECT {replaced} FROM (SELECT {wanted} FROM {reader})"
        self._execute(f"CREATE TEMP VIEW {view} AS {query}")
        schema = {name: DuckDBType.from_string(kind) for name, kind in self._kinds(query).items()}
        return ibis.table(schema, name=view)

    def lookup(self, name: str, table: pa.Table) -> Table:
        """Return a small table of places as a table of the engine."""
        self._run(lambda: self.connection.register(name, table))
        return ibis.table(ibis.Schema.from_pyarrow(table.schema), name=name)

    def view(self, name: str, table: Table) -> Table:
        """Give `table` a name, so that long expressions stand once in a statement."""
        self._execute(f"CREATE TEMP VIEW {name} AS {_sql(table)}")
        return ibis.table(table.schema(), name=name)

    def keep(self, name: str, table: Table) -> Table:
        """Compute `table` once and keep it until the engine is closed."""
        self._execute(f"CREATE TEMP TABLE {name} AS {_sql(table)}")
        return ibis.table(table.schema(), name=name)

    def store(self, name: str, table: Table) -> Table:
        """Compute `table` once: where it may outgrow memory, in a file of the spill folder.

        A table in memory that outgrows it is written anew whenever it is read. The file is
        compressed, which takes time where memory would do.
        """
        if self._expected_rows() * BYTES_A_RECORD > self._memory():
            self._stored.add(name)
            self._execute(f"CREATE OR REPLACE TABLE {STORE}.{name} AS {_sql(table)}")
            return ibis.table(table.schema(), name=name, catalog=STORE, database="main")
        self._execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {_sql(table)}")
        return ibis.table(table.schema(), name=name)

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        place = f"{STORE}.{name}" if name in self._stored else name
        self._stored.discard(name)
        self._execute(f"DROP TABLE {place}")

    def fetch(self, table: Table) -> pa.Table:
        """Compute `table` and return its rows; for aggregates only."""
        query = _sql(table)
        return self._run(lambda: self.connection.sql(query).to_arrow_table())

    def placed(self, name: str, points: Table, place: Place, check: Check) -> Table:
        """Return distinct points with what `place` adds to them; `check` may refuse them first."""
        distinct = self.fetch(points)
        check(distinct)
        return self.lookup(name, place(distinct))

    def shares(self, rows: int, /) -> int:
        """Return as many as it takes to rank each share in memory: sorting on disk takes long."""
        return min(max(math.ceil(rows * BYTES_A_ROW / self._memory()), 1), PARTS)

    def close(self) -> None:
        """Release everything, temporary files included."""
        try:
            self.connection.close()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _expected_rows(self) -> int:
        """Return about how many rows the files hold."""
        sizes = ((source.rows, source.size_bytes) for source in self._sources)
        return sum(size // _BYTES_A_LINE if rows is None else rows for rows, size in sizes)

    def _memory(self) -> float:
        """Return the bytes that the engine aims to stay within."""
        size, unit = str(self._rows("SELECT current_setting('memory_limit')")[0][0]).split()
        return float(size) * _UNITS[unit]

    def _kinds(self, query: str) -> dict[str, str]:
        """Return the type of each column of `query`."""
        return {row[0]: row[1] for row in self._rows(f"DESCRIBE {query}")}

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._run(
            lambda: self.connection.execute(statement).fetchall()
        )
        return rows

    def _execute(self, statement: str) -> None:
        self._run(lambda: self.connection.execute(statement))

    def _connect(self, options: IngestOptions, keep_order: bool) -> duckdb.DuckDBPyConnection:
        settings: dict[str, Any] = {
            "memory_limit": options.memory,
            "temp_directory": str(self._folder),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "preserve_insertion_order": keep_order,
        }
        if options.threads is not None:
            settings["threads"] = options.threads
        try:
            connection = duckdb.connect(":memory:", config=settings)
            # DuckDB 2.0 ignores this one among the settings of a connection
            connection.execute(f"SET max_temp_directory_size = {_text(options.spill_limit)}")
            file = _text(str(self._folder / f"{STORE}.duckdb"))
            connection.execute(f"ATTACH {file} AS {STORE}")
        except duckdb.Error:
            raise InputError(
                "the engine cannot start with these settings of memory, threads and spill; write "
                "sizes as '4GB' and name a folder that exists"
            ) from None
        return connection

    def _lock(self) -> None:
        with suppress(duckdb.Error):  # a notebook without ipywidgets has no progress to show
            self.connection.execute("SET enable_progress_bar = true")
            self.connection.execute("SET enable_progress_bar_print = false")
        allowed = ", ".join(_text(path) for path in self._paths.values())
        for statement in (
            "SET TimeZone = 'UTC'",
            "SET python_enable_replacements = false",
            f"SET allowed_paths = [{allowed}]",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            self._execute(statement)

    def _readable(self, source: Source) -> str:
        """Return a path that DuckDB can open: without wildcards, of UTF-8 in name and contents."""
        path = source.path
        if source.format == "csv" and source.encoding not in _NATIVE:
            return str(_as_utf8(source, self._folder))
        if not _GLOB_CHARACTERS & set(str(path)) and str(path).isprintable():
            return str(path)
        link = self._folder / f"input{len(list(self._folder.iterdir()))}"
        try:
            os.symlink(path, link)
        except OSError:
            raise InputError(
                f"{source.name}: the path holds a character such as * ? [; rename it"
            ) from None
        return str(link)

    def _run(self, work: Callable[[], Any]) -> Any:
        connection = self.connection
        return watched(
            work,
            self._monitor,
            self._sources,
            lambda: connection.query_progress() / 100,
            connection.interrupt,
            self._folder,
        )


def _sql(table: Table) -> str:
    return str(ibis.to_sql(table, dialect="duckdb"))


def _whole_seconds(name: str, kind: str) -> str:
    """Return a time in nanoseconds as one in seconds, cut off.

    Ibis knows no instant in nanoseconds, and DuckDB 2.0 rounds where it should cut off.
    """
    second = 1_000_000_000
    number = f"epoch_ns({name})"
    seconds = f"({number} - (({number} % {second}) + {second}) % {second}) // {second}"
    if kind == "TIMESTAMP_NS":
        return f"make_timestamp({seconds} * 1000000)"
    return f"to_timestamp({seconds})"


def _text(value: str) -> str:
    """Return `value` as an SQL string."""
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    """Return `value` as an SQL identifier."""
    return '"' + value.replace('"', '""') + '"'


def _as_utf8(source: Source, folder: Path) -> Path:
    """Write `source` as UTF-8 into `folder` (unpacked), and return the file there."""
    target = folder / f"utf8-{len(list(folder.iterdir()))}.csv"
    decoder = codecs.getincrementaldecoder(source.encoding)()
    try:
        with (
            gzip.open(source.path) if source.packed else source.path.open("rb") as packed,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            while piece := packed.read(_CHUNK):
                out.write(decoder.decode(piece))
            out.write(decoder.decode(b"", final=True))
    except UnicodeDecodeError:
        raise InputError(
            f"{source.name} is not in the encoding '{source.encoding}'",
            remedy="name its encoding, or save it as UTF-8",
            code="encoding",
            settings=("encoding",),
        ) from None
    return target
