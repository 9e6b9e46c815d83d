"""What is worked out of a dataset once: kept as long as the dataset is, up to a number of bytes.

The one cache of the engine by dataset. A slider over ε asks for the same counts again and again.
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
"""Of one dataset: 256 MB. What was asked for longest ago goes first."""

_Value = TypeVar("_Value")
_values: WeakKeyDictionary[Dataset, OrderedDict[Hashable, Any]] = WeakKeyDictionary()
_lock = Lock()


def memoise(dataset: Dataset, key: Hashable, build: Callable[[], _Value]) -> _Value:
    """Return what `build` makes of `dataset`, made once for each `key`; confidential like it.

    Parameters
    ----------
    dataset : Dataset
        A coarse view is a dataset of its own.
    key : hashable
        What it is, then all that it depends on but the dataset.
    build : callable
        Must not keep `dataset` in what it returns. An array becomes read-only.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> ids = memoise(demo, "ids", lambda: list(demo.zones["zone_id"]))
    >>> memoise(demo, "ids", list) is ids
    True
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
        value = values.setdefault(key, value)  # whoever was first: all have the same
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
        parts = tuple(vars(value).values())  # with what it has worked out of itself meanwhile
    return sum(size_of(part) for part in parts)
