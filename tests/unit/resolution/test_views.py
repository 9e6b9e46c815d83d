"""A dataset as it is looked at: which days, which zones, and what a person pays."""

import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen, When
from engine.errors import DatasetError, ParameterError
from engine.resolution import finest, look_at, open_seen


@pytest.fixture(scope="module")
def demo():
    return datasets.load("demo-city")


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
