"""Numbers and sentences read as a person expects."""

import ast
import re
from pathlib import Path

from engine import datasets, resolution
from engine.contract import When
from engine.ledger import Ledger, Notion, Unit
from engine.parameters import DELTA_STOPS, ODParameters
from pages._ui.wording.numbers import fixed, percent, scientific
from pages._ui.wording.privacy import composition, delta_warning, ledger_line, protection

ROOT = Path(__file__).parents[3]
WEEK = datasets.describe("rwanda-districts")  # seven days


def test_delta_reads_back_as_the_number_it_is():
    assert [float(scientific(stop)) for stop in DELTA_STOPS] == list(DELTA_STOPS)


def test_one_trip_is_singular_and_signs_are_typographic():
    assert protection("person", 1).endswith("up to 1 trip")
    assert protection("person-day", 4).endswith("up to 4 trips")
    assert fixed(-0.0771) == "−0.077"
    assert percent(123.4) == ">10,000%"


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
