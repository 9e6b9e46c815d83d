"""The Origin–Destination page: every view, every unit, figures against the engine, bad links."""

import re

import numpy as np
import pytest

from engine import datasets, resolution, usability
from engine import origin_destination as od
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.steps import GOOD_SHARE
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import Window
from pages._ui.trips import grid as trips_grid
from pages._ui.trips import window as trips_window
from pages._ui.wording.numbers import percent
from tests.support.flows_page import PAGE, deck, figures, show, text

VIEWS = (
    "Flows",
    "From one zone",
    "Matrix",
    "Outcomes",
    "Errors",
    "ε × τ",
    "Trimming (T)",
    "Days and totals",
)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
def test_every_view_works_at_every_unit_without_nan(open_od, view, unit):
    app = open_od(view, unit=unit)
    assert "nan" not in text(app).lower()
    assert len(figures(app)) >= 4


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("settings", [{"threshold": 0, "epsilon": 0.01}, {"threshold": 100}])
def test_extreme_settings_on_all_days(open_od, view, settings):
    app = open_od(view, **settings, od_day=trips_window.ALL)
    assert "nan" not in text(app).lower()
    assert "7 releases" in text(app)


def test_headline_is_the_exact_expectation(open_od):
    app = open_od(epsilon=0.5)
    params = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=15)
    exact = od.expectation(datasets.load("demo-city"), params, days=0)
    errors = exact.errors["large"]
    assert figures(app)[0].startswith(f"{errors.median_absolute:g} trip")
    assert figures(app)[1] == percent(errors.mean_bounded_relative)
    assert f"{float(exact.outcomes.phantom.cells):.1f}"[:2] in text(app)


def test_verdict_names_what_trimming_drops_besides_the_noise(open_od):
    dataset = datasets.load("demo-city")
    counted = od.histogram(dataset, "person-day", 1, days=0)
    dropped = 100 * counted.trimmed_trips / counted.true_trips
    assert f"Trimming to T = 1 drops {dropped:.1f}%" in text(open_od(max_trips=1))
    assert "Trimming to T" not in text(open_od(max_trips=256))


def test_redraw_changes_the_draw_and_not_the_expectation(open_od):
    app = open_od(threshold=0)
    before, marked = figures(app), deck(app)
    next(button for button in app.button if button.label == "Redraw").click().run()
    after = figures(app)
    assert after[:4] == before[:4]
    assert after[5] != before[5]
    assert deck(app) != marked


def test_trip_level_says_why_t_is_one_and_what_it_does_not_bound(open_od):
    app = open_od("Trimming (T)", unit="trip")
    assert app.select_slider(key="max_trips").disabled
    assert "nobody is trimmed" in text(app)
    assert "does not protect a person" in text(show(app, "Days and totals"))


def test_flows_without_people_are_protected_by_trip_only(open_od):
    app = open_od(od_data="flows")
    assert app.session_state["unit"] == "trip"
    assert "single trip" in text(app)


def test_person_level_has_one_release_of_the_whole_period(open_od):
    app = open_od("Days and totals", unit="person")
    assert app.selectbox(key="od_whole_period").disabled
    assert "once" in text(app)


def test_composition_shows_sum_and_tighter_total(open_od):
    shown = text(open_od("Days and totals", epsilon=0.1))
    assert "ε = 0.7" in shown
    assert "Tighter total" in shown


def test_a_dataset_without_trips_says_so_and_offers_one(open_od):
    app = open_od(od_data="only-visits")
    assert "has no trips" in text(app)
    app.button(key="missing_od_data").click().run()
    assert not app.exception
    assert app.session_state["od_data"] == "demo-city"


def test_confidential_data_carries_the_banner(open_od):
    assert "confidential" in text(open_od(od_data="town")).lower()
    assert "Simulated people" in text(open_od())


def test_best_t_is_marked_warned_about_and_set(open_od):
    app = open_od("Trimming (T)", epsilon=2.0)
    assert "O4" in text(app)
    button = app.button(key="od_use_trips")
    best = int(button.label.split("= ")[1])
    button.click().run()
    assert app.session_state["max_trips"] == best


def test_the_share_kept_at_the_best_t_is_that_of_trips_of_its_rank(open_od, settled):
    app = settled(open_od("Trimming (T)", epsilon=2.0))
    said = re.search(r"\*\*T = (\d+)\*\*, which keeps ([\d.]+)% of trips", text(app))
    trips = datasets.load("demo-city").trips
    first_day = trips.day == 0
    kept = trips.n[first_day & (trips.rank <= int(said[1]))].sum() / trips.n[first_day].sum()
    assert float(said[2]) == pytest.approx(100 * kept, abs=0.06)
    assert int(said[1]) > 1


@pytest.mark.parametrize("measure", trips_grid.MEASURES)
def test_every_measure_has_a_grid(open_od, measure):
    app = open_od("ε × τ")
    app.selectbox(key="od_measure").set_value(measure).run()
    assert not app.exception
    assert "click a cell" in text(app)
    assert "nan" not in text(app).lower()


def test_grid_agrees_with_the_expectation(data_root):
    key = str(datasets.load("demo-city").folder)
    params = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=0)
    grid = cached_trips.grid(key, params, Window(0), "travelled")
    for epsilon, threshold in ((0.1, 15), (1.0, 0), (10.0, 100)):
        place = EPSILON_STOPS.index(epsilon), cached_trips.GRID_THRESHOLDS.index(threshold)
        current = ODParameters(
            epsilon=epsilon, max_trips_per_user=4, suppression_threshold=threshold
        )
        exact = od.expectation(datasets.load("demo-city"), current, days=0)
        assert grid.mean_absolute[place] == pytest.approx(exact.errors["travelled"].mean_absolute)
        assert grid.outcomes.phantom.cells[place] == pytest.approx(
            float(exact.outcomes.phantom.cells)
        )


def test_a_draw_of_all_days_adds_up_the_days(data_root):
    key = str(datasets.load("demo-city").folder)
    params = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=0)
    whole = cached_trips.drawn(key, params, (1, 0), Window(None))
    parts = [cached_trips.drawn(key, params, (1, 0), Window(day)) for day in range(7)]
    assert np.array_equal(whole.counts, sum(part.counts for part in parts))
    assert whole.outcomes.phantom.cells == sum(part.outcomes.phantom.cells for part in parts)


def test_shares_below_the_threshold_fit_truth_and_draw(data_root):
    key = str(datasets.load("demo-city").folder)
    params = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=5)
    shares = cached_trips.below(key, params, Window(0))
    true = cached_trips.truth(key, Window(0))
    off = ~np.eye(len(true), dtype=bool)
    assert shares["all"][0] == pytest.approx((true[off] < 5).mean())
    draws = [cached_trips.drawn(key, params, (7, i), Window(0)) for i in range(60)]
    below = [draw.below for draw in draws]
    error = np.std(below) / np.sqrt(len(below))
    assert abs(np.mean(below) - shares["all"][1]) < 4 * error + 1e-9
    some = [draw.below_travelled for draw in draws]
    assert abs(np.mean(some) - shares["travelled"][1]) < 4 * np.std(some) / np.sqrt(len(some))


@pytest.mark.parametrize(
    "query",
    [
        {"epsilon": "nan", "max_trips": "0", "threshold": "-1"},
        {"unit": "nobody", "od_data": "../../secret", "threshold": "1.5"},
        {"epsilon": "1e400", "max_trips": "9", "delta": "2"},
    ],
)
def test_bad_links_are_ignored(open_home, query):
    app = open_home()
    app.switch_page(PAGE)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.session_state["epsilon"] == 1.0
    assert app.session_state["max_trips"] == 4
    assert app.session_state["threshold"] == 15
    assert "nan" not in text(app).lower()


def test_marked_flows_are_those_that_the_outcomes_count(data_root):
    from engine.datasets import storage
    from engine.parameters import ODParameters
    from pages._ui.cache.window import Window

    key = str(storage.current_version(data_root / "demo-city"))
    settings = ODParameters(epsilon=0.5, max_trips_per_user=2, suppression_threshold=3)
    one = cached_trips.drawn(key, settings, (1, 0), Window(0, summed=False))
    assert one.lost.sum() == one.outcomes.lost.cells > 0
    assert one.phantom.sum() == one.outcomes.phantom.cells > 0
    every = cached_trips.drawn(key, settings, (1, 0), Window(None, summed=False))
    for marked, counted in (
        (every.lost, every.outcomes.lost),
        (every.phantom, every.outcomes.phantom),
    ):
        assert 0 < marked.sum() <= counted.cells
    assert (every.lost >= one.lost).all()
    assert (every.phantom >= one.phantom).all()


def test_the_verdict_names_the_zones_and_times_that_could_be_used(open_od, settled):
    app = settled(open_od(epsilon=1.0, threshold=5))
    said = next(words for words in text(app).split("\n") if "What could be used" in words)
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=5)
    for time, word in (("day", "days"), ("period", "whole period")):
        usable = {}
        for zones, count in resolution.details(demo):
            view = resolution.coarsen(demo, resolution.Resolution(zones=zones, time=time))
            flows = usability.Flows.of(od.expectation(view, parameters, days=0).histogram)
            usable[count] = usability.usable_share(flows, parameters) >= GOOD_SHARE
        finest = max((count for count, good in usable.items() if good), default=None)
        about = next(part for part in said.split("; ") if f"**{word}**" in part)
        assert ("not usable for any of these" in about) == (finest is None)
        if finest is not None:
            assert re.search(rf"– usable for (all )?{finest} \w+", about)
