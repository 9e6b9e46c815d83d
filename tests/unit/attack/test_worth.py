"""What everything released is worth, against every outcome of randomised responses written out."""

import itertools
import math

import numpy as np
import pytest

from engine import attack, density
from engine.parameters import DensityParameters, ODParameters
from engine.risk import STRONG_GUESS, WEAK_GUESS, Guarantee, Worth


def every_outcome(epsilon, releases):
    """The best guess from so many randomised responses: the likelier side of each outcome."""
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    guess = 0.0
    for outcome in itertools.product((True, False), repeat=releases):
        inside = math.prod(right if truthful else 1 - right for truthful in outcome)
        outside = math.prod(1 - right if truthful else right for truthful in outcome)
        guess += max(inside, outside) / 2
    return guess


@pytest.mark.parametrize("epsilon", [0.01, 0.4, 1.0, 2.5])
@pytest.mark.parametrize("days", [1, 2, 7])
def test_best_guess_over_all_days_is_that_of_every_outcome(epsilon, days):
    by_day = attack.worth_of_trips(ODParameters(epsilon=epsilon, unit="person-day"), days)
    assert by_day.best_guess == pytest.approx(every_outcome(epsilon, days), abs=1e-9)
    assert by_day.total_epsilon == pytest.approx(sum([epsilon] * days))
    assert by_day.releases == days
    assert by_day.best_guess <= Guarantee(epsilon=by_day.total_epsilon).best_guess + 1e-12
    assert by_day.covers_person


@pytest.mark.parametrize("unit", ["person", "trip"])
def test_other_units_are_read_once_whatever_the_days(unit):
    worth = attack.worth_of_trips(ODParameters(epsilon=0.7, unit=unit), 7)
    assert worth.best_guess == pytest.approx(every_outcome(0.7, 1), abs=1e-12)
    assert (worth.total_epsilon, worth.releases) == (0.7, 1)
    assert worth.covers_person == (unit == "person")


def test_a_density_counts_what_is_proved_where_that_is_more():
    def worth(method):
        parameters = DensityParameters(epsilon=1.0, delta=1e-3, method=method)
        ledger = density.ledger(parameters, cover_size=100, max_visits_cap=840)
        return ledger, attack.worth_of_density(ledger, 1.0)

    ledger, joint = worth("efpag_joint")
    assert ledger.proved_epsilon <= 1.0 + 1e-9
    assert joint.best_guess == pytest.approx((math.e + 1e-3) / (math.e + 1), abs=1e-12)
    ledger, above = worth("efpa")
    assert ledger.exceeds(1.0)
    assert above.total_epsilon == ledger.proved_epsilon
    assert above.best_guess > joint.best_guess


@pytest.mark.parametrize("days", [1, 5])
def test_a_household_is_guessed_as_if_every_release_had_its_epsilon_fourfold(days):
    worth = attack.worth_of_trips(ODParameters(epsilon=0.3, unit="person-day"), days)
    assert worth.group_guess == pytest.approx(every_outcome(1.2, days), abs=1e-9)
    added_up = attack.worth_of_trips(
        ODParameters(epsilon=0.3, unit="person-day"), days, added_up=True
    )
    assert added_up.group_guess == pytest.approx(every_outcome(1.2 * days, 1), abs=1e-9)
    longest = attack.worth_of_trips(ODParameters(epsilon=10.0, unit="person-day"), 305)
    assert longest.group_guess == pytest.approx(1.0)


def worth_of(guess, *, covers_person=True):
    return Worth(
        best_guess=guess,
        total_epsilon=1.0,
        delta=0.0,
        releases=1,
        covers_person=covers_person,
        group_guess=guess,
    )


def test_strength_changes_at_its_limits_and_single_trips_are_never_strong():
    assert (STRONG_GUESS, WEAK_GUESS) == (0.75, 0.95)
    guesses = (0.5, 0.75, 0.751, 0.95, 0.951, 1.0)
    words = [worth_of(guess).strength for guess in guesses]
    assert words == ["strong", "strong", "moderate", "moderate", "weak", "weak"]
    words = [worth_of(guess, covers_person=False).strength for guess in guesses]
    assert words == ["moderate"] * 4 + ["weak"] * 2
    single = [Guarantee(epsilon=math.log(odds)).best_guess for odds in (3, 19)]
    assert single == pytest.approx([STRONG_GUESS, WEAK_GUESS], abs=1e-12)


def test_weak_privacy_is_never_balanced_nor_good():
    standings = {
        (strength, usable): attack.standing(strength, usable)
        for strength in ("strong", "moderate", "weak")
        for usable in ("good", "partly", "noisy")
    }
    assert {key for key, word in standings.items() if word == "balanced"} == {
        ("strong", "good"),
        ("strong", "partly"),
    }
    assert standings["strong", "noisy"] == "too_private"
    assert {standings[strength, "noisy"] for strength in ("moderate", "weak")} == {"neither"}
    assert {standings["weak", usable] for usable in ("good", "partly")} == {"too_open"}
    assert {standings["moderate", usable] for usable in ("good", "partly")} == {"leaning_open"}
    order = ["good", "partly", "noisy"]
    private = {"strong": "good", "moderate": "partly", "weak": "noisy"}
    for strength, usable in standings:
        worse = max(order.index(private[strength]), order.index(usable))
        assert attack.level(strength, usable) == order[worse]


def test_days_that_share_a_noise_add_up_in_full():
    """A person who travels along one flow on all days shifts one count by 7 T: as if ε were 7 ε."""
    settings = ODParameters(epsilon=0.1, unit="person-day", max_trips_per_user=4)
    worth = attack.worth_of_trips(settings, 7, added_up=True)
    noise = np.random.default_rng(0).laplace(0, 4 / 0.1, 400_000)  # one noise of scale T/ε
    # the best test between 0 and 28 trips cuts halfway; it meets the bound only where ε is small
    reached = ((noise < 14).mean() + (noise + 28 >= 14).mean()) / 2
    assert worth.total_epsilon == pytest.approx(0.7)
    assert worth.best_guess == pytest.approx(np.exp(0.7) / (1 + np.exp(0.7)))
    apart = attack.worth_of_trips(settings, 7).best_guess
    assert apart < reached - 0.01  # seven noises would promise too much
    assert reached <= worth.best_guess
