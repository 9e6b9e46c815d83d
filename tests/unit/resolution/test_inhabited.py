"""A dataset without the zones in which nobody lives: the same trips, fewer zones."""

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen
from engine.errors import DatasetError
from engine.parameters import ODParameters
from engine.resolution import INHABITED, InhabitedDataset, open_seen


@pytest.fixture
def town(tiny_city, monkeypatch):
    """The tiny city, where nobody lives in the zone that most trips go to."""
    city = datasets.Dataset(tiny_city.folder)
    homes = city.homes.copy()
    homes[int(od.truth(city).sum(axis=(0, 1)).argmax())] = 0
    monkeypatch.setitem(city.__dict__, "homes", homes)
    return city


def test_the_trips_are_those_between_the_zones_that_are_left(town):
    view = InhabitedDataset(town)
    rest = np.flatnonzero(town.homes > 0)
    assert 0 < len(view.kept) < len(town.zones)
    assert view.zones["zone_id"].tolist() == town.zones["zone_id"].iloc[rest].tolist()
    assert view.homes.tolist() == town.homes[rest].tolist()
    whole = od.truth(town)
    assert (od.truth(view) == whole[:, rest][:, :, rest]).all()
    assert od.truth(view).sum() < whole.sum()
    for unit, limit in (("person-day", 2), ("person", 3)):
        settings = ODParameters(epsilon=1e6, max_trips_per_user=limit, unit=unit,
                                suppression_threshold=0)  # fmt: skip
        zones, summed = len(town.zones), unit == "person"
        noise = np.zeros((1 if summed else 7, zones, zones))
        less = noise[:, rest][:, :, rest]
        chosen = {"sum_days": summed}
        kept = od.release(town, settings, noise=noise, **chosen).counts
        assert (od.release(view, settings, noise=less, **chosen).counts
                == kept[:, rest][:, :, rest]).all()  # fmt: skip


def test_a_view_without_empty_zones_opens():
    demo = datasets.load("demo-city")
    view = open_seen(Seen(dataset=str(demo.folder), zones=INHABITED))
    assert len(view.zones) == int((demo.homes > 0).sum())
    assert view.metadata.days == demo.metadata.days


def test_data_without_homes_have_no_such_view():
    with pytest.raises(DatasetError, match="must be somebody's home, got 0"):
        InhabitedDataset(datasets.load("paris"))
