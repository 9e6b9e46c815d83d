"""Who may release here, and one release at a time: a refresh neither repeats nor loses it."""

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pages._ui.jobs.kept import Kept
from pages._ui.shell import catalogue
from pages._ui.shell.local import public, served_locally
from pages._ui.shell.session import page, session, state

SWITCH = "--allow-release"
_UNFORESEEN = (
    "The release failed ({}); the server's log says where. If the ledger lists it, its cost is "
    "spent."
)
_lock = threading.Lock()
_last: list[tuple[str, Kept]] = []
"""The release that runs, or else the last one since the server started, and of which dataset."""


@dataclass
class Seen:
    """The release that a session has made, or has watched while it ran."""

    work: Kept | None = None


def releases_allowed() -> bool:
    """Whether a release may be made here: on this computer, or with `SWITCH` on the command."""
    return not public() and (SWITCH in sys.argv or served_locally())


def latest() -> Kept | None:
    """Return the release that runs, or else the last one since the server started.

    Its progress is the share done, its result the bundle. Its name may be another session's own.
    """
    return _last[-1][1] if _last else None


def seen_here() -> Kept | None:
    """Return the release that this session shows: of a dataset at hand, made or watched here.

    Whoever opens the page anew sees what is set: a release that has ended by then is forgotten.
    """
    here = state(Seen)
    if session().told != page() and here.work is not None and here.work.state != "running":
        here.work = None
    if running():
        dataset, work = _last[-1]
        at_hand = any(one.key.dataset_id == dataset for one in catalogue.entries().values())
        here.work = work if at_hand else None
    return here.work


def running() -> bool:
    """Whether a release is being made, by this session or another."""
    work = latest()
    return work is not None and work.state == "running"


def start(name: str, dataset: str, make: Callable[[Callable[[float], None]], Path]) -> bool:
    """Begin to `make` a bundle, told where to report; return False where a release is running."""
    with _lock:
        if running():
            return False
        work = Kept(name, lambda tell, _: make(tell), unforeseen=_UNFORESEEN, must_end=True)
        _last[:] = [(dataset, work)]
        state(Seen).work = work
    return True


def forget() -> None:
    """Put the release away that this session shows; its bundle and its entry stay."""
    state(Seen).work = None


def share(fraction: float | None) -> tuple[float, str]:
    """Return the share done and what is said beside it."""
    return fraction or 0.0, "do not switch off …"
