"""Cached results of a dataset: stored as long as the dataset is, up to a number of bytes.

This is the only cache by dataset in the engine. A slider over ε requests the same counts
repeatedly.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import is_dataclass
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from .dataset import Dataset

MAX_BYTES = 2**28
"""Limit of one dataset: 256 MB. The least recently used result goes first."""

_Value = TypeVar("_Value")
_values: WeakKeyDictionary[Dataset, OrderedDict[Hashable, Any]] = WeakKeyDictionary()
_lock = Lock()


def memoise(dataset: Dataset, key: Hashable, build: Callable[[], _Value]) -> _Value:
    """Return `build()`, computed once for each `key` of `dataset`; confidential like it.

    `key` is hashable: a name of the result, then all that it depends on but the dataset. A view is
    a dataset of its own. The result must not hold `dataset`; an array becomes read-only.
    """
    with _lock:
        values = _values.setdefault(dataset, OrderedDict())
        if key in values:
            values.move_to_end(key)
            return values[key]
    value = build()
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    with _lock:
        value = values.setdefault(key, value)  # the first result, so that all callers have the same
        values.move_to_end(key)
        sizes = {other_key: size_of(other_value) for other_key, other_value in values.items()}
        while len(values) > 1 and sum(sizes.values()) > MAX_BYTES:
            sizes.pop(values.popitem(last=False)[0])
    return value


def size_of(value: Any) -> int:
    """Return the bytes of the arrays in a value: array, dataclass or sequence."""
    parts: Iterable[Any] = ()
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list | tuple):
        parts = value
    elif hasattr(value, "indptr") or (is_dataclass(value) and not isinstance(value, type)):
        parts = tuple(vars(value).values())  # a dataset's own cached values included
    return sum(size_of(part) for part in parts)
