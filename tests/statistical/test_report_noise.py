"""The draws of a report follow their laws, and would not pass at another scale."""

import numpy as np
import pytest
from scipy import stats

from engine import report
from engine.report import Analysis
from engine.report.analyses import quantile_sensitivity
from engine.report.fivenumbers import Questions
from engine.report.quantiles import candidates, choose, utilities

DRAWS = 20_000
COUNTS = np.array([3, 9, 14, 20, 12, 6, 2, 1])
EDGES = np.arange(7.0)


def probabilities(scores, epsilon, sensitivity):
    """P(x) ∝ exp(ε·u(x) / (2Δ))."""
    weights = np.exp(epsilon * scores / (2 * sensitivity))
    return weights / weights.sum()


def exponential_p_value(planted, quantile):
    """χ² of draws whose sensitivity is `planted` times the stated one against the stated law."""
    sensitivity = quantile_sensitivity("trip", "user", 4, quantile)
    scores = utilities(COUNTS, quantile, discrete=False)
    gumbel = np.random.default_rng(7).gumbel(size=(DRAWS, len(scores)))
    drawn = [choose(scores, 1.0, sensitivity * planted, row) for row in gumbel]
    expected = probabilities(scores, 1.0, sensitivity) * DRAWS
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
    params = report.ReportParameters(
        epsilon=1.0,
        method="package",
        bins=((Analysis.ENTROPY, report.Bins(minimum=0, maximum=1, width=0.2)),),
    )
    counts = COUNTS[:7]
    values = candidates(params.bins_of(Analysis.ENTROPY).edges, discrete=False)
    differed = 0
    for seed in range(50):
        source = report.ReportNoise.draw(np.random.default_rng(seed))
        by_share = {}
        for share in (1 / 5, 1.0):
            chosen = [
                choose(
                    utilities(counts, level, discrete=False),
                    2.0 * share,
                    quantile_sensitivity("user", "user", 20, level),
                    source.gumbel(Analysis.ENTROPY, number, len(values)),
                )
                for number, level in enumerate(params.levels)
            ]
            by_share[share] = np.sort(values[chosen]).tolist()
        drawn = Questions.of(counts, Analysis.ENTROPY, params).draw(2.0, source).tolist()
        assert drawn == by_share[1 / 5]
        differed += drawn != by_share[1.0]
    assert differed > 0


def laplace_p_value(planted):
    """Kolmogorov–Smirnov of the drawn noise against the law of the stated scale."""
    scale = 40.0
    noise = report.ReportNoise.draw(np.random.default_rng(11))
    drawn = noise.counts(Analysis.FLOWS, np.full(DRAWS, scale * planted))
    spread = np.random.default_rng(1).uniform(-0.5, 0.5, DRAWS)  # undoes the rounding
    return stats.kstest(drawn + spread, stats.laplace(scale=scale).cdf).pvalue


def test_count_noise_has_its_scale_and_fails_at_another():
    assert laplace_p_value(1.0) > 1e-3
    assert laplace_p_value(0.8) < 1e-6
    assert laplace_p_value(1.25) < 1e-6
