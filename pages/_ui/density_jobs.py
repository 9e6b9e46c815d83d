"""Long work in a thread of its own: progress, partial results, cancel.

A script run of Streamlit that computes for seconds would hold up the map. A job computes beside
it, the page asks it now and then, and a job that nobody asks for any more stops by itself.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from engine.errors import ExplorerError

POLL_S = 0.7
"""How often a page asks a running job."""

_AT_ONCE_S = 0.2
"""A job done within this time is drawn without any sign of progress."""

_ABANDONED_S = 20.0
_JOBS = "density_jobs"

State = Literal["running", "finished", "cancelled", "failed"]


@dataclass(frozen=True)
class Step:
    """How far a job is: steps done, of how many, and what it has found so far."""

    done: int
    total: int
    result: Any


class Job:
    """Steps computed in a thread; `step` and `state` may be read at any time.

    Parameters
    ----------
    signature : hashable
        What is computed; other settings need another job.
    steps : callable
        Returns an iterator over `Step`. It must not call Streamlit's elements.
    """

    def __init__(self, signature: Hashable, steps: Callable[[], Iterator[Step]]) -> None:
        self.signature = signature
        self.step: Step | None = None
        self.state: State = "running"
        self.error = ""
        self._steps = steps
        self._cancel = threading.Event()
        self._asked = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def result(self) -> Any:
        """What has been found so far; None before the first step."""
        return None if self.step is None else self.step.result

    @property
    def running(self) -> bool:
        """Whether more is to come; asking keeps the job alive."""
        self._asked = time.monotonic()
        return self.state == "running"

    def wait(self, seconds: float) -> None:
        """Give the job some time to finish."""
        self._thread.join(seconds)

    def cancel(self) -> None:
        """Stop after the step at hand; what has been found stays."""
        self._cancel.set()

    def _run(self) -> None:
        try:
            for step in self._steps():
                self.step = step
                if self._cancel.is_set() or time.monotonic() - self._asked > _ABANDONED_S:
                    self.state = "cancelled"
                    return
            self.state = "finished"
        except ExplorerError as problem:
            self.error = str(problem)
            self.state = "failed"
        except Exception:
            self.error = "This could not be computed; the server's log says why."
            self.state = "failed"
            raise


def job(name: str, signature: Hashable, steps: Callable[[], Iterator[Step]]) -> Job:
    """Return this session's job of that name; other settings cancel it and start a new one.

    Parameters
    ----------
    name : str
        One job of a name runs at a time.
    signature : hashable
        The dataset's key, settings and seed.
    steps : callable
        See `Job`.
    """
    jobs: dict[str, Job] = st.session_state.setdefault(_JOBS, {})
    known = jobs.get(name)
    if known is not None and known.signature == signature:
        return known
    if known is not None:
        known.cancel()
    jobs[name] = Job(signature, steps)
    jobs[name].wait(_AT_ONCE_S)
    return jobs[name]


def stop(name: str) -> None:
    """Cancel this session's job of that name, if there is one (a callback)."""
    known = st.session_state.get(_JOBS, {}).get(name)
    if known is not None:
        known.cancel()


def forget(name: str) -> None:
    """Cancel and drop a job, so that it starts afresh (a callback)."""
    stop(name)
    st.session_state.get(_JOBS, {}).pop(name, None)


def live(work: Job, draw: Callable[[Job], None]) -> None:
    """Draw a job here, again and again until it has ended; the rest of the page stays free."""
    polling = work.running

    def part() -> None:
        draw(work)
        if polling and not work.running:
            st.rerun()  # the whole page once, which ends the asking

    st.fragment(part, run_every=POLL_S if polling else None)()


def progress(work: Job, what: str, name: str) -> None:
    """Draw progress and a cancel button while the job runs, or how it ended if it was cut short."""
    if work.running:
        share = work.step.done / work.step.total if work.step and work.step.total else 0.0
        done = f"{work.step.done:,} of {work.step.total:,}" if work.step else "starting"
        bar, button = st.columns([6, 1], vertical_alignment="center")
        bar.progress(share, text=f"{what}: {done}")
        button.button("Cancel", key=f"density_cancel_{name}", on_click=stop, args=(name,))
    elif work.state == "cancelled":
        text, button = st.columns([5, 1], vertical_alignment="center")
        text.caption(f"{what}: stopped early; what is shown is what had been computed.")
        button.button("Start again", key=f"density_again_{name}", on_click=forget, args=(name,))
    elif work.state == "failed":
        st.error(work.error)
