"""Scores drawn from the exact law, against releases and the law's own expectation."""

from dataclasses import asdict, fields

import numpy as np
import pytest

from engine.origin_destination.exact.expected import expectation_of_matrix
from engine.origin_destination.scoring import (
    TripScores,
    drawn_scores,
    expected_scores,
    sampled_scores,
)
from engine.parameters import ODParameters

DRAWS = 4000
SETTINGS = {
    "many cells a count": (0.5, 15, 1),
    "wide noise": (0.05, 0, 1),
    "hardly any noise": (3.0, 8, 1),
    "trimmed": (1.0, 6, 3),
}


def counts():
    """Return true and kept counts of 24 zones: many small and equal ones, a few large ones."""
    rng = np.random.default_rng(5)
    true = rng.geometric(0.25, (24, 24)) - 1
    true[rng.random((24, 24)) < 0.2] = 12
    true[:3, 5:9] = rng.integers(30, 900, (3, 4))
    np.fill_diagonal(true, 0)
    return true, true - rng.binomial(true, 0.2)


@pytest.mark.parametrize("name", SETTINGS)
def test_scores_drawn_from_the_law_are_distributed_as_those_of_releases(name):
    epsilon, threshold, limit = SETTINGS[name]
    parameters = ODParameters(
        epsilon=epsilon,
        suppression_threshold=threshold,
        max_trips_per_user=limit,
        unit="trip" if limit == 1 else "person-day",
    )
    true, kept = counts()
    if limit == 1:
        kept = true
    exact = expectation_of_matrix(true, parameters, kept=kept)
    sampled, released = draws(exact, true, kept, parameters, 1.0)
    expected = asdict(expected_scores(exact))
    for field in fields(TripScores):
        ours, theirs = sampled[field.name], released[field.name]
        error = np.hypot(ours.std(), theirs.std()) / np.sqrt(DRAWS)
        assert abs(ours.mean() - theirs.mean()) <= 4.5 * error + 1e-12, field.name
        assert ours.std() == pytest.approx(theirs.std(), rel=0.12, abs=0.02), field.name
        if field.name != "median_error":  # the law's is the median of all draws together
            seen = 4.5 * error + 1 / DRAWS  # what happens less often than this is not seen
            assert ours.mean() == pytest.approx(expected[field.name], abs=seen)


def test_another_scale_of_noise_is_noticed():
    parameters = ODParameters(epsilon=0.5, suppression_threshold=15)
    true, _ = counts()
    exact = expectation_of_matrix(true, parameters)
    for factor in (0.8, 1.25):
        sampled, released = draws(exact, true, true, parameters, factor)
        ours, theirs = sampled["mean_error"], released["mean_error"]
        error = np.hypot(ours.std(), theirs.std()) / np.sqrt(DRAWS)
        assert abs(ours.mean() - theirs.mean()) > 10 * error


def test_without_large_flows_there_is_no_error_to_tell():
    parameters = ODParameters(epsilon=1.0, suppression_threshold=50)
    exact = expectation_of_matrix([[0, 3], [0, 0]], parameters)
    scores = sampled_scores(exact, rng=np.random.default_rng(0))
    assert (scores.flows, scores.lost_flows) == (0, 0)
    assert np.isnan([scores.median_error, scores.mean_error, scores.relative_error]).all()


def draws(exact, true, kept, parameters, factor):
    """Return every score of so many draws, from the law and from releases with scaled noise."""
    rng = np.random.default_rng(11)
    ours = [asdict(sampled_scores(exact, rng=rng)) for _ in range(DRAWS)]
    noise = np.floor(rng.laplace(0, factor * parameters.noise_scale, (DRAWS, *true.shape)) + 0.5)
    noisy = (kept + noise).astype(int)
    noisy[noisy < parameters.least_shown] = 0
    noisy[:, np.eye(len(true), dtype=bool)] = 0
    theirs = [asdict(drawn_scores(true, one, parameters)) for one in noisy]
    return tuple(
        {name: np.array([s[name] for s in rows]) for name in rows[0]} for rows in (ours, theirs)
    )
