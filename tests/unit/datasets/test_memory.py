"""The engine's cache by dataset: once, for all threads alike, gone with its dataset, bounded."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Barrier

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.datasets.memo import memoise, size_of


@pytest.fixture
def demo():
    return datasets.load("demo-city")


def test_is_made_once_for_each_key_and_each_dataset(demo):
    other = datasets.load("demo-city")
    values = [memoise(of, key, object) for of in (demo, other) for key in ("a", "b", "a")]
    assert [values.index(value) for value in values] == [0, 1, 0, 3, 4, 3]


def test_threads_that_ask_at_once_get_the_same_read_only_array(demo):
    together = Barrier(4)

    def build():
        together.wait()
        return np.zeros(3)

    with ThreadPoolExecutor(4) as pool:
        first, *rest = [
            asked.result()
            for asked in [pool.submit(memoise, demo, "array", build) for _ in range(4)]
        ]
    assert all(value is first for value in rest)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


def test_nothing_outlives_its_dataset():
    demo = datasets.load("demo-city")
    counted = weakref.ref(od.compute_histogram(demo, days=0))
    assert counted() is not None
    del demo
    gc.collect()
    assert counted() is None


def test_what_was_asked_for_longest_ago_goes_beyond_so_many_bytes(demo, monkeypatch):
    monkeypatch.setattr("engine.datasets.memo.MAX_BYTES", 3 * 80)
    built = []

    def ask(name):
        memoise(demo, name, lambda: built.append(name) or np.zeros(10))

    for name in "abcadaba":
        ask(name)
    assert "".join(built) == "abcdb"
    memoise(demo, "large", lambda: np.zeros(1_000))
    ask("a")
    assert built[-1] == "a"


def test_the_size_counts_what_an_object_worked_out_of_itself():
    @dataclass
    class Kept:
        rows: np.ndarray

        @cached_property
        def more(self):
            return np.zeros(2)

    kept = Kept(np.zeros(10))
    assert size_of(kept) == 80
    assert size_of((kept, kept.more)) == 80 + 2 * 16
