"""Flows spread by totals of zones and a public map, against a model balanced in loops."""

import numpy as np
import pytest

from engine.origin_destination.estimate import prediction


def balanced(outgoing, incoming, near, rounds=3000):
    """Return the doubly constrained model by factors of origins and destinations, cell by cell."""
    out = [max(value, 0) for value in outgoing]
    into = [max(value, 0) for value in incoming]
    whole = (sum(out) + sum(into)) / 2
    out = [value * whole / sum(out) for value in out]
    into = [value * whole / sum(into) for value in into]
    zones = range(len(out))
    a, b = [1.0] * len(out), [1.0] * len(out)
    for _ in range(rounds):
        for i in zones:
            a[i] = 1 / sum(b[j] * into[j] * near[i][j] for j in zones)
        for j in zones:
            b[j] = 1 / sum(a[i] * out[i] * near[i][j] for i in zones)
    return [[a[i] * out[i] * b[j] * into[j] * near[i][j] for j in zones] for i in zones]


def test_the_flows_are_those_of_the_doubly_constrained_model():
    rng = np.random.default_rng(5)
    near = 1 / rng.uniform(1, 9, (6, 6)) ** 2
    np.fill_diagonal(near, 0)
    out, into = np.array([90, 40, 70, 30, -5, 60]), np.array([50, 80, 20, 70, 55, 30])
    flows = prediction.spread(out, into, near)
    assert flows == pytest.approx(np.array(balanced(out, into, near)), rel=1e-3, abs=1e-3)
    assert (flows >= 0).all()
    assert not flows.diagonal().any()
    assert flows[4].sum() == 0


def test_no_trip_gives_no_flow():
    assert not prediction.spread(np.array([-3, 0]), np.array([4, 4]), 1 - np.eye(2)).any()
