"""A build in a thread of its own: progress that is true, a way to stop, and nothing leaked."""

import logging
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import Cancelled, IngestOptions, Progress, ingest
from pages._ui import catalogue, data_files, data_store, data_wording

POLL_S = 0.5
_KEY = "data_build"
_STOP_S = 3.0
_log = logging.getLogger(__name__)

State = Literal["running", "finished", "cancelled", "failed"]


class Build:
    """One ingest under way or ended; its attributes may be read at any time.

    Attributes
    ----------
    state : str
        ``running``, ``finished``, ``cancelled`` or ``failed``.
    progress : Progress or None
        Where it stands.
    error : str
        What went wrong, in plain words; it never holds a value of the data.
    report : dict
        The contents of ``ingest.json``. **Confidential.**
    """

    def __init__(self, options: IngestOptions, done: Callable[[str, Path], None]) -> None:
        self.name = options.out.name
        self.state: State = "running"
        self.progress: Progress | None = None
        self.error = ""
        self.report: dict[str, Any] = {}
        self._options = options
        self._done = done
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="build")
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop; nothing is written then."""
        self._cancel.set()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not ended yet."""
        return self.state == "running" and self._cancel.is_set()

    def wait(self, seconds: float) -> None:
        """Give it some time to end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            _, report = ingest(self._options, self._take, self._cancel)
            self.report = report.to_json()
            self._done(self.name, self._options.out)
            self.state = "finished"
        except Cancelled:
            self.state = "cancelled"
        except ExplorerError as problem:
            self.error = data_wording.on_page(str(problem))
            self.state = "failed"
        except Exception as problem:
            # neither page nor log repeat the message: an engine may quote a row in it
            frames = "".join(traceback.format_tb(problem.__traceback__))
            _log.error("a build failed with %s\n%s", type(problem).__name__, frames)
            self.error = data_wording.unexpected(type(problem).__name__)
            self.state = "failed"

    def _take(self, progress: Progress) -> None:
        self.progress = progress


def current() -> Build | None:
    """Return this session's last build, running or ended."""
    return st.session_state.get(_KEY)


def dismiss() -> None:
    """Forget the last build and empty the form (a callback); its dataset stays."""
    st.session_state.pop(_KEY, None)
    data_files.next_round()


def start(options: IngestOptions) -> None:
    """Begin a build in this session's folder."""
    space = data_store.workspace()
    known: dict[str, Path] = st.session_state.setdefault(catalogue.SESSION_DATASETS, {})

    def done(name: str, folder: Path) -> None:
        known[name] = folder  # in the pickers at once, on whatever page the person is
        space.keep_only(())  # the raw uploads have done their duty

    build = Build(replace(options, spill=space.spill), done)
    st.session_state[_KEY] = build

    def stop() -> None:
        build.cancel()
        build.wait(_STOP_S)

    space.stop = stop


def live(build: Build) -> None:
    """Draw progress and the cancel button, again and again until the build has ended."""

    def part() -> None:
        if build.state != "running":
            st.rerun()  # the whole page once: form and lists change with the end
        share, told = data_wording.progress(build.progress)
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        left.progress(share, text="Stopping …" if build.stopping else told)
        right.button(
            "Cancel",
            key="data_cancel",
            on_click=build.cancel,
            disabled=build.stopping,
            width="stretch",
        )

    with st.container(key="data_live"):
        st.fragment(part, run_every=POLL_S)()
