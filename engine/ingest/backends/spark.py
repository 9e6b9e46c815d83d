"""The cluster engine: the same Ibis expressions on Spark (extra ``spark``, Java 17)."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa

from ...errors import InputError
from ..expressions import Table
from ..inputs.points import SAMPLE
from ..inputs.sources import Source
from ..options import IngestOptions
from ..progress import Monitor
from .engine import Check, Place
from .lake import escaped
from .session import scratch
from .statements import watched

ROWS_A_FILE = 4_000_000
"""What is counted is read in parts of so many rows: no answer is larger than a driver takes."""
_ENCODINGS = {
    "utf-8": "UTF-8",
    "latin-1": "ISO-8859-1",
    "windows-1252": "windows-1252",
    "utf-16": "UTF-16",
}


class SparkEngine:
    """Spark, in a session that is open; files of this machine are read under the same path there.

    Executors write what is kept and what is counted as Parquet, on this machine into a folder of
    its own; a cluster keeps it in its workers, and what is counted comes as one answer. All of it
    is emptied when the engine is closed.
    """

    def __init__(
        self, options: IngestOptions, sources: Sequence[Source], monitor: Monitor, spark: Any
    ) -> None:
        _ = ibis.pyspark  # loads the backend's options, which its compiler reads
        self._spark, self._monitor, self._sources = spark, monitor, sources
        self._has_cluster = not options.master.startswith("local[")
        where = scratch()
        self._staging = f"{where}/ingest-{secrets.token_hex(8)}" if where else ""
        self._views = 0
        self._written: dict[str, Any] = {}
        self._kept: dict[str, Any] = {}

    def read(self, sources: Sequence[Source], mapping: dict[str, str]) -> Table:
        """Return the columns of `mapping`, canonically named, of files of one signature."""
        first = sources[0]
        paths = [path for source in sources for path in source.addresses or [_path(source)]]
        if first.format == "table":
            frame, names = self._spark.table(paths[0]), mapping
        elif first.format == "parquet":
            frame = self._spark.read.option("recursiveFileLookup", "true").parquet(*paths)
            names = mapping
        else:
            for source in sources:
                if source.packed and source.path.suffix.lower() != ".gz":
                    raise InputError(
                        f"{source.name}: is gzip without the ending .gz", remedy="rename it"
                    )
            # a file whose first line differs is refused where nobody looked at each beforehand
            numbered = [f"c{number}" for number in range(len(first.columns))]
            columns = first.columns if first.addresses else numbered
            quoted = (column.replace("`", "``") for column in columns)
            frame = self._spark.read.option("recursiveFileLookup", "true").csv(
                paths,
                schema=", ".join(f"`{column}` STRING" for column in quoted),
                header=True,
                sep=first.delimiter,
                quote='"',
                escape='"',
                encoding=_ENCODINGS[first.encoding],
                mode="FAILFAST",
                multiLine=True,
                enforceSchema=not first.addresses,
            )
            names = {n: columns[first.columns.index(column)] for n, column in mapping.items()}
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
        return self._keep(name, self._sql(table))

    def store(self, name: str, table: Table) -> Table:
        """Compute `table` once; all that is kept is on disk."""
        if name in self._kept:
            self.drop(name)
        return self.keep(name, table)

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        frame = self._kept.pop(name)
        if name in self._written:
            self._empty(name)
        else:
            frame.unpersist()

    def fetch(self, table: Table) -> pa.Table:
        """Compute `table` and return its rows; for aggregates only."""
        frame = self._sql(table)
        if not self._staging or not self._has_cluster:
            return self._watched(frame.toArrow)
        self._write("counted", frame)
        folder, read = self._written["counted"]
        files = sorted(map(escaped, read(folder).inputFiles()))  # in the order of the rows
        parts = [self._watched(read(file).toArrow) for file in files]
        self._empty("counted")
        return pa.concat_tables(parts) if parts else frame.limit(0).toArrow()

    def placed(self, name: str, points: Table, place: Place, check: Check) -> Table:
        """Return distinct points with their places: on a cluster where the points are."""
        tried = self.fetch(points.limit(SAMPLE) if self._has_cluster else points)
        check(tried)
        if not self._has_cluster:
            return self.lookup(name, place(tried))

        def of_part(batches: Any) -> Any:
            for batch in batches:
                yield from place(pa.Table.from_batches([batch])).to_batches()

        columns = "lat double, lng double, location int, zone int"
        return self._keep(name, self._sql(points).mapInArrow(of_part, columns))

    def shares(self, _rows: int, /) -> int:
        """Return 1: the cluster divides the work itself."""
        return 1

    def close(self) -> None:
        """Forget what is kept; what was written is emptied, on whatever file system."""
        for name in list(self._written):
            self._empty(name)

    def _keep(self, name: str, frame: Any) -> Table:
        if self._staging:
            # read again rather than remembered: what depends on it is planned a hundred times
            # faster, and a lost worker loses nothing of it
            self._write(name, frame)
            folder, read = self._written[name]
            frame = read(folder)
        else:
            from pyspark import StorageLevel

            frame = frame.persist(StorageLevel.DISK_ONLY)
            self._watched(frame.count)
        self._kept[name] = frame
        return self._view(name, frame)

    def _write(self, name: str, frame: Any) -> None:
        """Let the executors write a table, and remember where it is and how it is read."""
        self._views += 1
        folder, schema = f"{self._staging}/{self._views}", frame.schema
        self._written[name] = (folder, self._spark.read.schema(schema).parquet)
        writer = frame.write.option("maxRecordsPerFile", ROWS_A_FILE)
        self._watched(lambda: writer.parquet(folder))

    def _empty(self, name: str) -> None:
        folder, _ = self._written.pop(name)
        nothing = self._spark.createDataFrame([], "nothing int")
        with suppress(Exception):  # a store that cannot be reached any more
            nothing.coalesce(1).write.mode("overwrite").parquet(folder)

    def _sql(self, table: Table) -> Any:
        return self._spark.sql(str(ibis.to_sql(table, dialect="pyspark")))

    def _view(self, name: str, frame: Any) -> Table:
        frame.createOrReplaceTempView(name)
        return ibis.table({f.name: _ibis_type(f.dataType) for f in frame.schema}, name=name)

    def _watched(self, work: Callable[[], Any]) -> Any:
        context = self._spark.sparkContext

        def share() -> float:
            tracker = context.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            return done / tasks if tasks else 0.0

        return watched(work, self._monitor, self._sources, share, context.cancelAllJobs)


def _path(source: Source) -> str:
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
    return "file:" + escaped(text)


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
