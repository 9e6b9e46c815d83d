"""The density's attacker: stages by their exact curves, composed in two ways."""

import math

import numpy as np
import pytest
from scipy import stats

from engine import attack, density
from engine.attack import Visitor
from engine.attack.roc import roc
from engine.attack.visits import bounded_range_delta
from engine.density import DensityParameters
from engine.errors import ParameterError
from engine.losses import from_probabilities, repeated_losses, together

COVER, CAP = 934, 732


def attacked(target, parameters):
    return attack.strongest_on_density(target, parameters, cover_size=COVER, max_visits_cap=CAP)


def losses_of(stage):
    """One stage's losses without dp_accounting: results cut into many narrow strips."""
    if stage.mechanism == "choice":
        grid = np.linspace(-stage.size, stage.size, 4001)
        deltas = bounded_range_delta(grid, stage.size)
        slopes = np.exp(grid)
        # P(loss > ε) without the target is −dδ/de^ε; with it, e^ε times that and δ
        wrong = np.r_[1.0, -np.diff(deltas) / np.diff(slopes), 0.0]
        right = np.r_[1.0, deltas[:-1] + slopes[:-1] * wrong[1:-1], 0.0]
        return from_probabilities(-np.diff(right), -np.diff(wrong))
    if stage.mechanism == "gaussian":
        cuts, law = np.linspace(-9, 9 + stage.size, 6001), stats.norm.cdf
    else:
        cuts, law = np.linspace(0, stage.size, 4001), stats.laplace.cdf
    outside, inside = (np.diff(np.r_[0.0, law(cuts - moved), 1.0]) for moved in (0, stage.size))
    return from_probabilities(inside, outside)


@pytest.mark.parametrize("method", ["efpag_joint", "efpa", "lpa"])
@pytest.mark.parametrize(("visits", "every"), [(30, 732), (3, 3)])
def test_composition_agrees_with_strips(method, visits, every):
    def ours(epsilon):
        parameters = DensityParameters(epsilon=epsilon, delta=2e-6, method=method)
        return attacked(target, parameters).roc

    target = Visitor(visits=visits, all_visits=every)
    stages = attack.stage_losses(
        target,
        DensityParameters(epsilon=1.0, delta=2e-6, method=method),
        cover_size=COVER,
        max_visits_cap=CAP,
    )
    parts = [repeated_losses(losses_of(stage), stage.times) for stage in stages]
    strips = roc(together(parts))
    assert ours(1.0).advantage == pytest.approx(strips.advantage, rel=1e-3)
    assert ours(1.0).area == pytest.approx(strips.area, rel=1e-3)
    for scale in (0.8, 1.25):  # noise at the wrong scale is noticed
        assert ours(1.0 / scale).advantage != pytest.approx(strips.advantage, rel=0.05)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_visit_under_laplace_is_a_closed_form(epsilon):
    parameters = DensityParameters(epsilon=epsilon, method="zones_laplace")
    ours = attacked(Visitor(visits=1), parameters).roc
    assert ours.advantage == pytest.approx(1 - math.exp(-epsilon / 60), abs=1e-6)
    assert ours.largest_loss == pytest.approx(epsilon / 30)


@pytest.mark.parametrize("method", ["lpa", "efpa", "efpag", "efpag_joint"])
@pytest.mark.parametrize("epsilon", [0.1, 4.0])
def test_the_attack_stays_within_what_is_proved(method, epsilon):
    parameters = DensityParameters(epsilon=epsilon, delta=2e-6, method=method)
    ours = attacked(Visitor(visits=30, all_visits=CAP), parameters)
    wrong, right = ours.roc.false_positives, ours.roc.true_positives
    allowed = np.interp(wrong, ours.limit.false_positives, ours.limit.true_positives)
    assert (right <= allowed + 1e-9).all()
    assert (np.diff(wrong) >= 0).all()
    assert (np.diff(right) >= 0).all()
    totals = density.ledger(parameters, cover_size=COVER, max_visits_cap=CAP)
    assert ours.guarantee.epsilon == totals.proved_epsilon


def test_fewer_visits_betray_less():
    parameters = DensityParameters(epsilon=1.0, delta=2e-6)
    advantages = [attacked(Visitor(visits=n), parameters).roc.advantage for n in (1, 5, 30)]
    assert advantages == sorted(advantages)
    assert attacked(Visitor(visits=30, all_visits=CAP), parameters).roc.advantage > advantages[-1]


def test_plain_totals_read_all_kept_visits():
    parameters = DensityParameters(epsilon=1.0, delta=2e-6, scaling=False)
    stages = attack.stage_losses(
        Visitor(visits=30), parameters, cover_size=COVER, max_visits_cap=CAP
    )
    assert [stage.mechanism for stage in stages] == ["laplace", "choice", "gaussian"]
    assert stages[0].size == pytest.approx(0.5)


def test_a_bounded_range_is_the_worst_of_all_choices():
    """No exponential mechanism with that range does better, and the worst pair reaches it."""
    rng = np.random.default_rng(1)
    reach, epsilons = 0.8, np.array([-0.5, 0.0, 0.3, 0.7])
    limit = bounded_range_delta(epsilons, reach)
    for _ in range(300):
        base = rng.dirichlet(np.ones(5))
        moved = base * np.exp(rng.uniform(0, reach, 5))
        moved /= moved.sum()
        deltas = [np.maximum(moved - np.exp(e) * base, 0).sum() for e in epsilons]
        assert (np.array(deltas) <= limit + 1e-12).all()
    for epsilon, most in zip(epsilons, limit, strict=True):
        top = (reach + epsilon) / 2  # losses top and top − η
        chance = (math.exp(reach) - math.exp(top)) / math.expm1(reach)
        inside = np.array([chance, 1 - chance])
        outside = inside * np.exp([-top, reach - top])
        assert outside.sum() == pytest.approx(1, abs=1e-12)
        reached = np.maximum(inside - np.exp(epsilon) * outside, 0).sum()
        assert reached == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"visits": 31}, "at most max_visits_per_user = 30"),
        ({"visits": 5, "all_visits": 733}, "at most max_visits_cap = 732"),
        ({"visits": 0}, "visits must be"),
        ({"visits": 5, "all_visits": 4}, "all_visits must be"),
    ],
)
def test_bad_visitors_are_refused(target, message):
    with pytest.raises(ParameterError, match=message):
        attacked(Visitor(**target), DensityParameters(epsilon=1.0))
