"""Maps and pictures: true bars, names that fit, arrows apart, what is invented and lost marked."""

import json
import re
from itertools import pairwise
from types import SimpleNamespace

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import Geod

from engine import origin_destination as od
from engine.datasets import load
from pages._ui.components import colours, deck, picture
from pages._ui.components.arrows import arrows
from pages._ui.components.map_frame import fit_frame, place_labels, scale_bar, to_plane
from pages._ui.trips import change_view
from tests.support.server import ROOT

RWANDA = (28.86, -2.84, 30.90, -1.05)
NORTH = (20.0, 60.0, 20.4, 69.0)
PLACES = [RWANDA, (2.2, 48.8, 2.5, 48.95), NORTH, (-179.5, -17.2, -179.4, -17.0)]


@pytest.mark.parametrize("bounds", PLACES)
def test_a_scale_bar_is_as_long_as_it_says_on_the_parallel_in_the_middle(bounds):
    frame = fit_frame(bounds)
    km, share = scale_bar(frame)
    units = share * frame.width
    # latitude in the middle of the drawing, got from its own units by bisection
    low, high = bounds[1], bounds[3]
    for _ in range(60):
        latitude = (low + high) / 2
        y = frame.to_units(np.array([bounds[0], latitude]))[1]
        low, high = (latitude, high) if y > frame.height / 2 - 20 else (low, latitude)
    degrees = units / (frame.to_units(np.array([1.0, 0.0])) - frame.to_units(np.zeros(2)))[0]
    # many short steps along the parallel, each a geodesic of the ellipsoid
    line = bounds[0] + np.linspace(0, degrees, 201)
    metres = Geod(ellps="WGS84").line_length(line, np.full(201, latitude))
    assert metres / 1000 == pytest.approx(km, rel=1e-5)
    assert 0.1 < share <= 0.3
    assert f"{km:e}"[0] in "125"


@pytest.mark.parametrize("bounds", PLACES)
def test_a_frame_holds_the_region_with_a_margin(bounds):
    frame = fit_frame(bounds)
    corners = frame.to_units(np.array(bounds).reshape(2, 2))
    assert corners.min(axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert corners.max(axis=0) == pytest.approx([frame.width - 40, frame.height - 40])
    assert max(frame.width, frame.height) == pytest.approx(1040)
    assert frame.to_share(*corners[0]) == pytest.approx((20 / frame.width, 1 - 20 / frame.height))


def label_boxes(frame, labels):
    """Return the boxes of labels at 11.5 px on a map of 300 px, by a letter's mean width."""
    px = max(frame.width, frame.height) / 300
    sizes = [(len(name) * 6 * px, 13 * px) for name, *_ in labels]
    return [
        shapely.box(x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (_, x, y), (w, h) in zip(labels, sizes, strict=True)
    ]


@pytest.mark.parametrize("is_bar_left", [True, False])
def test_five_names_of_the_heaviest_places_do_not_overlap_and_lie_on_the_map(is_bar_left):
    frame, rng = fit_frame(RWANDA), np.random.default_rng(1)
    for _ in range(50):
        points = rng.uniform(0, 1, (12, 2)) * (frame.width - 40, frame.height - 40)
        names = [f"Place {'x' * int(rng.integers(0, 10))}{i}" for i in range(12)]
        weights = rng.permutation(12).astype(float)
        labels = place_labels(frame, names, points, weights, is_bar_left=is_bar_left)
        assert len(labels) == 5
        placed = [weights[names.index(name)] for name, *_ in labels]
        assert placed == sorted(placed, reverse=True)
        assert sum(placed) >= 11 + 10 + 9 + 8 + 7 - 10  # few have no room
        boxes = label_boxes(frame, labels)
        x = -20 if is_bar_left else 0.7 * frame.width - 20
        boxes.append(shapely.box(x, frame.height - 80, x + 0.3 * frame.width, frame.height - 20))
        assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])
        whole = shapely.box(-20, -20, frame.width - 20, frame.height - 20)
        assert all(whole.contains(box) for box in boxes[:-1])


def labels_of(figure):
    return [part.split("<")[0].split(">")[1] for part in figure.split('<span class="place"')[1:]]


def test_the_largest_zones_or_their_parents_are_named_by_true_counts_on_both_maps(demo):
    rwanda = load(ROOT / "data" / "rwanda-sectors")
    provinces = sorted(set(rwanda.zones["province"]))
    for data, count in ((demo, 150), (rwanda, 416)):
        true = np.zeros((count, count), dtype=int)
        busy = [3, 60, 90, 120, 149]
        true[busy, 0] = [9, 8, 7, 6, 5]
        made = picture.flows_picture(picture.shapes(data), true, 0 * true, floor=1, epsilon=1.0)
        left, right = (labels_of(figure) for figure in made.sides.split("<figure>")[1:])
        assert left == right
        if data is demo:
            named = {demo.zones["name"].iloc[zone] for zone in (0, *busy)}
            assert left[0] == demo.zones["name"].iloc[0]  # 35 trips arrive there
            assert len(set(left) & named) >= 4  # but where one has no room
        else:
            assert sorted(left) == provinces
            assert made.sides.count('class="parent"') == 2


def test_every_map_has_a_scale_bar_and_north(demo):
    true = np.ones(150)
    made = picture.zones_picture(picture.shapes(demo), true, true, topic="visits", epsilon=1.0)
    for figure in made.sides.split("<figure>")[1:]:
        assert figure.count(" km</span>") == 1
        assert figure.count(">N ↑</b>") == 1


def layers_of(place, monkeypatch):
    """Return the layers of a place's map of flows as a browser gets them, and its view."""
    charts, zones = [], len(place.zones)
    monkeypatch.setattr(deck.st, "pydeck_chart", lambda chart, **_: charts.append(chart))
    deck.draw_flow_map(
        picture.shapes(place),
        (np.array([0]), np.array([1])),
        widths=np.array([3.0]),
        colours=np.array([[0, 0, 0, 235]]),
        kinds=[""],
        words=["A → B"],
        weights=np.arange(zones, dtype=float),
        marked_zone=None,
        key="map",
        alt="Map",
        on_zone=print,
    )
    chart = json.loads(charts[0].to_json())
    return {layer["id"]: layer["data"] for layer in chart["layers"]}, chart["initialViewState"]


@pytest.mark.parametrize("bounds", PLACES)
def test_bar_and_north_of_the_large_map_are_right_on_the_ground(bounds, monkeypatch):
    west, south, east, north = bounds
    x = np.linspace(west, east, 4)
    zones = [shapely.box(low, south, high, north) for low, high in pairwise(x)]
    columns = {"zone_id": ["a", "b", "c"], "name": ["A", "B", "C"]}
    place = SimpleNamespace(zones=gpd.GeoDataFrame(columns, geometry=zones, crs=4326))
    layers, view = layers_of(place, monkeypatch)
    bar, arrow, _head = layers["ruler"]["coordinates"]
    metres = Geod(ellps="WGS84").inv(*bar[1], *bar[2])[2]
    words = layers["names"][0]["text"]
    assert metres / 1000 == pytest.approx(float(words.removesuffix(" km")), rel=1e-4)
    assert bar[1][1] == bar[2][1] == pytest.approx(south)
    azimuth = Geod(ellps="WGS84").inv(*arrow[0], *arrow[1])[0]
    assert azimuth == pytest.approx(0, abs=1e-6)
    # the whole region fits, and fills one side
    corners = to_plane(np.array(bounds).reshape(2, 2)) * 512 * 2 ** view["zoom"]
    shares = np.abs(corners[1] - corners[0]) / (640, 520)
    assert 0.9 < shares.max() <= 1
    middle = to_plane(np.array([view["longitude"], view["latitude"]])) * 512 * 2 ** view["zoom"]
    assert middle == pytest.approx(corners.mean(axis=0), abs=2)


def test_the_large_map_names_what_a_picture_names_and_in_the_same_places(demo, monkeypatch):
    shapes = picture.shapes(demo)
    labels = picture.label_places(shapes, np.arange(150, dtype=float))
    names = layers_of(demo, monkeypatch)[0]["names"][2:]
    assert [row["text"] for row in names] == [name for name, *_ in labels]
    placed = shapes.frame.to_units(np.array([row["place"] for row in names]))
    assert placed == pytest.approx(np.array([place for _, *place in labels]), abs=1e-3)


def test_zones_of_one_name_are_told_apart_and_names_are_text(demo):
    zones = demo.zones.copy()
    zones["name"] = ["L'Île & <b>"] * len(zones)
    shapes = picture.shapes(SimpleNamespace(zones=zones))
    assert shapes.names == tuple(f"L'Île & <b> ({zone})" for zone in zones["zone_id"])
    html = picture.Picture("", "", shapes.names).html()
    assert html.count("L&#x27;Île &amp; &lt;b&gt; (") == len(zones)


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


def paths(figure: str, kind: str) -> list[str]:
    return re.findall(rf'class="flow {kind}"[^>]*data-words="([^"]*)"', figure)


def test_wrong_flows_are_marked_and_counted(demo):
    drawn = picture.shapes(demo)
    true = od.truth(demo, days=0)[0].copy()
    busy = np.unravel_index(np.argsort(true, axis=None)[::-1][:3], true.shape)
    private = true.copy()
    private[busy[0][0], busy[1][0]] = 0
    private[busy[0][1], busy[1][1]] *= 3
    empty = np.argwhere((true == 0) & ~np.eye(len(true), dtype=bool))[0]
    private[tuple(empty)] = int(true.max())
    made = picture.flows_picture(drawn, true, private, floor=5, epsilon=1.0)
    left, right = made.sides.split("</figure>")[:2]
    assert not paths(left, "(?:lost|phantom|inflated)")
    assert [len(paths(right, kind)) for kind in ("lost", "phantom", "inflated")] == [1, 1, 1]
    assert f"phantom, nobody travelled: 1 of {picture.MAX_FLOWS} drawn" in made.key
    assert f"lost, 5+ trips but not shown: 1 of the {picture.MAX_FLOWS} largest true" in made.key
    assert "true: 0" in paths(right, "phantom")[0]
    assert "with noise: 0" in paths(right, "lost")[0]


def test_zones_that_noise_fills_or_empties_are_marked_and_counted(demo):
    zones = len(demo.zones)
    true, private = np.ones(zones), np.ones(zones)
    true[:3], private[2:6] = 0.0, 0.2  # two invented, three lost, one rightly empty
    made = picture.zones_picture(picture.shapes(demo), true, private, topic="visits", epsilon=1.0)
    kinds = [made.sides.count(f'"flow mark {kind}"') for kind in ("phantom", "lost")]
    assert kinds == [2, 3]
    assert f"nobody was there: 2 of {zones} zones" in made.key
    assert f"shown as 0: 3 of {zones} zones" in made.key


def test_changes_are_drawn_by_their_verdicts(demo):
    drawn, zones = picture.shapes(demo), len(demo.zones)
    true, signs = np.zeros((2, zones, zones), dtype=int)
    true[5, 1], true[1, 5], true[2, 0] = 9, -8, 7
    signs[5, 1], signs[1, 5], signs[0, 2] = 1, -1, 1
    told = np.where(signs == 0, true, signs * 6)
    made = change_view.changes_picture(drawn, true, told, signs, str, "changes")
    drawn_so = r'class="flow (\w*)"[^>]*data-words="(\d+)"'
    found = {int(at): kind for kind, at in re.findall(drawn_so, made.sides.split("Told")[-1])}
    kinds = {(5, 1): "", (1, 5): "inflated", (2, 0): "untold", (0, 2): "phantom"}
    assert found == {start * zones + end: kind for (start, end), kind in kinds.items()}
    assert '<pattern id="untold"' in made.sides
    zoned = change_view.changes_picture(drawn, true[5], told[5], 0 * signs[5], str, "changes").sides
    really, _, told_of = zoned.partition("Reported")
    assert 'class="flow untold"' not in really  # no change at all is drawn as nothing
    assert told_of.count('class="flow untold"') == zones


def test_differences_of_zones_are_solid_or_striped_by_their_sign_and_strong_by_their_size(demo):
    zones = len(demo.zones)
    true = np.full(zones, 50.0)
    private = true + np.where(np.arange(zones) < 40, 25.0, -1.0)
    made = picture.zones_picture(
        picture.shapes(demo), true, private, topic="visits", epsilon=1.0, is_difference=True
    )
    _left, right = made.sides.split("<figure>")[1:]
    assert "Difference, ε = 1" in right
    looks = re.findall(r'class="zone" fill="([^"]+)" fill-opacity="([\d.]+)"', right)
    assert len(looks) == zones
    # the square root of a half of the largest count, between the palest and full
    strong, weak = (f"{0.25 + 0.75 * share**0.5:.2f}" for share in (0.5, 0.02))
    assert set(looks[:40]) == {(colours.MORE, strong)}
    assert set(looks[40:]) == {("url(#less)", weak)}
    assert '<pattern id="less"' in right
    assert "too many, solid: 40 of 150 zones" in made.key
    assert "too few, striped: 110 of 150 zones" in made.key
    assert "difference: −1" in right


def test_both_maps_say_the_same_of_a_flow_and_a_file_says_it_without_a_script(demo):
    true = od.truth(demo, days=0)[0]
    private = np.where(true > 20, true + 3, 0)
    made = picture.flows_picture(picture.shapes(demo), true, private, floor=15, epsilon=1.0)
    parts = re.compile(r'data-words="([^"]*→[^"]*)" data-zones="(\d+) (\d+)"')
    left, right = (parts.findall(figure) for figure in made.sides.split("<figure>")[1:])
    assert len(left) == picture.MAX_FLOWS
    assert len({row[1:] for row in left} & {row[1:] for row in right}) > 50
    names = demo.zones["name"].to_numpy()
    for words, o, d in left + right:
        t, p = true[int(o), int(d)], private[int(o), int(d)]
        ends = f"{names[int(o)]} → {names[int(d)]}"
        sign = "+" if p >= t else "−"
        assert words == f"{ends}\ntrue: {t:,}\nwith noise: {p:,}\ndifference: {sign}{abs(p - t)}"
    assert "data-words" in made.page_html()
    assert "data-words" not in made.html()
    assert made.html().count("<title>") == made.page_html().count("data-words")
    assert f"<title>{left[0][0]}</title></path>" in made.html()
