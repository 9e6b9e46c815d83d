"""The Decisions page: its figures against the engine's, and what it says where something lacks."""

import re

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.parameters import EPSILON_STOPS
from engine.resolution import InhabitedDataset
from engine.text.numbers import number, percent
from engine.text.setting_text import LEAK_NOTE
from pages._ui.app.parallel import Job
from pages._ui.decisions.epidemic import zone_outcomes
from tests.support.charts import drawn as drawn
from tests.support.page import plain, text

PAGE = "pages/4_Decisions.py"
TRIPS = {"unit": "trip", "threshold": "2"}
EPIDEMIC = {"decisions_threshold_fast": "2"}
MODEL = decisions.EpidemicParameters(beta=0.5)


@pytest.fixture
def town():
    return datasets.load("demo-city")


@pytest.fixture
def shocked(open_page, town):
    """Open the aid after a shock in the busiest zone; return the zone and the page."""
    zone = str(town.zones["zone_id"][int(np.argmax(od.truth(town)[0].sum(axis=1)))])

    def run(**query):
        (area,) = open_page(PAGE, decisions_view="Aid after a shock", **TRIPS | query).multiselect
        return zone, area.set_value([zone]).run()

    return run


def test_each_zone_is_judged_as_the_area_by_itself(shocked, settled, town):
    leaving = od.truth(town)[0] * ~np.eye(len(town.zones), dtype=bool)
    count = np.count_nonzero(leaving.sum(axis=1))
    by_epsilon = []
    for epsilon in ("0.1", "10"):
        said = text(settled(shocked(epsilon=epsilon)[1]))
        pattern = rf"of {count} zones that people leave, usable for (\d+), usable in part for (\d+)"
        good, partly, noisy = re.search(rf"{pattern} and not usable for (\d+)", said).groups()
        assert int(good) + int(partly) + int(noisy) == count
        by_epsilon.append(int(noisy))
    assert by_epsilon[0] > by_epsilon[1]


def test_epidemic_shows_the_engines_figures_without_empty_zones(open_page, settled, town, drawn):
    app = settled(open_page(PAGE, epsilon="1", **TRIPS, **EPIDEMIC))
    homes = InhabitedDataset(town)
    origin = decisions.seed_zones(homes)["largest"]
    acts = decisions.simulate_true_epidemic(homes, [origin], MODEL)[0] >= 0.02
    assert f"never acting would already give {percent(float((~acts).mean()))}" in text(app)
    assert "0.5 infections (β; Kohli et al. use 0.1, too slow for 7 days)" in text(app)
    assert "Mean over 20 releases, 95% of them between" in text(app)
    assert f"of {acts.size:,} zone-day decisions" in text(app)
    empty = int((town.homes == 0).sum())
    assert f"without the {empty} zones in which nobody lives" in text(app)
    curves = [chart for key, chart in drawn.items() if key.startswith("decisions_curve")]
    assert curves
    assert all("releases, 95% of them" in str(curve) for curve in curves)
    maps = "".join(str(one.value) for one in app.markdown)  # `st.html` would drop an SVG
    assert "Map of decisions: Days with action, mean of releases" in maps
    due = number(float(acts.sum()))
    assert re.search(rf"missed: [\d.,]+ zone-days, {due} needed", maps)
    assert "<svg" in maps


def test_of_a_dataset_without_trips_it_is_said_and_no_figure_shown(open_page):
    app = open_page(PAGE, **TRIPS, od_data="only-visits")
    assert "has no trips" in text(app)
    assert "<svg" not in text(app)


def verdict(app):
    """The sentence on decisions, whichever view shows it."""
    return re.search(r"At ε = .*?never acting would already give [\d.]+%", text(app))[0]


@pytest.mark.parametrize(
    ("asked", "title", "released"),
    [
        (
            {"unit": "person"},
            "demo-city, as if released daily, for a person's day",
            "once for the whole period",
        ),
        ({"unit": "person-day", "od_time": "week"}, "demo-city, as if released daily", "by week"),
    ],
    ids=["person", "week"],
)
def test_what_needs_days_is_a_view_and_leaves_the_setting_alone(
    open_page, settled, monkeypatch, asked, title, released
):
    met = np.ones((len(EPSILON_STOPS), 60), dtype=bool)
    monkeypatch.setattr("pages._ui.decisions.epidemic.meets_epidemic_target", lambda *_: met)
    settings = {"threshold": "2", "max_trips": "2", "epsilon": "3", **EPIDEMIC}
    app = open_page(PAGE, **settings, **asked)
    before = {key: app.session_state[key] for key in ("unit", "max_trips", "epsilon")}
    assert "demo-city" not in app.session_state["session"].judged_names
    assert f"this setting is released {released}" in text(app)
    assert "<svg" not in text(app)
    assert "That changes nothing that is set." in text(app)
    app = settled(app.toggle(key="decisions_as_daily").set_value(True).run())
    assert f"When zones act in an epidemic: {title}" in [plain(one.value) for one in app.subheader]
    assert before == {key: app.session_state[key] for key in before}
    assert app.selectbox(key="unit").value == asked["unit"]
    assert app.session_state["session"].stamp.endswith(title.partition(", ")[2])
    assert "demo-city" in app.session_state["session"].judged_names
    assert f"**ε = {EPSILON_STOPS[0]:g}** of releases by day; what is set stays" in text(app)
    labels = [one.label for one in app.button]
    assert not [one for one in labels if "ε" in one or "Release" in one]
    shown = verdict(app)
    daily = settled(open_page(PAGE, **settings, unit="person-day"))
    assert shown == verdict(daily)
    assert "decisions_use" in [one.key for one in daily.button]


@pytest.mark.parametrize(
    ("asked", "sums", "share"),
    [
        ({"od_time": "week", "unit": "person-day"}, "by sums of a week", "in an average week"),
        (
            {"od_time": "whole", "unit": "person-day"},
            "by the sum of the whole period",
            "on average",
        ),
        ({"unit": "person"}, "by the sum of the whole period", "on average"),
    ],
)
def test_sums_are_judged_as_they_are_released(shocked, settled, town, asked, sums, share):
    """By the mean of many releases of the setting itself, of one matrix of all days."""
    zone, app = shocked(**{"epsilon": "1", "max_trips": "2", **asked})
    app = settled(app)
    said = text(app)
    assert f"Where help goes after a shock: demo-city, {sums}" in said
    assert f"main destinations are named {share};" in said
    unit = asked["unit"]
    params = od.ODParameters(epsilon=1.0, unit=unit, max_trips_per_user=2, suppression_threshold=2)
    place = town.zones["zone_id"].astype(str).tolist().index(zone)
    trips = od.truth(town, sum_days=True)[0, place]
    assert f"{number(float(trips.sum() - trips[place]))} trips left " in said
    kept = od.truncated_matrices(town, params, sum_days=True)[0, place]
    outside = np.arange(len(trips)) != place
    scale, rng = 2.0, np.random.default_rng(5)
    noisy = kept[outside] + np.floor(rng.laplace(size=(20_000, outside.sum())) * scale + 0.5)
    released = np.where(noisy >= 2, noisy, 0).sum(axis=1)
    shown = float(re.search(r"Releases say ([\d,]+) on average", said)[1].replace(",", ""))
    assert shown == pytest.approx(released.mean(), abs=0.5 + 4 * released.std() / 20_000**0.5)
    assert app.session_state["unit"] == unit
    assert "Release each day" not in said


def test_where_no_zone_acts_that_is_said_and_from_which_share_some_would(open_page, settled):
    query = EPIDEMIC | {"decisions_threshold_fast": "90"}
    app = open_page(PAGE, **TRIPS, **query)
    assert "No zone reaches 90.0% infected in the 7 days of demo-city" in text(app)
    assert "<svg" not in text(app)
    highest = float(re.search(r"highest prevalence is ([\d.]+)%", text(app))[1])
    app.number_input(key="decisions_threshold_fast").set_value(highest / 2).run()
    assert "Map of decisions: Days with action, mean of releases" in text(settled(app))


def test_a_zone_is_marked_where_more_than_one_decision_in_ten_is_wrong():
    true = np.zeros((40, 4))
    true[:10, :3] = true[:20, 3] = 1.0
    released = np.repeat(true[None], 2, axis=0)
    released[:, 0, 0] = 0.0  # one day of ten missed
    released[:, :2, 1] = 0.0  # two
    released[:, 30:33, 2] = 1.0  # three needless
    compared = decisions.compare_decisions(true, released)
    assert zone_outcomes(compared) == ["right", "missed", "needless", "right"]


def test_aid_shows_the_engines_figures_and_a_first_answer_at_once(
    shocked, settled, town, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(Job, "advance", lambda job: None)  # nothing comes from beside the page
        zone, app = shocked(epsilon="1")
    assert "Mean over 10 of 200 releases so far. Usable" in text(app)
    app = settled(app)
    assert "Mean over 200 releases. Usable" in text(app)
    params = od.ODParameters(epsilon=1.0, unit="trip", suppression_threshold=2)
    leaving = decisions.count_outflow(town, decisions.load_shock(town, [zone]), params)
    totals = decisions.compute_shock_totals(leaving, params)
    place = town.zones["zone_id"].astype(str).tolist().index(zone)
    trips = od.truth(town)[:, place]
    true = trips.sum() - trips[:, place].sum()  # plain sums
    assert f"{number(float(true))} trips left " in text(app)
    assert f"Releases say {number(float(totals.expected_total.sum()))} on average" in text(app)
    event = decisions.load_shock(town, [zone])
    for k in (2, 20):
        (helped,) = (one for one in app.number_input if one.key.startswith("decisions_k_"))
        app = settled(helped.set_value(k).run())
        drawn = decisions.simulate_private_aid(
            town, event, [params], 200, k, rng=np.random.default_rng(3)
        )
        said = float(re.search(r"([\d.]+)% of the \d+ main destinations", text(app))[1]) / 100
        assert said == pytest.approx(float(np.nanmean(drawn.overlap[0, :, k - 1])), abs=0.05)


@pytest.mark.parametrize("reached", [True, False])
def test_a_target_offers_the_smallest_epsilon_that_keeps_it(shocked, settled, monkeypatch, reached):
    met = np.zeros((len(EPSILON_STOPS), 60), dtype=bool)
    met[7:] = reached
    monkeypatch.setattr("pages._ui.decisions.aid.meets_aid_target", lambda *_: met)
    app = settled(shocked(epsilon="0.1")[1])
    if not reached:
        assert "in 9 of 10 releases and goes on doing so at every larger ε" in text(app)
        return
    assert LEAK_NOTE in text(app)
    app.button(key="decisions_use").click().run()
    assert app.session_state["epsilon"] == EPSILON_STOPS[7]
    assert "demo-city" in app.session_state["session"].judged_names
