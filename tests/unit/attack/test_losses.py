"""Sums of losses: all distinct sums, products one by one, and the grid that takes over."""

import math

import numpy as np
import pytest

from engine.attack.cells import cell_losses
from engine.attack.roc import roc
from engine.errors import ParameterError
from engine.losses import (
    NOTHING,
    CellLosses,
    composed_on_grid,
    from_probabilities,
    repeated,
    repeated_losses,
    together,
)
from tests.reference import attack_reference as plain


def test_a_result_that_proves_membership_has_no_finite_loss():
    losses = from_probabilities([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    assert (losses.only_inside, losses.only_outside) == (0.5, 0.5)
    curve = roc(losses)
    assert curve.largest_loss == math.inf
    assert curve.detected(0.0) == curve.advantage == 0.5
    assert curve.area == 1 - 0.5 * 0.5 / 2
    assert roc(together([losses, losses])).detected(0.0) == 0.75
    assert roc(repeated_losses(losses, 2)).detected(0.0) == 0.75


@pytest.mark.parametrize("times", [2, 5, 40])
def test_proof_comes_as_often_on_the_grid_as_in_all_sequences_of_results(times):
    # probabilities of proof, of disproof, and of two results between
    losses = from_probabilities([0.01, 0.0, 0.59, 0.4], [0.0, 0.02, 0.39, 0.59])
    ways = {
        "grid": composed_on_grid([(losses, times)], 1e-3),
        "parts": composed_on_grid([(losses, times - 1), (losses, 1)], 1e-3),
        "power": repeated_losses(losses, times),
        "sums": together([losses] * times),
    }
    for way, all_times in ways.items():
        assert all_times.only_inside == pytest.approx(1 - 0.99**times, abs=1e-12), way
        assert all_times.only_outside == pytest.approx(1 - 0.98**times, abs=1e-12), way
        assert all_times.inside.sum() == pytest.approx(0.99**times, abs=1e-12), way
        assert all_times.outside.sum() == pytest.approx(0.98**times, abs=1e-12), way


def test_either_kind_of_proof_makes_the_largest_loss_infinite():
    assert from_probabilities([0.1, 0.9], [0.0, 1.0]).largest == math.inf
    assert from_probabilities([0.0, 1.0], [0.1, 0.9]).largest == math.inf
    assert from_probabilities([0.2, 0.8], [0.1, 0.9]).largest == pytest.approx(math.log(2))


def test_many_results_that_tell_nothing_tell_nothing_together():
    outcomes = np.arange(70_000)
    chance = np.full(len(outcomes), 1 / len(outcomes))
    cell = CellLosses(
        coordinates=outcomes[:, None], steps=np.array([1e-18]), inside=chance, outside=chance
    )
    twice = repeated(cell, 2)  # more distinct sums than are kept apart, and none tells anything
    assert len(twice.value) == 1
    assert abs(twice.value[0]) < 1e-12
    assert twice.inside[0] == twice.outside[0] == pytest.approx(1)


def test_nothing_says_nothing():
    assert roc(NOTHING).advantage == 0
    assert roc(together([])).area == 0.5
    cell = cell_losses(1, 50, rate=0.5, threshold=15)
    assert roc(repeated(cell, 0)).advantage == 0


@pytest.mark.parametrize("rest", [3, 13, 14, 15, 300])
@pytest.mark.parametrize("trips", [1, 3])
def test_powers_equal_plain_convolution(trips, rest):
    cell = cell_losses(trips, rest, rate=0.4, threshold=15)
    one = plain.few(plain.cell(trips, rest, 0.4, 15, "rounded_laplace"))
    for times in (2, 5, 12):
        results = plain.several([one] * times)
        curve = roc(repeated(cell, times))
        assert curve.advantage == pytest.approx(plain.advantage(results), abs=1e-8)
        assert curve.area == pytest.approx(plain.area(results), abs=1e-8)


def test_transform_equals_products_where_both_can():
    cell = cell_losses(1, 400, rate=0.4, threshold=15)
    by_transform = roc(repeated(cell, 28))
    half = repeated(cell, 14)  # product by product
    by_products = roc(together([half, half]))
    assert by_transform.advantage == pytest.approx(by_products.advantage, abs=1e-12)
    assert by_transform.area == pytest.approx(by_products.area, abs=1e-12)


def test_the_grid_is_never_weaker_and_hardly_stronger():
    first = repeated(cell_losses(1, 14, rate=0.3, threshold=15), 30)
    second = repeated(cell_losses(2, 400, rate=0.3, threshold=15), 20)
    assert len(first.value) * len(second.value) > 2**16
    grid = roc(together([first, second]))
    # all sums at once, without a limit on their number
    value = np.add.outer(first.value, second.value)
    inside = np.outer(first.inside, second.inside)
    outside = np.outer(first.outside, second.outside)
    exact = 0.5 * np.abs(inside - outside).sum()
    assert exact <= grid.advantage + 1e-12
    assert grid.advantage == pytest.approx(exact, abs=1e-6)
    assert grid.largest_loss <= np.abs(value).max() * (1 + 1e-9)


def test_bad_numbers_of_cells_are_refused():
    cell = cell_losses(1, 50, rate=0.5, threshold=15)
    for times in (-1, 1.5, 10**7):
        with pytest.raises(ParameterError, match="times must be"):
            repeated(cell, times)
        with pytest.raises(ParameterError, match="times must be"):
            repeated_losses(cell.once, times)
