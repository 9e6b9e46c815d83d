"""One picture made by the server: both sides, what is invented and lost marked, names as text."""

import re

import numpy as np

from engine import origin_destination as od
from pages._ui.components import colours, picture
from pages._ui.trips import change_view


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
    assert f"phantom, nobody travelled: 1 of {picture.MAX_FLOWS}" in made.key
    assert f"lost, 5+ trips but shown as 0: 1 of the {picture.MAX_FLOWS} largest true" in made.key
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
