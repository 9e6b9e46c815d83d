"""Numbers and sentences read as a person expects."""

import ast
import re
from pathlib import Path

from engine.parameters import DELTA_STOPS
from engine.text.numbers import decimal, percent, scientific, trip_count
from engine.text.privacy_text import delta_warning

ROOT = Path(__file__).parents[3]


def test_delta_reads_back_as_the_number_it_is():
    assert [float(scientific(stop)) for stop in DELTA_STOPS] == list(DELTA_STOPS)


def test_one_trip_is_singular_and_signs_are_typographic():
    assert (trip_count(1), trip_count(4)) == ("1 trip", "4 trips")
    assert decimal(-0.0771) == "−0.077"
    assert percent(123.4) == ">10,000%"


def test_nothing_claims_that_the_guarantee_fails_with_probability_delta():
    """That would be probabilistic DP; of released counts (ε, δ)-DP is what is proved."""
    texts = [*sources(), *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    for path in texts:
        words = " ".join(path.read_text(encoding="utf-8").split())
        assert not re.search(r"(may|can|might) fail with (probability|this prob)", words), path


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
