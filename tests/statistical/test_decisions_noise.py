"""Drawn decisions against the mechanism and the exact laws; a wrong scale is noticed."""

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od

ORIGINS = ["AFG-1767", "AFG-1742", "AFG-1758"]  # Kabul, Hirat, and Khost at random
EPSILON = 0.1
FACTORS = (1.0, 0.8, 1.25)


@pytest.fixture(scope="module")
def drawn(year):
    """Accuracy in per cent of 60 draws by factor of the scale, ε, draw and origin."""
    settings = [
        od.ODParameters(epsilon=each / factor, unit="trip")
        for factor in FACTORS
        for each in (EPSILON, 0.5)
    ]
    true = decisions.simulate_true_epidemic(year, ORIGINS)
    blocks = decisions.simulate_private_epidemics(
        year, ORIGINS, None, settings, 60, rng=np.random.default_rng(11)
    )
    accuracies = [100 * decisions.compare_decisions(true, block).accuracy for block in blocks]
    return np.concatenate(accuracies, axis=1).reshape(len(FACTORS), 2, 60, len(ORIGINS))


@pytest.mark.parametrize(
    ("setting", "origin", "mean", "error"),
    [
        (0, 0, 98.203, 0.005),
        (0, 1, 81.563, 0.010),
        (0, 2, 91.786, 0.014),
        (1, 0, 98.912, 0.001),
        (1, 1, 95.043, 0.016),
        (1, 2, 94.807, 0.007),
    ],
)
def test_check_figures_of_accuracy(drawn, setting, origin, mean, error):
    """The spec's means over draws at ε = 0.1 and 0.5; noise at a wrong scale misses every one."""
    for factor, values in zip(FACTORS, drawn[:, setting, :, origin], strict=True):
        own_error = values.std(ddof=1) / np.sqrt(len(values))
        agrees = abs(values.mean() - mean) < 3 * np.hypot(own_error, error)
        assert agrees == (factor == 1)


@pytest.mark.parametrize("factor", FACTORS)
def test_drawn_aid_follows_the_exact_laws_at_the_right_scale_alone(factor):
    """1,500 totals by their law, overlaps by that of the exact selection: 86.014%."""
    week = datasets.load("rwanda-districts")
    settings = od.ODParameters(epsilon=0.1, max_trips_per_user=14)
    event = decisions.load_shock(week)
    totals = decisions.compute_shock_totals(
        decisions.count_outflow(week, event, settings), settings
    )
    scaled = od.ODParameters(epsilon=0.1 / factor, max_trips_per_user=14)
    drawn = decisions.simulate_private_aid(
        week, event, [scaled], 1500, 3, rng=np.random.default_rng(4)
    )
    overlap, root = drawn.overlap[0, :, 2], np.sqrt(1500)
    for values, mean in ((drawn.totals[0], totals.expected_total.sum()), (overlap, 0.86014)):
        apart = abs(values.mean() - mean) / values.std() * root
        assert apart < 3 if factor == 1 else apart > 6
