"""Who may release here, and one release at a time: a refresh neither repeats nor loses it."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from engine.text.numbers import format_wait
from pages._ui.app import catalogue
from pages._ui.app.background import LongJob
from pages._ui.app.origin import is_public, is_served_locally
from pages._ui.app.session import session
from pages._ui.app.streamlit_internals import page_id

RELEASE_FLAG = "--allow-release"
_UNFORESEEN = (
    "The release failed ({}). The server's log has the details. If the ledger lists it, its cost "
    "is spent."
)
_lock = threading.Lock()
_latest: list[tuple[str, LongJob]] = []
"""The release that runs, or else the last one since the server started, and of which dataset."""


def may_release() -> bool:
    """Whether a release may be made here: on this computer, or with `RELEASE_FLAG`."""
    return not is_public() and (RELEASE_FLAG in sys.argv or is_served_locally())


def latest() -> LongJob | None:
    """Return the release that runs, or else the last one since the server started.

    Its progress is the share done, its result the bundle. Its name may be another session's own.
    """
    return _latest[-1][1] if _latest else None


def watched_release() -> LongJob | None:
    """Return the release that this session shows: of a dataset at hand, made or watched here.

    Whoever opens the page anew sees what is set: a release that has ended by then is forgotten.
    """
    here = session()
    job: LongJob | None = here.watched_release
    if here.page != page_id() and job is not None and job.state != "running":
        here.watched_release = None
    if is_releasing():
        dataset, work = _latest[-1]
        at_hand = any(entry.key.dataset_id == dataset for entry in catalogue.entries().values())
        here.watched_release = work if at_hand else None
    return here.watched_release


def is_releasing() -> bool:
    """Whether a release is being made, by this session or another."""
    work = latest()
    return work is not None and work.state == "running"


def start(name: str, dataset: str, make: Callable[[Callable[[float], None]], Path]) -> bool:
    """Begin to `make` a bundle, told where to report; return False where a release is running."""
    with _lock:
        if is_releasing():
            return False
        work = LongJob(name, lambda tell, _: make(tell), fallback=_UNFORESEEN, must_finish=True)
        _latest[:] = [(dataset, work)]
        session().watched_release = work
    return True


def describe_progress(job: LongJob) -> tuple[float, str]:
    """Return the share done, and what is said beside it: how long the rest takes at this pace."""
    share = job.progress or 0.0
    elapsed_s = time.monotonic() - job.start_time
    wait = f"{format_wait(elapsed_s * (1 - share) / share)} left, " if share else ""
    return share, f"{wait}do not switch off …"
