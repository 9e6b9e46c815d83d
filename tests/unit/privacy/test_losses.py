"""Losses on one grid: never weaker than every outcome written out, and hardly stronger."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from engine.privacy import (
    PrivacyLossDistribution,
    compose,
    compose_epsilon,
    epsilon_for_delta,
    randomised_response,
)
from tests.reference import losses_reference as plain

MOST_EPSILON, MOST_ADVANTAGE = 6e-5, 1.8e-5
"""How much stronger than the truth the grid may be."""


def test_proof_of_membership_has_no_finite_loss_and_nothing_says_nothing():
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    losses = compose([(p, q, 1)])
    assert losses.mass_only_in == 0.5
    assert losses.advantage == losses.delta_at(100.0) == 0.5
    assert epsilon_for_delta(losses, 0.4) == math.inf
    assert compose([(p, q, 2)]).mass_only_in == pytest.approx(0.75)
    certain = compose([(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 3)])
    assert (certain.mass_only_in, certain.optimal_guess_rate) == (1.0, 1.0)
    chances = randomised_response(1.0)[0][::-1]
    value = np.array([-1.0, 1.0])
    losses = PrivacyLossDistribution(
        value=value, probability_in=(1 - 1e-6) * chances, probability_out=chances[::-1]
    )
    assert epsilon_for_delta(losses, 0.9e-6) == math.inf
    assert epsilon_for_delta(losses, 1.1e-6) == pytest.approx(1.0, abs=1e-5)
    even = np.array([0.3, 0.7])
    for parts in ([], [(even, even, 5)]):
        assert compose(parts).advantage == pytest.approx(0, abs=1e-15)
    assert compose_epsilon([], 1e-6) == 0


@pytest.mark.parametrize("times", [2, 5, 40])
def test_proof_composes_as_in_all_sequences_of_results(times):
    # probabilities of proof, of its contrary, and of two results between
    p, q = np.array([0.01, 0.0, 0.59, 0.4]), np.array([0.0, 0.02, 0.39, 0.59])
    for parts in ([(p, q, times)], [(p, q, times - 1), (p, q, 1)]):
        losses = compose(parts)
        assert losses.mass_only_in == pytest.approx(1 - 0.99**times, abs=1e-12)
        assert losses.probability_in.sum() == pytest.approx(0.99**times, abs=1e-9)
        assert losses.probability_out.sum() == pytest.approx(0.98**times, abs=1e-9)


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
    parts = []
    for _ in range(3):
        inside = rng.dirichlet(np.ones(3))
        outside = inside * np.exp(rng.uniform(-0.5, 0.5, 3))
        parts.append((inside, outside / outside.sum(), int(rng.integers(1, 4))))
    everything = [list(zip(p, q, strict=True)) for p, q, n in parts for _ in range(n)]
    results = plain.several(everything)
    losses = compose(parts)
    exact = plain.advantage(results)
    assert exact - 1e-7 <= losses.advantage <= exact + MOST_ADVANTAGE
    for epsilon in (0.1, 0.3, 0.7):
        exact = plain.delta(results, epsilon)
        assert exact - 1e-7 <= losses.delta_at(epsilon) <= exact + MOST_ADVANTAGE


def test_a_randomised_response_of_any_epsilon():
    for epsilon in (1e-9, 0.5, 30.0, 1e6):
        p, q = randomised_response(epsilon)
        assert p.sum() == pytest.approx(1)
        assert compose([(p, q, 1)]).advantage == pytest.approx(math.tanh(epsilon / 2), rel=1e-6)


def test_chances_keep_their_sums_where_losses_lie_just_beside_the_grid():
    """Two flows of which one's losses have a measure that is nearly the other's."""
    results = plain.several([plain.released_cell(4, 4, 2.125, 17, "rounded_laplace")])
    inside, outside = np.array(results).T
    losses = compose([(inside, outside, 5), (inside, outside, 10)])
    for chances in (losses.probability_in, losses.probability_out):
        assert chances.sum() == pytest.approx(1, abs=1e-10)
