"""Turns where many people move at once: few pages are drawn at a time, the others wait a moment.

Every element that a page sends lets go of the interpreter, and every other page that is being
drawn takes it then for a few milliseconds: thirty pages drawn at once hold one another up for
seconds, where one after the other takes a tenth of a second each.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

AT_ONCE = 2
"""Pages drawn at a time: one computes where the other sends."""

LONGEST_WAIT_S = 2.0
"""Nobody waits longer for a page that takes its time."""

MANY = 8
"""So many pages asked for at once take seconds each: the page says why."""

BUSY = "Many people are using this at the moment: new numbers may take a few seconds."
_turns = threading.BoundedSemaphore(AT_ONCE)
_lock = threading.Lock()
_asked = 0


@contextmanager
def turn() -> Generator[bool]:
    """Wait for a turn to draw a page, but not for long; yields whether the server is busy."""
    global _asked
    with _lock:
        _asked += 1
        busy = _asked > MANY
    mine = _turns.acquire(timeout=LONGEST_WAIT_S)
    try:
        yield busy or not mine
    finally:
        if mine:
            _turns.release()
        with _lock:
            _asked -= 1
