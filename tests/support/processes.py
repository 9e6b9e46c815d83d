"""Processes that a test may kill: forked from one that has loaded the engine, so at once there."""

import multiprocessing
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

LOADED = ["engine.ingest.command", "engine.release.command", "tests.support.releases"]

get_temp_dir()  # now: a test's own folder may have too long a name for a socket


def run_apart(act: Callable[..., Any], *given: Any) -> tuple[int, str]:
    """Run a function of a test module in a process; return its exit code and standard error.

    A number that the function returns is the exit code, a signal that ends it a negative one.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    with tempfile.NamedTemporaryFile() as said:
        process = context.Process(target=_run, args=(act, given, said.name))
        process.start()
        process.join(60)
        process.kill()
        process.join()
        assert process.exitcode is not None
        return process.exitcode, Path(said.name).read_text(encoding="utf-8")


def _run(act: Callable[..., Any], given: tuple[Any, ...], said: str) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    with open(said, "w", encoding="utf-8") as file, redirect_stderr(file):
        sys.exit(act(*given))
