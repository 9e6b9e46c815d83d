"""Caches by dataset: shared for what everybody may open, per session for what one has uploaded."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from engine import datasets

P = ParamSpec("P")
R = TypeVar("R")


def resource(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache what is shared and never changed; options as of ``st.cache_resource``.

    The wrapped function's first argument is a dataset's key (`catalogue.Entry.key`).
    """
    return _by_dataset(st.cache_resource, options)


def data(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache small values, copied at each hit; options as of ``st.cache_data``.

    The wrapped function's first argument is a dataset's key (`catalogue.Entry.key`).
    """
    return _by_dataset(st.cache_data, options)


def in_session(key: str) -> bool:
    """Return whether a dataset lies outside the folder that all sessions share."""
    return not Path(key).resolve().is_relative_to(datasets.data_root().resolve())


def _by_dataset(cache: Any, options: dict[str, Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        shared = cache(**options)(function)
        own = cache(**options, scope="session")(function)

        parameters = inspect.signature(function)

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            given = parameters.bind(*arguments, **named)
            given.apply_defaults()  # a default left out and written out is one entry of the cache
            key = given.args[0]
            return (own if in_session(str(key)) else shared)(*given.args, **given.kwargs)

        return call

    return decorate
