"""A dataset as it is looked at: which days, which zones, what a person pays, who is left out."""

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen, When
from engine.errors import DatasetError, ParameterError
from engine.parameters import ODParameters
from engine.resolution import INHABITED, InhabitedDataset, finest, look_at, open_seen


def test_a_shipped_name_and_the_folder_of_a_version_open_the_same(demo):
    for name in ("demo-city", str(demo.folder)):
        seen = Seen(dataset=name, zones="clusters-20", when=When(step="week"))
        assert open_seen(seen).folder == demo.folder
        assert open_seen(finest(seen)).zones["zone_id"].tolist() == demo.zones["zone_id"].tolist()
    with pytest.raises(DatasetError, match="there is no dataset"):
        open_seen(Seen(dataset="nowhere"))


def test_views_share_the_base_that_is_kept(demo):
    view = open_seen(Seen(dataset="kept", zones="clusters-20"), lambda name: demo)
    assert view.base is demo


@pytest.mark.parametrize("step", ["day", "week", "whole"])
@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
def test_some_days_are_those_days_at_every_unit(demo, step, unit):
    days = demo.metadata.days
    view = look_at(demo, when=When(step=step, first=2, last=4))
    assert view.metadata.days == days[2:5]
    assert view.metadata.periods == (days[2:5] if step == "day" else days[2:3])
    settings = {"unit": unit, "max_trips_per_user": 1 if unit == "trip" else 2}
    counted = od.histogram(view, *settings.values(), sum_days=True)
    plain = od.histogram(demo, *settings.values(), days=[2, 3, 4], sum_days=True)
    assert counted.true_trips == plain.true_trips
    assert counted.trimmed_trips == plain.trimmed_trips


@pytest.mark.parametrize("step", ["day", "week"])
def test_trips_inside_a_coarse_zone_are_dropped(demo, step):
    view = look_at(demo, "clusters-5", When(step=step))
    for trips, fine in ((view.trips, demo.trips), (view.trips_by_person, demo.trips_by_person)):
        rows = trips.whole
        assert (rows.origin != rows.destination).all()
        crossing = view.labels[fine.whole.origin] != view.labels[fine.whole.destination]
        assert rows.n.sum() == fine.whole.n[crossing].sum() < fine.whole.n.sum()


@pytest.mark.parametrize("when", [When(first=7), When(last=7), When(first=3, last=9)])
def test_days_that_are_not_declared_are_refused(demo, when):
    with pytest.raises(ParameterError, match=r"among the 7 declared ones \(0 to 6\)"):
        look_at(demo, when=when)


def test_a_view_of_a_view_is_refused(demo):
    with pytest.raises(ParameterError, match="look at its base"):
        look_at(look_at(demo, "clusters-10"), "clusters-5")


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
