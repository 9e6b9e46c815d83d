"""Noise and verdicts on changes against their laws; each fails at a wrong scale."""

import numpy as np
import pytest
from scipy import stats

from engine.origin_destination.cell_noise import NoiseDistribution
from engine.origin_destination.change import add_noise, find_changes, ratio_intervals
from tests.reference.od_reference import noise_pmf

RATE, ZONES, TAU = 0.3, 12, 15
LAW, FACTORS = NoiseDistribution(RATE, "discrete_laplace"), (0.8, 1.25)


@pytest.mark.parametrize("law", ["rounded_laplace", "discrete_laplace"])
def test_noise_follows_its_law_and_not_at_another_scale(law):
    standard, values = np.random.default_rng(1).laplace(size=200_000), np.arange(-30, 31)
    chances = [noise_pmf(RATE, law, 300)[z] for z in values]
    expected = len(standard) * np.array([*chances, 1 - sum(chances)])
    for factor in (1.0, *FACTORS):
        noise = add_noise(
            np.zeros(len(standard), dtype=np.int64), NoiseDistribution(RATE / factor, law), standard
        )
        seen = [*((noise == z).sum() for z in values), (np.abs(noise) > 30).sum()]
        p_value = stats.chisquare(seen, expected).pvalue
        assert p_value > 1e-4 if factor == 1 else p_value < 1e-9


def drawn(seed, factor, spans, releases):
    """Yield noisy cells of both spans, release after release, at the right scale × factor."""
    rng, wrong = np.random.default_rng(seed), NoiseDistribution(RATE / factor, LAW.name)
    for _ in range(releases):
        yield [add_noise(cells, wrong, rng.laplace(size=cells.shape)) for cells in spans]


def invented(factor, trips, releases):
    """Shares of releases with a verdict, by family, where nothing changes at all."""
    kept = np.random.default_rng(1).poisson(trips, (ZONES, ZONES))
    kinds: list[list[bool]] = []
    for cells in drawn(3, factor, (kept, kept), releases):
        told = find_changes(*cells, LAW, least_shown=TAU)
        families = told.flows, told.outflows, told.inflows, told.total
        kinds.append([one.signs.any() for one in families])
    return np.mean(kinds, axis=0)


@pytest.mark.parametrize("trips", [0, 20])
def test_at_most_5_percent_is_invented_where_nothing_changes(trips):
    # any verdict is wrong here, also of empty flows, which are shown for their noise alone
    right = invented(1.0, trips, 2_000)  # standard error .005
    assert (right <= 0.05 + 0.012).all()
    assert right.max() > 0.02
    # flows are told less often than they may be, since suppressed counts are taken as τ − 1
    assert (invented(1.25, trips, 600)[1:] > 0.1).all()
    assert (invented(0.8, trips, 600) < 0.02).all()


def some_changed(factor):
    """Mean share of told flows that are wrong, and of their bars that miss the change."""
    before = np.random.default_rng(1).poisson(40, (ZONES, ZONES))
    after = before + np.random.default_rng(2).integers(-25, 26, before.shape) * (before % 3 == 0)
    change, ratio, kinds = after - before, after / np.maximum(before, 1), list[list[float]]()
    for cells in drawn(6, factor, (before, after), 600):
        flows = find_changes(*cells, LAW).flows
        told, (low, high) = flows.signs != 0, ratio_intervals(*cells, LAW, min_trips=25)
        wrong = flows.signs != np.sign(change)
        missed = np.abs(flows.change - change) > flows.half_width
        shares = ((told & off).sum() / max(told.sum(), 1) for off in (wrong, missed))
        kinds.append([*shares, ((ratio < low) | (ratio > high)).any()])
    return np.mean(kinds, axis=0)


def test_told_changes_bars_and_ratios_where_some_flows_change():
    wrong, outside, beside = some_changed(1.0)
    assert wrong <= 0.05
    assert 0.005 < outside <= 0.05 + 0.008
    assert beside <= 0.05 + 0.02
    assert some_changed(1.25)[1] > 0.06
    assert some_changed(0.8)[1] < outside / 2
