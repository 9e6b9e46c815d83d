"""Scaling up of `empirical_bayes` over many releases; it fails at a wrong scale."""

from dataclasses import replace

import numpy as np
import pytest

from engine import origin_destination as od
from engine.origin_destination import empirical_bayes
from tests.reference.od_people import Counted, random_people

FACTORS = (0.8, 1.25)


DAYS, PEOPLE = 3, random_people(np.random.default_rng(0), 300, 4, 3, 2.0)


def scaled_up(factor):
    """Over 2,000 releases of three days: how often they are scaled up with no trip beyond T, how
    often the range holds the true factor, and the deviations of what is pooled."""
    parameters = od.ODParameters(epsilon=2.0, max_trips_per_user=1)
    dataset = Counted(PEOPLE, 4, DAYS)
    _, kept, beyond = empirical_bayes.measure(
        dataset, parameters, noise=np.zeros((DAYS, 4, 4))
    ).totals
    rng, scaled, held, errors = np.random.default_rng(9), [], [], []
    for _ in range(2_000):
        drawn = empirical_bayes.measure(dataset, parameters.with_epsilon(2.0 / factor), rng=rng)
        right = replace(drawn, parameters=parameters, rate=0.97 * 2.0)
        errors.append(np.subtract(drawn.totals[1:], (kept, beyond)))
        none = drawn.totals._replace(trips_beyond=errors[-1][1])
        scaled.append(empirical_bayes.scale_up(replace(right, totals=none)) > 1)
        _, low, high = empirical_bayes.state_scale_up(right)
        held.append(low <= 1 + beyond / kept <= high)
    return np.mean(scaled), np.mean(held), np.std(errors, axis=0)


def test_trips_beyond_t_are_believed_by_the_law_of_their_noise_and_not_at_another_scale():
    """Of three Laplace noises added up, the difference of two gammas, four million times."""
    rng = np.random.default_rng(0)
    pooled = rng.gamma(DAYS, size=4_000_000) - rng.gamma(DAYS, size=4_000_000)
    chance = (pooled > 2 * pooled.std()).mean()
    q = np.exp(-0.97 * 2.0)
    deviations = np.sqrt(DAYS * 12 * 2 * q) / (1 - q), pooled.std() * 19 / (0.03 * 2.0)
    scaled, held, errors = scaled_up(1.0)
    assert scaled == pytest.approx(chance, abs=4 * np.sqrt(chance / 2_000))
    assert 0.96 < held < 0.99
    assert errors == pytest.approx(deviations, rel=0.08)
    wrong = [scaled_up(factor) for factor in FACTORS]
    assert wrong[0][0] < 0.7 * chance < 1.5 * chance < wrong[1][0]
    for _, held, errors in wrong:
        assert not 0.96 < held < 0.99
        assert (np.abs(errors / deviations - 1) > 0.12).all()
