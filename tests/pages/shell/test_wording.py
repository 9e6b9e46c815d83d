"""Numbers and sentences read as a person expects."""

import ast
import math
import re
from pathlib import Path

import pytest

from engine import datasets, resolution
from engine.contract import When
from engine.ledger import Ledger, Notion, Unit
from engine.parameters import DELTA_STOPS, ODParameters
from pages._ui.home import wording as home_wording
from pages._ui.wording.numbers import fixed, percent, scientific
from pages._ui.wording.privacy import PROTECTED, composition, delta_warning, ledger_line, protection

ROOT = Path(__file__).parents[3]
WEEK = datasets.describe("rwanda-districts")  # seven days


def test_delta_reads_back_as_the_number_it_is():
    assert [float(scientific(stop)) for stop in DELTA_STOPS] == list(DELTA_STOPS)


def test_risk_states_odds_and_guess():
    text = home_wording.risk(1.0, "person")
    assert "2.72" in text
    assert "73%" in text
    assert f"{100 / (1 + math.exp(-6)):.1f}%" in home_wording.risk(6.0, "person")
    assert "right over 99.9% of the time" in home_wording.risk(10.0, "person")


def test_one_trip_is_singular_and_signs_are_typographic():
    assert protection("person", 1).endswith("up to 1 trip")
    assert protection("person-day", 4).endswith("up to 4 trips")
    assert fixed(-0.0771) == "−0.077"
    assert percent(123.4) == ">10,000%"


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("trip", "For all trips of a person together the odds can shift by far more"),
        ("person-day", "Every further day of a person that is published adds to it"),
        ("person", "which is what (ε, δ)-DP states."),
    ],
)
def test_risk_is_of_what_is_protected_and_no_more(unit, expected):
    text = home_wording.risk(1.0, unit)
    assert f"that a person's week of visits or {PROTECTED[unit]} is in the data" in text
    assert "odds that a person is in the data" not in text
    assert expected in text
    assert unit != "person" or text.endswith(expected)


def ledger(published, proved, delta):
    return Ledger(
        stages=(),
        published_epsilon=published,
        pure_epsilon=published,
        proved_epsilon=proved,
        delta=delta,
        published_notion=Notion.PURE,
        pure_notion=Notion.PURE,
        proved_notion=Notion.PURE,
        unit=Unit.PERSON_WEEK,
    )


def test_ledger_line_names_no_delta_that_is_not_spent_and_says_when_less_is_proved():
    assert "δ" not in ledger_line(ledger(1.0, 1.0, 0.0))
    assert "more than is published" not in ledger_line(ledger(1.0, 0.88, 1e-7))
    above = ledger_line(ledger(1.0, 1.58, 1e-7))
    assert "ε = 1.58 at δ = 1e-7, **more than is published**" in above


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("person-day", "ε = 8 with δ = 1e-7 in all"),
        ("person", "ε = 2 with δ = 1e-7 in all"),
        ("trip", "cannot be added"),
    ],
)
def test_sum_for_the_same_people_names_what_it_spends(unit, expected):
    words = home_wording.same_people(ledger(1.0, 0.969, 1e-7), 1.0, unit, days=7)
    assert expected in words
    assert "δ = 1e-7" in words
    assert "δ" not in home_wording.same_people(ledger(1.0, 1.0, 0.0), 1.0, unit, days=7)


def test_sum_for_the_same_people_counts_what_is_proved_where_that_is_more():
    above = ledger(1.0, 1.6239, 0.0)
    words = home_wording.same_people(above, 1.0, "person-day", days=7)
    assert "ε = 8.62 in all: the density 1.62 (best proved, more than is published)" in words
    assert "ε = 1.62;" in home_wording.same_people(above, 1.0, "trip", days=7)


@pytest.mark.parametrize("delta", [0.0, 1e-7, 0.2])
def test_the_best_guess_is_that_of_the_worst_mechanism_with_this_loss_and_delta(delta):
    """Randomised response that tells outright with probability δ: the attacker's best guess."""
    epsilon = 0.5
    sure = delta + (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    words = home_wording.risk(epsilon, "person", delta=delta)
    assert f"right at most {100 * sure:.0f}% of the time" in words
    assert ("no attack succeeds more often than ε allows by more than δ" in words) == (delta > 0)


def test_nothing_claims_that_the_guarantee_fails_with_probability_delta():
    """That would be probabilistic DP; of released counts (ε, δ)-DP is what is proved."""
    texts = [*sources(), *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    for path in texts:
        words = " ".join(path.read_text(encoding="utf-8").split())
        assert not re.search(r"(may|can|might) fail with (probability|this prob)", words), path


def test_trip_level_is_never_multiplied_by_days():
    settings = ODParameters(epsilon=0.5, unit="trip")
    assert "3.5" not in composition(settings, WEEK)
    daily = ODParameters(epsilon=0.5, unit="person-day", max_trips_per_user=4)
    assert "7 releases and cost a person 3.5" in composition(daily, WEEK)


def test_days_that_are_added_up_cost_a_person_every_day():
    """At person-day a sum of days hides one day of a person, and seven of them cost seven ε."""
    daily = ODParameters(epsilon=0.5, unit="person-day", max_trips_per_user=4)
    for time, matrices in (("week", "1 matrix"), ("whole", "1 matrix")):
        about = resolution.seen_metadata(WEEK, When(step=time))
        said = composition(daily, about)
        assert "7 × 0.5 = 3.5" in said
        assert matrices in said


def test_delta_is_warned_of_only_above_one_over_people():
    assert delta_warning(2e-6, 50_000) is None
    assert delta_warning(1e-4, None) is None
    assert "about 4" in delta_warning(2e-6, 1_992_846)


def sources():
    return [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]


def test_no_sentence_promises_anonymity():
    texts = [
        node.value
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert len(texts) > 1000
    assert not [text for text in texts if "anonym" in text.lower()]
