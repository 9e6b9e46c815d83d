"""The Origin–Destination page's map of flows: what it draws, and what a click does."""

import re

import numpy as np
import pytest
import streamlit as st

from engine import datasets, origin_destination as od
from pages._ui.trips.matrix import LOST, PHANTOM, rgb
from tests.pages.trips.conftest import deck
from tests.support.page import text


def arrows(app):
    return next(layer for layer in deck(app)["layers"] if layer["id"] == "flows")["data"]


def test_the_switch_keeps_one_scale_and_marks_phantoms(open_od):
    app = open_od(threshold=0, epsilon=0.1)
    assert "or more" in text(app)
    app.button_group(key="od_flows_show").set_value("True").run()
    assert rgb(PHANTOM)[:3] not in [row["colour"][:3] for row in arrows(app)]
    assert {row["edge_px"] for row in arrows(app)} == {0.5}
    app.button_group(key="od_flows_show").set_value("Phantom and lost").run()
    assert arrows(app)
    for row in arrows(app):  # hollow, with a strong edge: not told by its colour alone
        assert row["edge"] in (rgb(PHANTOM), rgb(LOST))
        assert row["colour"][:3] == row["edge"][:3]
        assert row["colour"][3] < row["edge"][3] / 3
        assert row["edge_px"] > 1.5
    before = len(arrows(app))
    app.slider(key="od_flows_most").set_value(20).run()
    assert len(arrows(app)) == 20 < before


def test_a_click_on_a_zone_shows_its_flows_and_a_second_one_all(open_od, monkeypatch):
    def chart(deck, *, key, on_select, **_):
        ground = next(layer for layer in deck.layers if "ground" in layer.id)
        zone = ground.data["features"][busy]["properties"]
        seen.append([layer.id for layer in deck.layers])

        def press():
            st.session_state[key] = {"selection": {"objects": {ground.id: [{"properties": zone}]}}}
            on_select()

        st.button("zone", key="press_zone", on_click=press)

    seen = []
    app = open_od()
    assert not any("marked" in layer["id"] for layer in deck(app)["layers"])
    demo = datasets.load("demo-city")
    busy = int(od.truth(demo, days=0)[0].sum(axis=1).argmax())
    picked, name = demo.zones["zone_id"].astype(str)[busy], demo.zones["name"][busy]
    app.button_group(key="od_flows_show").set_value("True").run()
    app.selectbox(key="od_zone").set_value(picked).run()
    assert arrows(app)
    assert all(name in row["name"].split(" → ") for row in arrows(app))
    monkeypatch.setattr(st, "pydeck_chart", chart)
    app.run()
    app.button(key="press_zone").click().run()  # the zone that is picked: shows all again
    assert app.selectbox(key="od_zone").value == ""
    app.button(key="press_zone").click().run()
    assert app.selectbox(key="od_zone").value == picked
    assert seen[-1][0] != seen[0][0] or any("marked" in layer for layer in seen[-1])


def test_what_the_map_shows_is_the_draw(open_od, method, draw_of_page):
    app = open_od(threshold=3, epsilon=2.0, unit="trip", od_method=method)
    true, release = draw_of_page(
        suppression_threshold=3, epsilon=2.0, unit="trip", max_trips_per_user=1
    )
    number, least = release.as_shown[0], release.parameters.least_shown
    names = list(datasets.load("demo-city").zones["name"].astype(str))
    for row in arrows(app):
        pair = tuple(names.index(name) for name in row["name"].split(" → "))
        assert number[pair] >= np.sort(number.ravel())[-60]
        assert row["t0"] == f"true: {true[pair]:,}"
        shown = float(re.match(r"private: ([\d.,]+)", row["t1"])[1].replace(",", ""))
        assert shown == pytest.approx(number[pair], abs=0.5)
        wrong = (true[pair] == 0) or (true[pair] >= least and number[pair] == 0)
        assert (row["edge_px"] > 1.5) == wrong


def test_a_flow_reads_with_both_ranges_of_a_method_that_has_them(open_od):
    app = open_od(epsilon=2.0, unit="trip", max_trips=1, od_method="estimate")
    reading = re.compile(
        r"private: ([\d.,]+) \(95%: ([\d,]+)–([\d,]+); ([\d,]+)–([\d,]+) for all flows at once"
    )
    for row in arrows(app):
        number, low, high, least, most = (
            float(one.replace(",", "")) for one in reading.match(row["t1"]).groups()
        )
        assert least <= number <= most
        assert least <= low <= high <= most
