"""The Decisions page: every view, figures against the engine, what it says when something lacks."""

import re
import threading
import time

import numpy as np
import pytest

from engine import datasets, decisions
from engine import origin_destination as od
from pages._ui.decisions import wording
from pages._ui.wording.numbers import number, percent

PAGE = "pages/4_Decisions.py"
EPIDEMIC = {"decisions_threshold": "2", "decisions_beta": "0.5", "decisions_mu": "0.1"}
TRIPS = {"unit": "trip", "threshold": "2"}
POPULATION = 1000.0


@pytest.fixture
def town():
    return datasets.load("demo-city")


def bodies(app):
    return [element.proto.body for element in app.get("html")]


def text(app):
    kinds = (app.markdown, app.caption, app.warning, app.info, app.error)
    parts = [element.value for kind in kinds for element in kind]
    return "\n".join(parts + [body for body in bodies(app) if "<style>" not in body])


def figures(app):
    return [
        piece.split("</span>")[0]
        for body in bodies(app)
        for piece in body.split('<span class="value">')[1:]
    ]


def settled(app, sign):
    """Run the page until a job has ended, at most a minute."""
    for _ in range(240):
        app.run()
        assert not app.exception, app.exception
        if sign in text(app):
            return app
        time.sleep(0.25)
    raise AssertionError(f"'{sign}' did not come: {text(app)}")


def constant_populations(app):
    app.radio(key="decisions_source").set_value("The same in every zone").run()
    assert not app.exception, app.exception
    return app


@pytest.fixture
def open_epidemic(open_page):
    def run(**query):
        return constant_populations(open_page(PAGE, **EPIDEMIC, **TRIPS, **query))

    return run


def test_epidemic_shows_the_engines_figures(open_epidemic, town):
    app = settled(open_epidemic(epsilon="1"), "Mean over 20 releases")
    people = decisions.given_populations(town, POPULATION)
    model = decisions.EpidemicParameters(beta=0.5, mu=0.1)
    origin = decisions.scenario_origins(town, people)["largest"]
    true = decisions.true_epidemic(town, [origin], model, populations=people).prevalence
    never = decisions.compare(true, true, 0.02).never_acting_accuracy[0]
    assert f"never acting would get {percent(float(never))}" in text(app)
    assert len(figures(app)) == 4
    assert "People are" not in text(app)
    assert "taken as public and get no noise" in text(app)


def test_an_estimate_says_so(open_epidemic, monkeypatch):
    from pages._ui.decisions import work

    blocks, looked = decisions.private_epidemics, threading.Event()

    def held_back(*arguments, **named):
        looked.wait(60)
        return blocks(*arguments, **named)

    monkeypatch.setattr(work.decisions, "private_epidemics", held_back)
    try:
        assert "First estimate, from the expected flows" in text(open_epidemic(epsilon="0.7"))
    finally:
        looked.set()


def test_two_origins_and_the_papers_table_stand_side_by_side(open_epidemic):
    app = settled(open_epidemic(), "Mean over 20 releases")
    tables = [body for body in bodies(app) if "<th>Epidemic starts in</th>" in body]
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td>", tables[0])
    assert [run for _, run in rows] == 2 * ["releases", "without noise"]
    assert len({zone for zone, _ in rows}) == 2
    app.toggle(key="decisions_p2_epidemic").set_value(True).run()
    assert any("98% (2%)" in body for body in bodies(app) if "<table>" in body)


def test_where_no_zone_ever_acts_there_is_nothing_to_decide(open_page):
    app = constant_populations(open_page(PAGE, **TRIPS))
    assert "In the 7 days of demo\\-city no zone reaches 20.0%" in text(app)
    assert not figures(app)


def test_a_step_that_is_too_long_is_refused(open_page):
    app = constant_populations(open_page(PAGE, decisions_beta="3", **TRIPS))
    assert "take more steps a day" in text(app)
    assert not figures(app)


def test_zones_without_people_are_said_before_anything_is_shown(open_page):
    app = open_page(PAGE, **TRIPS)
    assert "nobody lives in" in text(app)
    assert not figures(app)


def test_a_dataset_without_trips_is_said(open_page):
    assert "has no trips" in text(open_page(PAGE, od_data="only-visits"))


def test_flows_without_people_work_at_trip_level(open_page):
    app = constant_populations(open_page(PAGE, od_data="flows", **EPIDEMIC, threshold="2"))
    assert "never acting" in text(settled(app, "Mean over 20 releases"))


def aid(open_page, town, **query):
    zone = str(town.zones["zone_id"][int(np.argmax(od.truth(town)[0].sum(axis=1)))])
    return zone, open_page(
        PAGE, decisions_view="aid-after-a-shock", decisions_area=zone, **TRIPS, **query
    )


def test_aid_shows_the_exact_law(open_page, town):
    zone, app = aid(open_page, town, epsilon="1", decisions_k="2")
    app = settled(app, "expected overlap")
    params = od.ODParameters(epsilon=1.0, unit="trip", suppression_threshold=2)
    leaving = decisions.outflow(town, decisions.shock(town, [zone]), params)
    totals = decisions.shock_totals(leaving, params).together
    overlap = decisions.selection_probability(leaving, params, 2).overlap[1]
    shown = figures(app)
    assert shown[0] == number(float(totals.true))
    assert shown[1] == number(float(totals.expected))
    assert shown[2] == percent(float(np.nanmean(overlap)))


def test_aid_asks_for_an_area_where_none_is_named(open_page):
    app = open_page(PAGE, decisions_view="aid-after-a-shock")
    assert "Choose the affected zones" in text(app)
    assert not figures(app)


def test_an_area_of_another_dataset_gives_way(open_page):
    app = open_page(PAGE, decisions_view="aid-after-a-shock", decisions_area="AFG-1742")
    assert "Choose the affected zones" in text(app)


def test_a_choice_is_taken_and_recorded(open_page, town):
    _, app = aid(open_page, town, epsilon="0.1")
    app.button_group(key="decisions_view").set_value("ε from a decision").run()
    app.selectbox(key="decisions_kind").set_value("aid after a shock").run()
    app.number_input(key="decisions_overlap_at").set_value(40.0).run()
    app.number_input(key="decisions_error_at").set_value(60.0).run()
    assert not app.exception, app.exception
    assert "ε chosen on the data that will be released" in text(app)
    button = app.button(key="decisions_use")
    chosen = float(button.label.removeprefix("Use ε = "))
    button.click().run()
    assert app.select_slider(key="epsilon").value == chosen
    assert app.session_state["session"].tuned_on["epsilon"] == chosen
    assert app.session_state["session"].tuned_on["dataset"] == "demo-city"


def test_a_target_out_of_reach_is_said_with_what_would_help(open_page, town):
    _, app = aid(open_page, town, epsilon="0.1")
    app.button_group(key="decisions_view").set_value("ε from a decision").run()
    app.selectbox(key="decisions_kind").set_value("aid after a shock").run()
    app.number_input(key="decisions_overlap_at").set_value(100.0).run()
    app.number_input(key="decisions_error_at").set_value(0.1).run()
    assert "ε tried keeps" in text(app)
    assert "Coarser zones hold larger flows" in text(app)


@pytest.mark.parametrize(
    ("days", "words"),
    [(float("nan"), "–"), (0.2, "on time"), (-1, "1 day early"), (56, "8 weeks late")],
)
def test_shifts_in_words(days, words):
    assert wording.shift(days) == words
