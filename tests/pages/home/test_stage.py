"""Home's stage: every number in its sentences, computed another way."""

import itertools
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from engine import datasets, density, origin_destination as od, resolution
from engine.density import DensityParameters
from engine.origin_destination import ODParameters
from engine.privacy import PRECEDENTS
from pages._ui.cache.draws import generator
from pages._ui.drawing.svg.sketches import Shapes
from pages._ui.drawing.svg.stage import LARGEST, flow_picture
from pages._ui.home import stage as home_stage, verdict as home_verdict
from pages._ui.shell.settings import SIMULATED_SEED
from tests.support.page import bodies, picture

SEED = (SIMULATED_SEED, 0)


def gauges(app):
    """Return what each gauge says, its level and where its needle stands."""
    (body,) = (body for body in bodies(app) if 'class="gauges"' in body)
    readings = []
    for level, rest in re.findall(r'class="gauge (\w+)">(.*?)</div></div>', body, re.DOTALL):
        needle = re.search(r'class="needle" style="left:([\d.]+)%', rest)
        readings.append((level, re.sub("<.*?>", " ", rest), float(needle[1]) / 100))
    return readings


def sentence(app):
    return next(body for body in bodies(app) if 'class="verdict ' in body)


def many_coins(epsilon, releases):
    """The best guess from so many releases of the worst ε-DP mechanism, outcome by outcome."""
    right = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for outcome in itertools.product((right, 1 - right), repeat=releases):
        total += max(math.prod(outcome), math.prod(1 - one for one in outcome)) / 2
    return total


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_the_left_gauge_covers_all_days_and_adds_them_up(open_home, epsilon):
    app = open_home(epsilon=f"{epsilon:g}")
    days = len(datasets.load("demo-city").metadata.days)
    guess = many_coins(epsilon, days)
    (level, words, needle), _ = gauges(app)
    assert f"{home_verdict.guess(guess, 1)} is an attacker's" in re.sub(r"\s+", " ", words)
    assert needle == pytest.approx(2 * guess - 1, abs=1e-4)
    assert level == ("good" if guess <= 0.75 else "partly" if guess <= 0.95 else "noisy")
    assert f"from all {days} days, ε = {sum([epsilon] * days):.4g} in all" in words


@pytest.mark.parametrize(
    ("unit", "covers"), [("person", "from one matrix"), ("trip", "of one trip")]
)
def test_other_units_say_what_they_cover(open_home, unit, covers):
    app = open_home(epsilon="0.5", unit=unit)
    (level, words, needle), _ = gauges(app)
    assert covers in words
    assert "ε = 0.5" in words
    assert needle == pytest.approx(2 * many_coins(0.5, 1) - 1, abs=1e-4)
    assert level == ("good" if unit == "person" else "partly")  # single trips: never strong


def usable_trips(true, epsilon, threshold):
    """Share of trips in flows that 95% of draws show within a quarter, draw by draw of the law."""
    reach = 400
    steps = np.arange(-reach, reach + 1)
    upper, lower = (steps + 0.5) * epsilon, (steps - 0.5) * epsilon

    def below(x):
        return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)

    chance = below(upper) - below(lower)
    carried = 0
    for flow in true[true > 0].tolist():
        released = flow + steps
        fine = (np.abs(released - flow) <= flow / 4) & (released >= max(threshold, 1))
        carried += flow if chance[fine].sum() >= 0.95 else 0
    return carried / true.sum()


def test_the_right_gauge_of_flows_is_counted_flow_by_flow(open_home):
    app = open_home(epsilon="1", unit="trip", threshold="5")
    true = od.truth(datasets.load("demo-city"), days=0)[0]
    share = usable_trips(true, 1.0, 5)
    assert 0 < share < 1
    _, (level, words, needle) = gauges(app)
    assert f"{100 * share:.1f}%" in words
    assert needle == pytest.approx(share, abs=1e-4)
    assert level == ("good" if share >= 0.9 else "partly" if share >= 0.5 else "noisy")
    assert f"{100 * share:.1f}% of trips" in sentence(app)
    assert "a single trip is hidden only in part" in sentence(app)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_right_gauge_of_density_is_counted_zone_by_zone(open_home, epsilon):
    app = open_home(epsilon=f"{epsilon:g}", home_shown="density")
    demo = datasets.load("demo-city")
    parameters = DensityParameters(epsilon=epsilon, delta=1e-7)
    drawn = density.release(demo, parameters, rng=generator(SEED, "density"))
    usable, known = 0, 0
    for true, private in zip(density.truth(demo), drawn.counts, strict=True):
        if true.sum() == 0:
            continue
        known += 1
        error = (np.abs(private - true) / np.maximum(true, 0.001 * true.sum())).mean()
        rhythm = np.corrcoef(true, private)[0, 1] if np.ptp(private) else 0.0
        usable += bool(error <= 0.3 and rhythm >= 0.8)
    (_, private_words, _), (_, words, needle) = gauges(app)
    assert f"{100 * usable / known:.1f}% of zones" in re.sub(r"\s+", " ", words)
    assert needle == pytest.approx(usable / known, abs=1e-4)
    assert f"from the whole week, ε = {epsilon:g}, δ = 1e-7" in private_words


def test_weak_privacy_is_red_however_accurate_the_numbers(open_home):
    app = open_home(epsilon="10", home_shown="density")
    (privacy, _, _), _ = gauges(app)
    assert privacy == "noisy"
    assert 'class="verdict noisy"' in sentence(app)
    assert "hardly hidden" in sentence(app)


def test_known_uses_stand_on_the_scale_at_their_own_guess(open_home):
    (body,) = (body for body in bodies(open_home()) if 'class="gauges"' in body)
    ticks = re.findall(r'class="tick" style="left:([\d.]+)%" title="(.*?)"', body)
    assert len(ticks) == len(PRECEDENTS)
    for (at, words), known in zip(ticks, PRECEDENTS, strict=True):
        assert float(at) == pytest.approx(100 * math.tanh(known.epsilon / 2), abs=0.01)
        assert known.unit in words


def test_the_picture_counts_phantoms_inflated_and_lost_flows(open_home):
    app = open_home(epsilon="0.1", unit="trip")
    demo = datasets.load("demo-city")
    true = od.truth(demo, days=0)[0]
    noise = od.ODNoise.draw(generator(SEED, "trips", 0, 1), demo, days=0)
    settings = ODParameters(epsilon=0.1, unit="trip", suppression_threshold=15)
    private = od.release(demo, settings, noise=noise, days=0).counts[0]
    pairs = [(i, j) for i in range(len(true)) for j in range(len(true)) if i != j]
    shown = [p for p in sorted(pairs, key=lambda p: -private[p])[:LARGEST] if private[p] > 0]
    busy = [p for p in sorted(pairs, key=lambda p: -true[p])[:LARGEST] if true[p] > 0]
    phantom = sum(true[p] == 0 for p in shown)
    inflated = sum(0 < true[p] < private[p] / 2 for p in shown)
    lost = sum(true[p] >= 15 and private[p] == 0 for p in busy)
    assert phantom > 3
    assert inflated > 3
    drawn = picture(app)
    words = [words for _, words, _ in drawn["marks"]]
    assert words[0].endswith(f": {phantom} of {len(shown)}")
    assert words[1].endswith(f": {inflated} of {len(shown)}")
    assert f": {lost} of the" in words[2]
    kinds = [kind for _, _, kind, _ in drawn["private"]["flows"]]
    assert (kinds.count("phantom"), kinds.count("inflated")) == (phantom, inflated)
    assert kinds.count("lost") == lost
    for _, _, _, said in drawn["private"]["flows"]:
        t, p, error, _ = (part.split(": ")[1].replace(",", "") for part in said.split("\n")[1:])
        assert int(p) - int(t) == int(error.replace("−", "-"))


def test_zoomed_out_flows_are_sums_of_the_flows_that_are_shown(open_home, monkeypatch):
    monkeypatch.delenv("MOBILITY_DATA")  # the tiny city has too few zones
    assert "coarser" not in picture(open_home(od_data="demo-city"))  # apart on a wide screen
    monkeypatch.setattr(home_stage, "session", lambda: SimpleNamespace(narrow=True))
    drawn = picture(open_home(od_data="demo-city", epsilon="0.5", unit="trip"))
    demo = datasets.load("demo-city")
    (level,) = resolution.group_levels(demo.zones)
    noise = od.ODNoise.draw(generator(SEED, "trips", 0, 1), demo, days=0)
    settings = ODParameters(epsilon=0.5, unit="trip", suppression_threshold=15)
    released = od.release(demo, settings, noise=noise, days=0).counts[0]
    (coarse,) = drawn["coarser"]
    assert coarse["note"].startswith("Zoomed out: flows between groups of zones, added up from")
    assert coarse["spacing"] > 1.5 * drawn["spacing"]
    names = level.zones["name"].tolist()
    for side, counts in (("true", od.truth(demo, days=0)[0]), ("private", released)):
        assert len(coarse[side]["flows"]) >= LARGEST
        for _, _, kind, said in coarse[side]["flows"]:
            way, *numbers = said.split("\n")
            a, b = (names.index(name) for name in way.split(" → "))
            within = counts[np.ix_(level.labels == a, level.labels == b)]
            number = numbers[0 if side == "true" else 1].split(": ")[1]
            assert int(number.replace(",", "")) == within.sum(), kind
    zone = str(demo.zones["zone_id"].iloc[0])
    picked = picture(open_home(od_data="demo-city", home_zone=zone))
    assert "coarser" not in picked  # the flows of one zone are few at every zoom


def test_lost_flows_are_those_above_the_threshold_only():
    drawn = Shapes("0 0 9 9", ("M0 0Z",) * 3, np.array([[0.0, 0], [5, 0], [0, 5]]), ("a", "b", "c"))
    true = np.array([[0, 20, 3], [9, 0, 0], [0, 0, 0]])
    private = np.array([[0, 0, 0], [30, 0, 16], [0, 0, 0]])
    drawing = flow_picture(drawn, true, private, least=15, epsilon=1.0)
    kinds = [(kind, words.split("\n")[0]) for _, _, kind, words in drawing["private"]["flows"]]
    assert kinds == [("lost", "a → b"), ("phantom", "b → c"), ("inflated", "b → a")]
    assert drawing["marks"][2][1] == "lost, 15+ trips but reads 0: 1 of the 3 largest true"


def test_a_presenter_sees_no_sidebar_and_the_same_verdict(open_home):
    wanted = gauges(open_home(epsilon="0.5"))
    app = open_home(epsilon="0.5", view="presenter")
    assert gauges(app) == wanted
    assert not app.sidebar.selectbox
    assert not app.sidebar.slider
    assert app.select_slider(key="epsilon").value == 0.5
    assert picture(app)["presenting"]


def test_a_zone_of_the_link_picks_the_flows_from_and_to_it(open_home):
    demo = datasets.load("demo-city")
    true = od.truth(demo, days=0)[0]
    busiest = int((true.sum(axis=0) + true.sum(axis=1)).argmax())
    zone, name = demo.zones.iloc[busiest][["zone_id", "name"]]
    app = open_home(home_zone=str(zone))
    drawn = picture(app)
    assert drawn["marked"] == busiest
    expected = min(int((true[busiest] > 0).sum() + (true[:, busiest] > 0).sum()), LARGEST)
    assert len(drawn["true"]["flows"]) == expected > 5
    for _, _, _, said in drawn["true"]["flows"]:
        assert name in said.split("\n")[0].split(" → ")
    wanted = gauges(app)
    app.button(key="home_all_zones").click().run()
    assert picture(app)["marked"] is None
    assert gauges(app) == wanted  # the verdict is about the whole dataset
    assert picture(open_home(home_zone="nowhere"))["marked"] is None
