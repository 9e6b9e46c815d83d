"""The Origin–Destination page: every view under every method and unit, figures got another way."""

import re
from typing import get_args

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen, Setting
from engine.parameters import EPSILON_STOPS, ODMethod, ODParameters
from pages._ui.drawing import charts
from pages._ui.trips import drawn as trips_drawn, grid as trips_grid, look as trips_look
from pages._ui.wording.numbers import percent
from tests.support import tables
from tests.support.flows_page import PAGE, deck, figures, show, text

VIEWS = ("Map", "Outcomes", "Errors", "ε × τ with T", "Days and totals")
OF_A_LAW = {"ε × τ with T"}
UNITS = ("trip", "person-day", "person")
METHODS_AND_UNITS = [
    *(("published", unit) for unit in UNITS),
    *((one, unit) for one in get_args(ODMethod)[1:] for unit in ("person-day", "person")),
]


def views(app):
    return list(app.button_group(key="od_view").options)


def setting_of(name="demo-city", **asked):
    parameters = ODParameters(**{"epsilon": 1.0, "max_trips_per_user": 4, **asked})
    return Setting(seen=Seen(dataset=str(datasets.load(name).folder)), parameters=parameters)


@pytest.mark.parametrize(("method", "unit"), METHODS_AND_UNITS)
def test_every_view_of_a_method_works_without_nan(open_od, settled, method, unit):
    app = open_od(unit=unit, od_method=method)
    law = od.METHODS[method].expected is not None
    missing = set() if law else set(OF_A_LAW)
    assert set(VIEWS) - set(views(app)) == missing
    for view in views(app):
        app = settled(show(app, view))
        assert app.button_group(key="od_view").value == view
        assert "nan" not in text(app).lower().replace("finance", "")
        assert len(figures(app)) >= 4


@pytest.mark.parametrize("settings", [{"threshold": 0, "epsilon": 0.01}, {"threshold": 100}])
def test_extreme_settings_on_all_days(open_od, settings):
    app = open_od(**settings, od_day=7)
    for view in views(app):
        assert "nan" not in text(show(app, view)).lower()
        assert "7 releases" in text(app)


def test_a_method_without_a_law_is_judged_on_one_matrix(open_od):
    assert "Choose one day" in text(open_od(od_method="estimate", od_day=7))


def test_outcomes_and_totals_are_those_of_the_draw(
    open_od, settled, method, draw_of_page, monkeypatch
):
    law = od.METHODS[method].expected is not None
    app = settled(open_od("Outcomes", epsilon=0.5, od_method=method))
    true, release = draw_of_page(epsilon=0.5)
    seen, sums = release.as_shown[0], release.counts[0]
    off = ~np.eye(len(true), dtype=bool)
    rows = tables.shown(app)[0].set_index("Outcome")["Flows, this draw"]
    large, some = off & (true >= 15), off & (true > 0) & (true < 15)
    wanted = {
        "kept": large & (seen > 0),
        "lost": large & (seen == 0),
        "suppressed": off & (true < 15) & (seen == 0),
        "revealed": some & (seen > 0),
        "phantom": off & (true == 0) & (seen > 0),
    }
    assert rows.to_dict() == {name: f"{cells.sum():,.1f}" for name, cells in wanted.items()}
    drawn = []
    monkeypatch.setattr(charts, "bars", lambda labels, marks, **_: drawn.append((labels, marks)))
    names = np.array(trips_look.zone_labels(setting_of()))
    for way, axis in (("Leaving", 1), ("Arriving", 0)):
        show(app, "Days and totals").button_group(key="od_ours_way").set_value(way).run()
        labels, marks = drawn[-1]
        zones = [int(np.flatnonzero(names == label)[0]) for label in labels]
        numbers = {one.name: one.values for one in marks}
        assert numbers["True"] == pytest.approx(true.sum(axis=axis)[zones])
        assert numbers["This draw"] == pytest.approx(sums.sum(axis=axis)[zones], abs=0.5)
        if "95% from" in numbers:  # whichever law it is from, it holds most of the zones
            low, high = next((one.values, one.to) for one in marks if one.name == "95% from")
            kept = od.kept(datasets.load("demo-city"), release.parameters, days=0)[0]
            held = release.counts[0] if law else kept
            totals = held.sum(axis=axis)[zones]
            assert ((low <= totals) & (totals <= high)).mean() > 0.8
            if not law:  # as wide around the sum of all noisy flows, whichever zone it is
                noisy = release.measurement.cells[0].sum(axis=axis)[zones]
                assert np.ptp(high - noisy) == 0
        wrong = abs(sums.sum(axis=axis) - true.sum(axis=axis)).sum() / true.sum()
        assert f"totals are off by {percent(wrong)}" in text(app)


def test_redraw_changes_the_draw_and_not_the_expectation(open_od):
    app = open_od(threshold=0)
    before, marked = figures(app), deck(app)
    next(button for button in app.button if button.label == "Redraw").click().run()
    after = figures(app)
    assert after[:4] == before[:4]
    assert deck(app) != marked


def test_what_each_unit_costs_is_said(open_od):
    app = open_od("ε × τ with T", unit="trip")
    assert app.select_slider(key="max_trips").disabled
    assert "nobody is trimmed" in text(app)
    assert "does not protect a person" in text(show(app, "Days and totals"))
    assert open_od(unit="person").selectbox(key="od_whole_period").disabled
    shown = text(open_od("Days and totals", epsilon=0.1))
    assert "ε = 0.7" in shown
    assert "Tighter total" in shown
    flows = open_od(od_data="flows")
    assert flows.session_state["unit"] == "trip"
    assert "single trip" in text(flows)


def test_a_dataset_without_trips_offers_one_and_a_confidential_one_says_so(open_od):
    app = open_od(od_data="only-visits")
    assert "has no trips" in text(app)
    app.button(key="missing_od_data").click().run()
    assert not app.exception
    assert app.session_state["od_data"] == "demo-city"
    assert "Simulated people" in text(app)
    assert "confidential" in text(open_od(od_data="town")).lower()


def test_the_best_t_keeps_the_trips_of_its_rank_and_is_set(open_od, settled):
    app = settled(open_od("ε × τ with T", epsilon=2.0))
    said = re.search(r"\*\*T = (\d+)\*\*, which keeps ([\d.]+)% of trips", text(app))
    trips = datasets.load("demo-city").trips.whole
    first_day = trips.day == 0
    kept = trips.n[first_day & (trips.rank <= int(said[1]))].sum() / trips.n[first_day].sum()
    assert float(said[2]) == pytest.approx(100 * kept, abs=0.06)
    assert int(said[1]) > 1
    assert "O4" in text(app)
    app.button(key="od_use_trips").click().run()
    assert app.session_state["max_trips"] == int(said[1])


def test_every_measure_has_a_grid(open_od, settled):
    app = open_od("ε × τ with T")
    for measure in trips_grid.MEASURES:
        settled(app.selectbox(key="od_measure").set_value(measure).run())
        assert not app.exception
        assert "Click a cell" in text(app)
        assert "nan" not in text(app).lower()


def test_grid_agrees_with_the_expectation():
    grid = trips_drawn.grid(setting_of(), 0)
    for epsilon, threshold in ((0.1, 15), (1.0, 0), (10.0, 100)):
        place = EPSILON_STOPS.index(epsilon), trips_drawn.GRID_THRESHOLDS.index(threshold)
        current = ODParameters(
            epsilon=epsilon, max_trips_per_user=4, suppression_threshold=threshold
        )
        exact = od.expected(datasets.load("demo-city"), current, days=0)
        assert grid.mean_absolute[place] == pytest.approx(exact.mean_error("travelled"))
        phantom = float(exact.outcomes.phantom.cells)
        assert grid.phantom_flows[place] == pytest.approx(phantom)


def test_a_draw_of_all_days_adds_up_the_days():
    setting = setting_of(epsilon=0.5, suppression_threshold=3)
    whole = trips_drawn.drawn(setting, (1, 0), None)
    parts = [trips_drawn.drawn(setting, (1, 0), day) for day in range(7)]
    assert np.array_equal(whole.counts, sum(part.counts for part in parts))
    assert np.array_equal(whole.shown, sum(part.shown for part in parts))
    for name in ("lost", "phantom"):
        cells = [getattr(part, name) for part in parts]
        assert np.array_equal(getattr(whole, name), np.any(cells, axis=0))
        counted = getattr(whole.outcomes, name).cells
        assert counted == sum(part.sum() for part in cells) > 0
        assert [part.sum() for part in cells] == [
            getattr(part.outcomes, name).cells for part in parts
        ]


@pytest.mark.parametrize(
    "query",
    [
        {"epsilon": "nan", "max_trips": "0", "threshold": "-1"},
        {"unit": "nobody", "od_data": "../../secret", "threshold": "many"},
        {"epsilon": "1e400", "max_trips": "few", "delta": "2"},
    ],
)
def test_bad_links_are_ignored(open_page, query):
    app = open_page(PAGE, **query)
    assert app.session_state["epsilon"] == 1.0
    assert app.session_state["max_trips"] == 4
    assert app.session_state["threshold"] == 15
    assert "nan" not in text(app).lower()
