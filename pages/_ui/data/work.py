"""Long work in a thread of its own: progress that is true, a way to stop, and nothing leaked."""

import logging
import threading
import traceback
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import Cancelled
from pages._ui.data import wording as data_wording
from pages._ui.shell.problems import guarded

POLL_S = 0.5
_log = logging.getLogger(__name__)

State = Literal["running", "finished", "cancelled", "failed"]
Tell = Callable[[Any], None]
Task = Callable[[Tell, threading.Event], Any]
"""Work to do: it is given what to tell its progress to and an event that asks it to stop."""


class Work:
    """Work under way or ended; its attributes may be read at any time.

    Attributes
    ----------
    name : str
        The dataset that is made.
    state : str
        ``running``, ``finished``, ``cancelled`` or ``failed``.
    progress : object or None
        What the task told last.
    result : object or None
        What the task returned. **Confidential** where the data is.
    error : str
        What went wrong, in plain words; it never holds a value of the data.
    """

    def __init__(self, name: str, task: Task) -> None:
        self.name = name
        self.state: State = "running"
        self.progress: Any = None
        self.result: Any = None
        self.error = ""
        self._task = task
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"making {name}")
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop."""
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
            self.result = self._task(self._tell, self._cancel)
            self.state = "finished"
        except Cancelled:
            self.state = "cancelled"
        except ExplorerError as problem:
            self.error = data_wording.on_page(problem)
            self.state = "failed"
        except Exception as problem:
            # neither page nor log repeat the message: an engine may quote a row in it
            frames = "".join(traceback.format_tb(problem.__traceback__))
            _log.error("making a dataset failed with %s\n%s", type(problem).__name__, frames)
            self.error = data_wording.unexpected(type(problem).__name__)
            self.state = "failed"

    def _tell(self, progress: Any) -> None:
        self.progress = progress


def live(
    work: Work, words: Callable[[Any], tuple[float, str]], *, title: str, stop: str, key: str
) -> None:
    """Draw progress and a button to stop, again and again until the work has ended.

    Parameters
    ----------
    words : callable
        From what the task tells to the share done and where it stands.
    title, stop : str
        What is made, and the button's label.
    key : str
        Begins the widgets' keys, such as ``data_build``.
    """

    def part() -> None:
        if work.state != "running":
            st.rerun()  # the whole page once: form and lists change with the end
        share, text = words(work.progress)
        left, right = st.columns([6, 1], vertical_alignment="bottom")
        left.progress(share, text=f"{title}: {'stopping …' if work.stopping else text}")
        right.button(
            stop,
            key=f"{key}_cancel",
            on_click=work.cancel,
            disabled=work.stopping,
            width="stretch",
        )

    with st.container(key=f"{key}_live"):
        st.fragment(guarded(part), run_every=POLL_S)()
