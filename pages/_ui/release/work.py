"""One release at a time, in a thread of the server: a refresh neither repeats nor loses it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.errors import ExplorerError

State = Literal["running", "finished", "failed"]


@dataclass
class Work:
    """A release that is being made or was made last; every session of this computer sees it.

    Attributes
    ----------
    name : str
        Of the bundle's folder.
    share : float
        How much is done, 0 to 1.
    state : str
    error : str
        Why it failed.
    out : Path or None
        The bundle, once it is there.
    """

    name: str
    share: float = 0.0
    state: State = "running"
    error: str = ""
    out: Path | None = None
    thread: threading.Thread | None = field(default=None, repr=False)


_lock = threading.Lock()
_last: list[Work] = []


def latest() -> Work | None:
    """Return the release that runs, or else the last one since the server started."""
    return _last[-1] if _last else None


def running() -> bool:
    """Whether a release is being made, by this session or another."""
    work = latest()
    return work is not None and work.state == "running"


def start(name: str, make: Callable[[Callable[[float], None]], Path]) -> bool:
    """Begin a release; return False, and do nothing, where one is running.

    Parameters
    ----------
    name : str
    make : callable
        Makes the bundle, given where to report progress.
    """
    with _lock:
        if running():
            return False
        work = Work(name)
        _last[:] = [work]

    def run() -> None:
        def report(share: float) -> None:
            work.share = share

        try:
            work.out = make(report)
            work.state = "finished"
        except ExplorerError as problem:
            work.error, work.state = str(problem), "failed"
        except Exception:
            work.error = (
                "The release failed; the server's log says where. If the ledger lists it, its "
                "cost is spent."
            )
            work.state = "failed"
            raise

    work.thread = threading.Thread(target=run, name="release", daemon=False)
    work.thread.start()
    return True


def dismiss() -> None:
    """Forget the last release on the page; its bundle and its entry stay."""
    with _lock:
        if not running():
            _last.clear()
