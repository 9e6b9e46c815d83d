"""Caches by dataset: shared for what everybody may open, per session for what one has uploaded."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from engine.parameters import DensityParameters, ODParameters
from engine.report import ReportParameters
from engine.resolution import Key
from pages._ui.cache.window import Window
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.session import in_worker

_SETTINGS = (DensityParameters, ODParameters, ReportParameters, Key, Window)
P = ParamSpec("P")
R = TypeVar("R")


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
        shared = cache(**options)(function)
        own = cache(**options, scope="session")(function)

        parameters = inspect.signature(function)

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            given = parameters.bind(*arguments, **named)
            given.apply_defaults()  # a default left out and written out is one entry of the cache
            # a worker process has no sessions; it ends with the sessions whose data it has read
            kept = own if in_session(*given.args) and not in_worker() else shared
            return kept(*given.args, **given.kwargs)

        return call

    return decorate
