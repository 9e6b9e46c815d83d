"""The page Attack: its sentence says the engine's figures, and every question is answered."""

import re

import numpy as np
import pytest

from engine import attack
from engine.attack import Scenario
from engine.parameters import ODParameters
from pages._ui.attack import answer, question, wording
from pages._ui.shell import setting
from tests.support.page import figures, text
from tests.support.tables import shown

PAGE = "pages/5_Attack.py"


@pytest.fixture
def open_attack(open_page):
    def run(**query):
        return open_page(PAGE, **query)

    return run


def test_every_question_is_answered(open_attack):
    app = open_attack(unit="trip", epsilon="0.5")
    assert "attack gets 61, and the guarantee allows 62." in text(app)
    for unit in ("trip", "person"):
        app.selectbox(key="unit").set_value(unit).run()
        for target in app.selectbox(key="attack_target").options[1:]:
            app.selectbox(key="attack_target").set_value(target).run()
            assert not app.exception
            assert "Of 100 guesses" in text(app)
    app.selectbox(key="attack_knows").set_value("habits").run()
    assert "usually travel" in text(app)
    app.select_slider(key="max_trips").set_value(2).run()  # no more trips than are kept
    assert app.number_input(key="attack_trips").max == 2
    assert app.number_input(key="attack_trips").value == 2
    app.select_slider(key="max_trips").set_value(1).run()
    assert app.selectbox(key="attack_target").options == ["one trip"]
    assert not app.exception


@pytest.mark.parametrize(
    ("target", "trips", "cells", "words"),
    [
        ("one trip", 1, 1, "1 trip on one route"),
        ("there and back", 1, 2, "2 trips on 2 routes"),
        ("several trips and routes", 1, 3, "3 trips on 3 routes"),
        ("several trips, one route", 3, 1, "3 trips on one route"),
    ],
)
def test_the_target_that_is_named_is_the_one_attacked(open_attack, target, trips, cells, words):
    link = {"attack_target": setting.choice("t", question.TARGETS, "").write(target)}
    app = open_attack(unit="person", max_trips="4", epsilon="0.5", attack_trips="3", **link)
    assert f"a target with {words}" in text(app)
    strongest = attack.strongest(
        [attack.Corridor(trips=trips, rest=100, cells=cells)],
        ODParameters(epsilon=0.5, unit="person", max_trips_per_user=4),
    )
    shown = float(figures(app)[0].rstrip("%"))
    assert shown == pytest.approx(100 * strongest.roc.best_guess, abs=0.06)


def test_a_datasets_trips_are_read_only_when_asked(open_attack):
    app = open_attack()
    assert "average trip" not in text(app)
    app.selectbox(key="od_data").set_value("town").run()
    assert "confidential data" in app.toggle(key="attack_read").label
    app.toggle(key="attack_read").set_value(True).run()
    assert "average trip" in text(app)
    assert any("custodians" in warning.value for warning in app.warning)
    app.selectbox(key="od_data").set_value("only-visits").run()
    assert "Of 100 guesses" in text(app)  # needs no data
    assert not app.exception


def test_the_density_has_the_same_view(open_attack):
    app = open_attack(attack_view="on-density")
    assert "Of 100 guesses" in text(app)
    assert len(shown(app)) == 1
    app.number_input(key="attack_visits").set_value(1).run()
    assert not app.exception
    app.slider(key="max_visits").set_value(5).run()
    assert app.number_input(key="attack_visits").max == 5
    assert not app.exception
    app.selectbox(key="density_data").set_value("only-trips").run()
    assert any("with visits" in info.value for info in app.info)


def test_a_hundred_dots_are_drawn():
    for epsilon in (0.01, 0.5, 10.0):
        strongest = Scenario().attack(ODParameters(epsilon=epsilon, unit="trip"))
        drawn = answer.dots(strongest)
        picture, key = drawn.split("</div>")[:2]
        assert picture.count("<i class=") == 100
        right = round(100 * strongest.roc.best_guess)
        assert picture.count('class="extra"') == right - 50
        assert f"by the best attack: {right - 50}<" in key


def test_sentences_name_what_protects():
    quiet = Scenario(flow=3)
    assert "Suppression alone protects nobody" not in wording.suppressed(
        quiet, ODParameters(epsilon=1.0)
    )
    busy = Scenario(flow=14)  # the target's trip is the fifteenth, and is shown
    assert "Suppression alone protects nobody" in wording.suppressed(
        busy, ODParameters(epsilon=1.0)
    )
    trips = ODParameters(epsilon=0.5, unit="trip")
    strongest = attack.strongest([attack.Corridor(trips=1, rest=99, cells=14)], trips)
    assert "14 × 0.5 = 7" in wording.protected(strongest, trips, 14)


def test_ours_hides_no_quiet_route(open_attack):
    query = {"unit": "trip", "epsilon": "0.5", "attack_flow": "3"}
    quiet = text(open_attack(**query))
    assert "gets 50.1, and the guarantee allows 62." in quiet
    assert "set to 0, so this target is hidden" in quiet
    ours = open_attack(od_method="estimate", **query)
    assert not ours.exception
    rate = 0.5  # discrete Laplace noise, one trip: (1 − e^(−a))/(1 + e^(−a)) of advantage
    right = 50 * (1 + (1 - np.exp(-rate)) / (1 + np.exp(-rate)))
    assert f"gets {right:.0f}, and the guarantee allows 62." in text(ours)
    assert "set to 0" not in text(ours)
    assert "Suppression" not in text(ours)
    assert "a quiet route is as exposed as a busy one" in text(ours)


@pytest.mark.parametrize("page", ["pages/3_Choose_Epsilon.py", "pages/4_Decisions.py"])
def test_pages_about_one_method_say_so_where_the_other_is_set(open_page, page):
    for method, notes in (("published", 0), ("estimate", 1)):
        app = open_page(page, od_method=method)
        assert sum("This page is about the published method" in i.value for i in app.info) == notes


@pytest.mark.parametrize(("epsilon", "spent", "right"), [("0.5", "2", "88"), ("0.1", "0.4", "60")])
def test_people_who_travel_together_have_k_epsilon(open_attack, epsilon, spent, right):
    """e^(4ε)/(1 + e^(4ε)), rounded, for a household in one release."""
    assert round(100 / (1 + np.exp(-4 * float(epsilon)))) == int(right)
    for unit, who in (("person-day", "4 people who travel"), ("trip", "4 trips made")):
        shown = text(open_attack(unit=unit, epsilon=epsilon))
        assert f"**{who} together**" in shown
        assert f"only at 4 × ε = {spent} in one release" in shown
        assert f"up to {right} can be right" in shown
        assert "knows the others or believes them independent" in shown


def test_a_density_is_an_upper_bound_and_flows_are_exact(open_attack):
    app = open_attack(attack_view="on-density")
    assert "attack gets at most" in text(app)
    assert '<span class="value">≤ ' in text(app)
    flows = open_attack()
    assert "attack gets at most" not in text(flows)
    assert '<span class="value">≤ ' not in text(flows)
    assert "exactly for flows, as an upper bound for density" in wording.LEAD


@pytest.mark.parametrize("variant", ["efpa", "efpag", "efpag_joint"])
def test_companions_in_a_density_have_k_of_what_is_proved(open_attack, variant):
    """Of the ε that the proof gives; several methods prove less than the slider says."""
    from engine import datasets, density
    from engine.parameters import DensityParameters

    app = open_attack(attack_view="on-density", variant=variant, epsilon="0.5")
    city = datasets.load("demo-city")
    ledger = density.ledger(
        DensityParameters(epsilon=0.5, method=variant),
        cover_size=city.tessellation.cover_size,
        max_visits_cap=city.metadata.max_visits_cap,
    )
    said = re.search(r"only at 4 × ε = ([\d.,]+) in one release", text(app))
    assert float(said[1].rstrip(".,")) == pytest.approx(4 * ledger.proved_epsilon, rel=0.01)
    assert variant != "efpa" or ledger.proved_epsilon > 0.55
