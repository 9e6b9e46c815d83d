"""`estimate` suppresses nothing: its noisy cells betray quiet routes as much as busy ones."""

from dataclasses import replace

import numpy as np
import pytest

from engine.attack import Corridor, strongest
from engine.errors import ParameterError
from engine.parameters import ODParameters

SETTINGS = ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day", method="estimate")
RESULTS = np.arange(-400, 401)


def noise(rate):
    q = np.exp(-rate)
    return q ** np.abs(RESULTS) * (1 - q) / (1 + q)


def plain_best_guess(trips, others, rate):
    """Return the share of right guesses from sums over every signed result."""
    without = np.convolve(others, noise(rate))
    inside, outside = np.r_[np.zeros(trips), without], np.r_[without, np.zeros(trips)]
    return 0.5 + np.abs(inside - outside).sum() / 4


def ours(trips, flow, parameters=SETTINGS):
    target = [Corridor(trips=trips, rest=flow)]
    return strongest(target, parameters, law="discrete_laplace")


@pytest.mark.parametrize("flow", [0, 3, 14, 100])
@pytest.mark.parametrize("trips", [1, 4])
def test_every_flow_is_as_exposed_as_a_busy_one(flow, trips):
    attack = ours(trips, flow)
    assert attack.roc.best_guess == pytest.approx(plain_best_guess(trips, [1.0], 0.25), abs=1e-9)
    published = ours(trips, flow, replace(SETTINGS, method="published"))
    assert published.roc.best_guess <= attack.roc.best_guess + 1e-12
    assert attack.roc.best_guess <= attack.limit.best_guess


def test_its_noise_is_whole_from_the_start():
    with pytest.raises(ParameterError, match="whole numbers from the start"):
        strongest([Corridor(trips=1, rest=100)], SETTINGS)
