"""Shared views: what they draw of contexts, got another way from the engine."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import streamlit as st

from engine import datasets, density, origin_destination as od, resolution, usability
from engine.contract import When
from engine.parameters import EPSILON_STOPS, ODMethod
from pages._ui.cache import verbs
from pages._ui.cache.draws import generator
from pages._ui.cache.window import Window
from pages._ui.drawing import charts
from pages._ui.drawing.svg import sketches
from pages._ui.views import context, curve, maps
from pages._ui.views.context import Side

every_method = pytest.mark.parametrize("method", get_args(ODMethod))


def flows_of(chosen, city=None, **when):
    """Draw as the page does, by the engine alone."""
    city = city or datasets.load("demo-city")
    noise = verbs.flow_noise(chosen.key, chosen.seed, chosen.window)
    when = when or {"days": chosen.window.day}
    return od.truth(city, **when)[0], od.release(city, chosen.parameters, noise=noise, **when)


@pytest.fixture
def drawn(monkeypatch):
    """Return what small maps are drawn of: values, colours and texts, by the map's key."""
    seen = {}

    def zones(shapes, values, scale, *, key, tooltip, **_):
        seen[key] = (values, scale, tooltip)

    def flows(shapes, origins, destinations, values, scale, *, key, tooltip, **_):
        seen[key] = (
            dict(zip(zip(origins, destinations, strict=True), values, strict=True)),
            tooltip,
        )

    monkeypatch.setattr(sketches, "zone_sketch", zones)
    monkeypatch.setattr(sketches, "flow_sketch", flows)
    for name in ("html", "caption"):
        monkeypatch.setattr(
            st, name, lambda text, name=name: seen.setdefault(name, []).append(text)
        )
    return seen


@every_method
def test_a_map_of_flows_shows_each_as_the_release_does_and_adds_up_zones(set_to, drawn, method):
    chosen = context.of_trips(replace(set_to, od_method=method))
    true, release = flows_of(chosen)
    side = Side("A", "#000000", chosen)
    maps.draw([side], maps.PRIVATE, key="m")
    flows, texts = drawn["m_flows_A"]
    shown = release.as_shown[0]
    assert len(flows) == min(maps.LARGEST, (shown > 0).sum())
    assert all(value == shown[pair] for pair, value in flows.items())
    assert min(flows.values()) >= np.sort(shown.ravel())[-maps.LARGEST]
    assert [float(one.replace(",", "")) for one in texts["true"]] == pytest.approx(
        [true[pair] for pair in flows], rel=0.01
    )
    maps.draw([side], maps.ERROR, key="m")
    off, scale, _ = drawn["m_A"]
    assert off == pytest.approx(release.counts[0].sum(axis=1) - true.sum(axis=1))
    assert scale.low == -scale.high
    assert any("trips a day leaving a zone, less the truth" in text for text in drawn["html"])


def test_weeks_are_shown_a_day_and_other_zones_have_no_difference(set_to, drawn):
    week = set_to.od_data.at("clusters-5", When(step="week"))
    chosen = context.of_trips(replace(set_to, od_data=week, epsilon=5.0))
    view = resolution.look_at(datasets.load("demo-city"), "clusters-5", When(step="week"))
    true, release = flows_of(chosen, view, days=0)
    shown = maps.read(chosen)
    assert shown.true == pytest.approx(true / 7)
    assert shown.private == pytest.approx(release.as_shown[0] / 7)
    sides = [Side("A", "#000000", context.of_trips(set_to)), Side("B", "#ffffff", chosen)]
    maps.draw(sides, maps.DIFFERENCE, key="m")
    assert drawn["caption"] == [maps.ZONES_DIFFER.format(first="A")]
    assert drawn["m_A"][0] == pytest.approx(np.zeros(len(drawn["m_A"][0])))


def test_a_map_of_visits_is_of_one_hour_and_of_an_area_where_zones_differ(set_to):
    seen = set_to.density_data.at("clusters-5")
    chosen = context.of_density(replace(set_to, density_data=seen))
    city = resolution.look_at(datasets.load("demo-city"), "clusters-5")
    release = density.release(city, chosen.parameters, rng=generator(chosen.seed, "density"))
    block = maps.MAP_HOUR
    shown = maps.read(chosen)
    assert shown.true == pytest.approx(density.truth(city)[:, block])
    assert shown.private == pytest.approx(np.maximum(release.counts[:, block], 0))
    areas = city.zones.to_crs(city.zones.estimate_utm_crs()).area.to_numpy() / 1e6
    spread = maps.read(chosen, per_area=True)
    assert spread.true == pytest.approx(shown.true / areas, rel=0.02)
    assert "km²" in spread.unit


@pytest.fixture
def curves(monkeypatch):
    lines = {}

    def keep(series, *, points, key, **_):
        lines[key] = {one.name: (list(one.x), list(one.y)) for one in series}, points

    monkeypatch.setattr(charts, "curve", keep)
    monkeypatch.setattr(st, "caption", lambda text: lines.setdefault("said", []).append(text))
    return lines


def test_a_curve_of_usable_flows_is_the_laws_and_a_method_without_one_is_named(set_to, curves):
    every = context.of_trips(replace(set_to, epsilon=0.45)).methods
    curve.usable([Side(one.method.short, "#000000", one) for one in every], key="c")
    lines, points = curves["c_chart"]
    assert list(lines) == [one.method.short for one in every if one.method.expected is not None]
    stops, shares = lines["Published"]
    assert stops == sorted({0.45, *EPSILON_STOPS})
    city = datasets.load("demo-city")
    for stop, share in zip(stops, shares, strict=True):
        parameters = replace(every[0].parameters, epsilon=stop)
        law = od.expected(city, parameters, days=0)
        flows = usability.Flows.of(law.histogram)
        assert share == pytest.approx(usability.judge_trips(flows, parameters).usable_share)
    assert [(point.x, point.y) for point in points] == [(0.45, shares[stops.index(0.45)])]
    missing = [one.method.short for one in every if one.method.expected is None]
    assert f"{', '.join(missing)}." in curves["said"][-1]


@every_method
def test_a_mean_error_is_the_laws_or_that_of_one_draw(set_to, method):
    chosen = context.of_trips(replace(set_to, od_method=method), Window(2))
    asked = tuple(chosen.vary(epsilon=stop).asked for stop in (0.2, 3.0))
    *_, last = curve.mean_errors((asked,))
    assert (last.done, last.total) == (2, 2)
    for value, epsilon in zip(last.result[0], (0.2, 3.0), strict=True):
        one = chosen.vary(epsilon=epsilon)
        true, release = flows_of(one)
        off = ~np.eye(len(true), dtype=bool)
        law = od.expected(datasets.load("demo-city"), one.parameters, days=2)
        drawn = abs(release.typical[0] - true)[off].mean()  # its best number of each flow
        assert value == pytest.approx(law.mean_error() if law else drawn)
        assert value == pytest.approx(drawn, rel=0.2)
