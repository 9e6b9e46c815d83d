"""Temporary folders for spilled data: owner-only, deleted after the work or its abortion."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER_PREFIX = "mobility-ingest-"
_LOCK = ".lock"
_MIN_AGE_S = 60.0


@contextmanager
def open_temp_folder(spill: Path | None) -> Generator[Path]:
    """Yield a new folder in `spill` (or the temporary one), and delete those of dead processes."""
    place = Path(spill or tempfile.gettempdir())
    remove_abandoned(place)
    new_folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=place))
    making = new_folder / "making"
    lock = os.open(making, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system's: it ends with the process, however it ends
        # only now: another process takes an unlocked folder for abandoned
        making.rename(new_folder / _LOCK)
        yield new_folder
    finally:
        os.close(lock)
        shutil.rmtree(new_folder, ignore_errors=True)


def remove_abandoned(place: Path) -> None:
    """Delete folders of this user whose process is dead."""
    with suppress(OSError):
        for folder in place.glob(f"{FOLDER_PREFIX}*"):
            with suppress(OSError):
                if folder.is_symlink() or folder.stat().st_uid != os.getuid() or _is_in_use(folder):
                    continue
                shutil.rmtree(folder, ignore_errors=True)


def _is_in_use(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:  # just made, or killed before it was locked
        return time.time() - folder.stat().st_mtime < _MIN_AGE_S
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False
