"""Losses of a million flows, counted by distinct pairs, against the formulas number by number."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from engine import report
from engine.report import Analysis, ReportParameters, Result, loss
from engine.report.mechanism import ledger


def release_of(truth, private):
    params = ReportParameters(epsilon=1.0)
    ones = np.ones(len(truth))
    result = Result(
        analysis=Analysis.FLOWS,
        epsilon=1.0,
        sources=(),
        truth=truth,
        kept=truth,
        noisy=private,
        terms=((ones, ones.astype(np.int64)),),
    )
    return report.ReportRelease(
        results={Analysis.FLOWS: result}, five_numbers={}, ledger=ledger(params), parameters=params
    )


@pytest.mark.parametrize("top", [4, 100_000], ids=["few distinct pairs", "many"])
def test_many_flows_lose_what_the_formulas_say(top):
    rng = np.random.default_rng(1)
    truth = 1 + rng.poisson(0.4, 40_000)
    truth[:5] += rng.integers(0, top, 5)
    private = truth + rng.integers(-3, 4, 40_000)
    shown = np.maximum(private, 0)
    losses = report.losses(release_of(truth, private), Analysis.FLOWS)
    p, q = shown / shown.sum(), truth / truth.sum()
    assert losses["kl_divergence"] == pytest.approx(entropy(p, q), rel=1e-9)
    assert losses["js_divergence"] == pytest.approx(jensenshannon(p, q) ** 2, rel=1e-9)
    together = [(abs(a - b), (a + b) / 2) for a, b in zip(shown, truth, strict=True)]
    assert losses["smape"] == pytest.approx(np.mean([a / b for a, b in together]), rel=1e-9)


def test_only_named_losses_are_computed():
    drawn = release_of(np.array([3, 1, 2]), np.array([3, 1, 0]))
    losses = report.losses(drawn, Analysis.FLOWS, only=("smape", "top_2_coverage", "nothing"))
    assert set(losses) == {"smape", "top_2_coverage"}
    every = report.losses(drawn, Analysis.FLOWS)
    assert losses == {name: every[name] for name in losses}


def test_private_mass_where_the_truth_is_empty_is_infinitely_far():
    truth, private = np.zeros(20_000, dtype=np.int64), np.zeros(20_000, dtype=np.int64)
    truth[0], private[:2] = 5, 5
    losses = report.losses(release_of(truth, private), Analysis.FLOWS)
    assert losses["kl_divergence"] == float("inf")
    assert losses["js_divergence"] == pytest.approx(loss.js_divergence(truth, private))


def test_the_share_that_stands_clear_is_that_of_the_numbers_above_0():
    kept = np.array([0, 1, 2, 3, 10, 50])
    result = release_of(kept, kept).results[Analysis.FLOWS]
    assert result.half_widths()[0] == pytest.approx(np.log(10))  # 2.3 for a scale of 1
    assert result.clear_share == pytest.approx(3 / 5)
