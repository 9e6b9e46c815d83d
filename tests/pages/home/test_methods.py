"""Home's other pictures: a published method beside ours, and decisions with a release."""

import re

import numpy as np
import pytest

from engine import datasets, density, origin_destination as od
from engine.parameters import DensityParameters, ODParameters
from engine.resolution import Key
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.draws import REPEATS, generator
from pages._ui.cache.window import declared
from pages._ui.shell.settings import SIMULATED_SEED
from pages._ui.wording.numbers import number, percent, trip_count
from tests.support.page import picture

BESIDE = "published-ours"


def row(app, label):
    body = next(one.proto.body for one in app.get("html") if "On this draw" in one.proto.body)
    match = re.search(rf"<td>{re.escape(label)}</td><td>(.*?)</td><td>(.*?)</td>", body)
    return match.groups()


def test_flows_of_both_methods_stand_side_by_side_with_their_errors(open_home):
    app = open_home(home_beside=BESIDE, epsilon="0.5")
    drawn = picture(app)
    assert drawn["true"]["title"] == "Published, ε = 0.5"
    assert drawn["private"]["title"] == "Ours, ε = 0.5"
    assert drawn["true"]["flows"] != drawn["private"]["flows"]
    assert all("published" in words and "ours" in words for _, words, _ in drawn["marks"])
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=15)
    window = declared(parameters)
    key = Key(str(demo.folder))
    released = cached_trips.drawn(key, parameters, (SIMULATED_SEED, 0), window).counts
    true = od.truth(demo, days=0)[0]
    pairs = ~np.eye(len(true), dtype=bool)
    published, ours = row(app, "Mean error, all pairs of zones")
    assert published == trip_count(float(np.abs(released - true)[pairs].mean()))
    assert ours != published
    totals = np.abs(released.sum(axis=1) - true.sum(axis=1)).sum() / true.sum()
    assert row(app, "Error of totals leaving zones")[0] == percent(float(totals))


def test_densities_of_both_methods_stand_at_the_same_proved_cost(open_home):
    app = open_home(home_beside=BESIDE, home_shown="density", epsilon="0.5")
    drawn = picture(app)
    assert drawn["true"]["title"] == "Published, ε = 0.5"
    assert drawn["true"]["fills"] != drawn["private"]["fills"]
    published, ours = row(app, "Relative error (MRE)")
    assert published.endswith("%") or published == "–"
    assert ours.endswith("%")
    said = " ".join(one.value for one in app.caption)
    assert "proved to spend ε = 0.5" in said


def test_it_is_drawn_only_where_it_is_asked_for(open_home):
    app = open_home()
    assert not any("On this draw" in one.proto.body for one in app.get("html"))
    app.button_group(key="home_beside").set_value("Published | ours").run()
    assert any("On this draw" in one.proto.body for one in app.get("html"))


def decided(true, released, acts):
    """Mean hits, misses and needless decisions over draws, and the mean share that is right."""
    due = {tuple(at) for at in np.argwhere(acts(true))}
    done = [{tuple(at) for at in np.argwhere(acts(one))} for one in released]
    right = [len(due & each) / max(len(due), len(each)) for each in done]
    missed = float(np.mean([len(due - each) for each in done]))
    needless = float(np.mean([len(each - due) for each in done]))
    return len(due), missed, needless, right


def of_flows(epsilon, k):
    """The decision on the zones that most trips of the first day reach, draw by draw."""
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=epsilon, max_trips_per_user=4, suppression_threshold=15)
    draws = [
        od.release(demo, parameters, rng=generator((SIMULATED_SEED, 0), "trips", n, 1), days=0)
        for n in range(REPEATS)
    ]

    def most(arriving):
        chosen = np.zeros(len(arriving), dtype=bool)
        for zone in sorted(range(len(arriving)), key=lambda one: (-arriving[one], one))[:k]:
            chosen[zone] = arriving[zone] > 0
        return chosen

    true = od.truth(demo, days=0)[0].sum(axis=0)
    return decided(true, [one.counts[0].sum(axis=0) for one in draws], most)


def of_visits(epsilon, limit):
    """The decision on every zone and hour above a limit, draw by draw."""
    demo, parameters = datasets.load("demo-city"), DensityParameters(epsilon=epsilon, delta=1e-7)
    draws = [
        density.release(demo, parameters, rng=generator((SIMULATED_SEED, 0), "density", n))
        for n in range(REPEATS)
    ]
    return decided(density.truth(demo), [one.counts for one in draws], lambda one: one > limit)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"decisions_most": "7", "epsilon": "0.2"}, lambda: of_flows(0.2, 7)),
        (
            {
                "home_shown": "density",
                "decisions_rule": "act-above",
                "decisions_limit_visits": "2",
                "epsilon": "3",
            },
            lambda: of_visits(3.0, 2),
        ),
    ],
    ids=["flows", "visits"],
)
def test_decisions_are_counted_draw_by_draw(open_home, settled, asked, expected):
    app = settled(open_home(home_beside="decisions", **asked))
    drawn = picture(app)
    due, missed, needless, right = expected()
    acted, lost, phantom = (words for _, words, _ in drawn["marks"])
    assert f"due: {due:,} " in acted
    assert lost == f"missed: {number(missed)} a release"
    assert phantom == f"needless: {number(needless)} a release"
    assert 0 < np.mean(right) < 1
    assert f"{percent(float(np.mean(right)))} of" in drawn["note"]
    assert f"({percent(min(right))} to {percent(max(right))} over {REPEATS} draws)" in drawn["note"]
    assert set(drawn["private"]["over"]) == {"", "missed", "needless"}
