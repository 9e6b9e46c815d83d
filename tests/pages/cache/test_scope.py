"""What is large is kept up to a number of bytes; what was asked for longest ago goes first."""

import numpy as np
import pytest

from engine import datasets
from engine.contract import Seen
from pages._ui.cache import scope

PIECE = scope.LARGE_BYTES // 8 + 1


@pytest.fixture
def key():
    return Seen(dataset=str(datasets.load("demo-city").folder))


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr(scope, "MOST_BYTES", 3 * 8 * PIECE)
    times: list[int] = []

    @scope.resource(max_entries=64, show_spinner=False)
    def large(key, number=0):
        times.append(number)
        return np.zeros(PIECE)

    return large, times


def test_the_large_are_kept_up_to_a_number_of_bytes(key, asked):
    large, times = asked
    for number in (0, 1, 2):
        large(key, number)
    large(key, number=0)  # asked again: now 1 is the oldest, named or not
    large(key, 3)
    assert times == [0, 1, 2, 3]
    large(key)
    large(key, 2)
    assert times == [0, 1, 2, 3]
    large(key, 1)
    assert times == [0, 1, 2, 3, 1]


def test_one_that_is_larger_than_all_may_be_is_kept(key, asked, monkeypatch):
    large, times = asked
    monkeypatch.setattr(scope, "MOST_BYTES", 1)
    large(key, 7)
    large(key, 7)
    assert times == [7]


def test_the_small_are_not_counted(key, monkeypatch):
    times: list[int] = []

    @scope.data(max_entries=64, show_spinner=False)
    def small(key, number):
        times.append(number)
        return np.zeros(3)

    monkeypatch.setattr(scope, "MOST_BYTES", 1)
    for number in (1, 2, 1, 2):
        small(key, number)
    assert times == [1, 2]
