"""Who may release here, and one release at a time: a refresh neither repeats nor loses it."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

from pages._ui.jobs.kept import Kept
from pages._ui.shell.local import public, served_locally

SWITCH = "--allow-release"
_UNFORESEEN = (
    "The release failed ({}); the server's log says where. If the ledger lists it, its cost is "
    "spent."
)
_lock = threading.Lock()
_last: list[Kept] = []


def releases_allowed() -> bool:
    """Whether a release may be made here: on this computer, or with `SWITCH` on the command."""
    return not public() and (SWITCH in sys.argv or served_locally())


def latest() -> Kept | None:
    """Return the release that runs, or else the last one since the server started.

    Every session of this computer sees it: its progress is the share done, its result the bundle.
    """
    return _last[-1] if _last else None


def running() -> bool:
    """Whether a release is being made, by this session or another."""
    work = latest()
    return work is not None and work.state == "running"


def start(name: str, make: Callable[[Callable[[float], None]], Path]) -> bool:
    """Begin to `make` a bundle, told where to report; return False where a release is running."""
    with _lock:
        if running():
            return False
        _last[:] = [Kept(name, lambda tell, _: make(tell), unforeseen=_UNFORESEEN, must_end=True)]
    return True


def dismiss() -> None:
    """Forget the last release on the page; its bundle and its entry stay."""
    with _lock:
        if not running():
            _last.clear()


def share(fraction: float | None) -> tuple[float, str]:
    """Return the share done and what is said beside it."""
    return fraction or 0.0, "do not switch off …"
