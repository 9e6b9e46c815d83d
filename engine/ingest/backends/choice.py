"""Opening the engine that was asked for."""

from collections.abc import Sequence

from engine.ingest.backends.embedded import DuckDBEngine
from engine.ingest.backends.engine import Engine
from engine.ingest.backends.spark import SparkEngine
from engine.ingest.inputs.sources import Source
from engine.ingest.options import IngestOptions
from engine.ingest.progress import Monitor


def open_engine(options: IngestOptions, sources: Sequence[Source], monitor: Monitor) -> Engine:
    """Open the engine that `options` ask for, allowed to read `sources` and nothing else."""
    if options.engine == "spark":
        return SparkEngine(options, sources, monitor)
    return DuckDBEngine(options, sources, monitor)
