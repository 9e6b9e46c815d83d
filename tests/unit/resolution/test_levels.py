"""Levels of zones: parents are a hierarchy, clusters neighbours of like area, groups sums."""

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from engine import datasets, resolution
from engine.contract import When
from engine.errors import DatasetError, ParameterError
from engine.resolution import flows_between, group_levels


def grid(side, **columns):
    boxes = [shapely.box(x, y, x + 1, y + 1) for x in range(side) for y in range(side)]
    ids = [f"z{i:03}" for i in range(len(boxes))]
    return gpd.GeoDataFrame(
        {"zone_id": ids, "name": [f"Zone {i}" for i in ids], **columns},
        geometry=[shapely.affinity.scale(box, 0.01, 0.01, origin=(0, 0)) for box in boxes],
        crs=4326,
    )


def test_parents_are_levels_finest_first():
    zones = grid(
        4,
        province_id=["p"] * 16,
        district_id=[f"d{i // 4}" for i in range(16)],
        district=[f"District {i // 4}" for i in range(16)],
    )
    levels = resolution.zone_levels(zones)
    assert [(level.name, level.zones) for level in levels] == [
        ("zones", 16),
        ("district", 4),
        ("province", 1),
    ]
    labels, ids, names = resolution.labels_of(zones, "district")
    assert labels.tolist() == [i // 4 for i in range(16)]
    assert list(ids) == ["d0", "d1", "d2", "d3"]
    assert names[2] == "District 2"


def test_a_child_with_two_parents_is_refused():
    zones = grid(2, district_id=["a", "a", "b", "c"], province_id=["p", "q", "p", "p"])
    with pytest.raises(DatasetError, match=r"each district must lie in one province, got 1 "):
        resolution.zone_levels(zones)


@pytest.mark.parametrize("gap", [None, "", "  "])
def test_a_missing_parent_is_refused(gap):
    zones = grid(2, province_id=["p", gap, "p", "p"])
    with pytest.raises(DatasetError, match="a parent for every zone, got 1 zones without"):
        resolution.zone_levels(zones)


ODD = ["nothing", "clusters-5", "clusters-0", "clusters-x", "a b", "../x", ""]


@pytest.mark.parametrize("level", ODD)
def test_unknown_levels_and_too_many_clusters_are_refused(level):
    with pytest.raises(ParameterError):
        resolution.labels_of(grid(2), level)


@pytest.mark.parametrize("k", [2, 7, 30, 149, 150])  # a river parts the demo in two
def test_clusters_of_the_demo_are_connected_and_cover_every_zone(k):
    zones = datasets.load("demo-city").zones
    labels = resolution.cluster_zones(zones, k)
    assert np.unique(labels).tolist() == list(range(k))
    polygons = shapely.buffer(zones.to_crs(32631).geometry.to_numpy(), 1.0)
    pieces = [shapely.union_all(polygons[labels == one]) for one in range(k)]
    assert (shapely.get_num_geometries(pieces) == 1).all()


def test_clusters_read_polygons_only():
    zones = grid(5)
    labels = resolution.cluster_zones(zones, 6)
    shuffled = zones.assign(zone_id=list(reversed(zones["zone_id"])), name="x", n=range(25))
    assert (resolution.cluster_zones(shuffled, 6) == labels).all()


def test_clusters_are_of_similar_area():
    labels = resolution.cluster_zones(grid(8), 16)
    assert np.bincount(labels).max() <= 2 * np.bincount(labels).min()


def test_an_island_joins_the_nearest_cluster():
    boxes = [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(9, 0, 9.1, 0.1)]
    zones = gpd.GeoDataFrame({"zone_id": list("abc")}, geometry=boxes, crs=4326)
    assert resolution.cluster_zones(zones, 2).tolist() == [0, 1, 1]


def test_views_of_one_level_share_its_geometry():
    """Paris' frontier joined the same zones anew for every span and block."""
    demo = datasets.load("demo-city")
    days = resolution.look_at(demo, "clusters-20")
    whole = resolution.look_at(demo, "clusters-20", When(step="whole"))
    assert whole.zones is days.zones
    assert whole.tessellation is days.tessellation
    other = resolution.look_at(demo, "clusters-10")
    assert (len(other.zones), len(days.zones)) == (10, 20)


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.int64, (6, 6), elements=st.integers(0, 99)),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_flows_between_groups_are_sums_of_the_flows_between_their_zones(flows, groups):
    labels = np.unique([*groups], return_inverse=True)[1]
    between = flows_between(flows, labels)
    for a in range(between.shape[0]):
        for b in range(between.shape[1]):
            pairs = [(i, j) for i in range(6) for j in range(6) if (labels[i], labels[j]) == (a, b)]
            assert between[a, b] == (0 if a == b else sum(flows[pair] for pair in pairs))


def test_levels_have_a_quarter_of_the_zones_each_and_hold_every_zone_once():
    zones = datasets.load("rwanda-sectors").zones
    whole = shapely.area(zones.geometry).sum()
    levels = group_levels(zones)
    assert [len(level.zones) for level in levels] == [104, 26]
    for level in levels:
        assert np.unique(level.labels).tolist() == list(range(len(level.zones)))
        k = len(level.zones)
        assert level.labels.tolist() == resolution.cluster_zones(zones, k).tolist()
        assert shapely.area(level.zones.geometry).sum() == pytest.approx(whole, rel=1e-3)
