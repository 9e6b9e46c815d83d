"""A release's place on disk: its name belongs to one process before anything is charged.

The lock is the operating system's and ends with its process, however that ends: what a killed
release left is swept by the next one.
"""

import hashlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .ledger import ReleaseError, printable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_PARTIAL = ".partial-release-"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_BYTES_A_NUMBER = 120
"""Of a bundle and its archive: 33 to 100, and 8 while flows are read."""
_TRIES = 20  # a sweep of another process holds the lock for a moment


def zip_of(out: Path) -> Path:
    """Return where the archive of a bundle stands: beside its folder."""
    return out.parent / f"{out.name}.zip"


@contextmanager
def claimed(out: Path) -> Generator[Path]:
    """Hold the name `out`; yield a working folder with an empty folder and archive of that name.

    Raises
    ------
    ReleaseError
        If the name is taken, another release holds it, or it cannot be written; nothing was
        spent.
    """
    if not out.name or printable(out.name) != out.name:
        raise _refused("no name" if not out.name else "a name that cannot be shown")
    claim: tuple[Path, int | None] | None = None
    try:
        try:
            out.parent.mkdir(mode=0o700, exist_ok=True)  # one level, such as data/local
            sweep(out.parent)
            with uninterrupted():
                claim = _claim(out)
            if os.path.lexists(out) or os.path.lexists(zip_of(out)):
                raise _refused(f"'{out.name}', which does")
            (claim[0] / out.name).mkdir(mode=0o700)
            zip_of(claim[0] / out.name).touch(0o600)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no name for a file"
            raise ReleaseError(
                f"'{out.name}' cannot be written there ({why})",
                remedy="name another folder; nothing was spent",
                code="unwritable",
            ) from error
        yield claim[0]
    finally:
        with uninterrupted():
            if claim is not None:
                _drop(*claim)


def require_space(work: Path, numbers: int) -> None:
    """Raise `ReleaseError` where a bundle of so many noisy numbers would fill the disk."""
    free, needed = shutil.disk_usage(work).free, _BYTES_A_NUMBER * numbers
    if free < needed:
        raise ReleaseError(
            f"a release needs about {max(needed // 10**6, 1):,} MB for its bundle and archive",
            value=f"{free // 10**6:,} MB free",
            remedy="make space, or name a folder on another disk; nothing was spent",
            code="space",
        )


def sweep(parent: Path) -> None:
    """Remove working folders that killed releases left: noise that was paid for and never shown."""
    for left in parent.glob(f"{_PARTIAL}*") if fcntl is not None else ():
        if (lock := _lock(left)) is not None:
            _drop(left, lock)


@contextmanager
def uninterrupted() -> Generator[None]:
    """Hold signals back while the block runs; one that came is raised at its end."""
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)):
                if callable(signal.getsignal(number)):  # default and ignored ones stay as they are
                    before[number] = signal.signal(number, lambda n, _frame: came.append(n))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _claim(out: Path) -> tuple[Path, int | None]:
    name = hashlib.sha256(os.fsencode(out.name.casefold())).hexdigest()[:16]
    work = out.parent / f"{_PARTIAL}{name}"
    if fcntl is None:
        work.mkdir(mode=0o700)  # nothing tells a killed release from a living one: this refuses
        return work, None
    for _ in range(_TRIES):
        work.mkdir(mode=0o700, exist_ok=True)
        if (lock := _lock(work)) is not None:
            for left in work.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            return work, lock
        time.sleep(0.05)
    raise _refused(f"'{out.name}', which another release is writing right now", code="claimed")


def _lock(folder: Path) -> int | None:
    """Return a descriptor that locks a folder; None where another process does, or it is gone."""
    assert fcntl is not None
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(folder.stat(), os.fstat(descriptor)):  # and not removed meanwhile
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(descriptor)
    return None


def _drop(work: Path, lock: int | None) -> None:
    shutil.rmtree(work, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _refused(value: str, code: str = "exists") -> ReleaseError:
    return ReleaseError(
        "the folder of a release must not exist yet",
        value=value,
        remedy="name a new one; nothing was spent",
        code=code,
    )
