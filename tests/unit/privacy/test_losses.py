"""Losses on one grid: never weaker than every outcome written out, and hardly stronger."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from engine.privacy.privacy_loss import (
    PrivacyLossDistribution,
    compose,
    compose_epsilon,
    epsilon_for_delta,
)
from tests.reference import losses_reference as plain

MOST_EPSILON, MOST_ADVANTAGE = 6e-5, 1.8e-5
"""How much stronger than the truth the grid may be."""


def test_mass_lost_to_rounding_has_no_finite_loss_and_nothing_says_nothing():
    chances = (1 - 1e-6) * np.array([1.0, math.e]) / (1 + math.e)
    losses = PrivacyLossDistribution(value=np.array([-1.0, 1.0]), probability_in=chances)
    assert epsilon_for_delta(losses, 0.9e-6) == math.inf
    assert epsilon_for_delta(losses, 1.1e-6) == pytest.approx(1.0, abs=1e-5)
    assert compose({}).delta_at(0.0) == 0
    assert compose_epsilon([], 1e-6) == 0


@pytest.mark.parametrize(
    ("costs", "delta"),
    [
        ([(0.3, 0.0)] * 7, 1e-3),
        ([(0.1, 0.0), (0.2, 1e-4), (0.35, 0.0), (0.7, 1e-3), (0.2, 0.0)], 0.02),
        ([(2.0, 1e-6), (0.01, 0.0), (1.1, 0.0)], 0.05),
        ([(math.pi, 0.0), (0.3, 1e-7), (1 / 3, 0.0), (0.01, 0.0)], 1e-3),
    ],
)
def test_the_composed_epsilon_is_where_every_outcome_apart_needs_the_delta(costs, delta):
    truth = brentq(lambda e: plain.delta_of_all(costs, e) - delta, 0, 5, xtol=1e-13)
    assert truth - 1e-9 <= compose_epsilon(costs, delta) <= truth + MOST_EPSILON
    assert truth < sum(one for one, _ in costs)


@pytest.mark.parametrize(
    ("one", "times", "delta"), [(0.1, 305, 1e-6), (0.01, 5000, 1e-6), (1.0, 52, 1e-9)]
)
def test_many_releases_cost_what_the_binomial_law_says(one, times, delta):
    truth = brentq(lambda e: plain.delta_of_equal(one, times, e) - delta, 0, one * times)
    ours = compose_epsilon([(one, 0.0)] * times, delta)
    assert truth - 1e-6 <= ours <= truth + MOST_EPSILON
    assert plain.delta_of_equal(one, times, 0.999 * ours) > delta
    if (one, times) == (0.1, 305):
        assert ours == pytest.approx(9.26, abs=0.005)


def test_without_a_spare_delta_the_sum_is_paid():
    assert compose_epsilon([(0.4, 1e-9), (0.6, 0.0)], 1e-9) == pytest.approx(1.0)
    assert compose_epsilon([(0.4, 0.0)], 0.0) == 0.4
    assert compose_epsilon([(0.4, 0.0), (0.4, 0.0)], 0.9) == 0.0
    assert compose_epsilon([(0.1, 0.0)] * 28, 1e-30) == pytest.approx(2.8)
    assert compose_epsilon([(900.0, 0.0), (10.0, 0.0)], 1e-9) == 910.0
    assert compose_epsilon([(3.0, 0.0)] * 305, 1e-6) == 915.0  # e^−915 is no float


@pytest.mark.parametrize("seed", range(20))
def test_the_grid_is_never_weaker_and_hardly_stronger_than_every_outcome(seed):
    rng = np.random.default_rng(seed)
    times = {rng.uniform(0.01, 0.5): int(rng.integers(1, 4)) for _ in range(3)}
    odds = [math.exp(epsilon) for epsilon, n in times.items() for _ in range(n)]
    chances = [(one / (1 + one), 1 / (1 + one)) for one in odds]
    results = plain.several([[(right, wrong), (wrong, right)] for right, wrong in chances])
    losses = compose(times)
    exact = plain.advantage(results)
    assert exact - 1e-7 <= losses.delta_at(0.0) <= exact + MOST_ADVANTAGE
    for epsilon in (0.1, 0.3, 0.7):
        exact = plain.delta(results, epsilon)
        assert exact - 1e-7 <= losses.delta_at(epsilon) <= exact + MOST_ADVANTAGE


def test_a_randomised_response_of_any_epsilon():
    for epsilon in (1e-9, 0.5, 30.0, 1e6):
        losses = compose({epsilon: 1})
        assert losses.probability_in.sum() == pytest.approx(1)
        assert losses.delta_at(0.0) == pytest.approx(math.tanh(epsilon / 2), rel=1e-6)
        assert losses.optimal_guess_rate == pytest.approx((1 + math.tanh(epsilon / 2)) / 2)


def test_chances_keep_their_sums_where_losses_lie_just_beside_the_grid():
    losses = compose({2.125: 5, 2.125 * (1 + 1e-10): 10, 0.7: 3})
    assert losses.probability_in.sum() == pytest.approx(1, abs=1e-10)
