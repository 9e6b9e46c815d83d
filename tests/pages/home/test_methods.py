"""Home's picture of a published method beside ours: both sides, both numbers, only where known."""

import json
import re

import numpy as np

from engine import datasets
from engine import origin_destination as od
from engine.parameters import ODParameters
from engine.resolution import Key
from pages._ui.cache import trips as cached_trips
from pages._ui.cache.window import declared
from pages._ui.shell.settings import SIMULATED_SEED
from pages._ui.wording.numbers import percent, trip_count

BESIDE = "published-ours"


def picture(app):
    stage = next(
        one.proto for one in app.get("bidi_component") if one.proto.component_name == "stage"
    )
    return json.loads(stage.json)


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
