"""Spark, for tables too large for one machine: the same statements, translated by sqlglot.

It reads typed tables alone: Parquet at any address that it knows, and tables of its catalogue.
DuckDB reads untyped text.
"""

import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pyarrow as pa

from .. import temp_folder
from .duckdb_engine import quote_identifier as quoted, run_watched
from .inputs.column_mapping import TIMES, Mappings, resolve_all
from .inputs.sources import Source, find_folder_days, to_printable
from .options import IngestOptions, build_error
from .progress import Monitor
from .read_errors import translate_errors
from .row_cleaning import CanonicalTable

_SQL_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
}
"""Settings that the counts depend on, and that no user can change."""
_LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Settings on this machine; a cluster has its own page, log and addresses."""
_DUCKDB_TYPES = {
    "string": "VARCHAR",
    "int": "INTEGER",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


class Spark:
    """A Spark session for one ingest. Materialised tables stay on the executors' disks."""

    def __init__(self, options: IngestOptions, monitor: Monitor, folder: Path) -> None:
        self._monitor, self._names = monitor, dict[str, str]()
        self._kept: dict[str, Any] = {}
        try:
            import pyspark
            import sqlglot
            from pyspark.sql import SparkSession
        except ModuleNotFoundError:
            raise build_error("spark-missing") from None
        self._translate = sqlglot.transpile
        for name in options.inputs:
            if _is_path(name) and re.search(r"[.](csv|txt|tsv|gz|zip)$", name.lower()):
                raise build_error("spark-text", file=to_printable(Path(name).name))
        meaning = {**_SQL_SETTINGS, "spark.sql.session.timeZone": options.time_zone}
        if fixed := sorted(meaning.keys() & options.conf.keys()):
            raise build_error("spark-setting", name=fixed[0])
        settings = {**options.conf, **meaning}
        if options.master.startswith("local"):
            places = ("spark.local.dir", "spark.sql.warehouse.dir")
            memory = options.memory.lower().removesuffix("b").removesuffix("i")
            here = {**_LOCAL_SETTINGS, "spark.driver.memory": memory}
            settings = {**here, **dict.fromkeys(places, str(folder)), **settings}
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        builder = SparkSession.builder.master(options.master).appName("engine.ingest")
        for key, value in settings.items():
            builder = builder.config(key, value)
        try:
            self.session: Any = builder.getOrCreate()
        except Exception as error:
            kind = type(error).__name__
            raise build_error("spark-start", master=options.master, error=kind) from None
        # Spark has no function of this name
        self.session.udf.register("nfc_normalize", lambda text: text and normalize("NFC", text))

    def open_sources(self, inputs: Sequence[str]) -> list[Source]:
        """Open typed tables as the views ``given_0``, ``given_1``, …."""
        from pyspark.sql import functions
        from pyspark.sql.pandas.types import to_arrow_type

        sources: list[Source] = []
        for number, name in enumerate(inputs):
            self._names[name] = to_printable(Path(name).name)
            with translate_errors(to_printable(Path(name).name)):
                reader = self.session.read.option("recursiveFileLookup", "true")
                frame = reader.parquet(name) if _is_path(name) else self.session.table(name)
                files = frame.inputFiles()[:1] if _is_path(name) else []
                for column, _ in find_folder_days(Path(*files)) if files else ():
                    if column not in frame.columns:
                        day = functions.regexp_extract(
                            functions.input_file_name(), f"/{re.escape(column)}=([^/]+)/", 1
                        )
                        frame = frame.withColumn(column, functions.to_date(day))
                frame.createOrReplaceTempView(f"given_{number}")
                schema = pa.schema([(f.name, to_arrow_type(f.dataType)) for f in frame.schema])
            kinds = tuple(str(kind) for kind in schema.types)
            sources.append(Source(Path(name), "table", tuple(schema.names), kinds, 0))
        return sources

    def create_views(self, mappings: Mappings) -> list[CanonicalTable]:
        """Return a view of canonical columns for each source."""
        views: list[CanonicalTable] = []
        for number, (source, names) in enumerate(mappings.items()):
            for canonical, column in names.items():
                if column not in source.columns:
                    raise build_error("spark-joined", column=to_printable(column))
                kind = source.column_types[source.columns.index(column)]
                if canonical in TIMES and not kind.startswith(("timestamp", "date")):
                    which = {"file": source.name, "column": to_printable(column)}
                    raise build_error("spark-times", canonical=canonical, kind=kind[:40], **which)
            selected = ", ".join(
                f"{quoted(column)} AS {canonical_name}" for canonical_name, column in names.items()
            )
            self.create_view(f"input_{number}", f"SELECT {selected} FROM given_{number}")
            kinds = self.column_types(f"SELECT * FROM input_{number}")
            views.append(CanonicalTable(f"input_{number}", kinds))
        return views

    def register_table(self, name: str, table: pa.Table) -> None:
        """Register a small table with the engine."""
        self.session.createDataFrame(table).createOrReplaceTempView(name)

    def create_view(self, name: str, sql: str) -> None:
        """Name a statement."""
        self._frame(sql).createOrReplaceTempView(name)

    def materialise(self, name: str, sql: str, *, large: bool = False) -> None:
        """Compute a statement once; the part of a lost executor is computed again."""
        from pyspark import StorageLevel

        del large  # all materialised tables are on disk
        if name in self._kept:
            self.drop_tables(name)
        frame = self._frame(sql).persist(StorageLevel.DISK_ONLY)
        self._run(frame.count)
        frame.createOrReplaceTempView(name)
        self._kept[name] = frame

    def drop_tables(self, *names: str) -> None:
        """Drop materialised tables."""
        for name in names:
            self._kept.pop(name).unpersist()

    def fetch_table(self, sql: str) -> pa.Table:
        """Return the rows of a statement as a table; for aggregates only."""
        return self._run(self._frame(sql).toArrow)

    def fetch_rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        return [tuple(row) for row in self._run(self._frame(sql).collect)]

    def column_types(self, sql: str) -> dict[str, str]:
        """Return the type of each column of a statement, as DuckDB names it."""
        kinds: dict[str, str] = dict(self._frame(sql).dtypes)
        return {name: _DUCKDB_TYPES.get(kind) or kind.upper() for name, kind in kinds.items()}

    def iterate_people_shares(self, table: str, where: str, rows: int) -> Generator[str]:
        """Yield all rows of a table at once: the cluster divides the work itself."""
        del rows
        yield f"(SELECT * FROM {table} WHERE {where})"

    def close(self) -> None:
        """End the session."""
        with suppress(Exception):  # the cluster may have gone
            self.session.stop()

    def _frame(self, sql: str) -> Any:
        (statement,) = self._translate(sql, read="duckdb", write="spark")
        with translate_errors(next(iter(self._names.values()), "")):
            return self.session.sql(statement)

    def _run(self, work: Callable[[], Any]) -> Any:
        context = self.session.sparkContext

        def share() -> float:
            tracker = context.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            return done / tasks if tasks else 0.0

        return run_watched(work, self._monitor, share, context.cancelAllJobs, self._names)


@contextmanager
def open_spark(
    options: IngestOptions, monitor: Monitor
) -> Generator[tuple[Spark, Mappings, list[CanonicalTable]]]:
    """Yield a session with a view of each typed table."""
    if options.reading.text_time_zone is not None:
        raise build_error("spark-zone")
    with temp_folder.open_temp_folder(options.spill) as folder:
        engine = Spark(options, monitor, folder)
        try:
            mappings = resolve_all(options, engine.open_sources(options.inputs))
            yield engine, mappings, engine.create_views(mappings)
        finally:
            engine.close()


def _is_path(name: str) -> bool:
    return "://" in name or Path(name).exists()
