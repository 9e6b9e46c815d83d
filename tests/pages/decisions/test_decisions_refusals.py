"""Decisions: what cannot be set is refused or put right, and nothing is half-computed."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine import decisions
from engine.parameters import EPSILON_STOPS
from pages._ui.decisions import choice as decisions_choice

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


def test_enough_releases_without_an_answer_wait_for_the_rest(open_page, monkeypatch):
    view = {"decisions_view": "ε-from-a-decision"}
    app = open_page(PAGE, **BASE, **view, decisions_threshold="0.1")

    def half_way(name, work, show):
        show(SimpleNamespace(result=object(), running=True))

    monkeypatch.setattr(decisions_choice.jobs, "live", half_way)
    monkeypatch.setattr(decisions_choice.jobs, "progress", lambda *_: None)
    monkeypatch.setattr(decisions, "one_origin", lambda *_: None)
    never = np.zeros((len(EPSILON_STOPS), 100), dtype=bool)
    monkeypatch.setattr(decisions.EpidemicTarget, "met", lambda *_: never)
    app.radio(key="decisions_source").set_value("The same in every zone").run()
    assert "100 releases are drawn." in body(app)
    assert "Out of reach" not in body(app)
    assert not app.error
