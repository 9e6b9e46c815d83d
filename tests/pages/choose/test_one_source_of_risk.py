"""Home and Choose ε say the same of one guarantee, and what the engine says."""

import math

import pytest

from engine import attack
from engine.parameters import ODParameters
from engine.risk import Guarantee
from pages._ui.home import wording as home
from pages._ui.wording.privacy import odds
from tests.support.page import html_of


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_both_pages_state_one_guarantee(open_page, epsilon):
    by_hand = 100 / (1 + math.exp(-epsilon))
    query = {"unit": "person", "epsilon": f"{epsilon:g}", "max_trips": "1"}
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
