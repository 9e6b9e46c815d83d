"""The cluster engine: the same Ibis expressions on Spark (extra ``spark``, Java 17)."""

import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa

from ...datasets import storage
from ...errors import InputError
from ..expressions import Table
from ..inputs.sources import Source
from ..options import IngestOptions
from ..progress import Monitor
from .statements import watched

_SETTINGS = {
    "spark.app.name": "engine.ingest",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "latin-1": "ISO-8859-1",
    "windows-1252": "windows-1252",
    "utf-16": "UTF-16",
}
_GLOB_CHARACTERS = set("*?[]{}\\")
_folders: list[Path] = []
"""The temporary folders of this process's sessions, of which one is open at a time."""


def available() -> bool:
    """Whether PySpark and a Java runtime are there."""
    return importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


class SparkEngine:
    """Spark on the cluster at ``master``; inputs must be readable there under the same path.

    Kept tables are persisted on the workers and removed when the engine is closed.
    """

    def __init__(self, options: IngestOptions, sources: Sequence[Source], monitor: Monitor) -> None:
        if not available():
            raise InputError(
                "the engine 'spark' needs PySpark and Java 17",
                remedy="pip install 'mobility-privacy-explorer[spark]' and a Java runtime, or use "
                "the embedded engine",
                code="no-spark",
                settings=("engine",),
            )
        from pyspark.sql import SparkSession

        _ = ibis.pyspark  # loads the backend's options, which its compiler reads
        self._monitor = monitor
        self._sources = sources
        builder = SparkSession.builder.master(options.master)
        for name, value in _SETTINGS.items():
            builder = builder.config(name, value)
        self._folder = Path(tempfile.mkdtemp(prefix="ingest-", dir=options.spill))
        _folders.append(self._folder)
        storage.make_owner_only(self._folder)
        settings = {
            "spark.local.dir": str(self._folder),
            "spark.sql.warehouse.dir": str(self._folder),
        }
        if options.master.startswith("local"):
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.memory": _jvm_size(options.memory),
                "spark.sql.shuffle.partitions": "4",
            }
        for name, value in settings.items():
            builder = builder.config(name, value)
        try:
            self._spark = builder.getOrCreate()
        except Exception as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise InputError(
                f"Spark cannot start at '{options.master}' ({type(error).__name__})",
                remedy="check the address, the memory and that Java 17 is installed",
                code="spark-start",
                settings=("master", "memory"),
            ) from None
        self._views = 0
        self._kept: dict[str, Any] = {}

    def read(self, sources: Sequence[Source], mapping: dict[str, str]) -> Table:
        """Return the columns of `mapping`, canonically named, of files of one signature."""
        first = sources[0]
        paths = [_hadoop_path(source) for source in sources]
        if first.format == "parquet":
            frame = self._spark.read.option("recursiveFileLookup", "true").parquet(*paths)
            names = mapping
        else:
            for source in sources:
                if source.packed and source.path.suffix.lower() != ".gz":
                    raise InputError(
                        f"{source.name}: is gzip without the ending .gz", remedy="rename it"
                    )
            frame = self._spark.read.option("recursiveFileLookup", "true").csv(
                paths,
                schema=", ".join(f"c{i} STRING" for i in range(len(first.columns))),
                header=True,
                sep=first.delimiter,
                quote='"',
                escape='"',
                encoding=_ENCODINGS[first.encoding],
                mode="FAILFAST",
                multiLine=True,
                enforceSchema=True,
            )
            names = {name: f"c{first.columns.index(column)}" for name, column in mapping.items()}
        wanted = frame.select([_column(first, column).alias(n) for n, column in names.items()])
        self._views += 1
        return self._view(f"input_{self._views}", wanted)

    def lookup(self, name: str, table: pa.Table) -> Table:
        """Return a small table of places as a table of the engine."""
        return self._view(name, self._spark.createDataFrame(table))

    def view(self, name: str, table: Table) -> Table:
        """Give `table` a name, so that long expressions stand once in a statement."""
        return self._view(name, self._sql(table))

    def keep(self, name: str, table: Table) -> Table:
        """Compute `table` once and keep it until the engine is closed."""
        from pyspark import StorageLevel

        frame = self._sql(table).persist(StorageLevel.DISK_ONLY)
        self._watched(frame.count)
        self._kept[name] = frame
        return self._view(name, frame)

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        self._kept.pop(name).unpersist()

    def fetch(self, table: Table) -> pa.Table:
        """Compute `table` and return its rows; for aggregates only."""
        frame = self._sql(table)
        return self._watched(frame.toArrow)

    def shares(self, _rows: int, /) -> int:
        """Return 1: the cluster divides the work itself."""
        return 1

    def close(self) -> None:
        """Release everything, temporary files included."""
        self._spark.stop()
        # Java remembers its first folder beyond the session, and makes it again for the next one
        for folder in _folders:
            shutil.rmtree(folder, ignore_errors=True)

    def _sql(self, table: Table) -> Any:
        return self._spark.sql(str(ibis.to_sql(table, dialect="pyspark")))

    def _view(self, name: str, frame: Any) -> Table:
        frame.createOrReplaceTempView(name)
        return ibis.table({f.name: _ibis_type(f.dataType) for f in frame.schema}, name=name)

    def _watched(self, work: Callable[[], Any]) -> Any:
        def share() -> float:
            tracker = self._spark.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            return done / tasks if tasks else 0.0

        return watched(
            work, self._monitor, self._sources, share, self._spark.sparkContext.cancelAllJobs
        )


def _hadoop_path(source: Source) -> str:
    """Return a path as Hadoop reads it: as it is, but for the signs of a pattern."""
    text = str(source.path)
    if source.path.name.startswith(("_", ".")) or not text.isprintable():
        raise InputError(
            f"{source.name}: Spark passes over files whose name begins with _ or . or cannot be "
            "printed",
            remedy="rename it, or use the embedded engine",
            code="spark-path",
            settings=("engine",),
        )
    return "file:" + "".join(f"\\{c}" if c in _GLOB_CHARACTERS else c for c in text)


def _column(source: Source, name: str) -> Any:
    """Return a column by any name; nanoseconds, which Spark reads as numbers, as times."""
    from pyspark.sql import functions

    quoted = name.replace("`", "``")
    column = functions.col(f"`{quoted}`")
    kind = source.kinds[source.columns.index(name)] if name in source.columns else ""
    if not kind.startswith("timestamp[ns"):
        return column
    instant = functions.timestamp_micros(functions.floor(column / functions.lit(1000)))
    return instant if "tz=" in kind else instant.cast("timestamp_ntz")


def _ibis_type(kind: Any) -> Any:
    """Return the Ibis type of a Spark type; Spark's ``timestamp`` is an instant, kept in UTC."""
    from ibis.backends.pyspark.datatypes import PySparkType

    if kind.typeName() == "timestamp":
        return dt.Timestamp(timezone="UTC")
    return PySparkType.to_ibis(kind)


def _jvm_size(memory: str) -> str:
    """Return a size such as ``4GB`` the way Java wants it: ``4g``."""
    return memory.strip().lower().removesuffix("b").removesuffix("i").replace(" ", "")
