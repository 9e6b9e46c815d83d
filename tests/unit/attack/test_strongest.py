"""The strongest attacker: every figure by the engine, by plain enumeration and by a formula."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from engine import attack
from engine.attack import Corridor
from engine.attack.cells import cell_losses, one_cell_advantage
from engine.attack.roc import roc
from engine.errors import ParameterError
from engine.losses import repeated, repeated_losses
from engine.origin_destination import NoiseLaw
from engine.parameters import ODParameters
from tests.reference import attack_reference as plain

LARGE = 1000
LAWS = ["rounded_laplace", "discrete_laplace"]

# trips a cell, cells, rest, ε → advantage and AUC as published, and their digits
FIGURES = [
    (1, 1, LARGE, 0.1, 0.0488, 0.5249, 4),
    (1, 1, LARGE, 0.5, 0.2212, 0.6180, 4),
    (1, 1, LARGE, 1.0, 0.3935, 0.7110, 4),
    (1, 14, LARGE, 0.1, 0.144, 0.602, 3),
    (1, 14, LARGE, 0.5, 0.604, 0.885, 3),
    (1, 14, LARGE, 1.0, 0.881, 0.986, 3),
    (14, 1, LARGE, 0.1, 0.503, 0.790, 3),
    (14, 1, LARGE, 0.5, 0.969, 0.998, 3),
    (14, 1, LARGE, 1.0, 0.999, 1.000, 3),
]


def trip_level(epsilon, threshold=15):
    return ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=threshold)


def curve(trips, cells, rest, epsilon, law="rounded_laplace"):
    target = [Corridor(trips=trips, rest=rest, cells=cells)]
    return attack.strongest(target, trip_level(epsilon), law=law).roc


@pytest.mark.parametrize(("trips", "cells", "rest", "epsilon", "advantage", "area", "n"), FIGURES)
def test_published_figures_by_transform_and_by_enumeration(
    trips, cells, rest, epsilon, advantage, area, n
):
    ours = curve(trips, cells, rest, epsilon)
    one = plain.few(plain.cell(trips, rest, epsilon, 15, "rounded_laplace"))
    results = plain.several([one] * cells)
    assert round(ours.advantage, n) == round(plain.advantage(results), n) == advantage
    assert round(ours.area, n) == round(plain.area(results), n) == area
    assert ours.advantage == pytest.approx(plain.advantage(results), abs=1e-9)
    assert ours.area == pytest.approx(plain.area(results), abs=1e-9)


@pytest.mark.parametrize(("epsilon", "shown"), [(0.1, 0.0123), (0.5, 0.0002), (1.0, 0.0000)])
def test_a_trip_in_an_empty_flow_is_hidden_by_suppression(epsilon, shown):
    exact = float(NoiseLaw(epsilon).pmf(14))  # P(Z = τ′ − 1)
    assert round(curve(1, 1, 0, epsilon).advantage, 4) == round(exact, 4) == shown
    results = plain.cell(1, 0, epsilon, 15, "rounded_laplace")
    assert plain.advantage(results) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("trips", [1, 2, 3, 14, 15])
def test_closed_forms_in_a_large_flow(trips, epsilon):
    even = math.cosh(epsilon / 2) if trips % 2 == 0 else 1.0
    formula = 1 - math.exp(-epsilon * trips / 2) * even
    assert curve(trips, 1, LARGE, epsilon).advantage == pytest.approx(formula, abs=1e-12)
    discrete = curve(1, 1, LARGE, epsilon, "discrete_laplace")
    assert discrete.advantage == pytest.approx(math.tanh(epsilon / 2), abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("threshold", [0, 1, 15])
def test_one_cell_by_formula_and_by_enumeration_around_the_threshold(law, threshold):
    rests = np.arange(0, 40, 3)
    for trips in (1, 2, 3, 7):
        formula = one_cell_advantage(trips, rests, rate=0.3, threshold=threshold, law=law)
        for rest, value in zip(rests.tolist(), formula.tolist(), strict=True):
            results = plain.cell(trips, rest, 0.3, threshold, law)
            assert value == pytest.approx(plain.advantage(results), abs=1e-12)
            target = [Corridor(trips=trips, rest=rest)]
            ours = attack.strongest(target, trip_level(0.3, threshold), law=law).roc
            assert ours.advantage == pytest.approx(value, abs=1e-12)
            assert ours.area == pytest.approx(plain.area(plain.few(results)), abs=1e-12)
            assert ours.delta(0.2) == pytest.approx(plain.delta(results, 0.2), abs=1e-12)


def test_unlike_cells_are_summed_exactly():
    target = [(1, 14, 2), (2, 3, 1), (1, 200, 1)]
    cells = [
        plain.few(plain.cell(trips, rest, 0.4, 15, "rounded_laplace"))
        for trips, rest, times in target
        for _ in range(times)
    ]
    results = plain.several(cells)
    corridors = [Corridor(trips=x, rest=m, cells=n) for x, m, n in target]
    ours = attack.strongest(corridors, trip_level(0.4)).roc
    assert ours.advantage == pytest.approx(plain.advantage(results), abs=1e-8)
    assert ours.area == pytest.approx(plain.area(results), abs=1e-8)


def test_dp_accounting_gives_the_same_for_the_discrete_law():
    # a grid of step ε holds the losses of discrete Laplace noise without rounding
    one = pld.from_discrete_laplace_mechanism(0.5, 1, value_discretization_interval=0.5)
    fourteen = one.self_compose(14)
    ours = curve(1, 14, LARGE, 0.5, "discrete_laplace")
    assert round(ours.advantage, 12) == 0.639409239481
    assert round(ours.delta(2.0), 12) == 0.258238896841
    assert fourteen.get_delta_for_epsilon(0.0) == pytest.approx(ours.advantage, abs=1e-11)
    assert fourteen.get_delta_for_epsilon(2.0) == pytest.approx(ours.delta(2.0), abs=1e-11)
    three = pld.from_discrete_laplace_mechanism(0.5, 3, value_discretization_interval=0.5)
    together = curve(3, 1, LARGE, 0.5, "discrete_laplace")
    assert round(together.advantage, 12) == 0.542020018171
    assert three.get_delta_for_epsilon(0.0) == pytest.approx(together.advantage, abs=1e-11)


@pytest.mark.parametrize(
    ("trips", "cells", "shown"), [(10, 1, 0.393), (5, 2, 0.242), (1, 10, 0.122)]
)
def test_a_persons_day_of_ten_trips(trips, cells, shown):
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=10)
    target = [Corridor(trips=trips, rest=LARGE, cells=cells)]
    ours = attack.strongest(target, parameters)
    one = plain.few(plain.cell(trips, LARGE, 0.1, 15, "rounded_laplace"))
    assert round(ours.roc.advantage, 3) == shown
    assert plain.advantage(plain.several([one] * cells)) == pytest.approx(
        ours.roc.advantage, abs=1e-8
    )
    assert round(ours.limit.advantage, 3) == 0.462


@pytest.mark.parametrize(
    ("trips", "epsilon", "advantage", "area"),
    [(14, 0.1, 0.604, 0.802), (14, 0.5, 0.998, 0.999), (14, 1.0, 1.0, 1.0)],
)
def test_trips_of_one_person_have_the_sum_of_their_losses_as_limit(trips, epsilon, advantage, area):
    limit = attack.strongest([Corridor(trips=1, rest=9, cells=trips)], trip_level(epsilon)).limit
    assert round(limit.advantage, 3) == round(math.tanh(trips * epsilon / 2), 3) == advantage
    assert round(limit.area, 3) == round(1 / (1 + math.exp(-trips * epsilon)), 3) == area


def test_any_one_to_four_trips_a_day_stay_below_the_published_area():
    areas = [curve(n, 1, LARGE, 0.1).area for n in (1, 2, 3, 4)]
    limits = [
        attack.strongest([Corridor(trips=n, rest=LARGE)], trip_level(0.1)).limit.area
        for n in (1, 3, 4)
    ]
    assert [round(limit, 3) for limit in limits] == [0.525, 0.574, 0.599]
    assert max(areas) <= limits[-1]


def test_days_compose_like_more_cells_and_their_limit_like_randomised_response():
    parameters = ODParameters(epsilon=0.5, max_trips_per_user=2)
    target = [Corridor(trips=1, rest=LARGE, cells=2)]
    week = attack.strongest(target, parameters, days=7)
    fourteen = attack.strongest(
        [Corridor(trips=1, rest=LARGE, cells=14)], ODParameters(epsilon=0.25, unit="trip")
    )
    assert week.roc.advantage == pytest.approx(fourteen.roc.advantage, abs=1e-12)
    keep = 1 / (1 + math.exp(-0.5))
    right = [math.comb(7, k) * keep**k * (1 - keep) ** (7 - k) for k in range(8)]
    binomial = 0.5 * sum(abs(p - q) for p, q in zip(right, right[::-1], strict=True))
    assert week.limit.advantage == pytest.approx(binomial, abs=1e-12)
    assert week.roc.advantage < binomial < math.tanh(7 * 0.5 / 2)
    assert week.releases == 7


def test_many_sums_on_a_grid_come_close_from_above():
    parameters = ODParameters(epsilon=0.1, max_trips_per_user=10)
    target = [Corridor(trips=1, rest=LARGE, cells=10)]
    cell = cell_losses(1, LARGE, rate=0.01, threshold=15)
    exact = roc(repeated(cell, 250))  # few enough for all sums
    grid = roc(repeated_losses(cell.once, 250))
    assert exact.advantage <= grid.advantage + 1e-12
    assert grid.advantage == pytest.approx(exact.advantage, rel=1e-6)
    year = attack.strongest(target, parameters, days=305).roc
    # by the central limit: losses have mean ±v/2 and variance v
    loss = cell.once
    v = 3050 * float(loss.inside @ loss.value**2 - (loss.inside @ loss.value) ** 2)
    assert year.advantage == pytest.approx(math.erf(math.sqrt(v) / (2 * math.sqrt(2))), rel=2e-3)


def test_person_level_is_one_release():
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person")
    target = [Corridor(trips=1, rest=LARGE, cells=4)]
    assert attack.strongest(target, parameters).guarantee.epsilon == 1.0
    with pytest.raises(ParameterError, match="days must be 1 at unit='person'"):
        attack.strongest(target, parameters, days=2)


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("trips", (-1, 0, 1.5, math.nan, math.inf, "1", True, 10_001)),
        ("rest", (-1, 0.5, 1e9 + 1, math.nan)),
        ("days", (0, -1, 1.5, 10_001)),
    ],
)
def test_numbers_outside_their_range_are_refused(what, values):
    for value in values:
        asked = {"trips": 1, "rest": 10, "days": 1} | {what: value}
        days = asked.pop("days")
        with pytest.raises(ParameterError, match=f"{what} must be a whole number"):
            attack.strongest([Corridor(**asked)], trip_level(1.0), days=days)


def test_more_trips_than_are_kept_are_refused():
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=3)
    with pytest.raises(ParameterError, match="at most max_trips_per_user = 3"):
        attack.strongest([Corridor(trips=2, rest=10, cells=2)], parameters)
    with pytest.raises(ParameterError, match="at least one Corridor"):
        attack.strongest([], parameters)


def test_extreme_settings_stay_finite():
    for epsilon in (1e-6, 1e6):
        for rest in (0, 10**9):
            for law in LAWS:
                ours = attack.strongest(
                    [Corridor(trips=3, rest=rest, cells=2)], trip_level(epsilon), law=law
                )
                figures = [ours.roc.advantage, ours.roc.area, ours.limit.advantage]
                assert np.isfinite(figures).all()
                assert ours.roc.advantage <= ours.limit.advantage + 1e-12
