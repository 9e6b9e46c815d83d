"""The session's build: an ingest in a thread, its dataset in the pickers when it has ended."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import ExplorerError
from engine.ingest import IngestOptions, ingest
from pages._ui.data import store as data_store, wording as data_wording
from pages._ui.data.store import own
from pages._ui.jobs.kept import Kept, Tell, follow_kept
from pages._ui.shell.session import session

_STOP_S = 3.0


def current() -> Kept | None:
    """Return this session's last build, running or ended; its result is the ingest's report."""
    return own().build


def running() -> bool:
    """Whether this session builds a dataset right now."""
    build = current()
    return build is not None and build.state == "running"


def failed(title: str) -> bool:
    """Say why the last build failed, if it has."""
    build = current()
    if build is None or build.state != "failed":
        return False
    data_wording.problem(title, build.error)
    return True


def dismiss() -> None:
    """Forget the last build and empty the form (a callback); its dataset stays."""
    own().build = None
    own().next_round()


def start(options: IngestOptions) -> None:
    """Begin an ingest in this session's folder, unless a build is under way."""
    space = data_store.workspace()

    def task(folder: Path, tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        _, report = ingest(replace(options, spill=space.spill, out=folder), tell, cancel)
        return report.to_json()

    begin(options.out.name, task)


def begin(name: str, task: Callable[[Path, Tell, threading.Event], dict[str, Any]]) -> None:
    """Begin making a dataset in this session's folder; what `task` returns has ``seconds``."""
    if running():
        return
    space, known, held = data_store.workspace(), session().datasets, own()
    folder, held.refused = space.datasets / name, ""

    def whole(tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        report = task(folder, tell, cancel)
        known[name] = folder  # in the pickers at once, whatever page is open
        space.keep_only(())  # the raw uploads have done their duty
        return report

    def said(refusal: ExplorerError) -> str:
        held.refused = refusal.code
        return data_wording.on_page(refusal)

    build = Kept(name, whole, said=said, unforeseen=data_wording.unexpected)
    held.build = build

    def stop() -> None:
        build.cancel()
        build.wait(_STOP_S)

    space.stop = stop


def draw_progress(build: Kept) -> None:
    """Draw where a build stands, with a button that cancels it."""
    title = f"Building {build.name}"
    follow_kept(build, data_wording.progress, title=title, key="data_build")
