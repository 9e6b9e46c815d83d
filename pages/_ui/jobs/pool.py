"""The pool: a few workers, one queue, a turn for each session, one answer for all who ask alike."""

import itertools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from streamlit import runtime

from pages._ui.jobs.work import Ask, State, Step, Stretch
from pages._ui.jobs.worker import ProcessWorker, ThreadWorker, Worker, WorkerLost
from pages._ui.shell import problems

WORKERS = "MOBILITY_WORKERS"
"""Environment variable: how many worker processes; 0 works in a thread of the server."""

_MOST_WORKERS = 2
"""Unless told otherwise: each takes 200 to 300 MB."""

_UNASKED_S = 15.0
"""A job that no page has asked for in this time gives way."""

_LOOK_S = 1.0
_KEPT = 96
"""Answers that are kept for others who may ask the same."""

_LOST = "This needed more resources than the server has, and was stopped. Pick a smaller dataset."


def workers() -> int:
    """Return how many worker processes long work gets; 0 is a thread of the server."""
    cores = os.cpu_count() or 1
    said = os.environ.get(WORKERS, "")
    if said.isdecimal():
        return int(said)
    return min(_MOST_WORKERS, cores) if cores > 1 else 0


class Seat:
    """A place for a worker, and whose own data the worker has read."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.read_of: set[str] = set()
        self.tidied = 0.0


class Task:
    """One piece of work that several sessions may wait for; the pool alone writes to it."""

    def __init__(self, number: int, ask: Ask, *, shared: bool) -> None:
        self.number = number
        self.ask = ask
        self.shared = shared
        self.step: Step | None = None
        self.state: State = "running"
        self.error = ""
        self.jobs: list[Job] = []
        self.seat: Seat | None = None
        self.at_work = False
        self.lost = False

    @property
    def wanted(self) -> bool:
        """Whether a session waits for more of it now."""
        now = time.monotonic()
        return self.state == "running" and any(job.waits(now) for job in self.jobs)


class Job:
    """What one session sees of a piece of work; attributes may be read at any time.

    Parameters
    ----------
    delay_s : float
        How long to leave the processor to the page before the first step.
    """

    def __init__(
        self, pool: "Pool", task: Task, session: str, context: Any, delay_s: float
    ) -> None:
        self.signature = task.ask
        self.session = session
        self.context = context
        self._pool = pool
        self._task = task
        self.left = False
        self._cancelled = False
        self._asked = time.monotonic()
        self.starts = self._asked + delay_s
        self.urgent = False

    @property
    def step(self) -> Step | None:
        """How far it is; None before the first step."""
        return self._task.step

    @property
    def result(self) -> Any:
        """What has been found so far; None before the first step."""
        step = self._task.step
        return None if step is None else step.result

    @property
    def state(self) -> State:
        """How it stands; cancelled by this session is not cancelled for others."""
        state = self._task.state
        return "cancelled" if state == "running" and self._cancelled else state

    @property
    def error(self) -> str:
        """What went wrong, in plain words without data."""
        return self._task.error

    @property
    def running(self) -> bool:
        """Whether more is to come; asking keeps the job alive."""
        self._asked = time.monotonic()
        return self.state == "running"

    def hurry(self) -> None:
        """Begin at once and before the session's other work: the page waits for nothing else."""
        if not self.urgent:
            self.urgent, self.starts = True, self._asked
            self._pool.look(self._task)

    def waits(self, now: float) -> bool:
        """Whether its session waits for it: not cancelled, and asked for lately."""
        return not self._cancelled and now >= self.starts and now - self._asked < _UNASKED_S

    def wait(self, seconds: float) -> None:
        """Give the job some time to finish, or to stop where it was cancelled.

        Who waits asks: the work goes on however long it takes on a busy machine.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._asked = time.monotonic()
            if self._pool.wait(self._task, self._given_up, min(left, _LOOK_S)):
                return

    def _given_up(self) -> bool:
        return self.state == "cancelled"

    def cancel(self) -> None:
        """Stop after the step at hand; what has been found stays, and `resume` goes on."""
        self._cancelled = True
        self._pool.look(self._task)

    def resume(self) -> None:
        """Go on where the job was stopped."""
        self._cancelled = False
        self._asked = time.monotonic()
        self._pool.look(self._task)

    def leave(self) -> None:
        """Be done with it: nobody of this session asks for it any more."""
        self._pool.leave(self, self._task)


class Pool:
    """Workers and the queue before them.

    Each worker has a thread that takes the next session's turn, lets it work for a stretch and
    puts what is not finished back: a long sweep of one session does not hold up another's ranges.

    Parameters
    ----------
    count : int
        Worker processes; 0 takes one thread of this process.
    """

    def __init__(self, count: int) -> None:
        self._changed = threading.Condition()
        self._numbers = itertools.count(1)
        self._tasks: OrderedDict[Ask, Task] = OrderedDict()
        self._turns: OrderedDict[str, None] = OrderedDict()
        self._processes = count
        self._warm = False
        for _ in range(max(count, 1)):
            threading.Thread(target=self._serve, daemon=True, name="long work").start()

    @property
    def processes(self) -> int:
        """How many worker processes there may be; they start with the first work."""
        return self._processes

    @property
    def sessions(self) -> int:
        """How many sessions wait for work at the moment."""
        with self._changed:
            waited_for = [task for task in self._tasks.values() if task.wanted]
            return len({job.session for task in waited_for for job in task.jobs})

    def warm(self) -> None:
        """Start idle workers before there is work; also whenever one has been ended."""
        with self._changed:
            self._warm = True
            self._changed.notify_all()

    def join(
        self, ask: Ask, session: str, context: Any, *, shared: bool, delay_s: float = 0.0
    ) -> Job:
        """Return a job of what is asked, the same work for all who ask the same.

        Parameters
        ----------
        session : str
            Who asks; turns go round by it.
        context : object
            The session's context, for a worker that is a thread.
        shared : bool
            Whether the answer may be kept for others; not where it is of a session's own data.
        """
        with self._changed:
            task = self._tasks.get(ask)
            if task is None or task.state == "failed":
                task = Task(next(self._numbers), ask, shared=shared)
                self._tasks[ask] = task
            self._tasks.move_to_end(ask)
            job = Job(self, task, session, context, delay_s)
            task.jobs.append(job)
            self._turns.setdefault(session)
            self._trim()
            self._changed.notify_all()
        return job

    def leave(self, job: Job, task: Task) -> None:
        """Take a job off a task; what nobody wants any more is dropped."""
        with self._changed:
            self._take_off(job, task)
        self.look(task)

    def empty(self) -> None:
        """Let go of every job of every session, and of every answer that was kept."""
        with self._changed:
            tasks = list(self._tasks.values())
            for task in tasks:
                for job in list(task.jobs):
                    self._take_off(job, task)
            self._turns.clear()
            self._tasks.clear()
        for task in tasks:
            self.look(task)

    def look(self, task: Task) -> None:
        """Think again about what to do: somebody has cancelled, resumed or left."""
        with self._changed:
            if task.at_work and task.seat is not None and not task.wanted:
                task.seat.worker.interrupt()
            self._changed.notify_all()

    def wait(self, task: Task, given_up: Callable[[], bool], seconds: float) -> bool:
        """Wait until the task has ended, or is at rest where it was given up; whether it is."""
        with self._changed:
            return self._changed.wait_for(
                lambda: task.state != "running" or (given_up() and not task.at_work), seconds
            )

    def _take_off(self, job: Job, task: Task) -> None:
        job.left = True
        if job in task.jobs:
            task.jobs.remove(job)
        self._forget_unwanted(task)

    def _forget_unwanted(self, task: Task) -> None:
        if not task.jobs and not (task.state == "finished" and task.shared):
            self._forget(task)

    def _forget(self, task: Task) -> None:
        if self._tasks.get(task.ask) is task:
            del self._tasks[task.ask]
        if task.seat is not None and not task.at_work:
            task.seat.worker.drop(task.number)

    def _trim(self) -> None:
        """Forget the answers asked for longest ago."""
        unheld = [task for task in self._tasks.values() if not task.jobs and not task.at_work]
        for task in unheld[: max(0, len(unheld) - _KEPT)]:
            self._forget(task)

    def _serve(self) -> None:
        """Let one worker work, for ever: the body of its thread."""
        seat = Seat(ProcessWorker() if self._processes else ThreadWorker())
        while True:
            with self._changed:
                self._tidy(seat)
                while (turn := self._turn(seat)) is None:
                    if self._warm:
                        seat.worker.ready()
                    self._changed.wait(self._rest_s() if self._turns or seat.read_of else None)
                    self._tidy(seat)
                task, job = turn
                task.at_work, task.seat = True, seat
                if not task.shared:
                    seat.read_of.add(job.session)
            ended = self._stretch(seat, task, job.context)
            with self._changed:
                self._note(task, ended)
                self._changed.notify_all()

    def _turn(self, seat: Seat) -> tuple[Task, Job] | None:
        """Return the work of the session whose turn it is and that this worker may go on with."""
        now = time.monotonic()
        first: dict[str, tuple[Task, Job]] = {}
        urgent_first = sorted(
            self._tasks.values(), key=lambda task: not any(job.urgent for job in task.jobs)
        )
        for task in urgent_first:
            if task.state == "running" and not task.at_work and task.seat in (None, seat):
                for job in task.jobs:
                    if job.session not in first and job.waits(now):
                        first[job.session] = task, job
        session = next((one for one in self._turns if one in first), None)
        if session is None:
            return None
        self._turns.move_to_end(session)
        self._tasks.move_to_end(first[session][0].ask)
        return first[session]

    def _rest_s(self) -> float:
        """Return how long a worker without work waits: until the next job may start, at most."""
        now = time.monotonic()
        waiting = [task for task in self._tasks.values() if task.state == "running"]
        left = [job.starts - now for task in waiting for job in task.jobs if job.starts > now]
        return min([_LOOK_S, *left])

    def _stretch(self, seat: Seat, task: Task, context: Any) -> Stretch:
        def tell(step: Step) -> None:
            task.step = step

        try:
            return seat.worker.go_on(task.number, task.ask, context, tell)
        except WorkerLost as lost:
            again = not task.lost or not lost.worked
            task.lost = True
            with self._changed:
                if not lost.worked:  # there can be no process here
                    seat.worker = ThreadWorker()
                self._vacate(seat)
            return Stretch("running") if again else Stretch("failed", None, _LOST)
        except Exception as problem:
            where = problems.log(problem)
            words = f"This could not be computed; the server's log names the place ({where})."
            return Stretch("failed", None, words)

    def _note(self, task: Task, ended: Stretch) -> None:
        task.at_work = False
        if ended.step is not None:
            task.step = ended.step
        task.state, task.error = ended.state, ended.error
        if task.state != "running" and task.seat is not None:
            task.seat.worker.drop(task.number)
        self._forget_unwanted(task)

    def _tidy(self, seat: Seat) -> None:
        """Let go of sessions that have ended, and of what their own data left in a worker."""
        now = time.monotonic()
        if now - seat.tidied < _LOOK_S:
            return
        seat.tidied = now
        if runtime.exists():
            alive = runtime.get_instance().is_active_session
            for session in [one for one in self._turns if not alive(one)]:
                del self._turns[session]
                for task in list(self._tasks.values()):
                    for job in [job for job in task.jobs if job.session == session]:
                        self._take_off(job, task)
        if seat.read_of - set(self._turns):
            seat.worker.end()
            self._vacate(seat)

    def _vacate(self, seat: Seat) -> None:
        """Take what was begun at a seat off it: it is begun again by whoever has a turn."""
        seat.read_of.clear()
        for task in self._tasks.values():
            if task.seat is seat:
                task.seat = None


_pool: Pool | None = None
_making = threading.Lock()


def pool() -> Pool:
    """Return the server's one pool."""
    global _pool
    with _making:
        if _pool is None:
            _pool = Pool(workers())
        return _pool
