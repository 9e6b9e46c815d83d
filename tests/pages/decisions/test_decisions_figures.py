"""What Decisions draws beside its cards: days by date, and a range around the total it is about."""

from datetime import date, timedelta
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.contract import Seen
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Emergency
from pages._ui.decisions import acting, outflow
from pages._ui.drawing.maps import Scale
from tests.support.charts import drawn as drawn

FIRST = date(2024, 3, 1)


@pytest.mark.parametrize("start", [0, 2])
def test_the_day_on_which_a_zone_should_act_is_counted_from_the_days_that_are_looked_at(
    monkeypatch, start
):
    days = [FIRST + timedelta(days=i) for i in range(6)]
    true = np.zeros((1, 6 - start, 3))
    true[0, 1:, 0] = 1.0  # acts from the second day looked at
    true[0, 3:, 1] = 1.0  # from the fourth
    compared = decisions.compare(true, true[None], 0.5)
    drawn = MagicMock(comparison=compared)
    monkeypatch.setattr(acting, "st", MagicMock())
    monkeypatch.setattr(Scale, "legend", lambda *_: None)
    outlines = SimpleNamespace(ids=("a", "b", "c"))
    monkeypatch.setattr(acting.cached_datasets, "outlines", lambda key: outlines)
    zone_map = MagicMock()
    monkeypatch.setattr(acting.maps, "zone_map", zone_map)
    outbreak = SimpleNamespace(threshold=0.5, origins=("b",))
    acting.shift(
        SimpleNamespace(
            context=SimpleNamespace(key="k"),
            days=days[start:],
            outbreak=outbreak,
            true=true,
            drawn=drawn,
        )
    )
    said = zone_map.call_args.kwargs
    expected = [days[start + 1], days[start + 3]]
    assert said["tooltip"]["Should act from"] == [*(f"{d:%d %b %Y}" for d in expected), "never"]
    assert said["tooltip"]["In the release"] == ["on time", "on time", "never acts"]
    assert said["marked"] == 1


def test_the_range_on_the_sum_of_causes_is_of_the_release_less_the_truth(monkeypatch, drawn):
    monkeypatch.setattr(outflow, "st", MagicMock())
    parts = {"trimming": -30.0, "suppression": -50.0, "noise": 5.0, "phantoms": 15.0}
    outflow.causes(
        SimpleNamespace(
            together=SimpleNamespace(true=200.0, bias=-60.0, expected=140.0, low=110.0, high=170.0),
            causes=SimpleNamespace(**parts),
        )
    )
    rows = drawn["decisions_causes"]["datasets"]
    (whisker,) = rows["marks1"]
    bars = {row["label"].split(":")[0]: row["mark0"] for row in rows["marks"]}
    assert list(bars.values()) == [*parts.values(), sum(parts.values())]
    assert (200 + whisker["mark1"], 200 + whisker["to1"]) == (110, 170)
    assert whisker["mark1"] < bars["in all"] < whisker["to1"]


@pytest.mark.parametrize("days", [(0, 0), (1, 3), (2, 6)])
def test_trips_out_of_an_area_are_those_of_its_days_first_and_last_included(days):
    city = datasets.load("demo-city")
    zones = city.zones["zone_id"].astype(str).tolist()
    leaving = cached_decisions.outflow(
        Seen(dataset=str(city.folder)), Emergency((zones[1],), days), "person-day", 4
    )
    trips = city.trips.whole
    expected = [
        trips.n[(trips.day == day) & (trips.origin == 1) & (trips.destination != 1)].sum()
        for day in range(days[0], days[1] + 1)
    ]
    assert leaving.true.sum(axis=(1, 2)).tolist() == expected
    assert sum(expected) == od.truth(city)[days[0] : days[1] + 1, 1].sum() - sum(
        od.truth(city)[day, 1, 1] for day in range(days[0], days[1] + 1)
    )
