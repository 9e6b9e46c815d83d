"""Long work that outlives its page: a build, a release."""

import threading
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import Cancelled
from pages._ui.jobs.pieces import bar
from pages._ui.shell import problems

POLL_S = 0.5
State = Literal["running", "finished", "cancelled", "failed"]
Tell = Callable[[Any], None]
Task = Callable[[Tell, threading.Event], Any]
"""Work to do: it is given what to tell its progress to and an event that asks it to stop."""


class Kept:
    """Work under way or ended; its attributes may be read at any time."""

    def __init__(
        self,
        name: str,
        task: Task,
        *,
        said: Callable[[ExplorerError], str] = str,
        unforeseen: str,
        must_end: bool = False,
    ) -> None:
        self.name = name
        self.state: State = "running"
        self.progress: Any = None
        self.result: Any = None
        self.error = ""
        self.stopping = False  # asked to
        self.must_end = must_end
        self._task, self._said, self._unforeseen = task, said, unforeseen
        self._cancel = threading.Event()
        self._thread = threading.Thread(
            target=self._run, daemon=not must_end, name=f"making {name}"
        )
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop."""
        self.stopping = True
        self._cancel.set()

    def wait(self, seconds: float) -> None:
        """Give it some time to end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self.result = self._task(self._tell, self._cancel)
            self.state = "finished"
        except Cancelled:
            self.state = "cancelled"
        except ExplorerError as problem:
            self.error = self._said(problem)
            self.state = "failed"
        except Exception as problem:
            problems.log(problem)
            self.error = self._unforeseen.format(type(problem).__name__)
            self.state = "failed"

    def _tell(self, progress: Any) -> None:
        self.progress = progress


def follow_kept(
    work: Kept, words: Callable[[Any], tuple[float, str]], *, title: str, key: str
) -> None:
    """Draw progress, and a button to stop what may be, again and again until the work has ended."""

    def part() -> None:
        if work.state != "running":
            st.rerun()  # the whole page once: what stands around it changes with the end
        share, where = words(work.progress)
        text = f"{title}: {'stopping …' if work.stopping else where}"
        if work.must_end:
            st.progress(share, text=text)
        else:
            bar(share, text, "Cancel", f"{key}_cancel", work.cancel, disabled=work.stopping)

    with st.container(key=f"{key}_live"):
        st.fragment(problems.caught()(part), run_every=POLL_S)()
