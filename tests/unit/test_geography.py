"""Voronoi cells, overlaps, the minimum cover and the D2 partition against brute force."""

import itertools

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

from engine import geography
from tests.reference.density_reference import cover_cells

REGION = shapely.box(2.2, 48.8, 2.5, 48.9)


def grid_zones(columns, rows):
    west, south, east, north = REGION.bounds
    xs, ys = np.linspace(west, east, columns + 1), np.linspace(south, north, rows + 1)
    boxes = [
        shapely.box(xs[i], ys[j], xs[i + 1], ys[j + 1]) for i in range(columns) for j in range(rows)
    ]
    return gpd.GeoDataFrame(geometry=boxes, crs=4326)


def random_towers(count, seed=0):
    low, high = np.array(REGION.bounds[:2]), np.array(REGION.bounds[2:])
    points = np.random.default_rng(seed).uniform(low, high, (count, 2))
    return gpd.GeoDataFrame(geometry=shapely.points(points), crs=4326)


TOWERS, ZONES = random_towers(60), grid_zones(8, 5)
CRS = geography.projected_crs(ZONES)


@pytest.fixture(scope="module")
def city():
    return geography.tessellate(TOWERS, ZONES)


@pytest.fixture(scope="module")
def cells():
    region = shapely.union_all(ZONES.to_crs(CRS).geometry.to_numpy())
    return geography.voronoi_cells(TOWERS.to_crs(CRS).geometry, region)


def test_a_point_lies_in_the_cell_of_its_nearest_tower(cells):
    towers = TOWERS.to_crs(CRS)
    places = random_towers(2000, seed=1).to_crs(CRS).geometry.to_numpy()
    sites = shapely.get_coordinates(towers.geometry.to_numpy())
    distance = np.linalg.norm(shapely.get_coordinates(places)[:, None] - sites[None], axis=2)
    nearest = distance.argmin(axis=1)
    cells = cells.to_numpy()
    assert shapely.intersects(cells[nearest], places).mean() > 0.995  # curved outer border only
    assert shapely.area(cells).sum() == pytest.approx(ZONES.to_crs(CRS).area.sum(), rel=1e-9)


def test_overlap_is_the_share_of_the_towers_area(city, cells):
    overlap = city.overlap.toarray()
    assert overlap.sum(axis=1) == pytest.approx(np.ones(60), abs=1e-12)
    zones = ZONES.to_crs(CRS).geometry.to_numpy()
    for tower, zone in [(0, 3), (17, 20), (59, 39)]:
        cell = cells.iloc[tower]
        share = cell.intersection(zones[zone]).area / cell.area
        assert overlap[tower, zone] == pytest.approx(share if share > 1e-6 else 0, abs=2e-6)


def cover_size_by_brute_force(edges):
    towers, zones = edges.shape
    best = towers + zones
    for chosen in itertools.product([False, True], repeat=towers):
        uncovered = edges[~np.array(chosen)]
        best = min(best, sum(chosen) + int(uncovered.any(axis=0).sum()))
    return best


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**49 - 1))
@settings(max_examples=150, deadline=None)
def test_the_cover_is_minimal_and_covers(towers, zones, bits):
    flags = [(bits >> i) & 1 for i in range(towers * zones)]
    edges = np.array(flags, dtype=bool).reshape(towers, zones)
    cover_towers, cover_zones = geography.minimum_cover(csr_array(edges.astype(float)))
    uncovered = edges.copy()
    uncovered[cover_towers] = False
    uncovered[:, cover_zones] = False
    assert not uncovered.any()
    assert len(cover_towers) + len(cover_zones) == cover_size_by_brute_force(edges)


def test_the_covers_polygons_partition_the_region(city, cells):
    covering = cover_cells(TOWERS, ZONES, city)
    areas = shapely.area(covering)
    assert areas.sum() == pytest.approx(cells.area.sum())
    assert shapely.union_all(covering).area == pytest.approx(areas.sum())
    assert areas == pytest.approx(city.cover_areas_m2)
    centroids = shapely.get_coordinates(shapely.centroid(covering))
    assert centroids == pytest.approx(city.cover_centres_m, abs=1e-3)


def test_distances_are_metres():
    distances_m = geography.centre_distances_m(ZONES)
    assert distances_m.shape == (40, 40)
    assert distances_m.max() < 30_000
    one_degree = gpd.GeoSeries([shapely.Point(2, 48), shapely.Point(2, 49)], crs=4326)
    south, north = one_degree.to_crs(geography.projected_crs(one_degree))
    assert south.distance(north) == pytest.approx(111_200, rel=1e-3)


def test_odd_towers_share_a_cell_are_read_by_area_or_count_in_the_nearest_zone():
    alone = geography.tessellate(random_towers(1), grid_zones(3, 1))
    read = alone.to_zones @ alone.to_cover @ np.ones(1)
    assert read == pytest.approx(np.full(3, 1 / 3), rel=1e-3)
    towers = gpd.GeoDataFrame(geometry=[shapely.Point(2.21, 48.81)] * 2, crs=4326)
    twins = geography.tessellate(towers, grid_zones(2, 2))
    assert twins.overlap.toarray()[0] == pytest.approx(twins.overlap.toarray()[1])
    assert (twins.overlap.toarray() > 0).all()
    inside = random_towers(30)
    far = gpd.GeoDataFrame(geometry=[shapely.Point(9.0, 48.81)], crs=4326)
    towers = gpd.GeoDataFrame(geometry=[*inside.geometry, *far.geometry], crs=4326)
    reached = geography.tessellate(towers, grid_zones(4, 1))
    assert reached.overlap.toarray()[-1].argmax() == 3
    assert np.isfinite(reached.cover_centres_m).all()


def test_zones_that_are_the_towers_cells_overlap_nothing_else():
    rng = np.random.default_rng(7)
    places = rng.normal((-103.36, 20.68), (0.03, 0.02), (60, 2))
    towers = gpd.GeoDataFrame(geometry=shapely.points(places), crs=4326)
    crs = geography.projected_crs(towers)
    points = towers.geometry.to_crs(crs)
    cells = geography.voronoi_cells(points, geography.hull_region(points))
    zones = gpd.GeoDataFrame(geometry=cells.to_crs(4326).to_numpy(), crs=4326)
    there_and_back = zones.geometry.to_crs(crs).to_numpy()
    assert shapely.area(shapely.symmetric_difference(there_and_back, cells.to_numpy())).max() > 0.1
    tessellation = geography.tessellate(towers, zones)
    np.testing.assert_array_equal(tessellation.overlap.toarray(), np.eye(60))
