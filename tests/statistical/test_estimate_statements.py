"""Noise and exact statements of `estimate` over many releases; each fails at a wrong scale."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from engine import origin_destination as od
from engine.origin_destination import estimate
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.origin_destination.statements import cell_reach, total_reach
from tests.reference.od_people import Counted, certain_flows, random_people

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


DAYS, PEOPLE = 3, random_people(np.random.default_rng(0), 300, 4, 3, 2.0)


def scaled_up(factor):
    """Over 2,000 releases of three days: how often they are scaled up with no trip beyond T, how
    often the range holds the true factor, and the deviations of what is pooled."""
    parameters = od.ODParameters(epsilon=2.0, max_trips_per_user=1)
    dataset = Counted(PEOPLE, 4, DAYS)
    _, kept, beyond = estimate.measure(dataset, parameters, noise=np.zeros((DAYS, 4, 4))).totals
    rng, scaled, held, errors = np.random.default_rng(9), [], [], []
    for _ in range(2_000):
        drawn = estimate.measure(dataset, parameters.at(2.0 / factor), rng=rng)
        right = replace(drawn, parameters=parameters, rate=0.97 * 2.0)
        errors.append(np.subtract(drawn.totals[1:], (kept, beyond)))
        none = drawn.totals._replace(trips_beyond=errors[-1][1])
        scaled.append(estimate.scale_up(replace(right, totals=none)) > 1)
        _, low, high = estimate.state_scale_up(right)
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
