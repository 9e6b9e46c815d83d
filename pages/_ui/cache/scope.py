"""Caches by dataset: shared for what everybody may open, per session for what one has uploaded.

What is large, a matrix between thousands of zones say, is kept up to a number of bytes in all: what
was asked for longest ago goes first. Streamlit's caches count entries alone.
"""

import inspect
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

import streamlit as st

from engine.contract import Seen
from engine.datasets.memory import size_of
from engine.parameters import DensityParameters, ODParameters
from engine.report import ReportParameters
from pages._ui.cache.window import Window
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.session import in_worker

_SETTINGS = (DensityParameters, ODParameters, ReportParameters, Seen, Window)
LARGE_BYTES = 2**23
"""What is larger than 8 MB is counted …"""
MOST_BYTES = 2**30
"""… and kept up to 1 GB, of what is shared and of each session's own: one release of 3,000 zones by
our own method, as the page reads it, is three quarters of that."""
P = ParamSpec("P")
R = TypeVar("R")


class _Large:
    """What is kept and large, in the order in which it was asked for."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[tuple[Any, ...], int] = OrderedDict()
        self._lock = Lock()

    def add(self, entry: tuple[Any, ...], size: int) -> None:
        """Count an entry (cache, arguments); clear those asked for longest ago."""
        with self._lock:
            self._sizes[entry] = size
            while len(self._sizes) > 1 and sum(self._sizes.values()) > MOST_BYTES:
                (cache, *arguments), _ = self._sizes.popitem(last=False)
                cache.clear(*arguments)

    def asked(self, entry: tuple[Any, ...]) -> None:
        """Note that an entry was asked for."""
        with self._lock:
            if entry in self._sizes:
                self._sizes.move_to_end(entry)


_shared_large = _Large()


@st.cache_resource(scope="session", show_spinner=False)
def _own_large() -> _Large:
    return _Large()


def resource(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache what is shared and never changed; options as of ``st.cache_resource``.

    The wrapped function's first argument is a dataset's key.
    """
    return _by_dataset(st.cache_resource, options)


def data(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache small values, copied at each hit; options as of ``st.cache_data``.

    The wrapped function's first argument is a dataset's key.
    """
    return _by_dataset(st.cache_data, options)


def _by_dataset(cache: Any, options: dict[str, Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    # reading every field of the settings by itself is what most of a hit would cost
    options = {"hash_funcs": dict.fromkeys(_SETTINGS, repr), **options}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters, computed = inspect.signature(function), cast(Callable[..., R], function)
        large = False  # whether it has ever made anything large

        @wraps(function)
        def weighed(*given: Any) -> R:
            nonlocal large
            value = computed(*given)
            if (size := size_of(value)) > LARGE_BYTES:
                large = True
                kept, sizes = place(given)
                sizes.add((kept, *given), size)
            return value

        shared = cache(**options)(weighed)
        own = cache(**options, scope="session")(weighed)

        def place(given: tuple[Any, ...]) -> tuple[Any, _Large]:
            # a worker process has no sessions; it ends with the sessions whose data it has read
            if in_session(*given) and not in_worker():
                return own, _own_large()
            return shared, _shared_large

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            bound = parameters.bind(*arguments, **named)
            bound.apply_defaults()  # a default left out and written out is one entry of the cache
            given = tuple(bound.arguments.values())
            kept, sizes = place(given)
            value: R = kept(*given)
            if large:
                sizes.asked((kept, *given))
            return value

        return call

    return decorate
