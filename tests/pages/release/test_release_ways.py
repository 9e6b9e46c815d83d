"""The Release page before a release: what would fit the budget, and what the noise allows."""

import json

import pytest

from engine import datasets, frontier
from engine.datasets import Dataset
from engine.origin_destination import NoiseLaw
from engine.parameters import ODParameters
from engine.release import CONSENT
from engine.resolution import Resolution
from pages._ui.release import confirm, outlook
from pages._ui.wording.numbers import percent
from tests.support.release_page import (
    TUNED,
    confirmed,
    declared,
    errors,
    filled,
    finished,
    texts,
    ways,
)


def test_what_does_not_fit_is_refused_with_what_would(page):
    app = declared(page, epsilon=2.0)
    (said,) = errors(app)
    assert said.startswith("7 days at ε = 1 cost a person 7; with 2 left: ε ≤ 0.28, or 2 days, or ")
    assert "one matrix for the whole period" in said
    assert not [one for one in app.button if one.key == "release_start"]
    assert [one.label for one in ways(app).values()] == [
        "Use ε = 0.28",
        "Release 2 days",
        "One matrix for the whole period",
    ]


@pytest.mark.parametrize(
    ("key", "cost"),
    [
        ("release_way_epsilon_person-day", "on 7 days costs a person 1.96; 0.04 is left"),
        ("release_way_days_person-day", "on 2 days costs a person 2; 0 is left"),
        ("release_way_unit_person", "(ε) of 1 per person costs a person 1; 1 is left"),
    ],
)
def test_each_way_out_is_a_press_away(page, key, cost):
    app = declared(page, epsilon=2.0)
    ways(app)[key].click().run()
    assert not app.exception
    assert cost in texts(app)
    assert not ways(app)
    assert not confirmed(app).disabled


def test_epsilon_of_a_way_is_a_stop_of_the_slider_that_fits(page):
    app = declared(page, epsilon=0.5)
    assert "ε ≤ 0.071, or one matrix for the whole period at ε ≤ 0.5" in errors(app)[0]
    ways(app)["release_way_epsilon_person-day"].click().run()
    assert app.select_slider(key="epsilon").value == 0.07
    assert not errors(app)


def test_where_nothing_smaller_fits_that_is_said(page):
    app = declared(page, epsilon=0.001)
    assert "with 0.001 left: ε ≤ 0.00014, or one matrix" in errors(app)[0]
    assert not ways(app)  # no stop of the slider is that small


def test_trip_level_on_a_budget_of_people_is_shown_its_way_out(page):
    app = declared(page, epsilon=20.0)
    app.selectbox(key="unit").set_value("trip").run()
    app.text_input(key="release_consent").set_value(CONSENT).run()
    assert "cannot be charged to a budget per person" in errors(app)[0]
    ways(app)["release_way_unit_person-day"].click().run()
    assert "on 7 days costs a person 7" in texts(app)


def test_days_that_are_released_are_those_chosen(page):
    app = declared(page, epsilon=2.0)
    ways(app)["release_way_days_person-day"].click().run()
    confirmed(app).click().run()
    finished(app)
    (bundle,) = (path for path in confirm.folder().iterdir() if path.is_dir())
    settings = json.loads((bundle / "statement.json").read_text(encoding="utf-8"))["settings"]
    first = datasets.load("demo-city").metadata.days[:2]
    assert [settings["first_day"], settings["last_day"]] == [one.isoformat() for one in first]


def test_a_method_that_costs_delta_says_what_does_not(page):
    app = declared(page)
    app.button_group(key="release_product").set_value("Density").run()
    app.button_group(key="release_method").set_value("Ours").run()
    assert "with 10 and δ = 0 left: nothing smaller fits" in errors(app)[0]
    ways(app)["release_way_method"].click().run()
    assert "costs a person 1; 9 is left" in texts(app)


def test_the_noise_alone_is_judged_without_reading_the_data(page, settled, monkeypatch):
    settled(page)  # home, where a page of a test begins, judges settings on the data
    for name in ("trips", "trips_by_person", "truth_by_tower", "homes"):
        monkeypatch.setattr(
            Dataset, name, property(lambda _: pytest.fail("the data were read")), raising=True
        )
    app = declared(page, epsilon=20.0)
    law = NoiseLaw(1 / 4, "discrete_laplace")
    empty = percent(float(law.tail(15)))
    assert f"an empty pair of zones is shown, as 15 or more, in {empty} of cases" in texts(app)
    assert "a flow reads within a quarter of its kept size (in 95% of releases) only" in texts(app)
    assert "Kept size" in "".join(one.proto.body for one in app.get("html"))
    assert "True size" not in "".join(one.proto.body for one in app.get("html"))
    app.select_slider(key="epsilon").set_value(0.1).run()
    (said,) = (one.value for one in app.warning if "empty pair" in one.value)
    assert f"in {percent(float(NoiseLaw(0.025, 'discrete_laplace').tail(15)))} of cases" in said


def test_the_largest_epsilon_that_fits_is_one_press_away(page):
    app = declared(page, epsilon=20.0)
    button = app.button(key="release_most")
    assert button.label == "Use ε = 2.8, the largest that fits"
    button.click().run()
    assert "costs a person 19.6; 0.4 is left" in texts(app)
    assert not [one for one in app.button if one.key == "release_most"]


@pytest.mark.parametrize(
    ("product", "method"),
    [("Origin–destination", "Published"), ("Origin–destination", "Ours"), ("Density", "Published")],
)
def test_homes_verdict_comes_on_request_with_its_leak_named(page, product, method):
    page.session_state["session"].tuned_on = TUNED
    app = declared(page, epsilon=20.0)
    assert "chosen it on these very data" not in texts(app)
    app.button_group(key="release_product").set_value(product).run()
    app.button_group(key="release_method").set_value(method).run()
    app.toggle(key="release_judge_demo-city").set_value(True).run()
    assert not app.exception
    assert "a leak that no theorem covers" in texts(app)
    verdicts = [one for one in app.get("html") if 'class="verdict' in one.proto.body]
    assert "sable" in verdicts[0].proto.body or "noisy" in verdicts[0].proto.body
    assert filled(app) == ("these data", "")  # whatever Decisions has filled in before
    assert "You have looked at the verdict by these data" in texts(app)


def test_the_verdict_before_a_release_is_the_frontiers_number(page):
    setting = ODParameters(epsilon=10.0, max_trips_per_user=4, suppression_threshold=30)
    every = frontier.frontier(datasets.load("demo-city"), frontier.Need(time="day")).judged
    same = [one for one in every if (one.parameters, one.resolution) == (setting, Resolution())]
    assert 0 < same[0].use < 1
    app = declared(page, epsilon=20.0)
    app.session_state["epsilon"], app.session_state["threshold"] = 10.0, 30
    app.run().toggle(key="release_judge_demo-city").set_value(True).run()
    (said,) = (one for one in app.get("html") if 'class="verdict' in one.proto.body)
    assert f"{percent(same[0].use)} of" in said.proto.body


def test_a_verdict_asked_of_one_dataset_is_not_asked_of_the_next(
    page, own_data, data_root, monkeypatch
):
    """Judging reads the data, which leaks: no other dataset may be read unasked."""
    (own_data / "local").mkdir()
    (own_data / "local" / "town").symlink_to(data_root / "local" / "town")
    app = declared(page, epsilon=20.0)
    (judge,) = (one for one in app.toggle if one.label.startswith("Judge it by the data"))
    judge.set_value(True).run()
    assert any('class="verdict' in one.proto.body for one in app.get("html"))
    monkeypatch.setattr(outlook, "_by_data", lambda *_: pytest.fail("the data were read"))
    app.selectbox(key="od_data").set_value("town").run()
    assert not app.exception
    (judge,) = (one for one in app.toggle if one.label.startswith("Judge it by the data"))
    assert not judge.value
    assert app.session_state["session"].judged == {"demo-city"}
