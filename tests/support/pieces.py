"""Pieces of long work for tests: at the top of a module, as a worker process asks."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from engine.parameters import DensityParameters
from pages._ui.app.parallel import Job


def finish(job: Job, seconds: float) -> None:
    """Give a job some time to end."""
    until = time.monotonic() + seconds
    job.start_time = 0.0
    job.advance()
    while job.is_running and time.monotonic() < until:
        time.sleep(0.01)
        job.advance()


def doubled(number: int, seconds: float = 0.0) -> int:
    """Return twice a number after a while."""
    time.sleep(seconds)
    return 2 * number


def noted(asked: Any, folder: str) -> int:
    """Leave one file each time this is computed, and return how many were there before."""
    place = Path(folder)
    number = len(list(place.iterdir()))
    (place / f"{number}-{os.getpid()}").touch()
    return number


def refused(number: int) -> None:
    """Break a rule of the engine."""
    DensityParameters(epsilon=-float(number))


def broken(number: int) -> None:
    """Fail with a message that quotes a row."""
    row = f"Alice, {number} Main Street"
    raise RuntimeError(row)


def place_of_work(asked: Any, seed: int = 0) -> int:
    """Tell which process works."""
    return os.getpid()


def killed(folder: str, number: int) -> int:
    """End the process at the first try of number 1, and compute at the second."""
    tried = Path(folder) / str(number)
    if number == 1 and not tried.exists():
        tried.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_killed(number: int) -> int:
    """End the process whenever this is tried."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def uploads_held(asked: Any) -> list[str]:
    """Open a dataset and tell which datasets the worker holds then."""
    from pages._ui.answers import cached
    from pages._ui.app import cache

    cached.dataset(asked)
    return sorted(cache.dataset_ids(tuple(cache.shared_cache._values)))
