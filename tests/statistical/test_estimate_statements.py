"""Noise and exact statements of `estimate` over many releases; each fails at a wrong scale."""

import numpy as np
import pytest
from scipy import stats

from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.statements import cell_reach, total_reach
from tests.reference.od_people import certain_flows

RATE, RELEASES, ZONES = 0.25, 2_000, 14
FACTORS = (0.8, 1.25)


def cells_of(kept, factor, seed):
    """2,000 releases of one matrix, with the noise scale multiplied."""
    rng = np.random.default_rng(seed)
    variates = rng.laplace(0, 1, (RELEASES, *kept.shape))
    noisy = kept + discrete_laplace(variates, RATE / factor)
    return noisy * (1 - np.eye(len(kept), dtype=np.int64))


def sparse(seed=0):
    rng = np.random.default_rng(seed)
    kept = rng.poisson(rng.gamma(0.15, 60, (ZONES, ZONES)))
    return kept * (1 - np.eye(ZONES, dtype=np.int64))


def noise_p_value(factor):
    noise = discrete_laplace(np.random.default_rng(1).laplace(0, 1, 200_000), RATE / factor)
    q = np.exp(-RATE)
    values = np.arange(-30, 31)
    pmf = (1 - q) / (1 + q) * q ** np.abs(values)
    seen = np.array([(noise == v).sum() for v in values] + [(np.abs(noise) > 30).sum()])
    expected = np.append(pmf, 2 * q**31 / (1 + q)) * len(noise)
    return stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue


def test_noise_is_discrete_laplace_and_a_wrong_scale_is_noticed():
    assert noise_p_value(1.0) > 1e-4
    assert max(map(noise_p_value, FACTORS)) < 1e-9


def coverage(factor):
    """Shares of releases: cells in their interval, all cells at once, totals in theirs."""
    kept = sparse()
    noisy = cells_of(kept, factor, seed=2)
    off = ~np.eye(ZONES, dtype=bool)
    error = np.abs(noisy - kept)[:, off]
    totals = np.abs(noisy.sum(axis=2) - kept.sum(axis=1))
    return (
        (error <= cell_reach(RATE)).mean(),
        (error.max(axis=1) <= cell_reach(RATE, cells=int(off.sum()))).mean(),
        (totals <= total_reach(RATE, ZONES - 1)).mean(),
    )


@pytest.mark.parametrize(
    ("factor", "ranges"),
    [
        # standard errors: 0.0004, 0.005, 0.0013; whole numbers make the statements conservative
        (1.0, ((0.949, 0.966), (0.94, 0.975), (0.947, 0.96))),
        (1.25, ((0, 0.93), (0, 0.85), (0, 0.91))),
        (0.8, ((0.968, 1), (0.98, 1), (0.97, 1))),
    ],
)
def test_intervals_cover_what_they_say_and_not_at_another_scale(factor, ranges):
    for covered, (low, high) in zip(coverage(factor), ranges, strict=True):
        assert low < covered <= high


def false_share(factor):
    """Mean over 2,000 releases of the share of empty flows among those named certain."""
    kept = np.zeros((ZONES, ZONES), dtype=np.int64)
    kept[0, 1:9] = 60  # nearly all other flows are empty
    noisy = cells_of(kept, factor, seed=3)
    certain = np.stack([certain_flows(one, RATE) for one in noisy])
    named = certain.sum(axis=(1, 2))
    false = (certain & (kept == 0)).sum(axis=(1, 2))
    assert named.mean() > 5
    return (false / np.maximum(named, 1)).mean()


def test_certain_flows_hold_their_five_percent_and_not_at_another_scale():
    # Benjamini–Hochberg spends 5% times the share of empty flows, less what whole numbers round
    share = false_share(1.0)
    assert 0.01 < share < 0.05 < false_share(1.25)
    assert false_share(0.8) < 0.5 * share
