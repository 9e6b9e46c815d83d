"""Decisions, ε from a decision: what is offered, when, and what is recorded of it."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.parameters import EPSILON_STOPS
from pages._ui.decisions import choice
from tests.support.page import text

PAGE = "pages/4_Decisions.py"
BASE = {
    "unit": "trip",
    "threshold": "2",
    "decisions_beta": "0.5",
    "decisions_mu": "0.1",
    "decisions_threshold": "0.1",
    "decisions_view": "ε-from-a-decision",
}


def recorded(app):
    return app.session_state["session"].tuned_on


@pytest.mark.parametrize(("overlap", "error", "reached"), [(40.0, 60.0, True), (100.0, 0.1, False)])
def test_aid_offers_the_smallest_epsilon_from_which_all_draws_hold(
    open_page, overlap, error, reached
):
    town = datasets.load("demo-city")
    zone = str(town.zones["zone_id"][int(np.argmax(od.truth(town)[0].sum(axis=1)))])
    app = open_page(PAGE, epsilon="0.1", decisions_area=zone, **BASE)
    app.selectbox(key="decisions_kind").set_value(choice.AID).run()
    app.number_input(key="decisions_overlap_at").set_value(overlap).run()
    app.number_input(key="decisions_error_at").set_value(error).run()
    assert not app.exception, app.exception
    assert "ε chosen on the data that will be released" in text(app)
    if not reached:
        assert "ε tried keeps" in text(app)
        assert "Coarser zones hold larger flows" in text(app)
        return
    button = app.button(key="decisions_use")
    chosen = float(button.label.removeprefix("Use ε = "))
    button.click().run()
    assert app.select_slider(key="epsilon").value == chosen
    assert (recorded(app)["epsilon"], recorded(app)["dataset"]) == (chosen, "demo-city")
    # another path: plain draws of the totals and first destinations at the chosen ε
    leaving = decisions.outflow(
        town, decisions.shock(town, [zone]), od.ODParameters(epsilon=1.0, unit="trip")
    )
    sharper = od.ODParameters(epsilon=chosen, unit="trip", suppression_threshold=2)
    k = int(app.number_input(key="decisions_k").value)
    drawn = decisions.private_aid(leaving, [sharper], 300, k, rng=np.random.default_rng(5))
    target = decisions.AidTarget(overlap=overlap / 100, total_error=error / 100, confidence=0.9)
    assert target.met(float(leaving.true.sum()), drawn.totals, drawn.overlap).mean() > 0.85


@pytest.fixture
def in_part(open_page, monkeypatch):
    """Show releases that all meet the target or none, all drawn or some."""

    def run(app, *, running=False, met=True):
        def show_now(name, work, show):
            show(SimpleNamespace(result=object(), running=running))

        monkeypatch.setattr(choice.jobs, "live", show_now)
        monkeypatch.setattr(choice.jobs, "progress", lambda *_: None)
        monkeypatch.setattr(choice, "one_origin", lambda *_: None)
        releases = np.full((len(EPSILON_STOPS), 100), met)
        monkeypatch.setattr(decisions.EpidemicTarget, "met", lambda *_: releases)
        app.radio(key="decisions_source").set_value("The same in every zone").run()
        assert not app.exception, app.exception
        return [one for one in app.button if one.key == "decisions_use"]

    return run


@pytest.mark.parametrize(
    ("running", "met", "offered", "words", "absent"),
    [
        (True, False, False, "100 releases are drawn.", "Out of reach"),
        (True, True, False, "So far ε = 0.01 holds", "is the smallest"),
        (False, True, True, f"smallest of the {len(EPSILON_STOPS)} tried", "releases are drawn"),
    ],
)
def test_epsilon_is_offered_only_once_every_release_is_drawn(
    open_page, in_part, running, met, offered, words, absent
):
    app = open_page(PAGE, **BASE)
    assert bool(in_part(app, running=running, met=met)) == offered
    assert words in text(app)
    assert absent not in text(app)
    assert not app.error
    if offered:
        for part in ("with 95% confidence", "(rounded Laplace)", "Tried: ε = 0.01, 0.02, 0.05"):
            assert part in text(app)
        assert not [one for one in app.radio if one.key == "decisions_same_people"]  # these days


@pytest.mark.parametrize(("answer", "kept"), [("yes", "yes"), ("no", "no"), (None, "")])
def test_some_days_of_these_data_are_another_period(open_page, in_part, answer, kept):
    first, last = (datasets.load("demo-city").metadata.days[day] for day in (0, 3))
    app = open_page(PAGE, **BASE, decisions_days=f"{first}_{last}")
    in_part(app)
    if answer:
        app.radio(key="decisions_same_people").set_value(answer).run()
    assert ("belongs to their budget" in text(app)) == (answer == "yes")
    app.button(key="decisions_use").click().run()
    assert recorded(app)["same_people"] == kept
    assert recorded(app)["period"] == (first.isoformat(), last.isoformat())


def test_another_dataset_of_real_people_is_another_period(open_page, in_part):
    app = open_page(PAGE, **BASE)
    app.selectbox(key="decisions_tuned_on").set_value("town").run()
    assert "Dataset: town" in text(app)  # the banner of confidential data
    assert in_part(app)
    app.radio(key="decisions_same_people").set_value("no").run()
    app.button(key="decisions_use").click().run()
    kept = recorded(app)
    assert (kept["dataset"], kept["simulated"], kept["same_people"]) == ("town", False, "no")
