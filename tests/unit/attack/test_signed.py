"""`estimate` suppresses nothing: its noisy cells betray quiet routes as much as busy ones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from engine.attack import Scenario, over_flows, over_trips
from engine.errors import ParameterError
from engine.origin_destination.exact.histogram import histogram_of_matrix
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


def ours(**what):
    return Scenario(law="discrete_laplace", **what)


@pytest.mark.parametrize("flow", [0, 3, 14, 100])
@pytest.mark.parametrize("trips", [1, 4])
def test_every_flow_is_as_exposed_as_a_busy_one(flow, trips):
    attack = ours(trips=trips, flow=flow).attack(SETTINGS)
    assert attack.roc.best_guess == pytest.approx(plain_best_guess(trips, [1.0], 0.25), abs=1e-9)
    published = ours(trips=trips, flow=flow).attack(replace(SETTINGS, method="published"))
    assert published.roc.best_guess <= attack.roc.best_guess + 1e-12
    assert attack.roc.best_guess <= attack.limit.best_guess


@pytest.mark.parametrize("flow", [1, 6, 60])
def test_habits_hide_by_the_others_variation_alone(flow):
    attack = ours(trips=4, flow=flow, knows="habits").attack(SETTINGS)
    others = stats.poisson(flow).pmf(np.arange(300))
    assert attack.roc.best_guess == pytest.approx(plain_best_guess(4, others, 0.25), abs=1e-9)


def test_the_curve_over_flows_is_flat_and_the_typical_trip_the_most_exposed():
    reached = over_flows(ours(trips=4), SETTINGS, (0, 1, 14, 1000))
    assert np.ptp(reached.best_guess) == 0
    counted = histogram_of_matrix([[0, 40], [1, 0]])
    one = ODParameters(epsilon=0.5, unit="trip", method="estimate")
    shares = over_trips(counted, one, law="discrete_laplace")
    assert shares.typical == pytest.approx(shares.most_exposed)
    assert shares.typical_guess == pytest.approx(plain_best_guess(1, [1.0], 0.5), abs=1e-9)


def test_its_noise_is_whole_from_the_start():
    with pytest.raises(ParameterError, match="whole numbers from the start"):
        Scenario().attack(SETTINGS)
