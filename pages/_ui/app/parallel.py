"""Long work beside a page: small independent pieces in worker processes, drawn as they come."""

import os
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from loky import get_reusable_executor

from engine.errors import ExplorerError
from engine.text.numbers import format_wait
from pages._ui.app import cache, error_pages
from pages._ui.app.catalogue import has_upload
from pages._ui.app.session import IN_WORKER, session

WORKERS_VARIABLE = "MOBILITY_WORKERS"
"""Environment variable: how many worker processes; 0 works in a thread of the server."""

_MAX_WORKERS = 2
"""Unless told otherwise: each takes 200 to 300 MB."""

_MAX_PENDING = 3
"""So many pieces of one session wait at a time: then it is another one's turn."""

REST_S = 0.4
"""How long a slider has rested before work starts that only adds to what is shown already."""

POLL_S, _IDLE_S = 0.7, 30
_NICE = 3
"""The pages go first, but a worker goes on, too: at 10 it would starve beside busy processes."""

_MAX_TRIES = 2
"""A worker takes along what it had waiting: a piece may be innocent of its end."""

_LOST = (
    "This computation needed more resources than the server has and was stopped. Choose "
    "a smaller dataset."
)
_FAILED = "This could not be computed. The server's log names the place ({})."

Piece = tuple[Hashable, ...]
Function = Callable[..., Any]


def worker_count() -> int:
    """Return how many worker processes long work gets; 0 is a thread of the server."""
    cores, text = os.cpu_count() or 1, os.environ.get(WORKERS_VARIABLE, "")
    if text.isdecimal():
        return int(text)
    return min(_MAX_WORKERS, cores) if cores > 1 else 0


_sender = ThreadPoolExecutor(1, thread_name_prefix="long work")
_pending: dict[Piece, Future[Any]] = {}
_lock = threading.Lock()


def _send_to_worker(function: Function, piece: Piece) -> Future[Any]:
    """Send a piece to the server's workers; in one thread, for loky keeps workers for each."""
    executor = get_reusable_executor(
        max_workers=worker_count(),
        timeout=_IDLE_S,
        initializer=_start_worker,
        env={"OPENBLAS_NUM_THREADS": "1", IN_WORKER: "1"},
    )
    return executor.submit(_compute_piece, function, piece, None)


def _start_worker() -> None:
    os.nice(_NICE)
    threading.Thread(target=_exit_with_server, args=(os.getppid(),), daemon=True).start()


def _exit_with_server(server: int) -> None:
    """End this worker when its server was killed: loky's would wait for it for ever."""
    while os.getppid() == server:
        time.sleep(1)
    os._exit(0)


def _compute_piece(function: Function, piece: Piece, session_cache: "cache.Cache | None") -> Any:
    """Compute one piece: in a worker, or in a thread with the store of the session that asks."""
    if session_cache is None:
        cache.drop_other_uploads(piece)
    else:
        cache.use_cache(session_cache)
    return function(*piece)


@dataclass
class Job:
    """Pieces of one question of one session; the same question keeps its job."""

    function: Function
    pieces: Sequence[Piece]
    start_time: float
    results: dict[int, Any] = field(default_factory=dict[int, Any])
    futures: dict[int, Future[Any]] = field(default_factory=dict[int, Future[Any]])
    is_stopped: bool = False
    error: str = ""
    crash_counts: dict[int, int] = field(default_factory=dict[int, int])
    found_count: int = 0
    """Answers that were there when the clock was started."""

    @property
    def ordered_results(self) -> list[Any]:
        """What is known so far, in the order of the pieces."""
        return [self.results[i] for i in sorted(self.results)]

    @property
    def is_complete(self) -> bool:
        """Whether all is known."""
        return len(self.results) == len(self.pieces)

    @property
    def is_running(self) -> bool:
        """Whether more is to come."""
        return not self.is_stopped and not self.error and not self.is_complete

    def advance(self) -> None:
        """Take what has come, and hand on a few pieces more."""
        self._collect()
        if not self.is_running or time.monotonic() < self.start_time:
            return
        for i, piece in enumerate(self.pieces):
            if len(self.futures) >= _MAX_PENDING:
                return
            if i not in self.results and i not in self.futures and not self._find(i, piece):
                self.futures[i] = self._send(piece)

    def describe_wait(self) -> str:
        """Return how long the rest takes at the pace so far; nothing before an answer has come."""
        computed_count = len(self.results) - self.found_count
        if computed_count < 1:
            return ""
        pace_s = (time.monotonic() - self.start_time) / computed_count
        return f" {format_wait(pace_s * (len(self.pieces) - len(self.results)))} left."

    def find_cached(self) -> None:
        """Take what others have asked before: what is whole at once needs no drawing again."""
        for i, piece in enumerate(self.pieces):
            self._find(i, piece)
        self.found_count = len(self.results)

    def _find(self, index: int, piece: Piece) -> bool:
        key = (self.function, *piece)
        results = cache.cache_of(key).find(key)
        if results:
            self.results[index] = results[0]
        return bool(results)

    def stop(self) -> None:
        """Leave it: what waits is taken back."""
        self.is_stopped = True
        for future in self.futures.values():
            future.cancel()

    def _send(self, piece: Piece) -> Future[Any]:
        """Hand a piece on; whoever asks the same of what all may open waits for the same."""
        key, shared = (self.function, *piece), not has_upload(*piece)
        with _lock:
            pending = _pending.get(key)
            if shared and pending is not None and not pending.done():
                return pending
            if worker_count():
                future = _sender.submit(_send_to_worker, self.function, piece).result()
            else:
                future = _sender.submit(_compute_piece, self.function, piece, cache.session_cache())
            if shared:
                _pending[key] = future
        return future

    def _collect(self) -> None:
        for i, future in [(i, future) for i, future in self.futures.items() if future.done()]:
            del self.futures[i]
            if future.cancelled():  # by another session that asked the same
                continue
            problem = future.exception()
            if problem is None:
                key, self.results[i] = (self.function, *self.pieces[i]), future.result()
                cache.cache_of(key).add(key, cache.freeze(self.results[i]))
                with _lock:
                    _pending.pop(key, None)
            elif isinstance(problem, ExplorerError):
                self.error = str(problem)
            elif isinstance(problem, BrokenProcessPool):
                # another worker takes its place, and the piece is sent once more
                self.crash_counts[i] = self.crash_counts.get(i, 0) + 1
                self.error = _LOST if self.crash_counts[i] > _MAX_TRIES else ""
            else:  # the message may quote the data: neither page nor log repeat it
                where = error_pages.log(problem) if isinstance(problem, Exception) else "stopped"
                self.error = _FAILED.format(where)


def submit(name: str, function: Function, pieces: Sequence[Piece], *, delay_s: float = 0.0) -> Job:
    """Return this session's job of a name; another question leaves it and begins anew."""
    jobs, pieces_asked = session().jobs, tuple(pieces)
    job = jobs.get(name)
    if not isinstance(job, Job) or (job.function, job.pieces) != (function, pieces_asked):
        if isinstance(job, Job):
            job.stop()
        job = jobs[name] = Job(function, pieces_asked, time.monotonic() + delay_s)
        job.find_cached()
    job.advance()
    return job


def draw_live(
    name: str, job: Job, draw: Callable[[list[Any], bool], None], *, noun: str = "", size: int = 1
) -> None:
    """Draw the answers that are there, again and again until all are; a piece has `size` `noun`."""
    polling = job.is_running

    def part() -> None:
        with st.container(key=f"job_live_{name}"):
            job.advance()
            if polling != job.is_running:
                st.rerun()  # a part cannot change how often it runs
            if job.error:
                st.error(job.error)
            elif noun and not job.is_complete:
                share = len(job.results) / len(job.pieces)
                where = f"{size * len(job.results):,} of {size * len(job.pieces):,}"
                lost = " A worker process failed and was replaced." if job.crash_counts else ""
                st.progress(share, text=f"{noun}: {where} …{job.describe_wait()}{lost}")
            draw(job.ordered_results, job.is_running)

    if polling:
        st.fragment(error_pages.catch_errors()(part), run_every=POLL_S)()
    else:  # a part of its own would be sent again by every move of a slider
        part()
