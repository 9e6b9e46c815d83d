# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""What an engine must do: read named files, keep a table, hand back a small result."""

from collections.abc import Callable, Sequence
from typing import Protocol

import pyarrow as pa

from engine.ingest.expressions import Table
from engine.ingest.options import IngestOptions
from engine.ingest.progress import Monitor
from engine.ingest.sources import Source


class Engine(Protocol):
    """Runs Ibis expressions; everything that differs between engines is behind this."""

    def read(self, sources: Sequence[Source], mapping: dict[str, str]) -> Table:
        """Return the columns of `mapping`, canonically named, of files of one signature."""
        ...

    def lookup(self, name: str, table: pa.Table) -> Table:
        """Return a small table of places as a table of the engine."""
        ...

    def keep(self, name: str, table: Table) -> Table:
        """Compute `table` once and keep it until the engine is closed."""
        ...

    def drop(self, name: str) -> None:
        """Forget a kept table."""
        ...

    def fetch(self, table: Table) -> pa.Table:
        """Compute `table` and return its rows; for aggregates only."""
        ...

    def shares(self, rows: int, /) -> int:
        """Return into how many shares people are best divided for ranking `rows` of theirs."""
        ...

    def close(self) -> None:
        """Release everything, temporary files included."""
        ...


EngineFactory = Callable[[IngestOptions, Sequence[Source], Monitor], Engine]


def open_engine(options: IngestOptions, sources: Sequence[Source], monitor: Monitor) -> Engine:
    """Open the engine that `options` ask for, allowed to read `sources` and nothing else."""
    if options.engine == "spark":
        from engine.ingest.spark import SparkEngine  # needs the extra 'spark' and Java

        return SparkEngine(options, sources, monitor)
    from engine.ingest.embedded import DuckDBEngine

    return DuckDBEngine(options, sources, monitor)
