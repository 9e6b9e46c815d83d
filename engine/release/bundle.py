"""The files of a bundle, and the atomic claim of its folder before anything is charged.

A hidden sibling folder, locked for the life of its process, and the empty folder itself claim the
name; one rename puts the first over the second. The next release removes the leftovers of a killed
one. Table keys come from public geometry, and spreadsheets cannot run their text as formulas.
"""

import fcntl
import os
import shutil
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import shapely

from ..arrays import Floats, Integers
from ..datasets import storage
from ..parameters import HOURS_PER_WEEK
from .budget_ledger import Entry, lock_folder, printable, release_error

PARTIAL = ".partial-release-"
_TEXTS, _NUMBER, _POINT = 200_000, 300, 150
"""Upper bounds in bytes, bundle and archive together: all texts, one number, one outline point."""


def archive_path(out: Path) -> Path:
    """Return the path of a bundle's archive, beside its folder."""
    return out.parent / f"{out.name}.zip"


def required_bytes(numbers: int, zones: gpd.GeoDataFrame) -> int:
    """Return an upper bound on the bytes of a bundle of `numbers` numbers."""
    points = int(shapely.get_num_coordinates(zones.geometry.to_numpy()).sum())
    return _TEXTS + _NUMBER * numbers + _POINT * points


@contextmanager
def claim_folder(out: Path, required: int) -> Generator[Path]:
    """Claim the name `out` and `required` bytes; yield a hidden folder to fill.

    Raises `ReleaseError`, before any charge, if the name is taken or rights or space are missing.
    """
    work, remedy = out.parent / f"{PARTIAL}{out.name}", "name another folder; nothing was spent"
    lock: int | None = None
    try:
        try:
            if not out.name or out.name.startswith(".") or printable(out.name) != out.name:
                raise ValueError
            out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
            with lock_folder(out.parent):  # so that no other release removes the unlocked folder
                for leftover in out.parent.glob(f"{PARTIAL}*"):  # of killed releases, never visible
                    if (leftover_lock := _lock(leftover)) is not None:
                        _remove_claim(leftover, leftover_lock)
                if os.path.lexists(out) or os.path.lexists(archive_path(out)):
                    raise FileExistsError
                work.mkdir(mode=0o700)
                lock = _lock(work)
                out.mkdir(mode=0o700)
            (work / out.name).mkdir(mode=0o700)
            archive_path(work / out.name).touch(0o600)  # test the longer name before any charge
        except FileExistsError:
            rule, there = "the folder of a release must not exist yet", f"'{out.name}', which does"
            raise release_error(rule, there, remedy) from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no name for a file"
            rule = f"'{out.name}' cannot be written there ({why})"
            raise release_error(rule, "", remedy) from error
        if (free := shutil.disk_usage(work).free) < required:
            need = f"about {max(required // 10**6, 1):,} MB for its bundle and archive"
            there, remedy = f"{free // 10**6:,} MB free", f"make space, or {remedy}"
            raise release_error(f"a release needs {need}", there, remedy)
        yield work / out.name
    finally:
        if lock is not None:
            _remove_claim(work, lock)


def seal(folder: Path, texts: Mapping[str, str]) -> str:
    """Write the texts and the list of all files with their hashes; return the list's hash.

    Every file is durable and readable by its owner only.
    """
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    files = sorted(member for member in folder.rglob("*") if member.is_file())
    listed = "\n".join(
        f"{_finish_file(member)}  {member.relative_to(folder).as_posix()}" for member in files
    )
    (folder / "SHA256SUMS").write_text(f"{listed}\n", encoding="utf-8")
    digest = _finish_file(folder / "SHA256SUMS")
    for path in (*(member for member in folder.rglob("*") if member.is_dir()), folder):
        storage.flush_to_disk(path)
    with zipfile.ZipFile(
        archive_path(folder), "w", zipfile.ZIP_DEFLATED, compresslevel=1
    ) as packed:
        for path in (*files, folder / "SHA256SUMS"):
            packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    _finish_file(archive_path(folder))
    return digest


def reveal(folder: Path, out: Path) -> None:
    """Move a sealed folder over the claimed empty one, and its archive beside it."""
    os.replace(folder, out)  # the bundle is complete; the archive only repeats it
    os.replace(archive_path(folder), archive_path(out))
    storage.flush_to_disk(out.parent)


def describe_interrupted(error: BaseException, spent: Entry | None, out: Path) -> str:
    """Return the cost of an interrupted or failed release and whether its bundle exists."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    why = f"the release failed ({why or type(error).__name__})"
    if isinstance(error, KeyboardInterrupt):
        why = "stopped"
    if spent is None:
        return f"{why}: nothing was spent, and nothing was written: release again"
    due = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger, stays spent"
    if (out / "SHA256SUMS").is_file():
        return f"{why}, but the bundle '{out.name}' is there, whole: use it; {due}"
    return (
        f"{why}: {due}, since noise may have been drawn; no bundle was written: another costs more"
    )


def _lock(folder: Path) -> int | None:
    """Return a descriptor that locks a folder; None if it is locked or gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_claim(work: Path, lock: int) -> None:
    """Remove a hidden folder, and the empty one whose name it claims."""
    with suppress(OSError):  # no folder, or not empty
        (work.parent / work.name.removeprefix(PARTIAL)).rmdir()
    shutil.rmtree(work, ignore_errors=True)
    os.close(lock)


def _finish_file(path: Path) -> str:
    """Make a file durable and owner-only; return its SHA-256."""
    storage.make_owner_only(path)
    storage.flush_to_disk(path)
    return storage.sha256(path)


def escape_formulas(texts: Any) -> list[str]:
    """Return texts that a spreadsheet shows and never runs as formulas."""
    words = (str(text) for text in texts)
    return [
        f"'{word}" if word.startswith(("=", "+", "-", "@", "\t", "\r")) else word for word in words
    ]


@contextmanager
def table_writer(*paths: Path, comment: str = "") -> Generator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that appends columns by name to CSV and Parquet, with formulas escaped.

    The comment stands in the schema of Parquet files.
    """
    writers: list[Any] = []
    with ExitStack() as files:

        def write(part: Mapping[str, Any]) -> None:
            columns = {n: c if isinstance(c, pa.Array) else pa.array(c) for n, c in part.items()}
            batch = pa.RecordBatch.from_pydict(columns)
            if comment:
                batch = batch.replace_schema_metadata({"comment": comment})
            if not writers:
                writers.extend(files.enter_context(_writer(path, batch.schema)) for path in paths)
            for writer in writers:
                writer.write_batch(batch)

        yield write


def _writer(path: Path, schema: Any) -> Any:
    if path.suffix == ".csv":
        return pc.CSVWriter(path, schema)
    return pq.ParquetWriter(path, schema, compression="zstd")


def write_table(path: Path, parts: Iterable[Mapping[str, Any]], *, parquet: bool = False) -> None:
    """Write parts of columns by name as CSV and, if `parquet`, as Parquet; escape formulas."""
    with table_writer(path, *([path.with_suffix(".parquet")] if parquet else [])) as write:
        for part in parts:
            write(part)


def write_zones(
    zones: gpd.GeoDataFrame, values: Mapping[str, Integers | Sequence[int]], folder: Path
) -> None:
    """Write ``zones.geojson`` and ``zones.parquet`` (GeoParquet) with the values of each zone."""
    columns = {name: np.asarray(value, dtype=np.int64) for name, value in values.items()}
    text = {name: escape_formulas(zones[name]) for name in ("zone_id", "name")}
    frame = gpd.GeoDataFrame({**text, **columns}, geometry=zones.geometry.to_numpy(), crs=4326)
    frame.to_parquet(folder / "zones.parquet", index=False, compression="zstd")
    (folder / "zones.geojson").write_text(frame.to_json(drop_id=True), encoding="utf-8")


def write_density(
    zones: gpd.GeoDataFrame, columns: Mapping[str, Floats | Integers], folder: Path
) -> None:
    """Write ``density.csv`` and Parquet, zones by hour, from arrays of shape (zones, 168)."""
    ids = pa.array(escape_formulas(zones["zone_id"]))
    keys = {
        "zone_id": ids.take(pa.array(np.repeat(np.arange(len(ids)), HOURS_PER_WEEK))),
        "hour": np.tile(np.arange(HOURS_PER_WEEK), len(ids)),
    }
    values = {name: values_of_name.ravel() for name, values_of_name in columns.items()}
    write_table(folder / "density.csv", [keys | values], parquet=True)


def zone_points(zones: gpd.GeoDataFrame) -> Floats:
    """Return longitude and latitude of a point in each zone, shape (2, zones)."""
    points: Any = shapely.get_coordinates(shapely.point_on_surface(zones.geometry.to_numpy()))
    return points.round(6).T
