"""Progress of a command on standard error: one line drawn anew on a terminal, lines in a log."""

import sys
import time
from collections.abc import Callable

LOG_INTERVAL_S = 10.0
"""Least time between two lines of a log; a shorter run writes none."""


def make_progress_line(task: str) -> Callable[[float], None]:
    """Return a function that prints which share of a task is done."""
    started = last_written = time.monotonic()

    def write(share: float) -> None:
        nonlocal last_written
        if sys.stderr is None:  # closed
            return
        now = time.monotonic()
        if sys.stderr.isatty():
            end = "\n" if share >= 1 else ""
            print(f"\r{share:4.0%} {task}", end=end, file=sys.stderr, flush=True)
        elif now - last_written >= LOG_INTERVAL_S:
            last_written = now
            text = f"{share:4.0%} {task}, {now - started:.0f} s"
            print(text, file=sys.stderr, flush=True)

    return write
