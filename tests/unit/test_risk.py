"""What ε and δ mean for a person, against randomised response and brute force."""

import math

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.risk import PRECEDENTS, Guarantee


def worst_pair(epsilon, delta):
    """The pair of laws that meets (ε, δ)-DP with equality (Kairouz, Oh and Viswanath 2015)."""
    stay = (1 - delta) / (1 + math.exp(epsilon))
    inside = np.array([delta, math.exp(epsilon) * stay, stay, 0.0])
    return inside, inside[::-1]


def best_test(inside, outside):
    """All tests of a pair of laws on four results, as (false positives, true positives)."""
    chosen = np.array([[bit >> i & 1 for i in range(4)] for bit in range(16)])
    return chosen @ outside, chosen @ inside


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("delta", [0.0, 1e-7, 0.05])
def test_every_figure_is_that_of_the_worst_pair(epsilon, delta):
    guarantee = Guarantee(epsilon=epsilon, delta=delta)
    wrong, right = best_test(*worst_pair(epsilon, delta))
    assert guarantee.advantage == pytest.approx((right - wrong).max(), abs=1e-12)
    assert guarantee.best_guess == pytest.approx((1 + (right - wrong).max()) / 2, abs=1e-12)
    limits = [guarantee.most_detected(min(rate, 1.0)) for rate in wrong]
    assert (right <= np.array(limits) + 1e-12).all()
    best = np.argmax(right - wrong)
    assert limits[best] == pytest.approx(right[best], abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (0.5, 0.0), (1.0, 1e-3), (3.0, 0.2)])
def test_area_is_the_integral_of_the_limit(epsilon, delta):
    guarantee = Guarantee(epsilon=epsilon, delta=delta)
    rates = np.linspace(0, 1, 200_001)
    limit = [guarantee.most_detected(float(rate)) for rate in rates]
    assert guarantee.area == pytest.approx(float(np.trapezoid(limit, rates)), abs=1e-8)


@pytest.mark.parametrize(("epsilon", "shown"), [(0.1, 0.0500), (0.5, 0.2449), (1.0, 0.4621)])
def test_pure_bound_of_the_published_table(epsilon, shown):
    guarantee = Guarantee(epsilon=epsilon)
    assert round(guarantee.advantage, 4) == shown
    assert guarantee.advantage == pytest.approx(math.tanh(epsilon / 2), abs=1e-15)
    assert guarantee.area == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), abs=1e-15)


def test_a_suspicion_grows_by_bayes_rule():
    odds = math.exp(1.0) * 0.1 / 0.9
    assert Guarantee(epsilon=1.0).suspicion(0.1) == pytest.approx(odds / (1 + odds), abs=1e-15)


def test_a_suspicion_has_no_limit_where_delta_is_spent():
    # one result of the worst pair reveals the record, however rare it is
    inside, outside = worst_pair(1.0, 1e-6)
    assert inside[0] > 0
    assert outside[0] == 0
    with pytest.raises(ParameterError, match="delta must be 0"):
        Guarantee(epsilon=1.0, delta=1e-6).suspicion(0.1)


def test_probabilistic_dp_is_stronger_than_epsilon_delta():
    # (ε, δ)-DP holds, yet the loss is above ε more often than with probability δ
    epsilon, delta, loss = 0.5, 0.01, 0.6
    stay = 1 / (1 + math.exp(loss))
    inside, outside = np.array([1 - stay, stay]), np.array([stay, 1 - stay])
    beyond = float(np.maximum(inside - math.exp(epsilon) * outside, 0).sum())
    delta = beyond + 1e-12
    wrong, right = outside, inside
    guarantee = Guarantee(epsilon=epsilon, delta=delta)
    assert all(y <= guarantee.most_detected(x) for x, y in zip(wrong, right, strict=True))
    exceeds = inside[np.log(inside / outside) > epsilon].sum()
    assert exceeds > 5 * delta


def test_large_losses_do_not_overflow():
    guarantee = Guarantee(epsilon=1e6)
    assert guarantee.odds_factor == math.inf
    assert guarantee.best_guess == guarantee.area == guarantee.most_detected(0.5) == 1
    assert guarantee.most_detected(0.0) == 0


@pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf, "1", True])
def test_bad_epsilon_is_refused(epsilon):
    with pytest.raises(ParameterError, match="epsilon must be a finite number"):
        Guarantee(epsilon=epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1.0, math.nan, None])
def test_bad_delta_is_refused(delta):
    with pytest.raises(ParameterError, match="delta must be"):
        Guarantee(epsilon=1.0, delta=delta)


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_bad_rate_is_refused(rate):
    with pytest.raises(ParameterError, match="false_positive_rate"):
        Guarantee(epsilon=1.0).most_detected(rate)


def test_precedents_ascend_and_name_their_unit_and_source():
    losses = [known.epsilon for known in PRECEDENTS]
    assert losses == sorted(losses)
    assert all(known.unit and known.source.startswith("https://") for known in PRECEDENTS)


def believed(epsilon, worlds, target, span=60):
    """The most that a belief in `target` grows to, over every output of discrete Laplace noise.

    `worlds` maps how many of the four travel, and whether the target does, to a prior.
    """
    grown = 0.0
    for output in range(-span, span + 1):
        weights = {
            (count, present): prior * math.exp(-epsilon * abs(output - count))
            for (count, present), prior in worlds.items()
        }
        grown = max(
            grown, sum(w for key, w in weights.items() if target(key)) / sum(weights.values())
        )
    return grown


def test_four_companions_are_protected_by_four_epsilon_only():
    """A suspicion of 10% at ε 0.5: allowed 15.5% for one, reached 45.1% by who expects all four."""
    allowed, group = Guarantee(epsilon=0.5), Guarantee(epsilon=0.5).together(4)
    present = lambda world: world[1]  # noqa: E731
    together = {(4, True): 0.1, (0, False): 0.9}
    reached = believed(0.5, together, present)
    assert round(allowed.suspicion(0.1), 3) == 0.155
    assert round(reached, 3) == 0.451
    assert reached == pytest.approx(group.suspicion(0.1), abs=1e-12)
    known = {(4, True): 0.1, (3, False): 0.9}  # the other three are known to travel
    assert believed(0.5, known, present) == pytest.approx(allowed.suspicion(0.1), abs=1e-12)
    independent = {
        (others + own, bool(own)): math.comb(3, others)
        * 0.1 ** (others + own)
        * 0.9 ** (4 - others - own)
        for others in range(4)
        for own in range(2)
    }
    assert 0.1 < believed(0.5, independent, present) <= allowed.suspicion(0.1) + 1e-12


def test_slack_of_a_group_is_that_of_its_steps_one_after_another():
    """P(S) ≤ e^ε·Q(S) + δ, applied k times from the group's absence to its presence."""
    one = Guarantee(epsilon=0.7, delta=1e-6)
    for people in (1, 2, 5):
        factor, slack = 1.0, 0.0
        for _ in range(people):
            factor, slack = factor * math.exp(0.7), slack * math.exp(0.7) + 1e-6
        group = one.together(people)
        assert math.exp(group.epsilon) == pytest.approx(factor)
        assert group.delta == pytest.approx(slack)
    assert Guarantee(epsilon=10.0, delta=1e-3).together(4).best_guess == pytest.approx(1.0)
    assert Guarantee(epsilon=0.5).together(4).is_pure


@pytest.mark.parametrize("people", [0, 2.5, math.nan, math.inf, "4", -1])
def test_a_group_is_a_whole_number_of_people(people):
    with pytest.raises(ParameterError, match="people must be a whole number"):
        Guarantee(epsilon=0.5).together(people)
