"""Work on files of others in a process of its own: it can be ended, and its memory is bounded.

The process serves one call after the other, and ends by itself when it is idle or left alone.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from .errors import InputError

DEADLINE_S = 60
"""Computing time of one call; on a busy machine it lasts longer, at most `_PATIENCE` times."""
_PATIENCE, _IDLE_S = 5, 30
_FREE_BYTES, _BYTES_PER_BYTE = 700_000_000, 16
"""Memory of one call, and more of it for each byte of its files."""
T = TypeVar("T")


class _Child:
    def __init__(self) -> None:
        self.channel, other = Pipe()
        code = f"from {__name__} import serve_calls; serve_calls({other.fileno()})"
        roots = os.pathsep.join(os.path.abspath(root) for root in sys.path)
        single = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, **single, "PYTHONPATH": roots},
            pass_fds=[other.fileno()],
            start_new_session=True,  # Ctrl-C is for the parent, which ends this one
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        other.close()
        self.fresh_until = time.monotonic() + _IDLE_S / 2
        self.owner = os.getpid(), os.getcwd()  # relative paths mean the same in it

    @property
    def is_usable(self) -> bool:
        """Whether it still waits for calls, from this process and its working folder."""
        return time.monotonic() < self.fresh_until and self.owner == (os.getpid(), os.getcwd())

    def call(self, work: tuple[Any, ...], check: Callable[[], None]) -> tuple[bool, Any]:
        """Return the answer; raise `EOFError` where the process ends without one."""
        self.channel.send(work)
        end = time.monotonic() + _PATIENCE * DEADLINE_S
        while not self.channel.poll(0.05):
            check()
            if time.monotonic() > end:
                raise EOFError
        answer: tuple[bool, Any] = self.channel.recv()
        self.fresh_until = time.monotonic() + _IDLE_S / 2
        return answer

    def end(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.wait()


_idle: list[_Child] = []


def call_in_child(
    function: Callable[..., T],
    *arguments: Any,
    files: Sequence[Path | None],
    check: Callable[[], None] = lambda: None,
) -> T:
    """Return ``function(*arguments)`` of a module, computed in a process of its own.

    Raises `InputError` where `files` take too long or too much memory, and whatever `check` raises,
    which is called all the time.
    """
    paths = [path for path in files if path is not None]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    memory = _FREE_BYTES + _BYTES_PER_BYTE * size
    child = _take_child()
    try:
        work = function.__module__, function.__name__, arguments, DEADLINE_S, memory
        is_result, value = child.call(work, check)
    except BaseException as error:
        child.end()
        if not isinstance(error, (EOFError, ConnectionError)):
            raise
        raise InputError(
            f"a file of {size:,} bytes must be read within {DEADLINE_S} s of computing and "
            f"{memory // 10**6:,} MB of memory",
            value=f"{', '.join(path.name for path in paths)}, which was not",
            remedy="simplify it, or export it again",
        ) from None
    _idle.append(child)
    if not is_result:
        raise value
    return value


def _take_child() -> _Child:
    while _idle:
        with suppress(IndexError):  # another thread has taken it
            child = _idle.pop()
            if child.is_usable:
                return child
            child.end()
    return _Child()


def serve_calls(descriptor: int) -> None:
    """Answer calls until the other side is gone; the system ends what exceeds its bounds."""
    channel = Connection(descriptor)
    while True:
        signal.alarm(_IDLE_S)
        try:
            module, name, arguments, deadline_s, memory = channel.recv()
        except EOFError:
            return
        signal.alarm(_PATIENCE * deadline_s)  # also where the parent was killed
        _bound(resource.RLIMIT_CPU, int(time.process_time()) + deadline_s)
        with suppress(OSError):  # only Linux tells what is in use
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            _bound(resource.RLIMIT_AS, pages * os.sysconf("SC_PAGE_SIZE") + memory)
        try:
            answer = True, getattr(import_module(module), name)(*arguments)
        except Exception as error:
            answer = False, error
            is_full = isinstance(error, MemoryError) or "bad_alloc" in str(error)
            if is_full or "memory" in getattr(error, "settings", ()):
                return  # the other side words it
        channel.send(answer)


def _bound(kind: int, limit: int) -> None:
    with suppress(OSError, ValueError):  # a system may have no such bound
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
