"""One picture made by the server: both sides, what is invented and lost marked, names as text."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from engine import density, origin_destination as od, resolution
from engine.datasets import load
from pages._ui.drawing import picture


@pytest.fixture(scope="module")
def city():
    return load("demo-city")


def paths(figure: str, kind: str) -> list[str]:
    return re.findall(rf'class="flow {kind}"[^>]*>(.*?)</path>', figure, re.DOTALL)


def test_wrong_flows_are_marked_and_counted(city):
    drawn = picture.shapes(city)
    true = od.truth(city, days=0)[0].copy()
    busy = np.unravel_index(np.argsort(true, axis=None)[::-1][:3], true.shape)
    private = true.copy()
    private[busy[0][0], busy[1][0]] = 0
    private[busy[0][1], busy[1][1]] *= 3
    empty = np.argwhere((true == 0) & ~np.eye(len(true), dtype=bool))[0]
    private[tuple(empty)] = int(true.max())
    made = picture.of_flows(drawn, true, private, least=5, epsilon=1.0)
    left, right = made.sides.split("</figure>")[:2]
    assert not paths(left, "(?:lost|phantom|inflated)")
    assert [len(paths(right, kind)) for kind in ("lost", "phantom", "inflated")] == [1, 1, 1]
    assert f"phantom, nobody travelled: 1 of {picture.LARGEST}" in made.key
    assert "true: 0" in paths(right, "phantom")[0]


def test_zones_read_as_true_and_private_and_names_are_text(city):
    zones = city.zones.copy()
    zones["name"] = ["<script>"] * len(zones)
    drawn = picture.shapes(SimpleNamespace(zones=zones))
    true = density.truth(city)[:, 66]
    made = picture.of_zones(drawn, true, 2.0 * true, what="visits, one hour", epsilon=0.5)
    assert made.sides.count('class="zone"') == 2 * len(zones)
    assert "<script>" not in made.html()
    assert f"&lt;script&gt; ({zones['zone_id'].iloc[0]})" in made.html()
    assert "Private, ε = 0.5" in made.html()


def test_flows_between_zones_that_lie_close_are_drawn_between_groups(city):
    drawn = picture.shapes(city)
    groups = [
        picture.Group(picture.shapes(one), one.labels)
        for one in resolution.group_levels(city.zones)
    ]
    true = od.truth(city, days=0)[0]
    near = picture.of_flows(drawn, true, true, least=5, epsilon=1.0, groups=groups, side_px=40)
    far = picture.of_flows(drawn, true, true, least=5, epsilon=1.0, groups=groups, side_px=4000)
    assert "between groups of zones" in near.key
    assert "between groups of zones" not in far.key
    assert near.sides.count('class="ground"') < far.sides.count('class="ground"')
