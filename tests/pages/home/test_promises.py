"""Home promises what holds: to whom, for how much, and by the limits that it states."""

import pytest

from engine import datasets
from engine.privacy import GROUP, Risk
from engine.steps import GOOD_SHARE, SOME_SHARE
from pages._ui.home import verdict as home_verdict
from pages._ui.home.side import Side
from pages._ui.wording.verdict import USE_RULE
from tests.unit.privacy.test_guarantee import every_outcome


def side(*, unit="person-day", usable=0.75, guess=0.75, part="trips"):
    return Side(
        part=part,
        entry=None,  # type of a dataset: nothing of it is said here
        epsilon=1.0,
        unit=unit,
        usable=usable,
        level="partly",
        risk=Risk(best_guess=guess, group_guess=guess, epsilon=1.0, covers_person=unit != "trip"),
        picture={},
        context=None,
    )


@pytest.mark.parametrize("unit", ["person-day", "person", "trip", ""])
def test_the_gauge_says_what_is_left_where_several_travel_together(unit):
    one = side(unit=unit)
    said = home_verdict.companions(one)
    assert f"{GROUP} × ε = 4." in said
    assert "75.0%" in said
    assert said.startswith("4 trips" if unit == "trip" else "4 people")


def test_a_household_is_guessed_by_four_times_epsilon(open_home):
    days = len(datasets.describe("demo-city").days)
    app = open_home(epsilon="0.1", od_data="demo-city", unit="person-day")
    drawn = " ".join(str(element.proto.body) for element in app.main.get("html"))
    expected = f"{100 * every_outcome([0.4] * days):.1f}%"
    said = (
        f"4 people who travel together, as in a household: {expected} at 4 × ε = {0.4 * days:.4g}."
    )
    assert said in drawn


@pytest.mark.parametrize(("unit", "word"), [("person-day", "strong"), ("trip", "moderate")])
def test_single_trips_are_never_called_strong(unit, word):
    privacy, _ = home_verdict.gauges(side(unit=unit))
    assert privacy.name == f"Privacy: {word}"


def test_gauges_carry_their_limits_where_the_pointer_rests():
    assert f"{GOOD_SHARE:.0%}" in USE_RULE
    assert f"{SOME_SHARE:.0%}" in USE_RULE
    assert "75% or below" in home_verdict.PRIVACY_RULE
    assert "95%" in home_verdict.PRIVACY_RULE
