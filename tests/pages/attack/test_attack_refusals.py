"""Attack: what cannot be set is put right from the link, and what is answered is allowed."""

import pytest

from tests.support.page import html_of

PAGE = "pages/5_Attack.py"


@pytest.mark.parametrize(
    ("query", "key", "taken"),
    [
        ({"attack_trips": "-3"}, "attack_trips", 14),
        ({"attack_trips": "1.5"}, "attack_trips", 1),
        ({"attack_trips": "20000"}, "attack_trips", 14),
        ({"attack_flow": "-1"}, "attack_flow", 100),
        ({"attack_flow": "2000000000"}, "attack_flow", 100),
        ({"attack_flow": "nan"}, "attack_flow", 100),
        ({"epsilon": "-1"}, "epsilon", 1.0),
        ({"epsilon": "inf"}, "epsilon", 1.0),
        ({"delta": "2", "attack_view": "on-density"}, "delta", 1e-7),
    ],
)
def test_a_link_that_asks_for_the_impossible_gets_the_usual(open_page, query, key, taken):
    app = open_page(PAGE, **{"unit": "trip", "attack_target": "several-trips-and-routes"} | query)
    assert not app.exception
    assert "Of 100 guesses" in html_of(app)
    fields = [*app.number_input, *app.select_slider, *app.slider]
    (value,) = {field.value for field in fields if field.key == key}
    assert value == taken


def test_no_more_trips_than_are_kept_can_be_asked_for(open_page):
    app = open_page(
        PAGE,
        unit="person",
        max_trips="5",
        attack_target="several-trips-and-routes",
        attack_trips="9",
    )
    assert not app.exception
    for field in app.number_input:
        if field.key == "attack_trips":
            assert field.value <= field.max == 5
