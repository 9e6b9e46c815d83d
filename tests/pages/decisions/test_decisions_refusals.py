"""Decisions: what cannot be set is refused or put right, and nothing is half-computed."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engine import datasets, decisions
from engine.parameters import EPSILON_STOPS
from pages._ui.decisions import choice as decisions_choice
from pages._ui.decisions import question

ROOT = Path(__file__).parents[3]
PAGE = "pages/4_Decisions.py"
BASE = {"unit": "trip", "threshold": "2", "decisions_beta": "0.5", "decisions_mu": "0.1"}


def body(app):
    kinds = (app.markdown, app.caption, app.warning, app.info, app.error)
    parts = [element.value for kind in kinds for element in kind]
    return "\n".join(parts + [element.proto.body for element in app.get("html")])


def figures(app):
    return body(app).count('<span class="value">')


@pytest.fixture
def opened(open_page):
    def run(**query):
        app = open_page(PAGE, **BASE | query)
        app.radio(key="decisions_source").set_value("The same in every zone").run()
        assert not app.exception, app.exception
        return app

    return run


@pytest.mark.parametrize("threshold", ["0", "101", "-5", "nan", "many"])
def test_a_threshold_that_is_no_share_gives_way_to_the_usual_one(opened, threshold):
    app = opened(decisions_threshold=threshold)
    assert app.number_input(key="decisions_threshold").value == 20.0


def test_a_model_whose_steps_are_too_long_shows_an_error_and_no_figure(opened):
    app = opened(decisions_beta="0.6")
    assert "must be at most 1" in body(app)
    assert "take more steps a day" in body(app)
    assert figures(app) == 0


def test_an_origin_of_another_dataset_gives_way_to_the_largest_zone(opened):
    app = opened(decisions_origin="AFG-1742")
    assert app.selectbox(key="decisions_origin").value != "AFG-1742"


def test_one_day_is_refused(opened):
    app = opened(decisions_days="2026-06-02_2026-06-02")
    assert "at least 2 days" in body(app)
    assert figures(app) == 0


def test_more_destinations_than_zones_cannot_be_asked_for(open_page):
    app = open_page(PAGE, decisions_view="aid-after-a-shock", decisions_k="500", **BASE)
    assert not app.exception
    assert figures(app) == 0  # the affected area is asked for first
    area = app.multiselect(key="decisions_area")
    area.set_value([area.options[0]]).run()
    assert not app.exception
    assert app.number_input(key="decisions_k").value <= app.number_input(key="decisions_k").max
    assert figures(app) == 4


def test_zones_where_nobody_lives_are_left_out_at_a_press(open_page):
    town = datasets.load("demo-city")
    homes, empty = town.homes, decisions.empty_zones(town)
    app = open_page(PAGE, **BASE, decisions_threshold="2")
    assert f"nobody lives in {empty} of {len(homes)} zones" in body(app)
    assert figures(app) == 0
    app.button(key="decisions_leave_out").click().run()
    assert not app.exception, app.exception
    assert app.radio(key="decisions_source").value == question.INHABITED_ONLY
    assert f"without the {empty} zones in which nobody lives and the trips to" in body(app)
    assert figures(app) == 4
    left = len(homes) - empty
    assert 1 < left < len(homes)
    assert len(app.selectbox(key="decisions_origin").options) == left
    days = len(town.metadata.days)
    assert f"of {days * left:,} zone-days" in body(app)


def test_equal_numbers_are_one_press_away_and_said(open_page):
    app = open_page(PAGE, **BASE, decisions_threshold="2")
    app.button(key="decisions_equal").click().run()
    assert not app.exception, app.exception
    assert figures(app) == 4
    assert "1,000 people assumed in every zone" in body(app)
    assert not [one for one in app.button if one.key == "decisions_equal"]


def test_the_view_says_which_dataset_it_shows(opened):
    app = opened()
    assert next(one.value for one in app.subheader) == "When zones act in an epidemic: demo\\-city"
    app.button_group(key="decisions_view").set_value("Aid after a shock").run()
    assert next(one.value for one in app.subheader) == "Where help goes after a shock: demo\\-city"


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A data folder of the datasets that come with the product."""
    for name in ("rwanda-districts", "afghanistan-2020"):
        (tmp_path / name).symlink_to(ROOT / "data" / name)
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))


def test_a_dataset_opens_on_the_question_that_it_can_answer(shipped, open_page, settled):
    app = settled(open_page(PAGE))
    assert app.selectbox(key="od_data").value == "rwanda-districts"
    assert app.button_group(key="decisions_view").value == "Aid after a shock"
    assert "there is nothing to decide" not in body(app)
    assert "Where help goes after a shock: rwanda\\-districts" in [s.value for s in app.subheader]
    assert figures(app) == 4
    app.selectbox(key="od_data").set_value("afghanistan-2020").run()
    assert app.button_group(key="decisions_view").value == "Epidemic"
    assert "When zones act in an epidemic: afghanistan\\-2020" in [s.value for s in app.subheader]
    app.button_group(key="decisions_view").set_value("Aid after a shock").run()
    app.selectbox(key="od_data").set_value("rwanda-districts").run()
    assert app.button_group(key="decisions_view").value == "Aid after a shock"
    app.button_group(key="decisions_view").set_value("Epidemic").run()
    assert app.button_group(key="decisions_view").value == "Epidemic"  # a choice stays
    assert "When zones act in an epidemic: afghanistan\\-2020" in [s.value for s in app.subheader]


def in_part(app, monkeypatch, *, running, met=True):
    """Show the view of ε with releases that all meet the target or none, all drawn or some."""

    def show_now(name, work, show):
        show(SimpleNamespace(result=object(), running=running))

    monkeypatch.setattr(decisions_choice.jobs, "live", show_now)
    monkeypatch.setattr(decisions_choice.jobs, "progress", lambda *_: None)
    monkeypatch.setattr(decisions, "one_origin", lambda *_: None)
    releases = np.full((len(EPSILON_STOPS), 100), met)
    monkeypatch.setattr(decisions.EpidemicTarget, "met", lambda *_: releases)
    app.radio(key="decisions_source").set_value("The same in every zone").run()
    assert not app.exception, app.exception
    return [one for one in app.button if one.key == "decisions_use"]


def test_enough_releases_without_an_answer_wait_for_the_rest(open_page, monkeypatch):
    view = {"decisions_view": "ε-from-a-decision"}
    app = open_page(PAGE, **BASE, **view, decisions_threshold="0.1")
    assert not in_part(app, monkeypatch, running=True, met=False)
    assert "100 releases are drawn." in body(app)
    assert "Out of reach" not in body(app)
    assert not app.error


CHOOSE = {"decisions_view": "ε-from-a-decision", "decisions_threshold": "0.1"}


def test_epsilon_is_offered_only_once_every_release_is_drawn(open_page, monkeypatch):
    app = open_page(PAGE, **BASE | CHOOSE)
    assert not in_part(app, monkeypatch, running=True)
    assert "So far ε = 0.01 holds" in body(app)
    assert "is the smallest" not in body(app)


def test_the_verdict_says_what_was_tried_with_what_noise_and_confidence(open_page, monkeypatch):
    app = open_page(PAGE, **BASE | CHOOSE)
    assert in_part(app, monkeypatch, running=False)
    text = body(app)
    assert f"is the smallest of the {len(EPSILON_STOPS)} tried" in text
    assert "with 95% confidence" in text
    assert "the noise of exploring (rounded Laplace)" in text
    assert "Tried: ε = 0.01, 0.02, 0.05" in text
    assert not [one for one in app.radio if one.key == "decisions_same_people"]  # these very days


@pytest.mark.parametrize(("answer", "kept"), [("yes", "yes"), ("no", "no"), (None, "")])
def test_some_days_of_these_data_are_another_period(open_page, monkeypatch, answer, kept):
    first, last = (datasets.load("demo-city").metadata.days[day] for day in (0, 3))
    app = open_page(PAGE, **BASE | CHOOSE, decisions_days=f"{first}_{last}")
    in_part(app, monkeypatch, running=False)
    if answer:
        app.radio(key="decisions_same_people").set_value(answer).run()
    assert ("belongs to their budget" in body(app)) == (answer == "yes")
    app.button(key="decisions_use").click().run()
    record = app.session_state["session"].tuned_on
    assert record["same_people"] == kept
    assert record["period"] == (first.isoformat(), last.isoformat())


def test_another_dataset_of_real_people_is_another_period(open_page, monkeypatch):
    app = open_page(PAGE, **BASE | CHOOSE)
    app.selectbox(key="decisions_tuned_on").set_value("town").run()
    assert "Dataset: town" in body(app)  # the banner of confidential data
    assert in_part(app, monkeypatch, running=False)
    app.radio(key="decisions_same_people").set_value("no").run()
    app.button(key="decisions_use").click().run()
    record = app.session_state["session"].tuned_on
    assert (record["dataset"], record["simulated"], record["same_people"]) == ("town", False, "no")
