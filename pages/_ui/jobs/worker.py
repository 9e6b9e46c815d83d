"""A worker: a process of its own, or a thread where there can be none, that works in stretches.

A worker process is given dataset keys, settings and seeds through its standard input and opens the
datasets itself: no array is sent to it, and nothing that it is given reaches a file or a log.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from streamlit.runtime.scriptrunner import add_script_run_ctx

from pages._ui.jobs.work import Ask, Bench, Step, Stretch
from pages._ui.shell.session import IN_WORKER

ROOT = Path(__file__).parents[3]
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""Workers share the cores already; threads that wait for one another doubled the time of a work."""


class WorkerLost(Exception):
    """The process has ended before its work; `worked` says whether it ever answered."""

    def __init__(self, *, worked: bool) -> None:
        super().__init__("a worker process has ended")
        self.worked = worked


class Worker(Protocol):
    """What the pool needs of a process or a thread that works."""

    def ready(self) -> None:
        """Start now what would else be started with the next work."""
        ...

    def go_on(self, number: int, ask: Ask, context: Any, tell: Callable[[Step], None]) -> Stretch:
        """Go on with a work for a stretch."""
        ...

    def interrupt(self) -> None:
        """End the stretch after the step at hand."""
        ...

    def drop(self, number: int) -> None:
        """Forget a work."""
        ...

    def end(self) -> None:
        """End the worker and what it holds in memory."""
        ...


class ProcessWorker:
    """A worker in a process, started with its first work or when it is to be ready for it.

    A plain subprocess: the library's own ways run the main script again in the child, and that is
    a page of Streamlit's here; a fork would copy its threads' locks.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._known: set[int] = set()
        self._sending = threading.Lock()
        self._worked = False

    def ready(self) -> None:
        with suppress(OSError):  # said by the first work
            self._started()

    def go_on(self, number: int, ask: Ask, context: Any, tell: Callable[[Step], None]) -> Stretch:
        del context  # the process has caches of its own
        try:
            process = self._started()
        except OSError as problem:
            raise WorkerLost(worked=False) from problem
        self._send(process, "go on", number, None if number in self._known else ask)
        self._known.add(number)
        while True:
            try:
                answer = pickle.load(_pipe(process.stdout))
            except (EOFError, OSError, pickle.UnpicklingError) as problem:
                self.end()
                raise WorkerLost(worked=self._worked) from problem
            self._worked = True
            if isinstance(answer, Stretch):
                return answer
            tell(answer)

    def interrupt(self) -> None:
        if self._process is not None:
            self._send(self._process, "stop", 0, None)

    def drop(self, number: int) -> None:
        if self._process is not None and number in self._known:
            self._known.discard(number)
            self._send(self._process, "drop", number, None)

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                _close(pipe)
        self._process = None
        self._known.clear()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pages._ui.jobs.process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={
                    **_ONE_THREAD,
                    **os.environ,
                    IN_WORKER: "1",
                    "PYTHONPATH": os.pathsep.join(paths),
                },
            )
        return self._process

    def _send(self, process: "subprocess.Popen[bytes]", what: str, *more: Any) -> None:
        pipe = _pipe(process.stdin)
        with suppress(OSError, ValueError), self._sending:
            # where it has ended, whoever reads its answers finds out
            pipe.write(pickle.dumps((what, *more)))
            pipe.flush()


class ThreadWorker:
    """A worker in the server's own process, where there can be no other."""

    def __init__(self) -> None:
        self._bench = Bench()
        self._interrupted = threading.Event()

    def ready(self) -> None:
        """Be there: what it needs is imported by the pages."""

    def go_on(self, number: int, ask: Ask, context: Any, tell: Callable[[Step], None]) -> Stretch:
        # what is cached of a session's own datasets is found by the session's threads
        add_script_run_ctx(threading.current_thread(), _silent(context))
        self._interrupted.clear()
        return self._bench.go_on(number, ask, tell, self._interrupted.is_set)

    def interrupt(self) -> None:
        self._interrupted.set()

    def drop(self, number: int) -> None:
        self._bench.drop(number)

    def end(self) -> None:
        """Go on: the caches of a session end with it, and works are dropped one by one."""


def _silent(context: Any) -> Any:
    """Return the session's context, but without a way to write on its page.

    A cached function that is new to the thread would show its spinner there, after the page's run.
    """
    return None if context is None else replace(context, _enqueue=lambda _: None)


def _pipe(pipe: Any) -> BinaryIO:
    return pipe


def _close(pipe: Any) -> None:
    with suppress(OSError):  # what was still to be sent has nobody to read it
        pipe.close()
