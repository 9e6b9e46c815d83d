"""The best attack on flows: every figure by the engine and by plain enumeration."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.origin_destination import NoiseLaw
from engine.parameters import ODParameters
from engine.privacy import Corridor, strongest
from tests.reference import attack_reference as plain

LARGE = 1000
LAWS = ["rounded_laplace", "discrete_laplace"]
GRID = 1.8e-5
"""How much stronger than the exact attack the grid may be."""

# trips a cell, cells, rest, ε → advantage as published, and its digits
FIGURES = [
    (1, 1, LARGE, 0.1, 0.0488, 4),
    (1, 1, LARGE, 0.5, 0.2212, 4),
    (1, 1, LARGE, 1.0, 0.3935, 4),
    (1, 14, LARGE, 0.1, 0.144, 3),
    (1, 14, LARGE, 0.5, 0.604, 3),
    (1, 14, LARGE, 1.0, 0.881, 3),
    (14, 1, LARGE, 0.1, 0.503, 3),
    (14, 1, LARGE, 0.5, 0.969, 3),
    (14, 1, LARGE, 1.0, 0.999, 3),
]


def trip_level(epsilon, threshold=15):
    return ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=threshold)


def losses(trips, cells, rest, epsilon, law="rounded_laplace", threshold=15):
    target = [Corridor(trips=trips, rest=rest, cells=cells)]
    return strongest(target, trip_level(epsilon, threshold), law=law).losses


@pytest.mark.parametrize(("trips", "cells", "rest", "epsilon", "advantage", "n"), FIGURES)
def test_published_figures_by_the_grid_and_by_enumeration(
    trips, cells, rest, epsilon, advantage, n
):
    ours = losses(trips, cells, rest, epsilon)
    one = plain.few(plain.cell(trips, rest, epsilon, 15, "rounded_laplace"))
    results = plain.several([one] * cells)
    exact = plain.advantage(results)
    assert round(exact, n) == advantage
    assert exact - 1e-8 <= ours.advantage <= exact + GRID


@pytest.mark.parametrize(("epsilon", "shown"), [(0.1, 0.0123), (0.5, 0.0002), (1.0, 0.0000)])
def test_a_trip_in_an_empty_flow_is_hidden_by_suppression(epsilon, shown):
    exact = float(NoiseLaw(epsilon).pmf(14))  # P(Z = τ′ − 1)
    ours = losses(1, 1, 0, epsilon)
    assert round(ours.advantage, 4) == round(exact, 4) == shown
    results = plain.cell(1, 0, epsilon, 15, "rounded_laplace")
    assert plain.advantage(results) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("threshold", [0, 1, 15])
def test_one_cell_by_enumeration_around_the_threshold(law, threshold):
    for rest in range(0, 40, 3):
        for trips in (1, 2, 3, 7):
            results = plain.cell(trips, rest, 0.3, threshold, law)
            ours = losses(trips, 1, rest, 0.3, law, threshold)
            exact = plain.advantage(results)
            assert exact - 1e-9 <= ours.advantage <= exact + 1e-7
            exact = plain.delta(results, 0.2)
            assert exact - 1e-9 <= ours.delta(0.2) <= exact + 1e-6


def test_unlike_cells_are_summed():
    target = [(1, 14, 2), (2, 3, 1), (1, 200, 1)]
    cells = [
        plain.few(plain.cell(trips, rest, 0.4, 15, "rounded_laplace"))
        for trips, rest, times in target
        for _ in range(times)
    ]
    exact = plain.advantage(plain.several(cells))
    corridors = [Corridor(trips=x, rest=m, cells=n) for x, m, n in target]
    ours = strongest(corridors, trip_level(0.4)).losses
    assert exact - 1e-8 <= ours.advantage <= exact + GRID


@pytest.mark.parametrize(
    ("trips", "cells", "shown"), [(10, 1, 0.393), (5, 2, 0.242), (1, 10, 0.122)]
)
def test_a_persons_day_of_ten_trips(trips, cells, shown):
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=10)
    ours = strongest([Corridor(trips=trips, rest=LARGE, cells=cells)], parameters)
    assert round(ours.losses.advantage, 3) == shown
    assert round(ours.limit.advantage, 3) == 0.462


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_trips_of_one_person_have_the_sum_of_their_losses_as_limit(epsilon):
    attack = strongest([Corridor(trips=1, rest=9, cells=14)], trip_level(epsilon))
    assert attack.limit.advantage == pytest.approx(math.tanh(14 * epsilon / 2), abs=1e-12)
    assert attack.guarantee.epsilon == pytest.approx(14 * epsilon)


def test_days_compose_like_more_cells_and_their_limit_like_randomised_response():
    parameters = ODParameters(epsilon=0.5, max_trips_per_user=2)
    week = strongest([Corridor(trips=1, rest=LARGE, cells=2)], parameters, days=7)
    fourteen = losses(1, 14, LARGE, 0.25)
    assert week.losses.advantage == pytest.approx(fourteen.advantage, abs=1e-12)
    keep = 1 / (1 + math.exp(-0.5))
    right = [math.comb(7, k) * keep**k * (1 - keep) ** (7 - k) for k in range(8)]
    binomial = 0.5 * sum(abs(p - q) for p, q in zip(right, right[::-1], strict=True))
    assert week.limit.advantage == pytest.approx(binomial, abs=1e-12)
    assert week.losses.advantage < binomial < math.tanh(7 * 0.5 / 2)


OURS = ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day", method="estimate")


@pytest.mark.parametrize("flow", [0, 3, 14, 100])
@pytest.mark.parametrize("trips", [1, 3, 4])
def test_a_method_that_suppresses_nothing_exposes_every_flow_like_a_busy_one(flow, trips):
    # 3% of ε count the trips beyond T, which only whoever has T of them can have
    q, results = math.exp(-0.97 / 4), np.arange(-400, 401)
    without = q ** np.abs(results) * (1 - q) / (1 + q)
    pad = np.zeros(trips)
    exact = 0.5 * np.abs(np.r_[pad, without] - np.r_[without, pad]).sum()
    target = [Corridor(trips=trips, rest=flow)]
    attack = strongest(target, OURS, law="discrete_laplace")
    assert exact - 1e-9 <= attack.losses.advantage
    assert attack.losses.advantage <= exact + (1e-7 if trips < 4 else 0.02)
    if trips == 4:
        assert attack.losses.advantage > exact + 1e-4
    if flow < 10:  # the papers' method hides it
        published = strongest(target, replace(OURS, method="published"), law="discrete_laplace")
        assert published.losses.advantage < attack.losses.advantage
    assert attack.losses.advantage <= attack.limit.advantage + 1e-9


def test_what_cannot_be_asked_is_refused():
    person = ODParameters(epsilon=1.0, max_trips_per_user=3, unit="person")
    for target, parameters, named, message in (
        ([Corridor(trips=1, rest=9)], person, {"days": 2}, "days must be 1 at unit='person'"),
        ([Corridor(trips=2, rest=9, cells=2)], person, {}, "at most max_trips_per_user = 3"),
        ([], person, {}, "at least one Corridor"),
        ([Corridor(trips=1, rest=9)], OURS, {}, "whole numbers from the start"),
        ([Corridor(trips=1, rest=9)], trip_level(1.0), {"days": 1.5}, "days must be a whole"),
        ([Corridor(trips=1, rest=9, cells=10_000)], trip_level(1.0), {"days": 101}, "cells × days"),
    ):
        with pytest.raises(ParameterError, match=message):
            strongest(target, parameters, **named)


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("trips", (-1, 0, 1.5, math.nan, math.inf, "1", True, 10_001)),
        ("rest", (-1, 0.5, 1e9 + 1, math.nan)),
        ("cells", (0, 10_001)),
    ],
)
def test_numbers_outside_their_range_are_refused(what, values):
    for value in values:
        with pytest.raises(ParameterError, match=f"{what} must be a whole number"):
            Corridor(**{"trips": 1, "rest": 10, what: value})


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
@pytest.mark.parametrize("law", LAWS)
def test_extreme_settings_stay_finite(epsilon, law):
    for rest in (0, 10**9):
        target = [Corridor(trips=3, rest=rest, cells=2)]
        ours = strongest(target, trip_level(epsilon), law=law)
        assert 0 <= ours.losses.advantage <= ours.limit.advantage + 1e-12 <= 1 + 2e-12
