"""The draws of a report follow their laws, and would not pass at another scale."""

import numpy as np
import pytest
from scipy import stats

from engine import report
from engine.report import BINS, Analysis
from engine.report.mechanism import half_width, mean_absolute
from engine.report.quantiles import draw_five_numbers, exponential_mechanism, quantile_utilities
from engine.report.settings import QUANTILE_LEVELS

DRAWS = 20_000
COUNTS = np.array([3, 9, 14, 20, 12, 6, 2, 1])


def exponential_p_value(planted, quantile):
    """χ² of draws whose sensitivity is `planted` times the stated one against the stated law."""
    parameters = report.ReportParameters(epsilon=1.0, max_trips_per_user=4)
    sensitivity = parameters.quantile_sensitivity("trip", quantile)
    scores = quantile_utilities(COUNTS, quantile)
    gumbel = np.random.default_rng(7).gumbel(size=(DRAWS, len(scores)))
    drawn = [exponential_mechanism(scores, 1.0, sensitivity * planted, row) for row in gumbel]
    weights = np.exp(scores / (2 * sensitivity))
    expected = weights / weights.sum() * DRAWS
    seen = np.bincount(drawn, minlength=len(scores))
    few = expected < 5
    seen = np.append(seen[~few], seen[few].sum()) if few.any() else seen
    expected = np.append(expected[~few], expected[few].sum()) if few.any() else expected
    return stats.chisquare(seen, expected).pvalue


@pytest.mark.parametrize("quantile", [0.01, 0.25, 0.5, 0.99])
def test_exponential_mechanism_follows_its_law_and_fails_at_another_sensitivity(quantile):
    assert exponential_p_value(1.0, quantile) > 1e-3
    for planted in (0.5, 0.8, 1.25):
        assert exponential_p_value(planted, quantile) < 1e-6


def test_each_of_the_five_draws_takes_a_fifth_of_their_share():
    """At 5/6 of a share of ε over eight analyses; a draw with all of it lands elsewhere."""
    params = report.ReportParameters(epsilon=2.0, method="package", max_trips_per_user=4)
    edges = BINS[Analysis.TRAVEL_TIME].edges
    counts = np.resize(COUNTS, len(edges) + 1)
    each, differed = 2.0 * 0.125 * (5 / 6) / 5, 0
    for seed in range(50):
        gumbels = np.random.default_rng(seed).gumbel(size=(5, len(edges)))
        chosen = {
            share: np.sort(
                [
                    edges[
                        np.argmax(
                            share * quantile_utilities(counts, q) / (2 * 4 * max(q, 1 - q)) + row
                        )
                    ]
                    for q, row in zip(QUANTILE_LEVELS, gumbels, strict=True)
                ]
            ).tolist()
            for share in (each, 5 * each)
        }
        drawn = draw_five_numbers(counts, Analysis.TRAVEL_TIME, params, gumbels).tolist()
        assert drawn == chosen[each]
        differed += drawn != chosen[5 * each]
    assert differed > 0


def laplace_p_value(planted):
    """Kolmogorov–Smirnov of the drawn noise against the law of the stated scale."""
    noise = report.ReportNoise.draw(np.random.default_rng(11))
    drawn = noise.counts(Analysis.FLOWS, np.full(DRAWS, 40.0 * planted))
    spread = np.random.default_rng(1).uniform(-0.5, 0.5, DRAWS)  # undoes the rounding
    return stats.kstest(drawn + spread, stats.laplace(scale=40.0).cdf).pvalue


def test_count_noise_has_its_scale_and_fails_at_another():
    assert laplace_p_value(1.0) > 1e-3
    assert laplace_p_value(0.8) < 1e-6
    assert laplace_p_value(1.25) < 1e-6


@pytest.mark.parametrize("variates", [1, 2, 7, 31])
def test_ranges_hold_as_often_as_they_say(variates):
    sums = np.random.default_rng(3).laplace(size=(100_000, variates)).sum(axis=1)
    for level in (0.5, 0.9, 0.95):
        held = (np.abs(sums) <= half_width(variates, level)).mean()
        assert held == pytest.approx(level, abs=0.005)
    assert np.abs(sums).mean() == pytest.approx(mean_absolute(variates), rel=0.01)
