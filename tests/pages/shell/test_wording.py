"""Numbers and sentences read as a person expects."""

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


def test_delta_is_warned_of_only_above_one_over_people():
    assert delta_warning(2e-6, 50_000) is None
    assert delta_warning(1e-4, None) is None
    assert "about 4" in delta_warning(2e-6, 1_992_846)
