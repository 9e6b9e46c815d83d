"""Attackers who know the usual flow, against plain sums over all counts."""

import math

import numpy as np
import pytest

from engine import attack
from engine.attack import UsualFlow
from engine.errors import ParameterError
from engine.parameters import ODParameters
from tests.reference import attack_reference as plain
from tests.reference.od_reference import noise_pmf


def trip_level(epsilon, threshold=15):
    return ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=threshold)


def poisson(mean, reach):
    return {k: math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(reach)}


def negative_binomial(mean, variance, reach):
    r, p = mean**2 / (variance - mean), mean / variance
    return {
        k: math.exp(
            math.lgamma(k + r)
            - math.lgamma(r)
            - math.lgamma(k + 1)
            + r * math.log(p)
            + k * math.log1p(-p)
        )
        for k in range(reach)
    }


def released(others, trips, noise, threshold):
    law = {}
    for count, chance in others.items():
        for z, p in noise.items():
            value = count + trips + z
            value = value if value >= max(threshold, 1) else 0
            law[value] = law.get(value, 0.0) + chance * p
    return law


def results_of(others, trips, noise, threshold):
    inside = released(others, trips, noise, threshold)
    outside = released(others, 0, noise, threshold)
    return [(inside.get(v, 0.0), outside.get(v, 0.0)) for v in inside.keys() | outside.keys()]


@pytest.mark.parametrize(
    ("cells", "epsilon", "shown"),
    [
        (1, 0.1, 0.031),
        (1, 0.5, 0.053),
        (1, 1.0, 0.055),
        (14, 0.1, 0.104),
        (14, 0.5, 0.195),
        (14, 1.0, 0.205),
    ],
)
def test_published_figures_at_a_usual_flow_of_50(cells, epsilon, shown):
    target = [UsualFlow(trips=1, mean=50, cells=cells)]
    assert round(attack.knowing_habits(target, trip_level(epsilon)).roc.advantage, 3) == shown


@pytest.mark.parametrize(("cells", "shown"), [(1, 0.056), (14, 0.210)])
def test_published_figures_without_noise(cells, shown):
    guesses = attack.without_noise([UsualFlow(trips=1, mean=50, cells=cells)])
    assert round(guesses.advantage, 3) == shown
    if cells == 1:  # a Poisson count and the same shifted by 1 differ by its mode, P(50)
        mode = math.exp(50 * math.log(50) - 50 - math.lgamma(51))
        assert guesses.advantage == pytest.approx(mode, abs=1e-12)


@pytest.mark.parametrize(("trips", "flow", "threshold"), [(1, 50, 15), (2, 14, 15), (3, 5, 0)])
def test_suppression_alone_is_held_against_the_attacker_who_asks(trips, flow, threshold):
    """A line for one who knows everything beside the attack of one who does not would mislead."""
    asked = attack.Scenario(knows="habits", trips=trips, flow=flow)
    results = results_of(poisson(flow, 200), trips, {0: 1.0}, threshold)
    (guess,) = attack.suppression_alone(asked, threshold, (flow,))
    assert guess == pytest.approx((1 + plain.advantage(results)) / 2, abs=1e-10)
    strongest = attack.Scenario(trips=trips)
    edge = max(threshold, 1) - trips  # his trips lift the flow to the threshold
    around = (max(edge - 1, 0), max(edge, 0), flow + threshold)
    expected = [0.5 if around[0] + trips < max(threshold, 1) else 1.0, 1.0, 1.0]
    assert attack.suppression_alone(strongest, threshold, around).tolist() == expected


@pytest.mark.parametrize("law", ["rounded_laplace", "discrete_laplace"])
@pytest.mark.parametrize("variance", [None, 60.0])
@pytest.mark.parametrize(("mean", "threshold", "trips"), [(20, 15, 1), (3, 15, 4), (20, 0, 2)])
def test_one_cell_equals_the_plain_double_sum(law, variance, mean, threshold, trips):
    others = poisson(mean, 160) if variance is None else negative_binomial(mean, variance, 900)
    results = results_of(others, trips, noise_pmf(0.7, law, 60), threshold)
    usual = [UsualFlow(trips=trips, mean=mean, variance=variance)]
    ours = attack.knowing_habits(usual, trip_level(0.7, threshold), law=law).roc
    assert ours.advantage == pytest.approx(plain.advantage(results), abs=1e-10)
    seen = [both for both in results if min(both) > 0]
    assert ours.area == pytest.approx(plain.area(seen), abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_fourteen_cells_lie_between_losses_rounded_down_and_up(epsilon):
    """Σ Q·(e^L − 1)⁺ with only the losses rounded: a bracket without the engine's grid."""
    noise = noise_pmf(epsilon, "rounded_laplace", int(40 / epsilon))
    results = results_of(poisson(50, 160), 1, noise, 15)
    p, q = np.array([both for both in results if both[1] > 0]).T
    width = 2e-5
    bracket = []
    for rounded in (np.floor, np.ceil):
        steps = rounded(np.log(p / q) / width).astype(int)
        one = np.bincount(steps - steps.min(), weights=q)
        length = 14 * (len(one) - 1) + 1
        size = 1 << (length - 1).bit_length()
        together = np.fft.irfft(np.fft.rfft(one, size) ** 14, size)[:length]
        loss = np.minimum((14 * steps.min() + np.arange(length)) * width, 8.0)
        bracket.append(float(together @ np.maximum(np.expm1(loss), 0)))
    ours = attack.knowing_habits(
        [UsualFlow(trips=1, mean=50, cells=14)], trip_level(epsilon)
    ).roc.advantage
    low, high = bracket
    assert low - 1e-9 <= ours <= high + 1e-9
    assert high - low < 4e-4  # so that the three printed digits are held


def drawn_advantage(epsilon, draws, seed):
    """Draw days, take the best test, and count how often it is right."""
    rng = np.random.default_rng(seed)
    others, noise = poisson(50, 160), noise_pmf(epsilon, "rounded_laplace", int(60 / epsilon))
    inside, outside = (released(others, x, noise, 15) for x in (1, 0))
    end = max(inside) + 1
    loss = np.array([math.log(inside[v] / outside[v]) if v in outside else 0.0 for v in range(end)])

    def share(present):
        right, left = 0, draws
        while left:
            some = min(left, 100_000)
            counts = rng.poisson(50, (some, 14)) + present
            seen = counts + np.floor(rng.laplace(0, 1 / epsilon, counts.shape) + 0.5).astype(int)
            seen = np.where(seen >= 15, np.minimum(seen, end - 1), 0)
            right += int((loss[seen].sum(axis=1) > 0).sum())
            left -= some
        return right / draws

    return share(1) - share(0)


def test_fourteen_cells_agree_with_many_days_drawn():
    drawn = drawn_advantage(0.5, 200_000, seed=5)
    error = math.sqrt(0.5 / 200_000)
    for scale, agrees in ((1.0, True), (0.8, False), (1.25, False)):
        # the others' variation counts as noise here: scale both
        target = [UsualFlow(trips=1, mean=50 * scale**2, cells=14)]
        advantage = attack.knowing_habits(target, trip_level(0.5 / scale)).roc.advantage
        assert (abs(advantage - drawn) < 4 * error) == agrees


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "shown"), [(0.1, 0.104), (0.5, 0.195), (1.0, 0.205)])
def test_fourteen_cells_agree_with_four_million_days_drawn(epsilon, shown):
    drawn = drawn_advantage(epsilon, 4_000_000, seed=6)
    error = math.sqrt(0.5 / 4_000_000)
    target = [UsualFlow(trips=1, mean=50, cells=14)]
    advantage = attack.knowing_habits(target, trip_level(epsilon)).roc.advantage
    assert abs(advantage - drawn) < 3 * error
    assert abs(shown - drawn) < 3 * error + 0.0005


def test_days_add_up_like_cells():
    target = [UsualFlow(trips=1, mean=50, cells=2)]
    week = attack.knowing_habits(target, trip_level(0.5), days=7)
    cells = attack.knowing_habits([UsualFlow(trips=1, mean=50, cells=14)], trip_level(0.5))
    assert week.roc.advantage == pytest.approx(cells.roc.advantage, abs=1e-9)
    assert week.releases == 7


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"mean": 0}, "mean must be a finite number above 0"),
        ({"mean": math.nan}, "mean must be"),
        ({"mean": 1e10}, "mean must be at most"),
        ({"variance": 10.0}, "variance must be a finite number of at least the mean 50"),
        ({"variance": math.inf}, "variance must be"),
        ({"trips": 0}, "trips must be"),
        ({"cells": 1.5}, "cells must be"),
    ],
)
def test_bad_habits_are_refused(fault, message):
    with pytest.raises(ParameterError, match=message):
        UsualFlow(**{"trips": 1, "mean": 50, **fault})


def test_the_extremes_of_flows_and_noise_stay_finite():
    for mean in (1e-3, 1e9):
        for epsilon in (1e-6, 1e6):
            strongest = attack.knowing_habits([UsualFlow(trips=1, mean=mean)], trip_level(epsilon))
            assert 0 <= strongest.roc.advantage <= strongest.limit.advantage + 1e-9
