"""Both methods are one call: what it returns is what each method returns by itself."""

from typing import Any

import numpy as np
import pytest

from engine import datasets
from engine import origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination.exact.expected import expectation_of_matrix
from engine.origin_destination.mechanism import ODRelease

SETTINGS: dict[str, Any] = {"epsilon": 0.5, "unit": "trip"}


def drawn(**method):
    rng = np.random.default_rng(3)
    parameters = od.ODParameters(**SETTINGS, **method)
    return od.release(datasets.load("rwanda-districts"), parameters, rng=rng, days=0)


def test_the_published_method_is_the_default():
    private = drawn()
    assert isinstance(private, ODRelease)
    assert np.array_equal(private.counts, drawn(method="published").counts)
    assert not ((private.counts > 0) & (private.counts < 15)).any()


def test_algorithm_1_and_its_law_do_not_answer_for_another_method():
    ours = od.ODParameters(epsilon=0.5, method="estimate")
    for ask in (
        lambda: od.release_matrix([[0, 20], [3, 0]], ours, rng=np.random.default_rng(0)),
        lambda: expectation_of_matrix([[0, 20], [3, 0]], ours),
    ):
        with pytest.raises(ParameterError, match="method must be 'published'"):
            ask()


def test_another_method_is_refused_with_the_remedy():
    with pytest.raises(ParameterError, match="'estimate' reads the same noisy cells"):
        drawn(method="ours")
