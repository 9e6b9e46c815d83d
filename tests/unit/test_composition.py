"""What releases cost together, against sums over all outcomes and against dp_accounting."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import common, pld_pmf, privacy_loss_distribution as pld

from engine.attack import Visitor, stage_losses, strongest_on_density
from engine.attack.visits import bounded_range_delta
from engine.composition import composed_epsilon, from_deltas, least_epsilon
from engine.parameters import DensityParameters


def delta_of_all(costs, epsilon):
    """Least δ at ε of randomised responses that fail outright with their δ: every outcome apart."""
    total = 0.0
    for signs in itertools.product((-1, 1, None), repeat=len(costs)):
        inside = outside = 1.0
        for (one, slack), sign in zip(costs, signs, strict=True):
            right = (1 - slack) / (1 + math.exp(-one))
            wrong = (1 - slack) / (1 + math.exp(one))
            inside *= slack if sign is None else right if sign > 0 else wrong
            outside *= 0.0 if sign is None else wrong if sign > 0 else right
        total += max(inside - math.exp(epsilon) * outside, 0.0)
    return total


@pytest.mark.parametrize(
    ("costs", "delta"),
    [
        ([(0.3, 0.0)] * 7, 1e-3),
        ([(0.1, 0.0), (0.2, 1e-4), (0.35, 0.0), (0.7, 1e-3), (0.2, 0.0)], 0.02),
        ([(2.0, 1e-6), (0.01, 0.0), (1.1, 0.0)], 0.05),
    ],
)
def test_the_composed_epsilon_is_where_every_outcome_apart_needs_the_delta(costs, delta):
    epsilon = composed_epsilon(costs, delta)
    assert 0 < epsilon < sum(one for one, _ in costs)
    assert delta_of_all(costs, epsilon) == pytest.approx(delta, rel=1e-6)
    assert delta_of_all(costs, 0.99 * epsilon) > delta


@pytest.mark.parametrize(
    "costs",
    [
        [(0.1, 0.0)] * 305,
        [(0.01, 0.0)] * 5000,  # by a transform
        [(0.02 * i, 1e-9 * (i % 3)) for i in range(1, 26)],  # too many sums to keep apart
    ],
)
def test_dp_accounting_comes_to_the_same(costs):
    total = None
    for epsilon, delta in costs if len(set(costs)) > 1 else costs[:1]:
        one = pld.from_privacy_parameters(
            common.DifferentialPrivacyParameters(epsilon, delta),
            value_discretization_interval=min(epsilon, 2e-4),
        )
        total = one if total is None else total.compose(one)
    if len(set(costs)) == 1:
        total = total.self_compose(len(costs))
    theirs = total.get_epsilon_for_delta(1e-6)
    assert composed_epsilon(costs, 1e-6) == pytest.approx(theirs, rel=1e-4)
    assert composed_epsilon(costs, 2e-6) < 0.999 * theirs


def test_without_a_spare_delta_the_sum_is_paid():
    assert composed_epsilon([(0.4, 1e-9), (0.6, 0.0)], 1e-9) == pytest.approx(1.0)
    assert composed_epsilon([(0.4, 0.0)], 0.0) == 0.4
    assert composed_epsilon([(0.4, 0.0), (0.4, 0.0)], 0.9) == 0.0


def test_points_of_delta_hold_at_the_points():
    grid = np.linspace(-0.5, 0.5, 41)
    losses = from_deltas(grid, bounded_range_delta(grid, 0.5))
    for epsilon in grid[21:40]:
        delta = float(bounded_range_delta(np.array([epsilon]), 0.5)[0])
        assert least_epsilon(losses, delta) == pytest.approx(epsilon, abs=1e-9)


def by_dp_accounting(stages, reach):
    """The same stages on dp_accounting's grid."""
    width, total = reach / 5_000, None
    for stage in stages:
        if stage.mechanism == "choice":
            steps = np.arange(-math.ceil(stage.size / width), math.ceil(stage.size / width) + 1)
            deltas = bounded_range_delta(steps * width, stage.size)
            one = pld.PrivacyLossDistribution(
                pld_pmf.create_pmf_pessimistic_connect_dots(width, steps, deltas)
            )
        else:
            make = getattr(pld, f"from_{stage.mechanism}_mechanism")
            one = make(1 / stage.size, value_discretization_interval=width)
        one = one.self_compose(stage.times) if stage.times > 1 else one
        total = one if total is None else total.compose(one)
    return total


@pytest.mark.parametrize("method", ["efpag_joint", "efpa", "lpa", "zones_laplace", "zoom"])
@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_dp_accounting_composes_an_attack_to_the_same_curve(method, epsilon):
    parameters = DensityParameters(epsilon=epsilon, delta=2e-6, method=method)
    public = {"cover_size": 934, "max_visits_cap": 732}
    target = Visitor(visits=30, all_visits=100)
    stages = stage_losses(target, parameters, **public)
    curve = strongest_on_density(target, parameters, **public).roc
    reach = sum(
        one.size * (one.size / 2 + 8) if one.mechanism == "gaussian" else one.size * one.times
        for one in stages
    )
    theirs = by_dp_accounting(stages, reach)
    assert curve.advantage == pytest.approx(theirs.get_delta_for_epsilon(0.0), rel=1e-5)
    for point in np.linspace(0.0, 0.5 * reach, 9):
        judged = theirs.get_delta_for_epsilon(float(point))
        assert curve.delta(point) == pytest.approx(judged, rel=1e-3, abs=1e-9)
