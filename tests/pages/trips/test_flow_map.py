"""The Origin–Destination page's map of flows: what it draws, a click, groups, what is saved."""

import re

import numpy as np
import pytest
import streamlit as st

from engine import datasets, origin_destination as od, resolution
from engine.parameters import ODParameters
from pages._ui.trips import look as trips_look
from tests.support.flows_page import bodies, deck, text


def test_flows_switch_keeps_one_scale_and_marks_phantoms(open_od):
    app = open_od(threshold=0, epsilon=0.1)
    assert "or more" in text(app)
    ends = [body for body in bodies(app) if "or more" in body]
    app.button_group(key="od_flows_show").set_value("True").run()
    assert [body for body in bodies(app) if "or more" in body] == ends
    orange = trips_look.rgb(trips_look.PHANTOM)
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    assert orange[:3] not in [row["colour"][:3] for row in arcs["data"]]
    assert {row["edge_px"] for row in arcs["data"]} == {0.5}
    assert arcs["lineWidthUnits"] == "pixels"  # a name, not a column of the rows
    app.button_group(key="od_flows_show").set_value("Phantom and lost").run()
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    shades = [row["edge"] for row in arcs["data"]]
    assert shades
    assert all(shade in (orange, trips_look.rgb(trips_look.LOST)) for shade in shades)
    for row in arcs["data"]:  # hollow, with a strong edge: not told by its colour alone
        assert row["colour"][:3] == row["edge"][:3]
        assert row["colour"][3] < row["edge"][3] / 3
        assert row["edge_px"] > 1.5
    app.slider(key="od_flows_most").set_value(20).run()
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    assert len(arcs["data"]) == 20 < len(shades)


def test_a_flow_says_what_is_true_private_its_error_and_its_range(open_od):
    """The range against 400 releases: at most one in twenty of each flow lies outside."""
    app = open_od(threshold=5, epsilon=1.0)
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    demo, rng = datasets.load("demo-city"), np.random.default_rng(3)
    parameters = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=5)
    draws = np.array([od.release(demo, parameters, rng=rng, days=0).counts[0] for _ in range(400)])
    names = demo.zones["name"].tolist()
    for row in arcs["data"][-5:]:
        labels, texts = zip(*(row[f"t{j}"].split(": ") for j in range(4)), strict=True)
        assert labels == ("true", "private", "error", "95% of draws")
        low, high = (float(end.replace(",", "")) for end in texts[3].split("–"))
        origin, destination = (names.index(name) for name in row["name"].split(" → "))
        drawn = draws[:, origin, destination]
        assert ((drawn >= low) & (drawn <= high)).mean() > 0.9
        assert ((drawn > low) & (drawn < high)).mean() < 0.98


def test_flows_of_one_zone(open_od):
    app = open_od()
    app.button_group(key="od_flows_show").set_value("True").run()
    for scope, ends in {
        "Leaving a zone": slice(0, 1),
        "Arriving in a zone": slice(1, 2),
        "Leaving or arriving": slice(0, 2),
    }.items():
        app.selectbox(key="od_flows_scope").set_value(scope).run()
        picker = app.selectbox(key="od_flows_zone")
        zone = picker.options[picker.index]
        arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
        assert arcs["data"]
        assert all(zone in row["name"].split(" → ")[ends] for row in arcs["data"])


@pytest.fixture
def clickable(monkeypatch):
    """Put buttons in place of the map: one a click, on a zone, a flow or beside them."""

    def chart(deck, *, key, on_select, **_):
        ground = next(layer for layer in deck.layers if "ground" in layer.id)
        zone = ground.data["features"][2]["properties"]
        clicks = {"zone": {ground.id: [{"properties": zone}]}, "flow": {"flows": [{}]}, "none": {}}

        def press(objects):
            st.session_state[key] = {"selection": {"objects": objects}}
            on_select()

        for name, objects in clicks.items():
            st.button(name, key=f"press_{name}", on_click=press, args=(objects,))

    monkeypatch.setattr(st, "pydeck_chart", chart)


def test_a_click_on_a_zone_picks_its_flows(open_od, clickable, settled, method):
    app = settled(open_od(od_method=method))
    first, _, third = datasets.load("demo-city").zones["zone_id"].astype(str)[:3]
    app.button(key="press_zone").click().run()
    scope, zone = app.selectbox(key="od_flows_scope"), app.selectbox(key="od_flows_zone")
    assert (scope.value, zone.value, zone.disabled) == ("Leaving or arriving", third, False)
    app.selectbox(key="od_flows_scope").set_value("Leaving a zone").run()
    app.selectbox(key="od_flows_zone").set_value(first).run()
    app.button(key="press_flow").click().run()
    app.button(key="press_zone").click().run()
    assert app.selectbox(key="od_flows_zone").value == third
    assert app.selectbox(key="od_flows_scope").value == "Leaving a zone"
    app.button(key="press_zone").click().run()  # the zone that is picked: shows all again
    assert app.selectbox(key="od_flows_scope").value == "All zones"
    app.button(key="press_zone").click().run()
    app.button(key="press_none").click().run()  # the browser tells it when the ground is renewed
    assert app.selectbox(key="od_flows_zone").value == third
    assert app.selectbox(key="od_flows_scope").value == "Leaving or arriving"
    assert not app.exception


def test_a_zone_that_is_picked_is_outlined_and_brings_a_new_ground(open_od):
    """Else the browser takes a click on the zone clicked before for taking it back."""

    def ground(app):
        (layer,) = (layer for layer in deck(app)["layers"] if "ground" in layer["id"])
        return layer["id"]

    def outlined(app):
        return "marked" in [layer["id"] for layer in deck(app)["layers"]]

    app = open_od()
    seen = [ground(app)]
    assert not outlined(app)
    for scope in ("Leaving a zone", "All zones"):
        app.selectbox(key="od_flows_scope").set_value(scope).run()
        seen.append(ground(app))
        assert outlined(app) == (scope != "All zones")
    app.select_slider(key="epsilon").set_value(0.5).run()
    assert len(set(seen)) == 3
    assert ground(app) == seen[-1]  # a move of ε changes nothing of what is picked


def test_flows_between_groups_are_sums_of_those_that_are_shown(
    open_od, settled, monkeypatch, method, draw_of_page
):
    monkeypatch.delenv("MOBILITY_DATA")  # the tiny city has too few zones
    app = settled(open_od(od_data="demo-city", od_method=method, epsilon=0.5))
    app.button_group(key="od_flows_detail").set_value("Groups").run()
    demo = datasets.load("demo-city")
    (level,) = resolution.group_levels(demo.zones)
    _, release = draw_of_page(epsilon=0.5)
    shown = np.where(release.shown[0], release.counts[0], 0.0)
    sums = {}
    for i, j in np.argwhere(shown > 0):
        a, b = (level.zones["name"][level.labels[zone]] for zone in (i, j))
        sums[f"{a} → {b}"] = sums.get(f"{a} → {b}", 0.0) + float(shown[i, j])
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    assert len(arcs["data"]) == 60
    for row in arcs["data"]:
        assert row["t1"] == f"private, added up: {sums[row['name']]:,.0f}"
    assert "Zoomed out: flows between groups of zones, added up from the" in text(app)
    app.button_group(key="od_flows_detail").set_value("Automatic").run()
    assert "Zoomed out" not in text(app)  # 150 zones stand apart


def test_what_the_map_shows_is_the_draw(open_od, settled, method, draw_of_page):
    app = settled(open_od(threshold=3, epsilon=2.0, unit="trip", max_trips=1, od_method=method))
    true, release = draw_of_page(
        suppression_threshold=3, epsilon=2.0, unit="trip", max_trips_per_user=1
    )
    number = release.as_shown[0]
    names = list(datasets.load("demo-city").zones["name"].astype(str))
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    rows = arcs["data"]
    drawn = [tuple(names.index(name) for name in row["name"].split(" → ")) for row in rows]
    values = [number[pair] for pair in drawn]
    assert min(values) >= np.sort(number.ravel())[-60]
    for row, pair in zip(rows, drawn, strict=True):
        assert row["t0"] == f"true: {true[pair]:,}"
        shown = float(re.match(r"private: ([\d.,]+)", row["t1"])[1].replace(",", ""))
        assert shown == pytest.approx(number[pair], abs=0.5)
        assert row["t2"] == f"error: {round(number[pair] - true[pair]):+,}".replace("-", "−")
        wrong = (true[pair] == 0) or (true[pair] >= 3 and number[pair] == 0)
        assert (row["edge_px"] > 1.5) == wrong
        if wrong:
            kind = trips_look.PHANTOM if true[pair] == 0 else trips_look.LOST
            assert row["edge"] == trips_look.rgb(kind)
    app.button_group(key="od_flows_show").set_value("Phantom and lost").run()
    marked = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")["data"]
    off = ~np.eye(len(true), dtype=bool)
    wrong_ones = off & np.where(true >= 3, number == 0, (true == 0) & (number > 0))
    assert len(marked) == min(60, wrong_ones.sum())
    for row in marked:
        pair = tuple(names.index(name) for name in row["name"].split(" → "))
        wrong = trips_look.PHANTOM if true[pair] == 0 else trips_look.LOST
        assert row["edge"] == trips_look.rgb(wrong)


def test_a_flow_reads_with_both_ranges_of_a_method_that_has_them(open_od, settled):
    app = settled(open_od(epsilon=2.0, unit="trip", max_trips=1, od_method="estimate"))
    arcs = next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")
    reading = re.compile(
        r"private: ([\d.,]+) \(95%: ([\d,]+)–([\d,]+); ([\d,]+)–([\d,]+) for all flows at once"
    )
    for row in arcs["data"]:
        number, low, high, least, most = (
            float(one.replace(",", "")) for one in reading.match(row["t1"]).groups()
        )
        assert least <= number <= most
        assert least <= low <= high <= most
    assert "trips kept by trimming" in text(settled(open_od(epsilon=2.0, od_method="estimate")))
