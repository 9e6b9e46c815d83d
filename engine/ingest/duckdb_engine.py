"""DuckDB, the embedded engine that runs the statements of `row_cleaning` and `counting`."""

import math
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from .options import build_error
from .progress import Monitor
from .read_errors import explain_error

BYTES_PER_ROW = 400
"""Memory for each row that is ranked at once, the engine's own needs included."""
BYTES_PER_RECORD = 40
MAX_SPILL_BYTES = "200GB"
MAX_PARTITIONS = 8  # reads of a large table, by shares of its people
_POLL_SECONDS = 0.1
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def run_watched(
    work: Callable[[], Any],
    monitor: Monitor,
    share: Callable[[], float],
    interrupt: Callable[[], None],
    names: Mapping[str, str],
) -> Any:
    """Return `work()`, run in a thread; if the monitor raises, `interrupt` the engine."""
    with ThreadPoolExecutor(1, "ingest-statement") as pool:
        statement = pool.submit(work)
        try:
            over = False
            while not over:
                over = bool(wait([statement], _POLL_SECONDS).done)
                monitor.update(share())
        except BaseException:
            while not wait([statement], _POLL_SECONDS).done:
                interrupt()
            raise
    if (error := statement.exception()) is not None:
        file = next(iter(names.values())) if len(names) == 1 else f"one of {len(names)} inputs"
        raise explain_error(error, file, names) from None
    return statement.result()


class DuckDB:
    """DuckDB in memory, which spills into `folder` and reads `paths` and nothing else."""

    def __init__(
        self,
        monitor: Monitor,
        folder: Path,
        *,
        time_zone: str = "UTC",
        paths: Mapping[str, str] | None = None,
        rows: int = 0,
        memory: str = "3GB",
        keep_order: bool = False,
    ) -> None:
        self._monitor, self._names = monitor, dict(paths or {})
        self._added: set[str] = set()
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": str(folder),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "preserve_insertion_order": keep_order,
        }
        if keep_order:
            settings["threads"] = 1
        try:
            self.connection = duckdb.connect(":memory:", config=settings)
            # DuckDB 2.0 ignores this setting at connection
            self.connection.execute(f"SET max_temp_directory_size = '{MAX_SPILL_BYTES}'")
            self.connection.execute(f"SET TimeZone = {quote_text(time_zone)}")
        except duckdb.Error:
            raise build_error("engine-start") from None
        size, unit = str(self.fetch_rows("SELECT current_setting('memory_limit')")[0][0]).split()
        self._memory = float(size) * _UNITS[unit]
        # a table in memory that outgrows it is written anew at every read
        self._stored = rows * BYTES_PER_RECORD > self._memory
        if self._stored:
            self.connection.execute(f"ATTACH {quote_text(str(folder / 'stored.duckdb'))} AS stored")
        with suppress(duckdb.Error):  # a notebook without ipywidgets has no progress to show
            self.connection.execute("SET enable_progress_bar = true")
            self.connection.execute("SET enable_progress_bar_print = false")
        allowed = ", ".join(map(quote_text, self._names))
        for statement in (
            "SET python_enable_replacements = false",
            f"SET allowed_paths = [{allowed}]",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            self.connection.execute(statement)

    def register_table(self, name: str, table: pa.Table) -> None:
        """Register a small table with the engine."""
        self.connection.register(name, table)

    def create_view(self, name: str, sql: str) -> None:
        """Name a statement."""
        self._run(lambda: self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}"))

    def materialise(self, name: str, sql: str, *, large: bool = False) -> None:
        """Compute a statement once; `large` if it has about as many rows as the input."""
        stored = large and self._stored
        place = f"TABLE stored.{name}" if stored else f"TEMP TABLE {name}"
        self._run(lambda: self.connection.execute(f"CREATE OR REPLACE {place} AS {sql}"))
        if stored:
            self.create_view(name, f"SELECT * FROM stored.{name}")

    def append_rows(self, name: str, table: pa.Table) -> None:
        """Append rows to a materialised table, which the first rows create."""
        self.register_table("added", table)
        if name not in self._added:
            self.materialise(name, "SELECT * FROM added", large=True)
        else:
            place = f"stored.{name}" if self._stored else name
            self._run(lambda: self.connection.execute(f"INSERT INTO {place} SELECT * FROM added"))
        self._added.add(name)

    def drop_tables(self, *names: str) -> None:
        """Drop materialised tables."""
        for name in names:
            self.connection.execute(f"DROP TABLE {name}")

    def fetch_table(self, sql: str) -> pa.Table:
        """Return the rows of a statement as a table; for aggregates only."""
        return self._run(lambda: self.connection.sql(sql).to_arrow_table())

    def fetch_rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        result: list[tuple[Any, ...]] = self._run(lambda: self.connection.execute(sql).fetchall())
        return result

    def column_types(self, sql: str) -> dict[str, str]:
        """Return the type of each column of a statement."""
        return {row[0]: row[1] for row in self.fetch_rows(f"DESCRIBE {sql}")}

    def iterate_people_shares(self, table: str, where: str, rows: int) -> Generator[str]:
        """Yield the rows of a table by shares of its people (``uid``) that fit in memory."""
        share_count = max(math.ceil(rows * BYTES_PER_ROW / self._memory), 1)
        if share_count <= MAX_PARTITIONS:
            for number in range(share_count):
                condition = "" if share_count == 1 else f" AND hash(uid) % {share_count} = {number}"
                yield f"(SELECT * FROM {table} WHERE {where}{condition})"
            return
        within = math.ceil(share_count / MAX_PARTITIONS)
        for pile in range(MAX_PARTITIONS):
            self.materialise(
                "pile",
                f"SELECT * FROM {table} WHERE {where} AND hash(uid) % {MAX_PARTITIONS} = {pile}",
            )
            for number in range(within):
                share = f"(hash(uid) // {MAX_PARTITIONS}) % {within} = {number}"
                yield f"(SELECT * FROM pile WHERE {share})"
            self.drop_tables("pile")

    def close(self) -> None:
        """Close the engine; the owner removes the folder."""
        self.connection.close()

    def _run(self, work: Callable[[], Any]) -> Any:
        def share() -> float:
            return self.connection.query_progress() / 100

        return run_watched(work, self._monitor, share, self.connection.interrupt, self._names)


def quote_text(value: str) -> str:
    """Return `value` as an SQL string."""
    return "'" + value.replace("'", "''") + "'"


def quote_identifier(value: str) -> str:
    """Return `value` as an SQL identifier."""
    return '"' + value.replace('"', '""') + '"'
