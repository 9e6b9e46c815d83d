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
from pages._ui import store
from pages._ui.shell import problems
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.session import IN_WORKER, session

WORKERS = "MOBILITY_WORKERS"
"""Environment variable: how many worker processes; 0 works in a thread of the server."""

_MOST_WORKERS = 2
"""Unless told otherwise: each takes 200 to 300 MB."""

_AHEAD = 3
"""So many pieces of one session wait at a time: then it is another one's turn."""

RESTED_S = 0.4
"""How long a slider has rested before work starts that only adds to what is shown already."""

POLL_S, _IDLE_S = 0.7, 30
_NICE = 3
"""The pages go first, but a worker goes on, too: at 10 it would starve beside busy processes."""

_TRIES = 2
"""A worker takes along what it had waiting: a piece may be innocent of its end."""

_LOST = "This needed more resources than the server has, and was stopped. Pick a smaller dataset."
_FAILED = "This could not be computed; the server's log names the place ({})."

Piece = tuple[Hashable, ...]
Function = Callable[..., Any]


def workers() -> int:
    """Return how many worker processes long work gets; 0 is a thread of the server."""
    cores, said = os.cpu_count() or 1, os.environ.get(WORKERS, "")
    if said.isdecimal():
        return int(said)
    return min(_MOST_WORKERS, cores) if cores > 1 else 0


_thread = ThreadPoolExecutor(1, thread_name_prefix="long work")
_flying: dict[Piece, Future[Any]] = {}
_lock = threading.Lock()


def _to_worker(function: Function, piece: Piece) -> Future[Any]:
    """Send a piece to the server's workers; in one thread, for loky keeps workers for each."""
    executor = get_reusable_executor(
        max_workers=workers(),
        timeout=_IDLE_S,
        initializer=_begin,
        env={"OPENBLAS_NUM_THREADS": "1", IN_WORKER: "1"},
    )
    return executor.submit(_work, function, piece, None)


def _begin() -> None:
    os.nice(_NICE)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(server: int) -> None:
    """End this worker when its server was killed: loky's would wait for it for ever."""
    while os.getppid() == server:
        time.sleep(1)
    os._exit(0)


def _work(function: Function, piece: Piece, lent: "store.Store | None") -> Any:
    """Compute one piece: in a worker, or in a thread with the store of the session that asks."""
    if lent is None:
        store.keep_only(piece)
    else:
        store.lend(lent)
    return function(*piece)


@dataclass
class Job:
    """Pieces of one question of one session; the same question keeps its job."""

    function: Function
    pieces: Sequence[Piece]
    starts: float
    known: dict[int, Any] = field(default_factory=dict[int, Any])
    futures: dict[int, Future[Any]] = field(default_factory=dict[int, Future[Any]])
    stopped: bool = False
    error: str = ""
    lost: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def done(self) -> list[Any]:
        """What is known so far, in the order of the pieces."""
        return [self.known[at] for at in sorted(self.known)]

    @property
    def whole(self) -> bool:
        """Whether all is known."""
        return len(self.known) == len(self.pieces)

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return not self.stopped and not self.error and not self.whole

    def go_on(self) -> None:
        """Take what has come, and hand on a few pieces more."""
        self._take()
        if not self.running or time.monotonic() < self.starts:
            return
        for at, piece in enumerate(self.pieces):
            if len(self.futures) >= _AHEAD:
                return
            if at not in self.known and at not in self.futures and not self._found(at, piece):
                self.futures[at] = self._sent(piece)

    def look(self) -> None:
        """Take what others have asked before: what is whole at once needs no drawing again."""
        for at, piece in enumerate(self.pieces):
            self._found(at, piece)

    def _found(self, at: int, piece: Piece) -> bool:
        asked = (self.function, *piece)
        found = store.store_of(asked).known(asked)
        if found:
            self.known[at] = found[0]
        return bool(found)

    def stop(self) -> None:
        """Leave it: what is known stays, and what waits is taken back (a callback)."""
        self.stopped = True
        for one in self.futures.values():
            one.cancel()

    def resume(self) -> None:
        """Go on where it was stopped (a callback)."""
        self.stopped = False
        self.futures.clear()

    def _sent(self, piece: Piece) -> Future[Any]:
        """Hand a piece on; whoever asks the same of what all may open waits for the same."""
        asked, shared = (self.function, *piece), not in_session(*piece)
        with _lock:
            flying = _flying.get(asked)
            if shared and flying is not None and not flying.done():
                return flying
            if workers():
                sent = _thread.submit(_to_worker, self.function, piece).result()
            else:
                sent = _thread.submit(_work, self.function, piece, store.own())
            if shared:
                _flying[asked] = sent
        return sent

    def _take(self) -> None:
        for at, one in [(at, one) for at, one in self.futures.items() if one.done()]:
            del self.futures[at]
            if one.cancelled():  # by another session that asked the same
                continue
            problem = one.exception()
            if problem is None:
                self.known[at] = store.frozen(one.result())
                self._keep(at)
            elif isinstance(problem, ExplorerError):
                self.error = str(problem)
            elif isinstance(problem, BrokenProcessPool):
                # another worker takes its place, and the piece is sent once more
                self.lost[at] = self.lost.get(at, 0) + 1
                self.error = _LOST if self.lost[at] > _TRIES else ""
            else:  # the message may quote the data: neither page nor log repeat it
                where = problems.log(problem) if isinstance(problem, Exception) else "stopped"
                self.error = _FAILED.format(where)

    def _keep(self, at: int) -> None:
        asked = (self.function, *self.pieces[at])
        with _lock:
            _flying.pop(asked, None)
        store.store_of(asked).put(asked, self.known[at])


def ask(name: str, function: Function, pieces: Sequence[Piece], *, delay_s: float = 0.0) -> Job:
    """Return this session's job of a name; another question leaves it and begins anew."""
    jobs, asked = session().jobs, tuple(pieces)
    known = jobs.get(name)
    if not isinstance(known, Job) or (known.function, known.pieces) != (function, asked):
        if isinstance(known, Job):
            known.stop()
        known = jobs[name] = Job(function, asked, time.monotonic() + delay_s)
        known.look()
    known.go_on()
    return known


def live(
    name: str, job: Job, draw: Callable[[list[Any], bool], None], *, what: str = "", each: int = 1
) -> None:
    """Draw the answers that are there, again and again until all are; `each` is so many `what`."""
    polling = job.running

    def part() -> None:
        with st.container(key=f"job_live_{name}"):
            job.go_on()
            if polling != job.running:
                st.rerun()  # a part cannot change how often it runs
            if job.error:
                st.error(job.error)
            elif what and not job.whole:
                _progress(name, job, what, each)
            draw(job.done, job.running)

    if polling:
        st.fragment(problems.caught()(part), run_every=POLL_S)()
    else:  # a part of its own would be sent again by every move of a slider
        part()


def _progress(name: str, job: Job, what: str, each: int) -> None:
    """Draw how far a job is, and a button to stop it or to go on."""
    where = f"{each * len(job.known):,} of {each * len(job.pieces):,}"
    share = len(job.known) / len(job.pieces)
    if job.stopped:
        bar(share, f"{what}: stopped at {where}", "Continue", f"go_on_{name}", job.resume)
    else:
        lost = " A worker ended and was replaced." if job.lost else ""
        bar(share, f"{what}: {where} …{lost}", "Stop", f"stop_{name}", job.stop)


def bar(
    share: float,
    text: str,
    label: str,
    key: str,
    press: Callable[[], None],
    *,
    disabled: bool = False,
) -> None:
    """Draw how far some work is, and the button beside it: alike for all long work."""
    left, right = st.columns([7, 1], vertical_alignment="bottom")
    left.progress(share, text=text)
    right.button(label, key=key, on_click=press, disabled=disabled, width="stretch")
