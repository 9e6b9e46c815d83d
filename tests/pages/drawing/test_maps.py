"""The view of a map holds its region; a flow shows its way, and there and back lie apart."""

from types import SimpleNamespace

import numpy as np
import pytest
import shapely

from engine.datasets import load
from pages._ui.components import maps
from pages._ui.components.arrows import arrows
from pages._ui.components.maps import WORLD_PX, fit_view, to_plane

RWANDA = (28.86, -2.84, 30.90, -1.05)


@pytest.mark.parametrize("bounds", [RWANDA, (2.2, 48.8, 2.5, 48.95), (20.0, 60.0, 20.1, 69.0)])
@pytest.mark.parametrize(("width", "height"), [(640, 520), (310, 340)])
def test_a_view_holds_the_region_and_fills_one_side(bounds, width, height):
    view = fit_view(bounds, width, height)
    west, south, east, north = bounds
    corners = to_plane(np.array([[west, south], [east, north]])) * WORLD_PX * 2.0**view.zoom
    shares = np.abs(corners[1] - corners[0]) / (width, height)
    assert (shares <= 1).all()
    assert shares.max() > 0.9
    centre = to_plane(np.array([view.longitude, view.latitude])) * WORLD_PX * 2.0**view.zoom
    assert centre == pytest.approx(corners.mean(axis=0), abs=2)


def test_a_tooltip_is_text_and_tells_zones_of_one_name_apart(monkeypatch):
    decks = []
    monkeypatch.setattr(maps.st, "pydeck_chart", lambda deck, **_: decks.append(deck))
    zones = load("demo-city").zones.copy()
    zones["name"] = ["L'Île & <b>"] * len(zones)
    drawn, values = maps.outlines(SimpleNamespace(zones=zones)), np.zeros(len(zones))
    look = {"tooltip": {"true": [""] * len(zones)}, "size": (9, 9), "marked_zone": 0}
    maps.draw_zone_map(drawn, values, maps.Scale(1.0), key="map", alt="Map", **look)
    (deck,) = decks
    assert deck._tooltip == {"text": "{name}\n{said}"}  # no HTML: the browser escapes nothing twice
    named = [one["properties"]["name"] for one in deck.layers[0].data["features"]]
    assert named == [f"L'Île & <b> ({one})" for one in zones["zone_id"]]


RNG = np.random.default_rng(0)
START, END = RNG.uniform(0, 500, (40, 2)), RNG.uniform(0, 500, (40, 2))
WIDTHS = RNG.uniform(0.7, 5.0, 40)


def test_the_tip_is_at_the_destination_and_the_head_is_the_widest_part():
    for outline, start, end, width in zip(
        arrows(START, END, WIDTHS), START, END, WIDTHS, strict=True
    ):
        assert np.linalg.norm(outline - end, axis=1).min() == 0
        arrow = shapely.Polygon(outline)
        assert arrow.is_valid
        assert arrow.distance(shapely.Point(start)) < width
        half = shapely.LineString([start, end]).length / 2
        near_end = arrow.intersection(shapely.Point(end).buffer(half)).area
        near_start = arrow.intersection(shapely.Point(start).buffer(half)).area
        assert near_end > near_start


def test_there_and_back_are_two_arrows_apart():
    there, back = arrows(START, END, WIDTHS), arrows(END, START, WIDTHS)
    for one, other, start, end in zip(there, back, START, END, strict=True):
        middle = shapely.Point((start + end) / 2).buffer(0.2 * np.linalg.norm(end - start))
        both = shapely.Polygon(one).intersection(shapely.Polygon(other))
        assert both.intersection(middle).area == 0


def test_two_zones_with_one_centre_draw_nothing_that_breaks():
    assert np.isfinite(arrows(START[:1], START[:1], WIDTHS[:1])).all()
