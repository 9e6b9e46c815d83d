"""What has been computed: kept by the process for all, and by a session of its uploads."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from engine.datasets.memo import size_of
from pages._ui.app.catalogue import dataset_ids, has_upload
from pages._ui.app.session import is_worker, page_state

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
MAX_BYTES = 2**30
"""Of what is shared, and of each session's own: 1 GB. What was asked for longest ago goes first."""
_ENTRY_BYTES = 2_000
"""What an entry takes beside its arrays."""


class Cache:
    """Answers by what was asked; each is made once, whoever asks for it at the same time."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._locks: dict[Hashable, threading.RLock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of a key, else the result of `make`; arrays are read-only."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
            making = self._locks.setdefault(key, threading.RLock())
        with making:
            if made := self.find(key):
                return made[0]
            value = freeze(make())
            self.add(key, value)
        return value

    def add(self, key: Hashable, value: Any) -> None:
        """Keep an answer."""
        size = _ENTRY_BYTES + size_of(value)
        with self._lock:
            self._drop(key)
            self._values[key] = value, size
            self._size += size
            self._locks.pop(key, None)
            while len(self._values) > 1 and self._size > MAX_BYTES:
                self._drop(next(iter(self._values)))

    def find(self, key: Hashable) -> list[Any]:
        """Return the answer in a list, empty where there is none yet."""
        with self._lock:
            return [self._values[key][0]] if key in self._values else []

    def remove(self, is_needed: Callable[[Hashable], bool]) -> None:
        """Let go of all answers but those whose key `is_needed`."""
        with self._lock:
            for key in [known_key for known_key in self._values if not is_needed(known_key)]:
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        self._size -= self._values.pop(key, (None, 0))[1]


shared_cache = Cache()
"""Of the process: what all may open."""
_thread_state = threading.local()
"""Of a thread that works for a session: its store."""


def cache_of(key: tuple[Any, ...]) -> Cache:
    """Return where the answer to a question is kept: in the session, if it names an upload."""
    # a worker process has no sessions; it lets go of uploads by itself
    return shared_cache if is_worker() or not has_upload(*key) else session_cache()


def session_cache() -> Cache:
    """Return the store of the session at hand, or of the one that this thread works for."""
    cache: Cache | None = getattr(_thread_state, "store", None)
    return cache or page_state(Cache)


def use_cache(cache: Cache) -> None:
    """Work for another session from now on, in this thread."""
    _thread_state.store = cache


def drop_other_uploads(key: tuple[Any, ...]) -> None:
    """Let go, in a worker, of every upload but those that a question names."""
    ids = dataset_ids(key)
    shared_cache.remove(lambda entry: not has_upload(entry) or dataset_ids((entry,)) <= ids)


def freeze(value: T) -> T:
    """Return the value with every array in it read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, list | tuple):
        for part in value:
            freeze(part)
    elif isinstance(value, dict):
        freeze(list(value.values()))
    elif is_dataclass(value):
        freeze([getattr(value, field.name) for field in fields(value)])
    return value


def compute(function: Callable[P, R], /, *arguments: P.args, **options: P.kwargs) -> R:
    """Return the cached result of a function of settings and public facts alone."""
    key = (function, *arguments, *sorted(options.items()))
    return cache_of(key).get(key, lambda: function(*arguments, **options))


def memoize(function: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function of settings, seeds and other scalars returns."""

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        return compute(function, *arguments, **options)

    return call
