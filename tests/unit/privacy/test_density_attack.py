"""The density's attacker: exact curves of stages, no placement that betrays more, `zoom`."""

import itertools
import math

import numpy as np
import pytest

from engine import density
from engine.density import DensityParameters, gaussian
from engine.density.gaussian import gaussian_strength
from engine.density.zoom import SHARES
from engine.errors import ParameterError
from engine.privacy import Visitor, composed, strongest_on_density
from engine.privacy.attack import (
    bounded_range_delta,
    by_cluster,
    gaussian_delta,
    laplace_delta,
    stage_losses,
)
from tests.reference import attack_reference as plain

COVER, CAP = 934, 732
STRIPS = {"laplace": plain.laplace, "gaussian": plain.gaussian}


def attacked(target, parameters):
    return strongest_on_density(target, parameters, cover_size=COVER, max_visits_cap=CAP)


def strips_of(stages):
    """One stage's chances without the engine's curves, where noise is added to a number."""
    return [(*STRIPS[each.mechanism](each.size), each.times) for each in stages]


@pytest.mark.parametrize("method", ["lpa", "zones_laplace", "zoom"])
@pytest.mark.parametrize(("visits", "every"), [(30, 732), (3, 3)])
def test_composition_agrees_with_strips_of_the_noise(method, visits, every):
    target = Visitor(visits=visits, all_visits=every)
    parameters = DensityParameters(epsilon=1.0, delta=2e-6, method=method)
    stages = stage_losses(target, parameters, cover_size=COVER, max_visits_cap=CAP)
    epsilons = (0.0, 0.05, 0.2)
    strips = plain.deltas_of(strips_of(stages), epsilons)
    ours = [attacked(target, parameters).losses.delta(epsilon) for epsilon in epsilons]
    assert ours == pytest.approx(strips, rel=1e-3, abs=1e-6)
    for scale in (0.8, 1.25):  # noise at the wrong scale is noticed
        wrong = attacked(target, parameters.at(1.0 / scale)).losses.advantage
        assert wrong != pytest.approx(strips[0], rel=0.05)


@pytest.mark.parametrize("size", [0.05, 0.8, 3.0])
def test_each_curve_is_that_of_its_noise(size):
    epsilons = np.linspace(-1, 1, 9) * size
    for curve, strips in ((laplace_delta, plain.laplace), (gaussian_delta, plain.gaussian)):
        p, q = strips(size)
        exact = [np.maximum(p - math.exp(e) * q, 0).sum() for e in epsilons]
        assert curve(epsilons, size) == pytest.approx(np.array(exact), abs=2e-4)


def test_a_bounded_range_is_the_worst_of_all_choices():
    """No exponential mechanism with that range does better, and the worst pairs reach it."""
    rng = np.random.default_rng(1)
    reach, epsilons = 0.8, np.array([-0.5, 0.0, 0.3, 0.7])
    limit = bounded_range_delta(epsilons, reach)
    for _ in range(300):
        base = rng.dirichlet(np.ones(5))
        moved = base * np.exp(rng.uniform(0, reach, 5))
        moved /= moved.sum()
        deltas = [np.maximum(moved - np.exp(e) * base, 0).sum() for e in epsilons]
        assert (np.array(deltas) <= limit + 1e-12).all()
    pairs = plain.choice(reach)
    for epsilon, most in zip(epsilons, limit, strict=True):
        reached = max(np.maximum(p - np.exp(epsilon) * q, 0).sum() for p, q in pairs)
        assert reached == pytest.approx(most, abs=1e-5)
    assert bounded_range_delta(np.zeros(1), 0.2)[0] == pytest.approx(math.tanh(0.05))


@pytest.mark.parametrize("method", ["lpa", "efpa", "efpag", "efpag_joint"])
@pytest.mark.parametrize("epsilon", [0.1, 4.0])
def test_the_attack_stays_within_what_is_proved(method, epsilon):
    parameters = DensityParameters(epsilon=epsilon, delta=2e-6, method=method)
    ours = attacked(Visitor(visits=30, all_visits=CAP), parameters)
    for at in np.linspace(0, 1.2 * ours.guarantee.epsilon, 40):
        assert ours.losses.delta(at) <= ours.limit.delta(at) + 1e-9
    totals = density.ledger(parameters, cover_size=COVER, max_visits_cap=CAP)
    assert ours.guarantee.epsilon == totals.proved_epsilon


def test_fewer_visits_betray_less():
    parameters = DensityParameters(epsilon=1.0, delta=2e-6)
    tried = [Visitor(visits=n) for n in (1, 5, 30)] + [Visitor(visits=30, all_visits=CAP)]
    advantages = [attacked(target, parameters).losses.advantage for target in tried]
    assert advantages == sorted(advantages)
    assert len(set(advantages)) == 4


def test_plain_totals_read_all_kept_visits():
    parameters = DensityParameters(epsilon=1.0, delta=2e-6, scaling=False)
    stages = stage_losses(Visitor(visits=30), parameters, cover_size=COVER, max_visits_cap=CAP)
    assert [stage.mechanism for stage in stages] == ["laplace", "choice", "gaussian"]
    assert stages[0].size == pytest.approx(0.5)


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


def overlap(epsilon, a, b):
    """(u_a ∗ u_b)(ε) with u = ½ between −a and a."""
    return np.clip(np.minimum(2 * min(a, b), a + b - np.abs(epsilon)), 0, None) / 4


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.3), (0.1, 1.4), (2.0, 1.0)])
def test_splitting_a_shift_takes_off_what_the_proof_says(a, b):
    epsilons = np.linspace(-1.2 * (a + b), 1.2 * (a + b), 61)
    both = composed([(*plain.laplace(a), 1), (*plain.laplace(b), 1)])
    deltas = np.array([both.delta(epsilon) for epsilon in epsilons])
    gap = np.exp((epsilons - a - b) / 2) * overlap(epsilons, a, b)
    np.testing.assert_allclose(deltas, laplace_delta(epsilons, a + b) - gap, atol=2e-5)
    assert gap.max() > 1e-3  # so that a sign the wrong way round would show


@pytest.mark.parametrize("method", ["efpag_joint", "lpa"])
def test_every_placement_of_three_visits_is_within_the_bound(method):
    """Visits in hours of their own, each in one of three cells or split over two of them."""
    parameters = DensityParameters(
        epsilon=6.0,
        delta=1e-6,
        method=method,
        max_visits_per_user=3,
        scaling=False,
        gaussian="analytic",
    )
    public = {"cover_size": 3, "max_visits_cap": 3}
    epsilons = np.linspace(-4, 4, 41)

    def bound(visits):
        losses = strongest_on_density(Visitor(visits=visits), parameters, **public).losses
        return np.array([losses.delta(epsilon) for epsilon in epsilons])

    stages = stage_losses(Visitor(visits=3), parameters, **public)
    most, too_little, crossed, closest = bound(3), bound(2), 0, np.inf
    where = [*np.eye(3), np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.3, 0.7])]
    for placed in itertools.combinations_with_replacement(where, 3):
        change = np.array(placed)  # hours × cells
        spread = math.sqrt((change**2).sum() / 3)
        parts = []
        for stage in stages:
            if stage.mechanism == "gaussian":
                parts.append((*plain.gaussian(stage.size * spread), 1))
            elif stage.mechanism == "choice":
                moved = np.exp(np.array([0.0, 0.4, 1.0]) * stage.size * spread)
                parts.append((moved / moved.sum(), np.full(3, 1 / 3), 1))
            else:  # counts one by one, or totals of the cells
                shifts = change.sum(axis=0) / 3 if stage.times == 1 else change[change > 0]
                parts += [(*plain.laplace(by * stage.size), 1) for by in shifts if by > 0]
        losses = composed(parts)
        deltas = np.array([losses.delta(epsilon) for epsilon in epsilons])
        assert (deltas <= most + 2e-4).all()
        closest = min(closest, float((most - deltas).max()))
        crossed += bool((deltas > too_little + 2e-4).any())
    assert closest < 0.05  # some placement comes near: the bound is not an empty one
    assert crossed  # and the bound of two visits does not hold for three


@pytest.mark.parametrize("method", ["efpa", "efpag"])
def test_where_clusters_choose_for_themselves_spreading_out_can_betray_more(method):
    """So nothing calls those figures a bound for every target."""
    parameters = DensityParameters(
        epsilon=40.0, delta=1e-6, method=method, gaussian="analytic", scaling=False
    )
    assert by_cluster(parameters)
    assert not by_cluster(DensityParameters(epsilon=1.0))
    stages = stage_losses(Visitor(visits=30), parameters, cover_size=934, max_visits_cap=840)
    together, spread = [], []
    for stage in stages[1:]:
        if stage.mechanism == "gaussian":  # one law on all clusters, whatever the placement
            continue
        worst = plain.laplace if stage.mechanism == "laplace" else worst_choice
        together.append((*worst(stage.size), 1))
        spread.append((*worst(stage.size / math.sqrt(30)), 30))
    beyond = 1.2 * sum(stage.size for stage in stages[1:] if stage.mechanism != "gaussian")
    assert composed(together).delta(beyond) < composed(spread).delta(beyond)


def worst_choice(reach):
    """The worst pair at ε = 0 of a choice with that range."""
    pairs = plain.choice(reach)
    return pairs[len(pairs) // 2]


ZOOM = DensityParameters(epsilon=1.0, delta=1e-5, method="zoom")
PLACES = {"cover_size": 100, "max_visits_cap": 840}


def test_the_attack_on_the_heaviest_person_is_that_of_one_gaussian() -> None:
    attack = strongest_on_density(Visitor(visits=1, all_visits=840), ZOOM, **PLACES)
    advantage = gaussian.gaussian_delta(0.0, gaussian_strength(1.0, 1e-5))
    assert attack.losses.advantage == pytest.approx(advantage, rel=1e-2)
    light = strongest_on_density(Visitor(visits=1, all_visits=1), ZOOM, **PLACES)
    assert light.losses.advantage < 0.5 * advantage


@pytest.mark.parametrize("visits", [1, 4, 9, 40, 200, 840])
def test_each_table_says_what_the_worst_placement_of_the_visits_changes(visits: int) -> None:
    """Rows of one person, written out: apart where every visit has a cell, else all in one."""
    apart, one_cell = np.ones(visits), np.array([float(visits)])
    # a tower and hour hold one visit of a person; a district, the city and a week hold several
    rows = {"towers": (apart, 10**0.5), "districts": (one_cell, 10**0.5)}
    rows |= {"city": (one_cell, 29.0), "weeks": (one_cell, 10**0.5)}
    mu = gaussian_strength(1.0, 1e-5)
    room = math.sqrt(1 - 63 / 64 * (visits / 840) ** 2)
    sizes = []
    for name, (row, clip) in rows.items():
        # a smaller clip of the city can be chosen: a light person is then at it sooner
        clips = [10**0.5, clip] if name == "city" else [clip]
        changes = [
            np.linalg.norm(row * min(1.0, c * room / np.linalg.norm(row))) / c for c in clips
        ]
        sizes.append(max(changes) * mu * math.sqrt(SHARES[name]))
    sizes.append(visits / 840 * mu * math.sqrt(63 / 64))
    losses = stage_losses(Visitor(visits=1, all_visits=visits), ZOOM, **PLACES)
    assert [loss.size for loss in losses] == pytest.approx(sizes)
