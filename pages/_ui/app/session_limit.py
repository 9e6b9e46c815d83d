"""Turns where many people move at once: few pages are drawn at a time, the others wait a moment.

Every element that a page sends lets go of the interpreter, and every other page that is being
drawn takes it then for a few milliseconds: thirty pages drawn at once hold one another up for
seconds, where one after the other takes a tenth of a second each.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

MAX_DRAWN_PAGES = 2
"""Pages drawn at a time: one computes where the other sends."""

MAX_WAIT_S = 2.0
"""Nobody waits longer for a page that takes its time."""

BUSY_PAGES = 8
"""So many pages asked for at once take seconds each: the page says why."""

BUSY_NOTE = "The server is busy. New numbers may take a few seconds."
_turns = threading.BoundedSemaphore(MAX_DRAWN_PAGES)
_lock = threading.Lock()
_page_count = 0


@contextmanager
def take_turn() -> Generator[bool]:
    """Wait for a turn to draw a page, but not for long; yields whether the server is busy."""
    global _page_count
    with _lock:
        _page_count += 1
        busy = _page_count > BUSY_PAGES
    has_turn = _turns.acquire(timeout=MAX_WAIT_S)
    try:
        yield busy or not has_turn
    finally:
        if has_turn:
            _turns.release()
        with _lock:
            _page_count -= 1
