"""A bundle's place on disk: claimed before anything is charged, filled out of sight, whole at once.

A hidden sibling, whose lock ends with its process however that ends, and the empty folder itself
claim the name; one rename puts the one over the other. What a killed release left is swept by the
next one. What is said of a release that fails or is stopped is what is spent.
"""

import fcntl
import os
import shutil
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import geopandas as gpd
import shapely

from ..datasets import storage
from .ledger import Entry, locked, printable, refused

PARTIAL = ".partial-release-"
_TEXTS, _NUMBER, _POINT = 200_000, 120, 150
"""Bytes of a bundle and its archive: statement and notebook, a number (8 of them while flows are
read), and a point of a zone's outline; each is more than was seen."""


def zip_of(out: Path) -> Path:
    """Return where the archive of a bundle stands: beside its folder."""
    return out.parent / f"{out.name}.zip"


def room(numbers: int, zones: gpd.GeoDataFrame) -> int:
    """Return the bytes that a bundle of so many numbers needs at most."""
    points = int(shapely.get_num_coordinates(zones.geometry.to_numpy()).sum())
    return _TEXTS + _NUMBER * numbers + _POINT * points


@contextmanager
def claimed(out: Path, needed: int) -> Generator[Path]:
    """Claim the name `out` and so many bytes; yield a hidden folder to be filled.

    `ReleaseError` if the name is taken, or no right or space is there; nothing is spent then.
    """
    work, remedy = out.parent / f"{PARTIAL}{out.name}", "name another folder; nothing was spent"
    lock: int | None = None
    try:
        try:
            if not out.name or printable(out.name) != out.name:
                raise ValueError
            out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
            with locked(out.parent):  # so that no sweep takes what is not locked yet
                sweep(out.parent)
                if os.path.lexists(out) or os.path.lexists(zip_of(out)):
                    raise FileExistsError
                work.mkdir(mode=0o700)
                lock = _lock(work)
                out.mkdir(mode=0o700)
            (work / out.name).mkdir(mode=0o700)
            zip_of(work / out.name).touch(0o600)  # the longer name, while nothing is spent
        except FileExistsError:
            rule, there = "the folder of a release must not exist yet", f"'{out.name}', which does"
            raise refused(rule, there, remedy) from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no name for a file"
            rule = f"'{out.name}' cannot be written there ({why})"
            raise refused(rule, "", remedy) from error
        if (free := shutil.disk_usage(work).free) < needed:
            need = f"about {max(needed // 10**6, 1):,} MB for its bundle and archive"
            there, remedy = f"{free // 10**6:,} MB free", f"make space, or {remedy}"
            raise refused(f"a release needs {need}", there, remedy)
        yield work / out.name
    finally:
        if lock is not None:
            _drop(work, lock)


def seal(folder: Path, texts: Mapping[str, str]) -> str:
    """Write the texts and the list of all files with their hashes; return the list's own hash.

    Everything is the owner's only, and durable.
    """
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    listed = "\n".join(f"{_settled(one)}  {one.relative_to(folder).as_posix()}" for one in files)
    (folder / "SHA256SUMS").write_text(f"{listed}\n", encoding="utf-8")
    digest = _settled(folder / "SHA256SUMS")
    for path in (*(one for one in folder.rglob("*") if one.is_dir()), folder):
        storage.sync(path)
    with zipfile.ZipFile(zip_of(folder), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in (*files, folder / "SHA256SUMS"):
            packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    _settled(zip_of(folder))
    return digest


def reveal(folder: Path, out: Path) -> None:
    """Put a sealed folder over the empty one that was claimed, and its archive beside it."""
    os.replace(folder, out)  # the bundle is there, whole; the archive is the same once more
    os.replace(zip_of(folder), zip_of(out))
    storage.sync(out.parent)


def sweep(parent: Path) -> None:
    """Remove what killed releases left: noise that was paid for and never shown."""
    for left in parent.glob(f"{PARTIAL}*"):
        if (lock := _lock(left)) is not None:
            _drop(left, lock)


def left_behind(error: BaseException, spent: Entry | None, out: Path) -> str:
    """Say what a release that was stopped or failed has spent, and whether its bundle is there."""
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
    """Return a descriptor that locks a folder; None where another does, or it is gone."""
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


def _drop(work: Path, lock: int) -> None:
    """Remove a hidden folder, and the empty one whose name it claims."""
    with suppress(OSError):  # no folder, or one that is filled
        (work.parent / work.name.removeprefix(PARTIAL)).rmdir()
    shutil.rmtree(work, ignore_errors=True)
    os.close(lock)


def _settled(path: Path) -> str:
    """Make a file the owner's and durable; return its SHA-256."""
    storage.make_owner_only(path)
    storage.sync(path)
    return storage.sha256(path)
