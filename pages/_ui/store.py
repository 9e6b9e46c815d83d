"""What has been computed: kept by the process for all, and by a session of its uploads."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from engine.datasets.memo import size_of
from pages._ui.shell.catalogue import datasets_in, in_session
from pages._ui.shell.session import in_worker, state

T = TypeVar("T")
MOST_BYTES = 2**30
"""Of what is shared, and of each session's own: 1 GB. What was asked for longest ago goes first."""
_EACH_BYTES = 2_000
"""What an entry takes beside its arrays."""


class Store:
    """Answers by what was asked; each is made once, whoever asks for it at the same time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._making: dict[Hashable, threading.RLock] = {}
        self._lock = threading.Lock()

    def get(self, asked: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept of a question, else what `make` returns; arrays are read-only."""
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
                return self._kept[asked][0]
            making = self._making.setdefault(asked, threading.RLock())
        with making:
            with self._lock:
                if asked in self._kept:
                    return self._kept[asked][0]
            value = frozen(make())
            self.put(asked, value)
        return value

    def put(self, asked: Hashable, value: Any) -> None:
        """Keep an answer."""
        size = _EACH_BYTES + size_of(value)
        with self._lock:
            self._drop(asked)
            self._kept[asked] = value, size
            self._bytes += size
            self._making.pop(asked, None)
            while len(self._kept) > 1 and self._bytes > MOST_BYTES:
                self._drop(next(iter(self._kept)))

    def known(self, asked: Hashable) -> list[Any]:
        """Return the answer in a list, empty where there is none yet."""
        with self._lock:
            return [self._kept[asked][0]] if asked in self._kept else []

    def forget(self, unless: Callable[[Hashable], bool]) -> None:
        """Let go of all answers but those that `unless` names."""
        with self._lock:
            for asked in [one for one in self._kept if not unless(one)]:
                self._drop(asked)

    def _drop(self, asked: Hashable) -> None:
        self._bytes -= self._kept.pop(asked, (None, 0))[1]


shared = Store()
"""Of the process: what all may open."""
_lent = threading.local()
"""Of a thread that works for a session: its store."""


def store_of(asked: tuple[Any, ...]) -> Store:
    """Return where the answer to a question is kept: in the session, if it names an upload."""
    # a worker process has no sessions; it lets go of uploads by itself
    return shared if in_worker() or not in_session(*asked) else own()


def own() -> Store:
    """Return the store of the session at hand, or of the one that this thread works for."""
    lent: Store | None = getattr(_lent, "store", None)
    return lent or state(Store)


def lend(store: Store) -> None:
    """Work for another session from now on, in this thread."""
    _lent.store = store


def keep_only(asked: tuple[Any, ...]) -> None:
    """Let go, in a worker, of every upload but those that a question names."""
    mine = datasets_in(asked)
    shared.forget(lambda kept: not in_session(kept) or datasets_in((kept,)) <= mine)


def frozen(value: T) -> T:
    """Return what is kept for all who ask, with every array in it read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, list | tuple):
        for part in value:
            frozen(part)
    elif isinstance(value, dict):
        frozen(list(value.values()))
    elif is_dataclass(value):
        frozen([getattr(value, field.name) for field in fields(value)])
    return value
