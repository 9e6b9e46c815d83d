"""Home, Choose ε and Attack say the same of one guarantee, and what the engine says."""

import math
import re

import pytest

from engine import attack
from engine.parameters import ODParameters
from engine.risk import Guarantee
from pages._ui.home import wording as home
from pages._ui.wording.privacy import odds
from tests.support.page import html_of


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_three_pages_state_one_guarantee(open_page, epsilon):
    by_hand = 100 / (1 + math.exp(-epsilon))
    query = {"unit": "person", "epsilon": f"{epsilon:g}", "max_trips": "1"}
    page = open_page("pages/5_Attack.py", **query)
    at_most = re.search(r"at most ([\d.]+)%", html_of(page))
    assert float(at_most[1]) == pytest.approx(by_hand, abs=0.05)
    meaning = open_page("pages/3_Choose_Epsilon.py", choose_view="what-ε-means", **query)
    assert f"{by_hand:.1f}%" in html_of(meaning)
    assert f"× {math.exp(epsilon):.2f}" in html_of(meaning)
    assert f"at most {by_hand:.0f}%" in home.risk(epsilon, "person")
    # and all of them ask the same functions
    guarantee = Guarantee(epsilon=epsilon)
    assert odds(guarantee) == (f"{math.exp(epsilon):.2f}", f"at most {by_hand:.0f}%")
    worth = attack.worth_of_trips(ODParameters(epsilon=epsilon, unit="person"), 7)
    assert 100 * worth.best_guess == pytest.approx(by_hand, abs=1e-9)
    assert worth.best_guess == pytest.approx(attack.limit(guarantee).best_guess, abs=1e-12)


def test_homes_gauge_composes_the_days_as_the_attack_page_does():
    parameters = ODParameters(epsilon=0.5, unit="person-day")
    scenario = attack.Scenario()
    week = attack.over_days(scenario, parameters, (7,))
    assert attack.worth_of_trips(parameters, 7).best_guess == pytest.approx(week.limit[0])


def test_the_typical_trip_is_labelled_as_read_from_the_data(open_page):
    app = open_page("pages/5_Attack.py", od_data="demo-city", unit="trip", epsilon="0.5")
    assert "average trip" not in " ".join(one.value for one in app.markdown)
    toggle = app.toggle(key="attack_read")
    assert toggle.label == "Read the flows of demo-city (simulated people)"
    toggle.set_value(True).run()
    (said,) = (one.value for one in app.markdown if "average trip" in one.value)
    from engine import datasets, origin_destination as od

    averages = attack.over_trips(
        od.histogram(datasets.load("demo-city")), ODParameters(epsilon=0.5, unit="trip")
    )
    assert f"**{50 + 50 * averages.typical:.1f}** of 100" in said
    assert "read from" in said
