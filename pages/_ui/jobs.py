"""Long work in a thread of its own: progress, partial results, cancel.

A script run of Streamlit that computes for seconds would hold up the map. A job computes beside
it, the page asks it now and then, and a job that nobody asks for any more pauses by itself.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from engine.errors import ExplorerError
from pages._ui.shell import problems
from pages._ui.shell.problems import guarded

POLL_S = 0.7
"""How often a page asks a running job."""

_AT_ONCE_S = 0.2
"""A job done within this time is drawn without any sign of progress."""

_UNASKED_S = 15.0
_JOBS = "density_jobs"

State = Literal["running", "finished", "paused", "cancelled", "failed"]


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

    def __init__(
        self, signature: Hashable, steps: Callable[[], Iterator[Step]], delay_s: float = 0.0
    ) -> None:
        self.signature = signature
        self.step: Step | None = None
        self.state: State = "running"
        self.error = ""
        self._steps = steps()
        self._delay_s = delay_s
        self.resume()

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
        """Stop after the step at hand; what has been found stays, and `resume` goes on."""
        self._cancel.set()

    def resume(self) -> None:
        """Start, or go on where the job was stopped."""
        self.state = "running"
        self._asked = time.monotonic()
        self._cancel = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._cancel,), daemon=True)
        # what is cached of a session's own datasets is found by the thread's session
        session = get_script_run_ctx(suppress_warning=True)
        if session is not None:
            add_script_run_ctx(self._thread, session)
        self._thread.start()

    def _run(self, cancel: threading.Event) -> None:
        cancel.wait(self._delay_s)
        try:
            while not cancel.is_set():
                step = next(self._steps, None)
                if step is None:
                    self.state = "finished"
                    return
                self.step = step
                if time.monotonic() - self._asked > _UNASKED_S:
                    self.state = "paused"
                    return
            self.state = "cancelled"
        except ExplorerError as problem:
            self.error = str(problem)
            self.state = "failed"
        except Exception as problem:
            # the message may quote the data: neither page nor log repeat it
            where = problems.log(problem)
            self.error = f"This could not be computed; the server's log names the place ({where})."
            self.state = "failed"


def job(
    name: str,
    signature: Hashable,
    steps: Callable[[], Iterator[Step]],
    *,
    delay_s: float = 0.0,
) -> Job:
    """Return this session's job of that name; other settings cancel it and start a new one.

    Parameters
    ----------
    name : str
        One job of a name runs at a time.
    signature : hashable
        The dataset's key, settings and seed.
    steps : callable
        See `Job`.
    delay_s : float
        How long to leave the processor to the page before the first step.
    """
    jobs: dict[str, Job] = st.session_state.setdefault(_JOBS, {})
    known = jobs.get(name)
    if known is not None and known.signature == signature:
        if known.state == "paused":
            known.resume()
        return known
    if known is not None:
        known.cancel()
    jobs[name] = Job(signature, steps, delay_s)
    if not delay_s:
        jobs[name].wait(_AT_ONCE_S)
    return jobs[name]


def live(name: str, work: Job, draw: Callable[[Job], None]) -> None:
    """Draw a job here, again and again until it has ended; the rest of the page stays free."""
    polling = work.running

    def part() -> None:
        # the key lets the style keep what is shown from fading at each asking
        with st.container(key=f"density_live_{name}"):
            draw(work)
        if polling != work.running:
            st.rerun()  # the whole page once: a part cannot change how often it runs

    st.fragment(guarded(part), run_every=POLL_S if polling else None)()


def progress(work: Job, what: str, name: str) -> None:
    """Draw progress and a cancel button while the job runs, or how it ended if it was cut short."""
    if work.state == "failed":
        st.error(work.error)
        return
    if work.state == "finished":
        return
    share = work.step.done / work.step.total if work.step and work.step.total else 0.0
    done = f"{work.step.done:,} of {work.step.total:,}" if work.step else "starting"
    bar, button = st.columns([7, 1], vertical_alignment="bottom")
    if work.running:
        bar.progress(share, text=f"{what}: {done} …")
        button.button("Cancel", key=f"density_cancel_{name}", on_click=work.cancel, width="stretch")
    else:
        bar.progress(share, text=f"{what}: stopped at {done}; partial results shown.")
        button.button(
            "Continue", key=f"density_continue_{name}", on_click=work.resume, width="stretch"
        )
