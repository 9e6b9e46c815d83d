"""Noise, verdicts on changes and scaling up against their laws; each fails at a wrong scale."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from engine import origin_destination as od
from engine.origin_destination import empirical_bayes
from engine.origin_destination.change import add_noise, find_changes, ratio_intervals
from engine.origin_destination.noise_distribution import NoiseDistribution
from tests.reference.od_people import Counted, random_people
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
    right = invented(1.0, trips, 1_000)  # standard error .007
    assert (right <= 0.05 + 0.012).all()
    assert right.max() > 0.02
    # flows are told less often than they may be, since suppressed counts are taken as τ − 1
    assert (invented(1.25, trips, 300)[1:] > 0.1).all()
    assert (invented(0.8, trips, 300) < 0.02).all()


def some_changed(factor, releases):
    """Mean share of told flows that are wrong, and of their bars that miss the change."""
    before = np.random.default_rng(1).poisson(40, (ZONES, ZONES))
    after = before + np.random.default_rng(2).integers(-25, 26, before.shape) * (before % 3 == 0)
    change, ratio, kinds = after - before, after / np.maximum(before, 1), list[list[float]]()
    for cells in drawn(6, factor, (before, after), releases):
        flows = find_changes(*cells, LAW).flows
        told, (low, high) = flows.signs != 0, ratio_intervals(*cells, LAW, min_trips=25)
        wrong = flows.signs != np.sign(change)
        missed = np.abs(flows.change - change) > flows.half_width
        shares = ((told & off).sum() / max(told.sum(), 1) for off in (wrong, missed))
        kinds.append([*shares, ((ratio < low) | (ratio > high)).any()])
    return np.mean(kinds, axis=0)


def test_told_changes_bars_and_ratios_where_some_flows_change():
    wrong, outside, beside = some_changed(1.0, 600)
    assert wrong <= 0.05
    assert 0.005 < outside <= 0.05 + 0.008
    assert beside <= 0.05 + 0.02
    assert some_changed(1.25, 200)[1] > 0.06
    assert some_changed(0.8, 200)[1] < outside / 2


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
