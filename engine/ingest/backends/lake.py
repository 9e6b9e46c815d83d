"""Inputs that Spark alone can open: any file system that it knows, and tables of its catalogue."""

import re
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import InputError
from ..inputs.guess import SAMPLE_ROWS
from ..inputs.sources import ENDINGS, Source, inspect_text, shown
from ..options import IngestOptions
from .statements import of_engine

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_TABLE = re.compile(r"\w+(\.\w+){1,2}")
_GLOB_CHARACTERS = set("*?[]{}\\")


def is_remote(name: str) -> bool:
    """Whether an input is an address or the name of a table, and no file of this machine.

    Examples
    --------
    >>> is_remote("s3a://calls/2020"), is_remote("lake.raw.calls"), is_remote("calls.csv")
    (True, True, False)
    """
    if _ADDRESS.match(name):
        return True
    is_name = _TABLE.fullmatch(name) and not name.lower().endswith(ENDINGS)
    return bool(is_name) and not Path(name).exists()


def inspect(options: IngestOptions, spark: Any) -> list[Source]:
    """Return the tables behind the inputs that are no files of this machine.

    Raises
    ------
    InputError
        If Spark is not the engine, or an input is not there, may not be read, or holds no table.
    """
    names = [name for name in options.inputs if is_remote(name)]
    if names and spark is None:
        raise InputError(
            f"'{shown(names[0])}' is no file of this machine",
            remedy="name files, or let Spark open it: the engine 'spark'",
            code="remote-input",
            settings=("engine",),
        )
    tables: list[Source] = []
    for name in names:
        try:
            tables += (
                _files(options, spark, name) if _ADDRESS.match(name) else [_table(spark, name)]
            )
        except InputError:
            raise
        except Exception as error:
            raise of_engine(error, [Source(Path(name), "parquet", (), (), 0)]) from None
    return tables


def escaped(address: str) -> str:
    """Return an address as Hadoop reads it: as it is, but for the signs of a pattern."""
    return "".join(f"\\{c}" if c in _GLOB_CHARACTERS else c for c in address)


def _files(options: IngestOptions, spark: Any, address: str) -> list[Source]:
    """Return the files at an address, those of one kind as one table."""
    listing = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(address)
    sizes = {row.path: row.length for row in listing.select("path", "length").collect()}
    kinds: dict[str, list[str]] = {}
    for path in sorted(sizes):
        name = PurePosixPath(path).name.lower()
        if sizes[path] and name.endswith(ENDINGS):
            ending = "parquet" if name.endswith((".parquet", ".pq")) else "csv"
            kinds.setdefault("gz" if name.endswith(".gz") else ending, []).append(path)
    if not kinds:
        raise InputError(
            f"{shown(address)}: no such file, or a folder or pattern without tables; name CSV, "
            f"CSV.gz or Parquet files ({', '.join(ENDINGS)})"
        )
    tables: list[Source] = []
    for kind, paths in kinds.items():
        size, some = sum(sizes[path] for path in paths), [escaped(path) for path in paths]
        if kind == "parquet":
            frame = spark.read.parquet(some[0])
            tables.append(_sampled(frame, PurePosixPath(paths[0]).name, size, tuple(some)))
            continue
        lines = spark.read.text(some[0], lineSep="\n").limit(SAMPLE_ROWS)
        # as they are: a text would be cut into what Java takes for letters
        head = b"".join(
            bytes(row.line) + b"\n" for row in lines.selectExpr("binary(value) AS line").collect()
        )
        name = Path(PurePosixPath(paths[0]).name)
        tables.append(
            inspect_text(name, size, head, options.encoding, options.reading.delimiter, tuple(some))
        )
    return tables


def _table(spark: Any, name: str) -> Source:
    return _sampled(spark.table(name), name, 0, (name,), "table")


def _sampled(
    frame: Any, name: str, size: int, addresses: tuple[str, ...], kind: Any = "parquet"
) -> Source:
    sample = frame.limit(SAMPLE_ROWS).toArrow()
    if sample.num_rows == 0:
        raise InputError(f"{shown(name)}: the table is empty (0 rows); name a file with data")
    kinds = tuple(str(one) for one in sample.schema.types)
    columns = tuple(sample.schema.names)
    return Source(Path(name), kind, columns, kinds, size, addresses=addresses, sample=sample)
