"""A Spark session for one ingest: of this machine or of a cluster."""

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...datasets import storage
from ...errors import InputError
from ..options import IngestOptions

_MEANING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
"""What the counts depend on: nobody else sets it."""
_ON_THIS_MACHINE = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""On this machine; a cluster's page, log and addresses are as it has them."""
_folders: list[Path] = []
"""The temporary folders of this process's sessions, of which one is open at a time."""


def available() -> bool:
    """Whether PySpark and a Java runtime are there."""
    return importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


def scratch() -> str:
    """Return the address of the folder of the session that is open; none on a cluster."""
    return f"file:{_folders[-1]}" if _folders and _folders[-1].is_dir() else ""


@contextmanager
def opened(options: IngestOptions) -> Generator[Any]:
    """Yield a Spark session, or None where the embedded engine counts; it ends with the ingest.

    Raises
    ------
    InputError
        If Spark is not installed or cannot start, or a setting is not anybody's.
    """
    if options.engine != "spark":
        yield None
        return
    if not available():
        raise InputError(
            "the engine 'spark' needs PySpark and Java 17",
            remedy="pip install 'mobility-privacy-explorer[spark]' and a Java runtime, or use the "
            "embedded engine",
            code="no-spark",
            settings=("engine",),
        )
    if fixed := sorted(_MEANING.keys() & options.conf.keys()):
        raise InputError(
            f"'{fixed[0]}' cannot be set: the counts depend on it",
            remedy="leave it out",
            code="spark-setting",
            settings=("conf",),
        )
    spark = _started(options)
    try:
        yield spark
    finally:
        with suppress(Exception):  # its server, or the cluster, may have gone
            spark.stop()
        _remove_folders()


def _started(options: IngestOptions) -> Any:
    from pyspark.sql import SparkSession

    where = options.master
    builder = SparkSession.builder
    settings = {**_of_this_machine(options), **options.conf, **_MEANING}
    try:
        builder = builder.master(options.master).appName("engine.ingest")
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()
    except Exception as error:
        _remove_folders()
        raise InputError(
            f"Spark cannot start at '{where}' ({type(error).__name__})",
            remedy="check the address, the memory, the token and that Java 17 is installed",
            code="spark-start",
            settings=("master", "memory"),
        ) from None


def _of_this_machine(options: IngestOptions) -> dict[str, str]:
    """Return the settings of a session on this machine; of another one it has its own."""
    if not options.master.startswith("local"):
        return {}
    folder = Path(tempfile.mkdtemp(prefix="ingest-", dir=options.spill))
    _folders.append(folder)
    storage.make_owner_only(folder)
    size = options.memory.strip().lower().removesuffix("b").removesuffix("i").replace(" ", "")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # a setting would not do
    return {
        **_ON_THIS_MACHINE,
        **dict.fromkeys(("spark.local.dir", "spark.sql.warehouse.dir"), str(folder)),
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[3]),
        "spark.driver.memory": size,  # Java writes 4GB as 4g
    }


def _remove_folders() -> None:
    # Java remembers its first folder beyond the session, and makes it again for the next one
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
