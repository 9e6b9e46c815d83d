"""Draws against the exact law; each test passes at the right scale and fails at a wrong one."""

import numpy as np
import pytest
from scipy import stats

from engine import origin_destination as od
from engine.origin_destination import laws
from engine.origin_destination.scores import drawn_scores, expected_scores
from tests.reference.od_people import expectation_of_matrix, release_matrix

EPSILON, THRESHOLD = 0.4, 6
PARAMS = od.ODParameters(epsilon=EPSILON, suppression_threshold=THRESHOLD, unit="trip")
COUNTS = [0, 3, 5, 6, 9, 40]


def released(count, scale_factor, seed, draws=40_000):
    """Off-diagonal cells of one release of equal counts, with the noise scale multiplied."""
    side = int(draws**0.5)
    variates = np.random.default_rng(seed).laplace(size=(side, side)) * scale_factor
    private = release_matrix(np.full((side, side), count), PARAMS, noise=variates)
    return private[~np.eye(side, dtype=bool)]


def chi_square(count, out):
    """P-value of the drawn counts against the exact law, in bins of enough expected draws."""
    law = laws.NoiseLaw(EPSILON)
    values = np.arange(0, count + 200)
    pmf = np.where(values >= THRESHOLD, law.pmf(values - count), 0.0)
    pmf[0] = laws.suppressed_probability(law, count, THRESHOLD)
    seen = np.bincount(np.minimum(out, values[-1]), minlength=len(values)).astype(float)
    often = pmf * len(out) >= 10
    expected = np.append(pmf[often], 1 - pmf[often].sum()) * len(out)
    drawn = np.append(seen[often], seen[~often].sum())
    keep = expected > 5
    expected = expected[keep] * drawn[keep].sum() / expected[keep].sum()
    return stats.chisquare(drawn[keep], expected).pvalue


@pytest.mark.parametrize("count", COUNTS)
def test_release_follows_the_exact_law_and_not_at_another_scale(count):
    right, *wrong = (chi_square(count, released(count, each, count)) for each in (1.0, 0.8, 1.25))
    assert right > 1e-4
    assert max(wrong) < 1e-6


def gap(factor):
    """Largest distance, in standard errors, of the mean scores of draws from the exact ones."""
    rng = np.random.default_rng(5)
    true = rng.poisson(rng.gamma(0.4, 30, (40, 40)))
    kept = rng.binomial(true, 0.8)
    params = od.ODParameters(epsilon=0.6, max_trips_per_user=2, suppression_threshold=10)
    exact = expected_scores(expectation_of_matrix(true, params, kept=kept))
    names = ("mean_error", "relative_error", "zero_share", "lost_flows", "phantom_flows")
    draws = []
    for _ in range(60):
        variates = rng.laplace(size=true.shape) * factor
        scores = drawn_scores(true, release_matrix(kept, params, noise=variates), 10)
        draws.append([getattr(scores, name) for name in names])
    errors = np.std(draws, axis=0, ddof=1) / np.sqrt(60)
    return (np.abs(np.mean(draws, axis=0) - [getattr(exact, n) for n in names]) / errors).max()


def test_exact_scores_are_the_mean_of_draws_and_not_at_another_scale():
    assert gap(1.0) < 4
    assert min(gap(0.8), gap(1.25)) > 8
