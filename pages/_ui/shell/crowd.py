"""How many people the server is drawing for at this moment, and when to say that it is busy."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

MANY = 8
"""So many pages drawn at once take seconds each: the page says why."""

BUSY = "Many people are using this at the moment: new numbers may take a few seconds."
_lock = threading.Lock()
_drawing = 0


@contextmanager
def counted() -> Generator[bool]:
    """Count a page while it is drawn; yields whether the server is busy."""
    global _drawing
    with _lock:
        _drawing += 1
        busy = _drawing > MANY
    try:
        yield busy
    finally:
        with _lock:
            _drawing -= 1
