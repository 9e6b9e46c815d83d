"""A dataset as it is looked at: days, zones and their levels, what a person pays, who is left."""

import geopandas as gpd
import numpy as np
import pytest
import shapely

from engine import datasets, origin_destination as od, resolution
from engine.contract import Selection, TimeSelection
from engine.errors import DatasetError, ParameterError
from engine.parameters import ODParameters
from engine.resolution import (
    INHABITED_LEVEL,
    InhabitedDataset,
    finest_selection,
    make_view,
    open_view,
)


def test_a_name_and_the_folder_of_a_version_open_the_same_and_share_what_is_kept(demo):
    for name in ("demo-city", str(demo.folder)):
        week = TimeSelection(aggregation="week")
        seen = Selection(dataset_id=name, zone_level="clusters-20", time=week)
        assert open_view(seen).folder == demo.folder
        assert open_view(finest_selection(seen)).zones["zone_id"].equals(demo.zones["zone_id"])
    with pytest.raises(DatasetError, match="there is no dataset"):
        open_view(Selection(dataset_id="nowhere"))
    view = open_view(Selection(dataset_id="kept", zone_level="clusters-20"), lambda name: demo)
    assert view.base is demo


@pytest.mark.parametrize("step", ["day", "week", "whole"])
@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
def test_some_days_are_those_days_at_every_unit(demo, step, unit):
    days = demo.metadata.days
    view = make_view(demo, time=TimeSelection(aggregation=step, first_position=2, last_position=4))
    assert view.metadata.days == days[2:5]
    assert view.metadata.periods == (days[2:5] if step == "day" else days[2:3])
    settings = {"unit": unit, "max_trips_per_user": 1 if unit == "trip" else 2}
    counted = od.compute_histogram(view, *settings.values(), sum_days=True)
    plain = od.compute_histogram(demo, *settings.values(), days=[2, 3, 4], sum_days=True)
    assert counted.total_trips == plain.total_trips
    assert counted.dropped_trips == plain.dropped_trips


def test_undeclared_days_and_views_of_views_are_refused(demo):
    for first, last in ((7, None), (0, 7), (3, 9)):
        with pytest.raises(ParameterError, match=r"among the 7 declared ones \(0 to 6\)"):
            make_view(demo, time=TimeSelection(first_position=first, last_position=last))
    with pytest.raises(ParameterError, match="Look at its base"):
        make_view(make_view(demo, "clusters-10"), "clusters-5")


def test_trips_inside_a_coarse_zone_are_dropped(demo):
    view = make_view(demo, "clusters-5")
    for trips, fine in ((view.trips, demo.trips), (view.trips_by_person, demo.trips_by_person)):
        rows, whole = trips.all_days, fine.all_days
        assert (rows.origin != rows.destination).all()
        crossing = view.labels[whole.origin] != view.labels[whole.destination]
        assert rows.trip_count.sum() == whole.trip_count[crossing].sum() < whole.trip_count.sum()


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
    assert 0 < len(view.inhabited_positions) < len(town.zones)
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


def test_a_view_without_empty_zones_opens_where_somebody_lives():
    demo = datasets.load("demo-city")
    view = open_view(Selection(dataset_id=str(demo.folder), zone_level=INHABITED_LEVEL))
    assert len(view.zones) == int((demo.homes > 0).sum())
    assert view.metadata.days == demo.metadata.days
    with pytest.raises(DatasetError, match=r"must have residents \(given: 0"):
        InhabitedDataset(datasets.load("paris"))


def grid(side, **columns):
    boxes = [shapely.box(x, y, x + 1, y + 1) for x in range(side) for y in range(side)]
    ids = [f"z{i:03}" for i in range(len(boxes))]
    return gpd.GeoDataFrame(
        {"zone_id": ids, "name": [f"Zone {i}" for i in ids], **columns},
        geometry=[shapely.affinity.scale(box, 0.01, 0.01, origin=(0, 0)) for box in boxes],
        crs=4326,
    )


def test_blank_parents_unknown_levels_and_too_many_clusters_are_refused():
    zones = grid(2, province_id=["p", "", "  ", "p"])
    with pytest.raises(DatasetError, match=r"a parent for every zone \(given: 2 zones without"):
        resolution.zone_levels(zones)
    for level in ("nothing", "clusters-5", "clusters-0", "clusters-x", "a b", "../x", ""):
        with pytest.raises(ParameterError):
            resolution.zone_labels(grid(2), level)


@pytest.mark.parametrize("k", [2, 7, 30, 149, 150])  # a river parts the demo in two
def test_clusters_of_the_demo_are_connected_and_cover_every_zone(k):
    zones = datasets.load("demo-city").zones
    labels = resolution.cluster_zones(zones, k)
    assert np.unique(labels).tolist() == list(range(k))
    polygons = shapely.buffer(zones.to_crs(32631).geometry.to_numpy(), 1.0)
    pieces = [shapely.union_all(polygons[labels == one]) for one in range(k)]
    assert (shapely.get_num_geometries(pieces) == 1).all()


def test_clusters_read_polygons_alone_are_of_similar_area_and_take_islands():
    zones = grid(5)
    labels = resolution.cluster_zones(zones, 6)
    shuffled = zones.assign(zone_id=list(reversed(zones["zone_id"])), name="x", n=range(25))
    assert (resolution.cluster_zones(shuffled, 6) == labels).all()
    labels = resolution.cluster_zones(grid(8), 16)
    assert np.bincount(labels).max() <= 2 * np.bincount(labels).min()
    boxes = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(9, 0, 9.1, 0.1)]
    zones = gpd.GeoDataFrame({"zone_id": list("abc")}, geometry=boxes, crs=4326)
    assert resolution.cluster_zones(zones, 2).tolist() == [0, 1, 1]


def test_views_of_one_level_share_its_geometry():
    """Paris' frontier joined the same zones anew for every span and block."""
    demo = datasets.load("demo-city")
    days = resolution.make_view(demo, "clusters-20")
    whole = resolution.make_view(demo, "clusters-20", TimeSelection(aggregation="whole"))
    assert whole.zones is days.zones
    assert whole.tessellation is days.tessellation
    other = resolution.make_view(demo, "clusters-10")
    assert (len(other.zones), len(days.zones)) == (10, 20)
