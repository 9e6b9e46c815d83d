"""Change between two spans: its law by brute force, Theorem 7, verdicts, ratios, who pays."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import stats

from engine import datasets
from engine.origin_destination import calculators, truncated_matrices
from engine.origin_destination.change import (
    ChangeCounts,
    add_noise,
    change_probabilities,
    find_changes,
    min_rate_for_change,
    noise_distribution,
    simulate_power,
)
from engine.origin_destination.noise_bounds import NoiseSum
from engine.origin_destination.noise_distribution import NoiseDistribution
from engine.parameters import ODParameters
from engine.resolution import make_view
from tests.reference.od_reference import noise_pmf

LAWS = ["rounded_laplace", "discrete_laplace"]
FAR = 120


@cache
def convolved(rate, law, cells):
    """P(S = n), by plain convolution of the cells."""
    one = np.array([p for _, p in sorted(noise_pmf(rate, law, FAR).items())])
    every = np.ones(1)
    for _ in range(cells):
        every = np.convolve(every, one)
    return every


def summed(rate, law, cells):
    """P(|S| = n)."""
    every = convolved(rate, law, cells)
    middle = len(every) // 2
    return np.append(every[middle], every[middle + 1 :] + every[middle - 1 :: -1])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("rate", "cells"), [(0.4, 2), (0.4, 3), (1.5, 4), (0.7, 12), (6.0, 40)])
def test_the_law_of_summed_noise_by_convolution(law, rate, cells):
    size, noise = summed(rate, law, cells), NoiseSum(NoiseDistribution(rate, law), cells)
    beyond = 1 - np.cumsum(size)
    z = np.arange(-1, 60)
    assert noise.two_sided_tail(z) == pytest.approx(np.append(1, beyond[:60]), abs=2e-12)
    for level in (0.5, 0.05, 1e-4):
        reach = noise.half_width(level)
        assert beyond[reach] <= level * (1 + 1e-9)
        assert reach == 0 or beyond[reach - 1] > level


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("least", [-np.inf, 1, 6])
@pytest.mark.parametrize(("before", "after", "reach"), [(0, 0, 2), (3, 9, 2), (9, 4, 4), (5, 5, 7)])
def test_chances_of_verdicts_by_brute_force(law, least, before, after, reach):
    noise, rise, fall = noise_pmf(0.6, law, FAR), 0.0, 0.0
    for (y, p), (z, q) in itertools.product(noise.items(), noise.items()):
        # a suppressed count is read as the largest that is suppressed
        one, other = max(before + y, least - 1), max(after + z, least - 1)
        rise += p * q * (other - one > reach)
        fall += p * q * (one - other > reach)
    known = change_probabilities(
        before, after, NoiseDistribution(0.6, law), reach, least_shown=least
    )
    assert known == pytest.approx((rise, fall), abs=1e-12)


@pytest.mark.parametrize(
    ("method", "law", "rate"),
    [("laplace_suppression", LAWS[0], 0.5 / 4), ("empirical_bayes", LAWS[1], 0.97 * 0.5 / 4)],
)
def test_verdicts_take_the_law_of_the_noise_that_is_drawn(method, law, rate):
    known = noise_distribution(ODParameters(epsilon=0.5, max_trips_per_user=4, method=method))
    assert (known.name, float(known.rate)) == (law, pytest.approx(rate))


@pytest.mark.parametrize("alpha", [0, 1, 2, 5, 10, 50])
def test_theorem_7_is_the_case_that_is_told_in_half_of_releases(alpha):
    half = min_rate_for_change(alpha + 1, 1.0, confidence=0.5)
    assert half == pytest.approx(float(calculators.epsilon_for_change(alpha, 0.05)), rel=1e-9)
    assert NoiseSum(NoiseDistribution(half * 1.001), 2).half_width(0.05) == alpha


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("trips", "share"), [(100, 0.2), (5, 1.0)])
def test_the_epsilon_from_which_a_change_is_told(law, trips, share):
    epsilon = min_rate_for_change(trips, share, law=law)
    for factor, enough in ((1 + 1e-6, True), (1 - 1e-3, False)):
        noise = NoiseDistribution(factor * epsilon, law)
        reach = NoiseSum(noise, 2).half_width(0.05)
        told, _ = change_probabilities(trips, round(trips * (1 + share)), noise, reach)
        assert (told >= 0.95) == enough
    assert epsilon > min_rate_for_change(trips, 2 * share, law=law)
    assert epsilon < min_rate_for_change(trips, share, level=1e-4, law=law)


def plain_verdicts(before, after, rate, law, least):
    """Benjamini–Hochberg as it stands in the paper, over every flow; hidden are below `least`."""
    size, flows = summed(rate, law, 2), []
    for a, b in itertools.permutations(range(len(before)), 2):
        d = int(max(after[a, b], least - 1) - max(before[a, b], least - 1))
        p = float(size[abs(d) :].sum())
        flows.append((p, a, b, np.sign(d)))
    flows.sort()
    most = max((k for k, (p, *_) in enumerate(flows, 1) if p <= 0.05 * k / len(flows)), default=0)
    signs = np.zeros(before.shape, dtype=int)
    for _, a, b, sign in flows[:most]:
        signs[a, b] = sign
    return signs


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("least", [-np.inf, 1, 20])
def test_verdicts_equal_plain_benjamini_hochberg(law, least):
    rng = np.random.default_rng(5)
    for _ in range(20):
        before = rng.integers(-8, 40, (6, 6))
        after = before + rng.integers(-14, 15, (6, 6)) * rng.integers(0, 2, (6, 6))
        told = find_changes(before, after, NoiseDistribution(0.5, law), least_shown=least)
        assert told.flows.signs.tolist() == plain_verdicts(before, after, 0.5, law, least).tolist()
        off = (after - before) * (1 - np.eye(6, dtype=int))
        assert told.outflows.change.tolist() == off.sum(axis=1).tolist()
        assert told.inflows.change.tolist() == off.sum(axis=0).tolist()
        assert int(told.total.change) == off.sum()
        assert told.shown_flows.tolist() == (np.minimum(before, after) >= least).tolist()


def test_verdicts_on_flows_say_nothing_more_of_a_suppressed_count():
    """Whatever it is, they are the same: else "cannot tell" could pin it to τ − 1."""
    rng = np.random.default_rng(7)
    before, after = rng.integers(-8, 60, (2, 8, 8))
    other = [np.where(c < 20, rng.integers(-30, 20, c.shape), c) for c in (before, after)]
    for law in LAWS:
        first, second = (
            find_changes(*counts, NoiseDistribution(0.5, law), least_shown=20).flows
            for counts in ((before, after), other)
        )
        assert first.signs.any()
        assert first.signs.tolist() == second.signs.tolist()
        assert first.signs_beyond_chance.any()
        assert first.signs_beyond_chance.tolist() == second.signs_beyond_chance.tolist()
        assert first.half_width == second.half_width


@pytest.mark.parametrize("law", LAWS)
def test_bars_of_zones_and_of_all_are_those_of_as_many_noises(law):
    """By convolution of 2·(zones − 1) noises, and of 2·zones·(zones − 1)."""
    zones, rate = 5, 0.6
    none = np.zeros((zones, zones), dtype=np.int64)
    told = find_changes(none, none, NoiseDistribution(rate, law))
    for verdicts, cells, family in (
        (told.outflows, 2 * (zones - 1), zones),
        (told.inflows, 2 * (zones - 1), zones),
        (told.total, 2 * zones * (zones - 1), 1),
    ):
        beyond = 1 - np.cumsum(summed(rate, law, cells))
        assert verdicts.half_width == np.flatnonzero(beyond <= 0.05 / family)[0]


def beyond_chance(rate, law, cells, trips, change):
    """P(|S + difference of two Poisson counts| ≥ |change|), by plain convolution."""
    chance = stats.skellam.pmf(np.arange(-300, 301), trips / 2, trips / 2)
    every = np.convolve(chance, convolved(rate, law, cells))
    middle, size = len(every) // 2, abs(change)
    return float(every[: middle - size + 1].sum() + every[middle + size :].sum()) if size else 1.0


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("rate", "cells", "trips", "sizes"),
    [(0.4, 2, 100, (20, 40)), (0.4, 2, 4, (10, 30)), (2, 2, 60, (10, 25)), (60, 2, 100, (10, 40)),
     (0.7, 58, 400, (30, 80)), (0.7, 200, 500, (50, 100))],
)  # fmt: skip
def test_noise_and_chance_together_by_convolution(law, rate, cells, trips, sizes):
    noise = NoiseSum(NoiseDistribution(rate, law), cells)
    known = [beyond_chance(rate, law, cells, trips, size) for size in sizes]
    told = noise.tail_with_chance(np.array(sizes), np.full(len(sizes), trips))
    assert told == pytest.approx(known, rel=0.1)


@pytest.mark.parametrize("law", LAWS)
def test_what_differs_beyond_chance_is_one_benjamini_hochberg_on_noise_and_chance(law):
    rng, rate, least, off = np.random.default_rng(4), 0.5, 15, ~np.eye(7, dtype=bool)
    before, trend = rng.poisson(60, (7, 7)), np.linspace(0.8, 1.6, 7)
    after = rng.poisson(60 * np.outer(trend, trend[::-1]))
    counts = [add_noise(c * off, NoiseDistribution(rate, law), rng.laplace(size=(7, 7))) * off
              for c in (before, after)]  # fmt: skip
    changes = find_changes(*counts, NoiseDistribution(rate, law), least_shown=least)
    shown = [np.maximum(c, least - 1) for c in counts]
    families = [
        (changes.flows, *(c[off] for c in shown), 2, off),
        (changes.outflows, *(c.sum(axis=1) for c in counts), 12, ...),
        (changes.inflows, *(c.sum(axis=0) for c in counts), 12, ...),
    ]
    for family, old, new, cells, where in families:
        chances = [beyond_chance(rate, law, cells, a + b, b - a)
                   for a, b in zip(old.tolist(), new.tolist(), strict=True)]  # fmt: skip
        found = stats.false_discovery_control(chances) <= 0.05
        assert (family.signs[where] != 0).sum() > found.sum() > 0
        assert (family.signs_beyond_chance[where] != 0).tolist() == found.tolist()


def test_trips_split_at_random_differ_but_not_beyond_chance():
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=4)
    view = make_view(datasets.load("demo-city"), "clusters-30")
    trips = truncated_matrices(view, parameters, sum_days=True)[0]
    half, differ = np.random.default_rng(0).binomial(trips, 0.5), 0
    for epsilon, draw in itertools.product((0.3, 1.0, 3.0), range(5)):
        law, rng = NoiseDistribution(epsilon / 4, "discrete_laplace"), np.random.default_rng(draw)
        spans = [add_noise(c, law, rng.laplace(size=c.shape)) for c in (half, trips - half)]
        flows = find_changes(*spans, law, least_shown=15).flows
        assert np.count_nonzero(flows.signs_beyond_chance) <= 1  # of 870
        differ = max(differ, np.count_nonzero(flows.signs))
    assert differ >= 20  # as counts, at ε 3


def test_what_is_found_missed_and_invented_where_noise_is_none():
    before = np.array([[0, 100, 100], [100, 0, 100], [3, 0, 0]])
    after = np.array([[0, 140, 70], [110, 0, 100], [9, 0, 0]])
    signs = np.array([[0, 1, 0], [-1, 0, 1], [1, 1, 0]])  # of what trimming leaves
    given = (0 * signs, signs), (before, after), NoiseDistribution(60.0)
    rng = np.random.default_rng(0)
    known = simulate_power(*given, rng=rng, share=0.2, size=20)
    assert known == ChangeCounts(changed=5, true_positives=1, false_negatives=1, false_positives=3)
    assert simulate_power(*given, rng=rng, share=0.1)[1:3] == (2, 1)  # told wrongly is invented
