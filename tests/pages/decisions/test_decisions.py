"""The Decisions page: its figures against the engine's, and what it says where something lacks."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.decisions.epidemic import scenario_origins
from engine.decisions.populations import empty_zones, given_populations
from pages._ui.decisions import question, wording
from pages._ui.wording.numbers import number, percent
from tests.support.page import figures, html_of, text

ROOT = Path(__file__).parents[3]
PAGE = "pages/4_Decisions.py"
TRIPS = {"unit": "trip", "threshold": "2"}
EPIDEMIC = {"decisions_threshold": "2", "decisions_beta": "0.5", "decisions_mu": "0.1"}
AID = {"decisions_view": "aid-after-a-shock"}
POPULATION = 1000.0
MODEL = decisions.EpidemicParameters(beta=0.5, mu=0.1)


@pytest.fixture
def town():
    return datasets.load("demo-city")


@pytest.fixture
def opened(open_page):
    """Open the page with as many people in every zone."""

    def run(**query):
        app = open_page(PAGE, **TRIPS | query)
        app.radio(key="decisions_source").set_value(question.SAME).run()
        assert not app.exception, app.exception
        return app

    return run


@pytest.fixture
def shocked(open_page, town):
    """Open the aid after a shock in the busiest zone; return the zone and the page."""
    zone = str(town.zones["zone_id"][int(np.argmax(od.truth(town)[0].sum(axis=1)))])
    return lambda **query: (zone, open_page(PAGE, **TRIPS | AID | {"decisions_area": zone} | query))


def true_epidemic(town):
    people = given_populations(town, POPULATION)
    origin = scenario_origins(town, people)["largest"]
    return decisions.true_epidemic(town, [origin], MODEL, populations=people).prevalence


def test_epidemic_shows_the_engines_figures(opened, settled, town):
    app = settled(opened(epsilon="1", **EPIDEMIC))
    true = true_epidemic(town)
    acts = true[0] >= 0.02
    assert f"never acting would get {percent(float((~acts).mean()))}" in text(app)
    assert len(figures(app)) == 4
    assert "Mean over 20 releases" in text(app)
    assert f"of {acts.size:,} zone-days" in text(app)
    assert "taken as public and get no noise" in text(app)


def test_an_estimate_says_so(opened, settled, monkeypatch):
    from pages._ui.decisions import work

    blocks, looked = decisions.private_epidemics, threading.Event()

    def held_back(*arguments, **named):
        looked.wait(60)
        return blocks(*arguments, **named)

    monkeypatch.setattr(work.decisions, "private_epidemics", held_back)
    try:
        app = opened(epsilon="0.7", **EPIDEMIC)
        for _ in range(100):  # the estimate itself takes a moment where much else runs
            if "First estimate, from the expected flows" in text(app):
                break
            app.run()
        else:
            pytest.fail("no estimate came")
    finally:
        looked.set()


def test_two_origins_and_the_papers_table_stand_side_by_side(opened, settled):
    app = settled(opened(**EPIDEMIC))
    table = next(one for one in html_of(app).split("<table>") if "Epidemic starts in</th>" in one)
    rows = re.findall(r"<tr><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>", table)
    assert [run for _, run in rows] == 2 * ["releases", "without noise"]
    assert len({zone for zone, _ in rows}) == 2
    app.toggle(key="decisions_p2_epidemic").set_value(True).run()
    assert "98% (2%)" in html_of(app)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "In the 7 days of demo\\-city no zone reaches 20.0%"),
        ({"decisions_beta": "3"}, "take more steps a day"),
        ({"decisions_beta": "0.6", "decisions_mu": "0.5"}, "must be at most 1"),
        ({"decisions_days": "2026-06-02_2026-06-02"}, "at least 2 days"),
    ],
)
def test_an_epidemic_that_cannot_be_decided_is_said_and_shows_no_figure(opened, query, words):
    app = opened(**query)
    assert words in text(app)
    assert not figures(app)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "nobody lives in"),
        ({"od_data": "only-visits"}, "has no trips"),
        (AID, "Choose the affected zones"),
        (AID | {"decisions_area": "AFG-1742"}, "Choose the affected zones"),
    ],
)
def test_what_lacks_is_said_before_anything_is_shown(open_page, query, words):
    app = open_page(PAGE, **TRIPS | query)
    assert words in text(app)
    assert not figures(app)


def test_where_no_zone_acts_one_press_sets_a_share_from_which_some_would(opened, settled):
    app = opened(decisions_beta="0.5", decisions_mu="0.1", decisions_threshold="90")
    highest = float(re.search(r"highest prevalence is ([\d.]+)%", text(app))[1])
    app.button(key="decisions_lower").click().run()
    lower = app.number_input(key="decisions_threshold").value
    assert highest / 5 <= lower <= highest / 2
    app = settled(app)
    assert "nothing to decide" not in text(app)
    assert len(figures(app)) == 4


@pytest.mark.parametrize("threshold", ["0", "101", "-5", "nan", "many"])
def test_a_threshold_that_is_no_share_gives_way_to_the_usual_one(opened, threshold):
    app = opened(decisions_threshold=threshold)
    assert app.number_input(key="decisions_threshold").value == 20.0


def test_an_origin_of_another_dataset_gives_way_to_the_largest_zone(opened, town):
    app = opened(decisions_origin="AFG-1742")
    people = given_populations(town, POPULATION)
    largest = scenario_origins(town, people)["largest"]
    assert app.selectbox(key="decisions_origin").value == largest


def test_flows_without_people_work_at_trip_level(opened, settled):
    assert "never acting" in text(settled(opened(od_data="flows", **EPIDEMIC)))


@pytest.mark.parametrize("k", [2, 20])
def test_aid_shows_the_exact_law(shocked, settled, town, k):
    zone, app = shocked(epsilon="1", decisions_k=str(k))
    app = settled(app)
    assert app.number_input(key="decisions_k").value == k
    params = od.ODParameters(epsilon=1.0, unit="trip", suppression_threshold=2)
    leaving = decisions.outflow(town, decisions.shock(town, [zone]), params)
    together = decisions.shock_totals(leaving, params).together
    overlap = decisions.selection_probability(leaving, params, k).overlap[k - 1]
    place = town.zones["zone_id"].astype(str).tolist().index(zone)
    trips = od.truth(town)[:, place]
    assert figures(app)[0] == number(float(together.true))
    assert together.true == trips.sum() - trips[:, place].sum()  # plain sums
    assert figures(app)[1] == number(float(together.expected))
    assert figures(app)[2] == percent(float(np.nanmean(overlap)))


def test_more_destinations_than_zones_cannot_be_asked_for(open_page, settled):
    app = open_page(PAGE, decisions_k="500", **TRIPS | AID)
    area = app.multiselect(key="decisions_area")
    app = settled(area.set_value(area.options[:1]).run())
    assert app.number_input(key="decisions_k").value <= app.number_input(key="decisions_k").max
    assert len(figures(app)) == 4


def test_zones_where_nobody_lives_are_left_out_at_a_press(open_page, settled, town):
    homes, empty = town.homes, empty_zones(town)
    app = open_page(PAGE, **TRIPS | EPIDEMIC)
    assert f"nobody lives in {empty} of {len(homes)} zones" in text(app)
    assert not figures(app)
    app = settled(app.button(key="decisions_leave_out").click().run())
    assert app.radio(key="decisions_source").value == question.INHABITED_ONLY
    assert f"without the {empty} zones in which nobody lives and the trips to" in text(app)
    assert len(figures(app)) == 4
    left = int(np.count_nonzero(homes))
    assert 1 < left == len(homes) - empty
    assert len(app.selectbox(key="decisions_origin").options) == left
    assert f"of {len(town.metadata.days) * left:,} zone-days" in text(app)


def test_equal_numbers_are_one_press_away_and_said(open_page, settled):
    app = open_page(PAGE, **TRIPS | EPIDEMIC)
    app = settled(app.button(key="decisions_equal").click().run())
    assert len(figures(app)) == 4
    assert "1,000 people assumed in every zone" in text(app)
    assert not [one for one in app.button if one.key == "decisions_equal"]


def test_a_dataset_opens_on_the_question_that_it_can_answer(
    tmp_path, monkeypatch, open_page, settled
):
    for name in ("rwanda-districts", "afghanistan-2020"):
        (tmp_path / name).symlink_to(ROOT / "data" / name)
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    aid, epidemic = "Where help goes after a shock", "When zones act in an epidemic"

    def shows(view, title, dataset):
        assert app.button_group(key="decisions_view").value == view
        assert f"{title}: {dataset}" in [one.value for one in app.subheader]

    app = settled(open_page(PAGE))
    shows("Aid after a shock", aid, "rwanda\\-districts")
    assert len(figures(app)) == 4
    app.selectbox(key="od_data").set_value("afghanistan-2020").run()
    shows("Epidemic", epidemic, "afghanistan\\-2020")
    app.button_group(key="decisions_view").set_value("Aid after a shock").run()
    app.selectbox(key="od_data").set_value("rwanda-districts").run()
    shows("Aid after a shock", aid, "rwanda\\-districts")
    app.button_group(key="decisions_view").set_value("Epidemic").run()
    shows("Epidemic", epidemic, "afghanistan\\-2020")  # a choice stays


@pytest.mark.parametrize(
    ("days", "words"),
    [(float("nan"), "–"), (0.2, "on time"), (-1, "1 day early"), (56, "8 weeks late")],
)
def test_shifts_in_words(days, words):
    assert wording.shift(days) == words
