"""Long work that outlives its page: a build, a release."""

import threading
import time
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import Cancelled
from pages._ui.app import error_pages

POLL_S = 0.5
JobState = Literal["running", "finished", "cancelled", "failed"]
Tell = Callable[[Any], None]
Task = Callable[[Tell, threading.Event], Any]
"""Work to do: it is given what to tell its progress to and an event that asks it to stop."""


class LongJob:
    """Work under way or ended; its attributes may be read at any time."""

    def __init__(
        self,
        name: str,
        task: Task,
        *,
        describe: Callable[[ExplorerError], str] = str,
        fallback: str,
        must_finish: bool = False,
    ) -> None:
        self.name, self.start_time = name, time.monotonic()
        self.state: JobState = "running"
        self.progress: Any = None
        self.result: Any = None
        self.error = ""
        self.is_stopping = False  # asked to
        self.must_finish = must_finish
        self._task, self._describe, self._fallback = task, describe, fallback
        self._cancel = threading.Event()
        self._thread = threading.Thread(
            target=self._run, daemon=not must_finish, name=f"creating {name}"
        )
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop."""
        self.is_stopping = True
        self._cancel.set()

    def wait(self, seconds: float) -> None:
        """Give it some time to end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self.result = self._task(self._report, self._cancel)
            self.state = "finished"
        except Cancelled:
            self.state = "cancelled"
        except ExplorerError as problem:
            self.error = self._describe(problem)
            self.state = "failed"
        except Exception as problem:
            error_pages.log(problem)
            self.error = self._fallback.format(type(problem).__name__)
            self.state = "failed"

    def _report(self, progress: Any) -> None:
        self.progress = progress


def follow_job(
    job: LongJob, describe: Callable[[Any], tuple[float, str]], *, title: str, key: str
) -> None:
    """Draw progress, and a button to stop what may be, again and again until the work has ended."""

    def part() -> None:
        if job.state != "running":
            st.rerun()  # the whole page once: what stands around it changes with the end
        share, where = describe(job.progress)
        text = f"{title}: {'stopping …' if job.is_stopping else where}"
        if job.must_finish:
            st.progress(share, text=text)
            return
        bar_col, button_col = st.columns([7, 1], vertical_alignment="bottom")
        bar_col.progress(share, text=text)
        stop, name = job.cancel, f"{key}_cancel"
        button_col.button("Cancel", name, on_click=stop, disabled=job.is_stopping, width="stretch")

    with st.container(key=f"{key}_live"):
        st.fragment(error_pages.catch_errors()(part), run_every=POLL_S)()
