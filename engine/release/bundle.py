"""Bundle of a release: its files, and its folder, which appears whole or not at all.

Before the charge `claim_folder` makes two folders: an empty one of the bundle's name, so that the
name is taken, and beside it a hidden one to fill, locked while the process lives. `seal` completes
the hidden one, and `reveal` renames it over the empty one. The next release removes what a killed
one left. Rows of tables are fixed by public facts; only those of ``flows_shown.csv`` and
``flowmap/flows.csv`` are chosen, by noisy numbers. Spreadsheets cannot run texts as formulas.
"""

import fcntl
import json
import os
import re
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
from .budget_ledger import Entry, lock_folder, release_error, to_printable

HIDDEN_PREFIX = ".partial-release-"
_COLUMNS = Path(__file__).with_name("templates") / "columns.json"


def archive_path(out: Path) -> Path:
    """Return the path of a bundle's archive, beside its folder."""
    return out.parent / f"{out.name}.zip"


def required_bytes(number_count: int, zones: gpd.GeoDataFrame) -> int:
    """Return an upper bound on the bytes of a bundle with that many numbers, and its archive."""
    points = int(shapely.get_num_coordinates(zones.geometry.to_numpy()).sum())
    return 200_000 + 300 * number_count + 150 * points  # of texts, numbers and outlines


@contextmanager
def claim_folder(out: Path, needed_bytes: int) -> Generator[Path]:
    """Yield a hidden folder to fill, with the name `out` claimed and enough space on the disk.

    Raises `ReleaseError` if the name is taken, rights are missing or fewer than `needed_bytes` are
    free. At the end the hidden folder is removed, and the empty one unless `reveal` replaced it.
    """
    hidden = out.parent / f"{HIDDEN_PREFIX}{out.name}"
    remedy = "name another folder; nothing was spent"
    lock: int | None = None
    try:
        try:
            if not out.name or out.name.startswith(".") or to_printable(out.name) != out.name:
                raise ValueError
            out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
            with lock_folder(out.parent):  # so that no other release removes the unlocked folder
                for leftover in out.parent.glob(f"{HIDDEN_PREFIX}*"):  # of killed releases
                    if (leftover_lock := _try_lock(leftover)) is not None:
                        _remove_claim(leftover, leftover_lock)
                if os.path.lexists(out) or os.path.lexists(archive_path(out)):
                    raise FileExistsError
                hidden.mkdir(mode=0o700)
                lock = _try_lock(hidden)
                out.mkdir(mode=0o700)
            (hidden / out.name).mkdir(mode=0o700)
            archive_path(hidden / out.name).touch(0o600)  # test the longer name before any charge
        except FileExistsError:
            rule, value = "the folder of a release must not exist yet", f"'{out.name}', which does"
            raise release_error(rule, value, remedy) from None
        except (OSError, ValueError) as error:
            cause = error.strerror if isinstance(error, OSError) else "no name for a folder"
            rule = f"the folder '{out.name}' cannot be made there ({cause})"
            raise release_error(rule, "", remedy) from error
        if (free := shutil.disk_usage(hidden).free) < needed_bytes:
            space = f"about {max(needed_bytes // 10**6, 1):,} MB for its bundle and archive"
            value, remedy = f"{free // 10**6:,} MB free", f"make space, or {remedy}"
            raise release_error(f"a release needs {space}", value, remedy)
        yield hidden / out.name
    finally:
        if lock is not None:
            _remove_claim(hidden, lock)


def seal(folder: Path, texts: Mapping[str, str], product: str) -> str:
    """Return the hash of ``SHA256SUMS``, after writing texts by file name, that list and the zip.

    ``datapackage.json`` describes the tables. Every file is flushed to the disk and readable by its
    owner only.
    """
    for name, text in {**texts, "datapackage.json": _describe_tables(folder, product)}.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    files = sorted(member for member in folder.rglob("*") if member.is_file())
    lines = [f"{_finish_file(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    digest = _finish_file(folder / "SHA256SUMS")
    for path in (*(member for member in folder.rglob("*") if member.is_dir()), folder):
        storage.flush_to_disk(path)
    archive = archive_path(folder)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in (*files, folder / "SHA256SUMS"):
            packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    _finish_file(archive)
    return digest


def reveal(folder: Path, out: Path) -> None:
    """Move a sealed folder over the claimed empty one, and its archive beside it."""
    os.replace(folder, out)  # first: the bundle is complete without its archive
    os.replace(archive_path(folder), archive_path(out))
    storage.flush_to_disk(out.parent)


def check_files(folder: Path) -> tuple[int, str, str]:
    """Return the number of a bundle's files, the hash of their list and that in the statement.

    Raises `ReleaseError` if a file is missing or differs from the list ``SHA256SUMS``.
    """
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
        names = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
        changed = [name for name in names if storage.sha256(folder / name) != names[name]]
        statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
        hashes = storage.sha256(folder / "SHA256SUMS"), str(statement["ledger"]["hash"])
    except (OSError, LookupError, TypeError, ValueError):
        rule, remedy = "a bundle must have SHA256SUMS and its files", "name the released folder"
        raise release_error(rule, str(folder), remedy) from None
    if changed:
        rule, remedy = "the files of a bundle must match SHA256SUMS", "get the bundle again"
        raise release_error(rule, f"{', '.join(changed)} changed", remedy)
    return len(names), *hashes


def describe_failure(error: BaseException, charged_entry: Entry | None, out: Path) -> str:
    """Return in words what a stopped or failed release cost and whether its bundle is complete."""
    cause = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    ending = f"the release failed ({cause or type(error).__name__})"
    if isinstance(error, KeyboardInterrupt):
        ending = "the release was stopped"
    if charged_entry is None:
        return f"{ending}: nothing was spent and nothing was written; release again"
    epsilon, number = charged_entry.body["epsilon"], charged_entry.id
    cost = f"ε = {epsilon:g} stays spent (entry {number} of the ledger)"
    if (out / "SHA256SUMS").is_file():
        return f"{ending}, but the bundle '{out.name}' is complete: use it; {cost}"
    return (
        f"{ending}: {cost}, since noise may have been drawn, and no bundle was written; "
        "release again at a new cost"
    )


def _describe_tables(folder: Path, product: str) -> str:
    """Return a Frictionless data package as JSON: the tables of a folder, and their columns."""
    known_columns = json.loads(_COLUMNS.read_text(encoding="utf-8"))

    def describe_column(name: str, place: str) -> dict[str, str]:
        base = re.sub("_(low|high)_95$", "", name)
        side = "upper" if name.endswith("high_95") else "lower"
        end = "" if base == name else f": {side} end of its 95% error bar"
        column = {"type": "any", "description": ""}
        for key in (base, f"{product}: {base}", f"{place}: {base}"):  # the most specific last
            column = known_columns.get(key, column)
        return {"name": name, **column, "description": column["description"] + end}

    def describe_table(path: Path) -> dict[str, Any]:
        is_csv = path.suffix == ".csv"
        columns = (pc.open_csv(path).schema if is_csv else pq.read_schema(path)).names
        place = path.relative_to(folder).as_posix()
        fields = [describe_column(name, place) for name in columns]
        schema = {"fields": fields, "missingValues": [""]}
        return {"name": place, "path": place, "format": path.suffix[1:], "schema": schema}

    tables = sorted(path for path in folder.rglob("*") if path.suffix in (".csv", ".parquet"))
    package = {"name": "release", "resources": [describe_table(path) for path in tables]}
    return json.dumps(package, indent=1, ensure_ascii=False)


def _try_lock(folder: Path) -> int | None:
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


def _remove_claim(hidden: Path, lock: int) -> None:
    """Remove a hidden folder, and the empty folder of the bundle's name; release the lock."""
    with suppress(OSError):  # it is gone, or a whole bundle
        (hidden.parent / hidden.name.removeprefix(HIDDEN_PREFIX)).rmdir()
    shutil.rmtree(hidden, ignore_errors=True)
    os.close(lock)


def _finish_file(path: Path) -> str:
    """Return the SHA-256 of a file, made owner-only and flushed to the disk."""
    storage.make_owner_only(path)
    storage.flush_to_disk(path)
    return storage.sha256(path)


def escape_formulas(texts: Any) -> list[str]:
    """Return texts with an apostrophe before any that a spreadsheet would run as a formula."""
    starts = ("=", "+", "-", "@", "\t", "\r")
    return [f"'{text}" if text.startswith(starts) else text for text in map(str, texts)]


@contextmanager
def table_writer(*paths: Path, comment: str = "") -> Generator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that appends rows, as columns by name, to files of the same table.

    A file is CSV or Parquet by its suffix; `comment` stands in the schema of Parquet. Callers
    escape formulas.
    """
    writers: list[Any] = []
    with ExitStack() as files:

        def write(columns: Mapping[str, Any]) -> None:
            batch = pa.RecordBatch.from_pydict(columns)
            if comment:
                batch = batch.replace_schema_metadata({"comment": comment})
            for path in paths if not writers else ():
                if path.suffix == ".csv":
                    writer: Any = pc.CSVWriter(path, batch.schema)
                else:
                    writer = pq.ParquetWriter(path, batch.schema, compression="zstd")
                writers.append(files.enter_context(writer))
            for writer in writers:
                writer.write_batch(batch)

        yield write


def write_table(path: Path, parts: Iterable[Mapping[str, Any]], *, parquet: bool = False) -> None:
    """Write a table as CSV and, if `parquet`, as Parquet too; each part holds columns by name."""
    with table_writer(path, *([path.with_suffix(".parquet")] if parquet else [])) as write:
        for columns in parts:
            write(columns)


def write_zones(
    zones: gpd.GeoDataFrame, values: Mapping[str, Integers | Sequence[int]], folder: Path
) -> None:
    """Write ``zones.geojson`` and ``zones.parquet`` (GeoParquet) with columns of values by zone."""
    columns = {name: np.asarray(value, dtype=np.int64) for name, value in values.items()}
    text = {name: escape_formulas(zones[name]) for name in ("zone_id", "name")}
    frame = gpd.GeoDataFrame({**text, **columns}, geometry=zones.geometry.to_numpy(), crs=4326)
    frame.to_parquet(folder / "zones.parquet", index=False, compression="zstd")
    (folder / "zones.geojson").write_text(frame.to_json(drop_id=True), encoding="utf-8")


def write_density(
    zones: gpd.GeoDataFrame, columns: Mapping[str, Floats | Integers], folder: Path
) -> None:
    """Write ``density.csv`` and ``density.parquet`` from columns of shape (zones, 168), by hour."""
    ids = pa.array(escape_formulas(zones["zone_id"]))
    keys = {
        "zone_id": ids.take(pa.array(np.repeat(np.arange(len(ids)), HOURS_PER_WEEK))),
        "hour": np.tile(np.arange(HOURS_PER_WEEK), len(ids)),  # 0: Monday 00:00, local time
    }
    values = {name: array.ravel() for name, array in columns.items()}
    write_table(folder / "density.csv", [keys | values], parquet=True)


def zone_points(zones: gpd.GeoDataFrame) -> Floats:
    """Return longitude and latitude of a point in each zone, shape (2, zones)."""
    points: Any = shapely.get_coordinates(shapely.point_on_surface(zones.geometry.to_numpy()))
    return points.round(6).T
