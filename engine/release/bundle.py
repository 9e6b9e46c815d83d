"""A bundle's place on disk: claimed before anything is charged, filled out of sight, whole at once.

The folder's name is claimed by making it; work goes to a hidden sibling, whose lock ends with its
process however that ends, and one rename puts it over the empty folder. What a killed release left
is swept by the next one. What is said of a release that fails or is stopped is what is spent.
"""

import fcntl
import os
import shutil
import signal
import tempfile
import threading
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import geopandas as gpd
import shapely

from ..datasets import storage
from ..errors import ExplorerError
from .ledger import Entry, ReleaseError, printable

PARTIAL = ".partial-release-"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TEXTS, _NUMBER, _POINT = 200_000, 120, 150
"""Bytes of a bundle and its archive: statement and notebook, a number (8 of them while flows are
read), and a point of a zone's outline; each is more than was seen."""


class Stopped(KeyboardInterrupt):
    """A release was interrupted; the message says what was spent and what is there."""


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
    work: Path | None = None
    lock = -1
    remedy = "name another folder; nothing was spent"
    try:
        try:
            if not out.name or printable(out.name) != out.name:
                raise ValueError
            out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
            sweep(out.parent)
            with uninterrupted():
                work, lock = _hidden(out.parent)
                if os.path.lexists(zip_of(out)):
                    raise FileExistsError
                zip_of(work / out.name).touch(0o600)  # the longer name, while nothing is spent
                out.mkdir(mode=0o700)
                (work / out.name).mkdir(mode=0o700)
        except FileExistsError:
            rule, there = "the folder of a release must not exist yet", f"'{out.name}', which does"
            raise ReleaseError(rule, value=there, remedy=remedy, code="exists") from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no name for a file"
            rule = f"'{out.name}' cannot be written there ({why})"
            raise ReleaseError(rule, remedy=remedy, code="unwritable") from error
        if (free := shutil.disk_usage(work).free) < needed:
            rule = (
                f"a release needs about {max(needed // 10**6, 1):,} MB for its bundle and archive"
            )
            there, remedy = f"{free // 10**6:,} MB free", f"make space, or {remedy}"
            raise ReleaseError(rule, value=there, remedy=remedy, code="space")
        yield work / out.name
    finally:
        with uninterrupted():
            if work is not None:
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


@contextmanager
def uninterrupted() -> Generator[None]:
    """Hold signals back while the block runs; one that came is raised at its end."""
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if callable(signal.getsignal(number)):  # default and ignored ones stay as they are
                    before[number] = signal.signal(number, lambda n, _frame: came.append(n))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def unspent(rule: str, code: str) -> Generator[None]:
    """Refuse what fails in the block, which runs before the charge."""
    try:
        yield
    except ExplorerError:
        raise
    except Exception as error:
        raise ReleaseError(
            f"{rule} ({type(error).__name__})",
            remedy="install this software whole, or build the dataset again; nothing was spent",
            code=code,
        ) from error


def stopped(spent: Entry | None, out: Path) -> str:
    """Say what is spent, and whether the bundle is there."""
    if spent is None:
        return "stopped: nothing was spent, and nothing was written"
    due = f"ε = {spent.body['epsilon']:g}, entry {spent.id} of the ledger,"
    if (out / "SHA256SUMS").is_file():
        return f"stopped, but the bundle '{out.name}' is there, whole: use it; {due} is spent"
    return f"stopped: {due} is spent, since noise may have been drawn; no bundle was written"


def failed(error: Exception, intent: Entry, folder: Path, out: Path) -> ReleaseError:
    """Say what a failure after the charge leaves behind: the cost is spent whatever failed."""
    why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    why = why or type(error).__name__
    spent = f"its cost, entry {intent.id} of the ledger, stays spent, since its noise was drawn"
    if (out / "SHA256SUMS").is_file() and not folder.exists():  # moved there, so it is this one
        rule = f"the bundle '{out.name}' is there, whole, but what follows it failed ({why})"
        remedy = f"{spent}; use the bundle, and do not release again for it"
        return ReleaseError(rule, remedy=remedy, code="unfinished")
    remedy = f"{spent}; make space and release again at a new cost"
    return ReleaseError(f"the bundle could not be written ({why})", remedy=remedy, code="unwritten")


def _hidden(parent: Path) -> tuple[Path, int]:
    while True:  # a sweep may take a folder that is not locked yet
        work = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=parent))
        if (lock := _lock(work)) is not None:
            return work, lock


def _lock(folder: Path) -> int | None:
    """Return a descriptor that locks a folder; None where another process does, or it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(folder.stat(), os.fstat(descriptor)):  # and not removed meanwhile
            return descriptor
    os.close(descriptor)
    return None


def _drop(work: Path, lock: int) -> None:
    """Remove a hidden folder, and the empty one that it claimed."""
    for own in work.iterdir():
        with suppress(OSError):  # no folder, or one that is gone or filled
            (work.parent / own.name).rmdir()
    shutil.rmtree(work, ignore_errors=True)
    os.close(lock)


def _settled(path: Path) -> str:
    """Make a file the owner's and durable; return its SHA-256."""
    storage.make_owner_only(path)
    storage.sync(path)
    return storage.sha256(path)
