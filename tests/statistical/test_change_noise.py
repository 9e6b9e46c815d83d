"""Verdicts on changes over many releases; each statement fails at a wrong scale of the noise."""

import numpy as np
import pytest

from engine.origin_destination.change import chances, compare, ratios, sample
from engine.origin_destination.laws import NoiseLaw
from engine.origin_destination.statements import SummedNoise

LAWS = ["rounded_laplace", "discrete_laplace"]
RATE, DRAWS, ZONES, TAU = 0.3, 4_000_000, 12, 15
FACTORS = (0.8, 1.25)


def told_shares(law, factor):
    """Shares of four million releases in which a flow of 30, then 45, is told to rise, to fall."""
    rng, noise = np.random.default_rng(7), NoiseLaw(RATE / factor, law)
    before, after = (kept + sample(noise, rng, (DRAWS,)) for kept in (30, 45))
    shown, change = np.maximum(before, after) >= 40, after - before
    return np.array([(shown & (change > 10)).mean(), (shown & (change < -10)).mean()])


@pytest.mark.parametrize("law", LAWS)
def test_chances_of_verdicts_in_four_million_releases(law):
    known = np.array(chances(30, 45, NoiseLaw(RATE, law), 10, least_shown=40))
    error = 5 * np.sqrt(known * (1 - known) / DRAWS)
    assert (np.abs(told_shares(law, 1.0) - known) < error).all()
    for factor in FACTORS:
        assert (np.abs(told_shares(law, factor) - known) > 10 * error / 5).any()


def unchanged(factor, seed, releases=2_000, least=TAU):
    """Shares of wrong verdicts on flows that do not change at all, and bars that miss."""
    rng, noise = np.random.default_rng(seed), NoiseLaw(RATE, "discrete_laplace")
    other = NoiseLaw(RATE / factor, "discrete_laplace")
    kept = np.random.default_rng(1).poisson(20, (ZONES, ZONES))
    kinds = np.zeros((releases, 4))
    for release in range(releases):
        before, after = (kept + sample(other, rng, kept.shape) for _ in range(2))
        told = compare(before, after, noise, least_shown=least)
        families = told.flows, told.leaving, told.arriving, told.total
        kinds[release] = [one.signs.any() for one in families]
    return kinds.mean(axis=0)


def test_at_most_5_percent_is_invented_where_nothing_changes():
    # where nothing changes a false discovery is any verdict at all; standard error .005
    invented = unchanged(1.0, seed=3)
    assert (invented <= 0.05 + 0.012).all()
    assert invented.max() > 0.02
    assert (unchanged(1.25, seed=3, releases=600) > 0.1).all()
    assert (unchanged(0.8, seed=3, releases=600) < 0.02).all()


def test_flows_that_are_chosen_by_their_noise_would_invent_changes():
    # empty flows under τ = 15: those shown are shown for their noise, and all differ by it
    rng, noise = np.random.default_rng(4), NoiseLaw(RATE, "discrete_laplace")
    safe, naive = 0, 0
    for _ in range(500):
        before, after = (sample(noise, rng, (ZONES, ZONES)) for _ in range(2))
        safe += compare(before, after, noise, least_shown=TAU).flows.signs.any()
        shown = (np.maximum(before, after) >= TAU) & ~np.eye(ZONES, dtype=bool)
        sizes = np.sort(np.abs(after - before)[shown])[::-1]
        p = SummedNoise(noise, 2).beyond(sizes - 1)
        naive += (p <= 0.05 * np.arange(1, len(p) + 1) / max(len(p), 1)).any()
    assert safe / 500 <= 0.08
    assert naive / 500 > 0.4


def some_changed(factor, releases=600):
    """Mean share of told flows that are wrong, and of their bars that miss the change."""
    rng, noise = np.random.default_rng(6), NoiseLaw(RATE, "discrete_laplace")
    other = NoiseLaw(RATE / factor, "discrete_laplace")
    before = np.random.default_rng(1).poisson(40, (ZONES, ZONES))
    after = before + np.random.default_rng(2).integers(-25, 26, before.shape) * (before % 3 == 0)
    wrong, outside, beside = [], [], []
    for _ in range(releases):
        noisy = [kept + sample(other, rng, kept.shape) for kept in (before, after)]
        flows, change_of = compare(*noisy, noise).flows, after - before
        signs, most = flows.signs, max(int((flows.signs != 0).sum()), 1)
        wrong.append(((signs != 0) & (signs != np.sign(change_of))).sum() / most)
        missed = np.abs(flows.change - change_of) > flows.reach
        outside.append((missed & (signs != 0)).sum() / most)
        low, high = ratios(*noisy, noise, least=25)
        ratio = after / np.maximum(before, 1)
        beside.append(bool(((ratio < low) | (ratio > high)).any()))
    return np.mean(wrong), np.mean(outside), np.mean(beside)


def test_told_changes_bars_and_ratios_where_some_flows_change():
    wrong, outside, beside = some_changed(1.0)
    assert wrong <= 0.05
    assert 0.005 < outside <= 0.05 + 0.008
    assert beside <= 0.05 + 0.02
    assert some_changed(1.25)[1] > 0.06
    assert some_changed(0.8)[1] < outside / 2
