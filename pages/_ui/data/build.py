"""The session's build: an ingest in a thread, its dataset in the pickers when it has ended."""

import threading
from dataclasses import replace
from typing import Any

from engine.ingest import IngestOptions, ingest
from pages._ui.data import files as data_files
from pages._ui.data import store as data_store
from pages._ui.data import wording as data_wording
from pages._ui.jobs.kept import Kept, Tell, follow_kept
from pages._ui.shell.session import session

_STOP_S = 3.0


def current() -> Kept | None:
    """Return this session's last build, running or ended; its result is the ingest's report."""
    return session().own.build


def running() -> bool:
    """Whether this session builds a dataset right now."""
    build = current()
    return build is not None and build.state == "running"


def dismiss() -> None:
    """Forget the last build and empty the form (a callback); its dataset stays."""
    session().own.build = None
    data_files.next_round()


def start(options: IngestOptions) -> None:
    """Begin a build in this session's folder, unless one is under way."""
    if running():
        return
    space = data_store.workspace()
    known = session().datasets

    def task(tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        _, report = ingest(replace(options, spill=space.spill), tell, cancel)
        known[options.out.name] = options.out  # in the pickers at once, whatever page is open
        space.keep_only(())  # the raw uploads have done their duty
        return report.to_json()

    build = Kept(
        options.out.name, task, said=data_wording.on_page, unforeseen=data_wording.unexpected
    )
    session().own.build = build

    def stop() -> None:
        build.cancel()
        build.wait(_STOP_S)

    space.stop = stop


def draw_progress(build: Kept) -> None:
    """Draw where a build stands, with a button that cancels it."""
    title = f"Building {build.name}"
    follow_kept(build, data_wording.progress, title=title, key="data_build")
