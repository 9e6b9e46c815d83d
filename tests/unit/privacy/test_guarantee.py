"""What ε and δ mean for a person, against randomised response, Bayes and every outcome."""

import itertools
import math

import numpy as np
import pytest

from engine import density
from engine.errors import ParameterError
from engine.parameters import DensityParameters, ODParameters
from engine.privacy import (
    STRONG_GUESS,
    WEAK_GUESS,
    Guarantee,
    Risk,
    cost_risk,
    flow_release_risk,
    format_guess_rate,
)
from engine.privacy_cost import is_above


def worst_pair(epsilon, delta):
    """The pair of laws that meets (ε, δ)-DP with equality (Kairouz, Oh and Viswanath 2015)."""
    stay = (1 - delta) / (1 + math.exp(epsilon))
    inside = np.array([delta, math.exp(epsilon) * stay, stay, 0.0])
    return inside, inside[::-1]


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("delta", [0.0, 1e-7, 0.05])
def test_the_best_guess_is_that_of_the_worst_pair(epsilon, delta):
    inside, outside = worst_pair(epsilon, delta)
    chosen = np.array([[bit >> i & 1 for i in range(4)] for bit in range(16)])  # all tests
    most = (chosen @ inside - chosen @ outside).max()
    guarantee = Guarantee(epsilon=epsilon, delta=delta)
    assert guarantee.advantage == pytest.approx(most, abs=1e-12)
    assert guarantee.max_guess_rate == pytest.approx((1 + most) / 2, abs=1e-12)


def test_a_suspicion_grows_by_bayes_rule_and_has_no_limit_where_delta_is_spent():
    odds = math.exp(1.0) * 0.1 / 0.9
    belief = Guarantee(epsilon=1.0).max_posterior_belief(0.1)
    assert belief == pytest.approx(odds / (1 + odds), abs=1e-15)
    with pytest.raises(ParameterError, match="delta must be 0"):
        Guarantee(epsilon=1.0, delta=1e-6).max_posterior_belief(0.1)


@pytest.mark.parametrize(
    ("make", "values", "rule"),
    [
        (lambda x: Guarantee(epsilon=x), (-0.1, math.nan, math.inf, "1", True), "epsilon must be"),
        (lambda x: Guarantee(epsilon=1.0, delta=x), (-1e-9, 1.0, math.nan, None), "delta must be"),
        (Guarantee(epsilon=0.5).for_group, (0, 2.5, math.nan, "4", -1), "people must be a whole"),
    ],
)
def test_what_is_outside_its_domain_is_refused(make, values, rule):
    for value in values:
        with pytest.raises(ParameterError, match=rule):
            make(value)


def believed(epsilon, worlds, span=60):
    """The most that a belief grows to under discrete Laplace noise, from the priors of `worlds`."""
    grown = 0.0
    for output in range(-span, span + 1):
        weights = {
            (count, present): prior * math.exp(-epsilon * abs(output - count))
            for (count, present), prior in worlds.items()
        }
        seen = sum(weight for (_, present), weight in weights.items() if present)
        grown = max(grown, seen / sum(weights.values()))
    return grown


def test_four_companions_are_protected_by_four_epsilon_only():
    """A suspicion of 10% at ε 0.5: allowed 15.5% for one, reached 45.1% by who expects all four."""
    allowed, group = Guarantee(epsilon=0.5), Guarantee(epsilon=0.5).for_group(4)
    reached = believed(0.5, {(4, True): 0.1, (0, False): 0.9})
    assert round(allowed.max_posterior_belief(0.1), 3) == 0.155
    assert round(reached, 3) == 0.451
    assert reached == pytest.approx(group.max_posterior_belief(0.1), abs=1e-12)
    known = {(4, True): 0.1, (3, False): 0.9}  # the other three are known to travel
    assert believed(0.5, known) == pytest.approx(allowed.max_posterior_belief(0.1), abs=1e-12)


def test_slack_of_a_group_is_that_of_its_steps_one_after_another():
    """P(S) ≤ e^ε·Q(S) + δ, applied k times from the group's absence to its presence."""
    one = Guarantee(epsilon=0.7, delta=1e-6)
    for people in (1, 2, 5):
        slack = 0.0
        for _ in range(people):
            slack = slack * math.exp(0.7) + 1e-6
        group = one.for_group(people)
        assert group.epsilon == pytest.approx(people * 0.7)
        assert group.delta == pytest.approx(slack)
        assert group.delta == pytest.approx(1e-6 * math.expm1(people * 0.7) / math.expm1(0.7))
    assert Guarantee(epsilon=10.0, delta=1e-3).for_group(4).max_guess_rate == pytest.approx(1.0)


def every_outcome(losses):
    """The best guess from a randomised response of each loss: the likelier side of each outcome."""
    guess = 0.0
    for outcome in itertools.product((True, False), repeat=len(losses)):
        right = [1 / (1 + math.exp(-loss if truthful else loss))
                 for loss, truthful in zip(losses, outcome, strict=True)]  # fmt: skip
        guess += max(math.prod(right), math.prod(1 - each for each in right)) / 2
    return guess


def day_by_day(epsilon, days, unit="person-day"):
    return flow_release_risk(ODParameters(epsilon=epsilon, unit=unit), days)


@pytest.mark.parametrize("epsilon", [0.01, 0.4, 1.0, 2.5])
@pytest.mark.parametrize("days", [[1], [1] * 7, [7], [7, 7, 2], [2, 1, 1, 3]])
def test_best_guess_over_all_matrices_is_that_of_every_outcome(epsilon, days):
    risk = day_by_day(epsilon, days)
    person = every_outcome([n * epsilon for n in days])
    assert risk.max_guess_rate == pytest.approx(person, abs=2e-5)
    household = every_outcome([4 * n * epsilon for n in days])
    assert risk.max_group_guess_rate == pytest.approx(household, abs=2e-5)
    assert risk.epsilon == pytest.approx(sum(days) * epsilon)
    assert risk.releases == sum(days)
    assert risk.max_guess_rate <= Guarantee(epsilon=risk.epsilon).max_guess_rate + 1e-12


@pytest.mark.parametrize("unit", ["person", "trip"])
def test_other_units_are_read_once_whatever_the_days(unit):
    risk = day_by_day(0.7, [1] * 7, unit)
    assert risk.max_guess_rate == pytest.approx(every_outcome([0.7]), abs=1e-12)
    assert (risk.epsilon, risk.releases) == (0.7, 1)
    assert risk.covers_person == (unit == "person")


def test_days_that_share_a_noise_add_up_in_full():
    """A person who travels along one flow on all days shifts one count by 7 T: as if ε were 7 ε."""
    noise = np.random.default_rng(0).laplace(0, 4 / 0.1, 400_000)  # one noise of scale T/ε
    # the best test between 0 and 28 trips cuts halfway; it meets the bound only where ε is small
    reached = ((noise < 14).mean() + (noise + 28 >= 14).mean()) / 2
    assert day_by_day(0.1, [1] * 7).max_guess_rate < reached - 0.01  # seven noises promise too much
    assert reached <= day_by_day(0.1, [7]).max_guess_rate


def test_years_and_large_epsilons_stay_finite_and_overflow_nothing():
    assert day_by_day(10.0, [1] * 305).max_group_guess_rate == pytest.approx(1.0)
    assert day_by_day(0.01, [1] * 10_000).max_guess_rate == pytest.approx(0.6915, abs=1e-3)  # Φ(½)
    with pytest.raises(ParameterError, match="days must"):
        day_by_day(1.0, [])
    assert Guarantee(epsilon=1e6).max_guess_rate == 1


def test_a_density_counts_what_is_proved_where_that_is_more():
    def risk(method):
        parameters = DensityParameters(epsilon=1.0, delta=1e-3, method=method)
        public = {"cover_size": 100, "max_visits_cap": 840}
        ledger = density.METHODS[parameters.method].cost(parameters, **public)
        return ledger, cost_risk(ledger, 1.0)

    ledger, joint = risk("efpag_joint")
    assert ledger.proved_epsilon <= 1.0 + 1e-9
    assert joint.max_guess_rate == pytest.approx((math.e + 1e-3) / (math.e + 1), abs=1e-12)
    ledger, above = risk("efpa")
    assert is_above(ledger.proved_epsilon, 1.0)
    assert above.epsilon == ledger.proved_epsilon
    assert above.max_guess_rate > joint.max_guess_rate


def test_strength_changes_at_its_limits_and_single_trips_are_never_strong():
    assert (STRONG_GUESS, WEAK_GUESS) == (0.75, 0.95)
    tried = (0.5, 0.75, 0.7501, 0.95, 0.9501, 1.0)

    def words(**named):
        return [
            Risk(
                max_guess_rate=g,
                max_version_guess_rate=g,
                max_group_guess_rate=g,
                epsilon=1.0,
                **named,
            ).strength
            for g in tried
        ]

    assert words() == ["strong", "strong", "moderate", "moderate", "weak", "weak"]
    assert words(covers_person=False) == ["moderate"] * 4 + ["weak"] * 2
    single = [Guarantee(epsilon=math.log(odds)).max_guess_rate for odds in (3, 19)]
    assert single == pytest.approx([STRONG_GUESS, WEAK_GUESS], abs=1e-12)


def test_no_bound_is_written_below_itself_nor_beside_a_strength_that_it_denies():
    for guess, words in ((0.5, "at most 50 of"), (0.99, "at most 99 of"), (0.9901, "up to 100 of")):
        assert format_guess_rate(guess).startswith(words)
        assert format_guess_rate(guess, coin=True) == f"{format_guess_rate(guess)} (a coin: 50)"
    for guess in np.linspace(0.5, 1.0, 5003):
        risk = Risk(
            max_guess_rate=guess,
            max_version_guess_rate=guess,
            max_group_guess_rate=guess,
            epsilon=1.0,
        )
        count = int(format_guess_rate(guess).split()[2])
        assert count - 1 < 100 * guess <= count + 1e-9
        assert risk.strength == ("strong" if count <= 75 else "moderate" if count <= 95 else "weak")
