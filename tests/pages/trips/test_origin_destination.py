"""The Origin–Destination page: every view under every method and unit, figures got another way."""

import json
import re
from typing import get_args

import numpy as np
import pytest
import streamlit as st

from engine import datasets, origin_destination as od, release
from engine.origin_destination import change
from engine.origin_destination.scores import score_expectation
from engine.parameters import EPSILON_STOPS, ODMethod, ODParameters
from engine.resolution import make_view
from engine.text.numbers import number, percent, trip_count
from engine.text.utility_text import describe_genuine, describe_retained
from engine.utility import compute_utility
from pages._ui.answers import cached
from pages._ui.components import charts, picture
from pages._ui.settings import current
from pages._ui.settings.seeds import SIMULATED_SEED
from pages._ui.trips import change_view as page, error_grid as trips_grid
from tests.support.page import numbers, tables, text
from tests.support.releases import seen
from tests.support.trips import save_trips

OPENED = {"od_data": "demo-city", "od_zones": "zones", "max_trips": 4}
PAGE = "pages/2_Origin_Destination.py"
LOST = "Lost of 15+ trips · phantom"


def show(app, view):
    app.button_group(key="od_view").set_value(view).run()
    assert not app.exception, app.exception
    return app


def deck(app):
    return json.loads(app.get("deck_gl_json_chart")[0].proto.json)


@pytest.fixture
def open_od(open_set):
    """Return a function that opens a view of the page with settings."""
    return lambda view="Map", **settings: open_set(PAGE, **{"od_view": view, **OPENED, **settings})


@pytest.fixture(params=get_args(ODMethod))
def method(request):
    """Each method of the engine's table."""
    return request.param


@pytest.fixture
def draw_of_page(method):
    """Return a function that draws as the page does, by the engine alone: truth and release."""

    def run(day=0, **changes):
        city = datasets.load("demo-city")
        settings = {"max_trips_per_user": 4, "suppression_threshold": 15, **changes}
        parameters = ODParameters(**{"epsilon": 1.0, "method": method, **settings})
        setting = seen(parameters, dataset=city.folder)
        noise = cached.flow_noise(setting, (SIMULATED_SEED, 0), day=day)
        release = od.release(city, setting.parameters, noise=noise, days=day)
        return od.truth(city, days=day)[0], release

    return run


VIEWS = ("Map", "Outcomes", "Errors", "ε × τ with T", "Days and totals", "Change")


def views(app):
    return list(app.button_group(key="od_view").options)


@pytest.mark.parametrize(
    ("method", "unit", "extreme"),
    [
        ("laplace_suppression", "trip", {"epsilon": 0.01, "threshold": 0, "od_time": "week"}),
        ("laplace_suppression", "person", {"threshold": 100, "od_zones": "clusters-10"}),
        ("empirical_bayes", "person-day", {}),
    ],
)
def test_every_view_of_a_method_works_without_nan(open_od, method, unit, extreme):
    app = open_od(unit=unit, od_method=method, **extreme)
    law = od.METHODS[method].expected is not None
    assert set(VIEWS) - set(views(app)) == (set() if law else {"ε × τ with T"})
    for view in views(app):
        app = show(app, view)
        assert app.button_group(key="od_view").value == view
        assert "nan" not in text(app).lower().replace("finance", "")
        assert len(numbers(app)) == 6
        assert ("are found and" in text(app)) == (view == "Change")


def check_large_numbers(app, method):
    """They are the engine's, of all that is released at ε 0.5 and T 4."""
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=0.5, max_trips_per_user=4, method=method)
    exact = od.expected(demo, parameters)
    shown = {label: cells[0] for label, cells in numbers(app).items()}
    if exact is not None:
        lost, phantom = exact.count_outcomes(15).lost.cells, exact.outcomes.phantom.cells
        assert shown["Mean error"] == trip_count(exact.mean_error())
        relative = percent(exact.relative_error(15))
        assert shown["Relative error (MRE)"] == f"{relative} flows ≥ 15 trips"
        large = lost + exact.count_outcomes(15).rightly_released.cells
        assert shown[LOST] == f"{lost:,.0f} of {large:,.0f} · {phantom:,.0f}"
    setting = seen(parameters)
    utility = compute_utility(setting, demo)
    plain = text(app).replace("<b>", "").replace("</b>", "")
    assert describe_retained(utility, setting) in plain
    assert describe_genuine(utility, setting) in plain
    assert "at most" in text(app)


def test_large_numbers_are_the_engines_and_outcomes_and_totals_those_of_the_draw(
    open_od, settled, method, draw_of_page, monkeypatch
):
    app = settled(open_od("Outcomes", epsilon=0.5, od_method=method))
    check_large_numbers(app, method)
    true, release = draw_of_page(epsilon=0.5)
    seen, sums = release.shown_counts[0], release.counts[0]
    off = ~np.eye(len(true), dtype=bool)
    rows = tables(app)[0].set_index("Outcome")["Flows, this draw"]
    large, some = off & (true >= 15), off & (true > 0) & (true < 15)
    wanted = {
        "kept": large & (seen > 0),
        "lost": large & (seen == 0),
        "small, not shown": off & (true < 15) & (seen == 0),
        "revealed": some & (seen > 0),
        "phantom": off & (true == 0) & (seen > 0),
    }
    assert rows.to_dict() == {name: f"{cells.sum():,.1f}" for name, cells in wanted.items()}
    drawn = []
    monkeypatch.setattr(
        charts, "draw_bars", lambda labels, marks, **_: drawn.append((labels, marks))
    )
    names = datasets.load("demo-city").zones["name"].to_numpy()
    for way, axis in (("Leaving", 1), ("Arriving", 0)):
        show(app, "Days and totals").button_group(key="od_totals_way").set_value(way).run()
        labels, marks = drawn[-1]
        zones = [int(np.flatnonzero(names == label)[0]) for label in labels]
        numbers = {one.name: one.values for one in marks}
        assert numbers["True"] == pytest.approx(true.sum(axis=axis)[zones])
        assert numbers["This draw"] == pytest.approx(sums.sum(axis=axis)[zones], abs=0.5)
        bars = [(one.values, one.end) for one in marks if one.name == "95% from"]
        if not od.METHODS[method].expected and not hasattr(release, "exact_totals"):
            assert not bars
            continue
        ((low, high),) = bars
        kept = od.truncated_matrices(datasets.load("demo-city"), release.parameters, days=0)[0]
        held = release.counts[0] if od.METHODS[method].expected else kept
        totals = held.sum(axis=axis)[zones]
        assert ((low <= totals) & (totals <= high)).mean() > 0.8
        if not od.METHODS[method].expected:  # around the noisy sums, where none lies below 0
            noisy = release.measurement.cells[0].sum(axis=axis)[zones]
            assert (low > 0).any()
            assert ((low + high) / 2)[low > 0] == pytest.approx(noisy[low > 0])
        wrong = abs(sums.sum(axis=axis) - true.sum(axis=axis)).sum() / true.sum()
        assert f"totals are wrong by {percent(wrong)}" in text(app)
        # with T the bars lie below the true totals, and do not say that they hold these
        of_the_release = "the zone's released total in at least 95%" in text(app)
        assert of_the_release == (od.METHODS[method].expected is not None)


def test_redraw_changes_the_draw_and_not_the_expectation(open_od):
    app = open_od(threshold=0)
    before, marked = numbers(app), deck(app)
    next(button for button in app.button if "Redraw" in button.label).click().run()
    after = numbers(app)
    for label in ("Mean error", "Relative error (MRE)", "Suppressed", LOST):
        assert after[label] == before[label]
    assert deck(app) != marked


def test_the_best_t_keeps_the_trips_of_its_rank_and_is_set(open_od):
    app = open_od("ε × τ with T", epsilon=2.0)
    said = re.search(r"\*\*T = (\d+)\*\*, which keeps ([\d.]+)% of trips", text(app))
    trips = datasets.load("demo-city").trips.all_days
    first_day = trips.day == 0
    kept = (
        trips.trip_count[first_day & (trips.rank <= int(said[1]))].sum()
        / trips.trip_count[first_day].sum()
    )
    assert float(said[2]) == pytest.approx(100 * kept, abs=0.06)
    assert int(said[1]) > 1
    assert "Theorem 1" in text(app)
    app.button(key="od_use_trips").click().run()
    assert app.session_state["max_trips"] == int(said[1])


def test_every_measure_has_a_grid_that_agrees_with_the_expectation(open_od):
    app = open_od("ε × τ with T")
    for measure in ("Relative error (MRE)", "Genuine"):
        app.selectbox(key="od_measure").set_value(measure).run()
        assert not app.exception
        assert "Click a cell" in text(app)
        assert "nan" not in text(app).lower()
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=0)
    setting = seen(parameters, dataset=demo.folder)
    grid = trips_grid.grid(setting, 0)
    assert all(hasattr(grid, field) for field, *_ in trips_grid.MEASURES.values())
    for epsilon, threshold in ((0.1, 15), (1.0, 0), (10.0, 100)):
        place = EPSILON_STOPS.index(epsilon), trips_grid.GRID_THRESHOLDS.index(threshold)
        now = ODParameters(epsilon=epsilon, max_trips_per_user=4, suppression_threshold=threshold)
        exact = od.expected(demo, now, days=0)
        assert grid.mean_absolute[place] == pytest.approx(exact.mean_error("travelled"))
        scores = score_expectation(exact)
        assert grid.retained[place] == pytest.approx(scores.retained)
        assert grid.genuine[place] == pytest.approx(scores.genuine, nan_ok=True)


@pytest.mark.parametrize("unit", ["person-day", "person"])
def test_the_last_column_of_the_grid_is_suppression_without_noise(unit):
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=2, unit=unit)
    grid = trips_grid.grid(seen(parameters, dataset=demo.folder), 0)
    true = od.truth(demo).sum(axis=0) if unit == "person" else od.truth(demo, days=0)[0]
    true = true[~np.eye(len(true), dtype=bool)]
    assert len(grid.retained) == len(EPSILON_STOPS) + 1
    for place, threshold in enumerate(trips_grid.GRID_THRESHOLDS):
        released = np.where(true >= max(threshold, 1), true, 0)
        assert grid.retained[-1, place] == pytest.approx(released.sum() / true.sum())
        genuine = 1 if released.any() else np.nan
        assert grid.genuine[-1, place] == pytest.approx(genuine, nan_ok=True)
        error = (true - released)[true > 0].mean()
        assert grid.mean_absolute[-1, place] == pytest.approx(error)
        assert grid.phantom_flows[-1, place] == grid.revealed_flows[-1, place] == 0


def test_a_click_on_that_column_sets_the_threshold_alone(open_od, monkeypatch):
    drawn, clicks = {}, []
    monkeypatch.setattr(charts, "draw_heat_map", lambda *_, **options: drawn.update(options))
    app = open_od("ε × τ with T")
    assert drawn["scale"].kind == "log"  # an error of 0 without noise leaves the others apart
    assert "it protects nobody and drops nothing beyond T" in text(app)
    monkeypatch.setattr(current, "set_values", lambda **values: clicks.append(values))
    for column in ("no noise", "0.1"):
        drawn["on_pick"]("40", column)
    assert clicks == [{"threshold": 40}, {"threshold": 40, "epsilon": 0.1}]


def test_the_table_of_methods_ends_with_suppression_without_noise(open_od):
    app = open_od("Errors", threshold=10, epsilon=0.1)
    true = od.truth(datasets.load("demo-city"), days=0)[0]
    shown = true * (true >= 10)
    retained = shown.sum() / true.sum()
    shares = retained, 1, 2 * retained / (1 + retained), 1 - retained
    error = (true - shown)[~np.eye(len(true), dtype=bool)].mean()
    name = "No noise, flows suppressed below 10"
    assert tables(app)[0].to_numpy().tolist()[-1] == [name, number(error, 3), *map(percent, shares)]
    assert "is no method of a release" in text(app)


def arrows(app):
    """Return the flows on the map: kind of edge, what is drawn, positions of both zones."""
    names = list(datasets.load("demo-city").zones["name"].astype(str))
    edges = {tuple(bytes.fromhex(colour[1:])): kind for kind, colour in picture.KINDS.items()}
    (rows,) = (layer["data"] for layer in deck(app)["layers"] if layer["id"] == "flows")
    return [
        (
            edges.get(tuple(row["edge"][:3]), ""),
            row,
            tuple(names.index(name) for name in row["words"].splitlines()[0].split(" → ")),
        )
        for row in rows
    ]


def test_the_switch_keeps_one_scale_and_marks_phantoms(open_od):
    app = open_od(threshold=0, epsilon=0.1)
    key = next(one.value for one in app.markdown if "or more" in one.value)
    assert "phantom" in {kind for kind, *_ in arrows(app)}
    app.button_group(key="od_flows_show").set_value("True").run()
    assert key.partition(" or more")[0] in text(app)
    assert {kind for kind, *_ in arrows(app)} == {""}
    assert {row["edge_px"] for _, row, _ in arrows(app)} == {0.5}
    app.button_group(key="od_flows_show").set_value("Phantom and lost").run()
    for kind, row, _ in arrows(app):  # pale, with a strong edge: not told by its colour alone
        assert kind == "phantom"
        assert row["colour"][:3] == row["edge"][:3]
        assert 0 < row["colour"][3] < row["edge"][3] / 3
        assert row["edge_px"] > 1.5
    app.slider(key="od_flows_most").set_value(20).run()
    assert len(arrows(app)) == 20


def test_a_click_on_a_zone_shows_its_flows_and_a_second_one_all(open_od, monkeypatch):
    def chart(deck, *, key, on_select, **_):
        ground = next(layer for layer in deck.layers if "ground" in layer.id)
        zone = ground.data["features"][busy]["properties"]
        grounds.append(ground.id)

        def press():
            st.session_state[key] = {"selection": {"objects": {ground.id: [{"properties": zone}]}}}
            on_select()

        st.button("zone", key="press_zone", on_click=press)

    grounds = []
    app = open_od()
    demo = datasets.load("demo-city")
    busy = int(od.truth(demo, days=0)[0].sum(axis=1).argmax())
    picked = demo.zones["zone_id"].astype(str)[busy]
    app.selectbox(key="od_zone").set_value(picked).run()
    assert arrows(app)
    assert all(busy in pair for _, _, pair in arrows(app))
    monkeypatch.setattr(st, "pydeck_chart", chart)
    app.run()
    app.button(key="press_zone").click().run()  # the zone that is picked: shows all again
    assert app.selectbox(key="od_zone").value == ""
    app.button(key="press_zone").click().run()
    assert app.selectbox(key="od_zone").value == picked
    assert len(set(grounds)) == 2


def test_the_map_says_of_flows_that_are_not_shown_what_they_are(open_od, method):
    """The draw is the page's own; a flow that is estimated never reads 0."""
    app = open_od(epsilon=0.3, od_method=method, od_flows_show="Phantom and lost")
    uncertain = "too uncertain to draw"
    lost = [row for kind, row, _ in arrows(app) if kind == "lost"]
    assert {row["colour"][3] for row in lost} == {0}  # an edge alone: no phantom looks so
    hidden = [row["words"] for row in lost]
    said = {words.splitlines()[2].removeprefix("with noise: ") for words in hidden}
    key = next(one.value for one in app.markdown if "in this draw" in one.value)
    table = tables(app)[-1]
    listed = set(table["With noise (trips)"][table["True (trips)"] != "0"])
    if method == "empirical_bayes":
        assert said == listed == {uncertain}
        assert not any("difference" in words for words in hidden)
        assert f"15+ trips, {uncertain}: " in key
        assert "shown as 0" not in key
    else:
        assert said == listed == {"0"}
        assert "lost, 15+ trips but not shown: " in key


RANGES = re.compile(
    r"noise: ([\d.,]+) \(95%: ([\d,]+)–([\d,]+); ([\d,]+)–([\d,]+) for all flows at once"
)


def test_what_the_map_shows_is_the_draw(open_od, method, draw_of_page):
    app = open_od(threshold=3, epsilon=2.0, unit="trip", od_method=method)
    true, release = draw_of_page(
        suppression_threshold=3, epsilon=2.0, unit="trip", max_trips_per_user=1
    )
    number = release.shown_counts[0]
    for kind, row, pair in arrows(app):
        assert number[pair] >= np.sort(number.ravel())[-60]
        assert f"\ntrue: {true[pair]:,}\n" in row["words"]
        shown = float(re.search(r"with noise: ([\d.,]+)", row["words"])[1].replace(",", ""))
        assert shown == pytest.approx(number[pair], abs=0.5)
        wrong = (
            "phantom" if true[pair] == 0 else "inflated" if number[pair] > 2 * true[pair] else ""
        )
        assert kind == wrong
        if method == "empirical_bayes":  # it has both ranges
            shown, low, high, least, most = (
                float(one.replace(",", "")) for one in RANGES.search(row["words"]).groups()
            )
            assert least <= shown <= most
            assert least <= low <= high <= most


def test_the_difference_is_of_the_draw_and_leaves_out_what_is_too_uncertain(
    open_od, method, draw_of_page
):
    app = open_od(
        threshold=3, epsilon=0.5, unit="trip", od_method=method, od_flows_show="Difference"
    )
    true, release = draw_of_page(
        suppression_threshold=3, epsilon=0.5, unit="trip", max_trips_per_user=1
    )
    number = release.shown_counts[0]
    rows = arrows(app)
    sizes = [abs(number[pair] - true[pair]) for _, _, pair in rows]
    assert len(rows) == 60
    assert sizes == sorted(sizes)  # the largest on top
    for kind, row, pair in rows:
        assert kind == ("more" if number[pair] > true[pair] else "less")
        assert (row["colour"][3] > 200) == (kind == "more")  # solid or hollow
        assert method != "empirical_bayes" or number[pair] > 0
        assert f"true: {true[pair]:,}\n" in row["words"]
    more = sum(kind == "more" for kind, *_ in rows)
    assert f"too many trips, solid: {more} of 60" in text(app)
    assert f"too few, hollow: {60 - more} of 60" in text(app)
    assert ("left out: " in text(app)) == (method == "empirical_bayes")


UNITS = "trip", "person-day", "person"


@pytest.mark.parametrize("unit", UNITS)
def test_verdicts_are_told_from_the_noisy_cells_of_both_spans(open_od, method, unit, monkeypatch):
    drawn, keep = [], page.changes_picture
    monkeypatch.setattr(page, "changes_picture", lambda *given: drawn.append(given) or keep(*given))
    app = open_od("Change", unit=unit, od_method=method, epsilon=0.5)
    (days,) = (one for one in app.select_slider if "day after" in one.label)
    said = text(days.set_value((0, 6)).run())
    parameters = ODParameters(
        epsilon=0.5, unit=unit, max_trips_per_user=1 if unit == "trip" else 4, method=method
    )
    city, hides, noisy, true = datasets.load("demo-city"), od.has_suppression(parameters), [], []
    for first in (0, 4):
        span = {"step": "whole", "first": first, "last": first + 2}
        setting = seen(parameters, dataset=city.folder, **span)
        noise = cached.flow_noise(setting, (SIMULATED_SEED, 0))
        draw, view = {"noise": noise, "days": 0}, make_view(city, time=setting.time)
        noisy.append(change.draw_noisy_cells(view, parameters, **draw))
        true.append(od.truth(view, days=0)[0])
        released = od.release(view, parameters, **draw)
        cells = released.counts if hides else released.measurement.cells
        assert (np.where(hides & (noisy[-1] < 15), 0, noisy[-1]) == cells[0]).all()
    least = 15 if hides else -np.inf
    told = change.find_changes(*noisy, change.noise_distribution(parameters), least_shown=least)
    _, truly, changed, signs, say, *_ = drawn[-1]
    assert (truly == true[1] - true[0]).all()
    assert (changed == told.flows.change).all()
    assert (signs == told.flows.signs_beyond_chance).all()
    assert "The counts differ beyond chance: that covers the noise, and who happened" in said
    short = sum(
        "cannot tell beyond chance, though the counts differ" in say(i) for i in range(truly.size)
    )
    assert short == np.count_nonzero(told.flows.signs) - np.count_nonzero(signs)
    app.segmented_control(key="od_change_grade").set_value("Counts differ").run()
    assert (drawn[-1][3] == told.flows.signs).all()
    assert "The counts differ: that covers the noise alone" in text(app)
    strict, plain = (
        float(
            re.search(rf"Among all flows ([\d.,]+) changes are {words}", page_text)[1].replace(
                ",", ""
            )
        )
        for page_text, words in ((said, "reported beyond chance"), (text(app), "reported, and"))
    )
    assert strict <= plain
    assert sum("is suppressed" in say(i) for i in range(truly.size)) == (~told.shown_flows).sum()
    low, high = change.ratio_intervals(*noisy, change.noise_distribution(parameters), min_trips=100)
    known = np.flatnonzero((np.isfinite(low) & told.shown_flows).ravel())
    for at in known[:3]:
        assert f", {low.flat[at]:.0%} to {high.flat[at]:.0%} of before" in say(at)
    planned = release.plan(seen(parameters, step="whole", last=6, span=3), city)
    due = release.budget_cost(planned, "trip" if unit == "trip" else "person").epsilon
    assert due == dict(zip(UNITS, (0.5, 3, 0.5), strict=True))[unit]
    assert f"pays ε = {due:g} for both spans" in said
    law = change.noise_distribution(parameters)
    least = 0.5 * change.min_rate_for_change(100, 0.2, law=law.name) / float(law.rate)
    told = float(re.search("From ε = ([0-9.]+) on, a 20% change in a flow of 100", said)[1])
    assert least <= told < least + 0.01  # never rounded down
    assert "nan" not in said.lower().replace("finance", "")


def test_who_left_is_told_from_the_noisy_totals_of_zones(open_od, monkeypatch):
    drawn, keep = [], page.changes_picture
    monkeypatch.setattr(page, "changes_picture", lambda *given: drawn.append(given) or keep(*given))
    app = open_od("Change", unit="trip", threshold=2, od_change_show="Leaving")
    _, truly, told, signs, _, what, _ = drawn[-1]
    days = od.truth(datasets.load("demo-city")).sum(axis=2)
    assert truly.tolist() == (days[3:6].sum(axis=0) - days[:3].sum(axis=0)).tolist()
    assert what == "trips leaving"
    assert np.array_equal(signs, np.sign(told) * (signs != 0))
    assert signs.any()
    assert "pays ε = 1 for both spans" in text(app)


def test_only_spans_without_a_day_in_common_are_offered(open_od):
    app = open_od("Change")
    (days,) = (one for one in app.select_slider if "day after" in one.label)
    assert days.value == (0, 5)
    app = days.set_value((2, 6)).run()
    (length,) = (one for one in app.number_input if one.label == "Days in each period")
    assert (length.value, length.max) == (2, 2)
    _, _, a, b, _, c, d = (f"{day:%a %-d %b}" for day in datasets.load("demo-city").metadata.days)
    assert re.search(f"Before: {a} to {b} .*After: {c} to {d} ", text(app))
    app = days.set_value((2, 2)).run()
    assert "Comparing needs two days" in text(app)


@pytest.mark.parametrize(("zones", "days", "lacks"), [(1, 4, "zone"), (2, 1, "day")])
def test_without_two_days_and_two_zones_there_is_no_change(
    open_od, tmp_path, monkeypatch, zones, days, lacks
):
    save_trips(tmp_path / "tiny", [], zones=zones, days=days)
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    said = text(open_od("Change", od_data="tiny"))
    assert f"Comparing needs two {lacks}s; this dataset has one." in said
