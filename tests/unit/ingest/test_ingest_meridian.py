"""Countries across the 180° meridian: areas, distances, cells and maps as on one side of it."""

import geopandas as gpd
import numpy as np
import pytest
import shapely

from engine import geography
from engine.datasets import load
from engine.ingest import preview
from engine.ingest.inputs.cells import cells_to_zones, import_h3
from pages._ui.components import picture
from tests.support.ingests import BOTH, built, write_csv

RADIUS_M, FLATTENING = 6_378_137.0, 1 / 298.257223563
EAST_WEST = [("1", "2", 10), ("2", "1", 20), ("3", "1", 5)]
LINES = {
    "split": [[(178.5, 179.5)], [(179.5, 180.0), (-180.0, -179.5)], [(-179.5, -178.5)]],
    "0 to 360": [[(178.5, 179.5)], [(179.5, 180.5)], [(180.5, 181.5)]],
    "a ring that jumps": [[(178.5, 179.5)], [(179.5, -179.5)], [(-179.5, -178.5)]],
    "here": [[(28.5, 29.5)], [(29.5, 30.5)], [(30.5, 31.5)]],
}


def zones_file(folder, form):
    """Three zones side by side, 1° wide, from 18° to 17° south."""
    shapes = [
        shapely.MultiPolygon(
            [shapely.Polygon([(w, -18), (e, -18), (e, -17), (w, -17)]) for w, e in parts]
        )
        for parts in LINES[form]
    ]
    frame = gpd.GeoDataFrame({"zone_id": ["1", "2", "3"]}, geometry=shapes, crs=4326)
    frame.to_parquet(folder / f"{form}.parquet")
    return folder / f"{form}.parquet"


def degree_area_km2(south, north):
    """The area of a degree of longitude between two latitudes of the ellipsoid, in closed form."""
    e = np.sqrt(FLATTENING * (2 - FLATTENING))
    sine = np.sin(np.radians([south, north]))
    q = sine / (1 - (e * sine) ** 2) + np.arctanh(e * sine) / e
    return float(RADIUS_M**2 * (1 - e**2) / 2 * np.radians(1) * (q[1] - q[0])) / 1e6


@pytest.mark.parametrize("form", LINES)
def test_areas_and_distances_are_those_computed_by_hand(tmp_path, form):
    path = zones_file(tmp_path, form)
    dataset, _ = built(tmp_path, EAST_WEST, kind="flows", zones=path)
    areas = geography.zone_areas_km2(dataset.zones)
    assert areas == pytest.approx([degree_area_km2(-18, -17)] * 3, rel=1e-4)
    # east to west on the parallel at 17.5°: the radius of its circle times the angle
    sine = np.sin(np.radians(17.5))
    circle_m = RADIUS_M / np.sqrt(1 - FLATTENING * (2 - FLATTENING) * sine**2)
    degree_m = circle_m * np.cos(np.radians(17.5)) * np.radians(1)
    distances = geography.centre_distances_m(dataset.zones)
    assert distances[0, [1, 2]] == pytest.approx([degree_m, 2 * degree_m], rel=1e-3)
    drawn = picture.shapes(load(dataset.folder.parent))
    west, _, east, _ = shapely.total_bounds(drawn.degrees)
    assert east - west == pytest.approx(3)
    assert drawn.frame.width == pytest.approx(1040)


@pytest.mark.parametrize("west", [178.0, 28.0], ids=["there", "here"])
def test_places_visits_and_hexagons_lie_where_they_do_on_one_side(tmp_path, west):
    def wrapped(degrees):
        return (degrees + 180) % 360 - 180

    places = [(f"t{i}", -17.5 + i % 2 / 50, wrapped(west + 1.9 + i / 20)) for i in range(6)]
    towers = write_csv(tmp_path / "places.csv", ("location_id", "lat", "lng"), places)
    visits = [(f"p{i}", f"2015-09-07 0{i}:00:00", *places[i][1:]) for i in range(6)]
    header = ("uid", "datetime", "lat", "lng")
    density = {"kind": "visits", "header": header, **BOTH}
    dataset, _ = built(tmp_path, visits, locations=towers, **density)
    assert dataset.truth_by_tower.sum(axis=1).tolist() == [1] * 6
    # the hull is a parallelogram, widened by 500 m: its area, its edges times 0.5, and a disc
    base, height, slope = 0.2 * 106.2, 0.02 * 110.66, np.hypot(0.05 * 106.2, 0.02 * 110.66)
    hull_km2 = base * height + 2 * (base + slope) * 0.5 + np.pi * 0.25
    assert geography.zone_areas_km2(dataset.zones).sum() == pytest.approx(hull_km2, rel=2e-3)
    assert np.diff(dataset.zones.total_bounds[[0, 2]]) < 0.3
    hexagons = preview.preview_places(locations=towers, hexagon_m=2_000)
    assert (hexagons.zone_of_tower >= 0).all()
    assert geography.zone_areas_km2(hexagons.zones).max() < 10
    area = preview.preview_places(area=(west + 1.9, -17.6, west + 2.2, -17.4), hexagon_m=2_000)
    assert 90 < len(area.zones) < 190


def test_cells_of_the_rows_are_zones_across_the_meridian():
    h3 = import_h3()
    cells = [h3.latlng_to_cell(-17.0, degrees, 6) for degrees in (179.9, 179.99, -179.99, -179.9)]
    zones = cells_to_zones(cells, "h3")
    assert np.diff(zones.total_bounds[[0, 2]]) < 0.5
    assert geography.zone_areas_km2(zones).max() < 60


def test_a_country_far_on_both_sides_has_its_own_middle():
    """The USA with all islands of Alaska, and Russia; France with its islands stays as it is."""
    for spans, middle in (
        ([(-170, -66), (172, 180), (-180, -170)], -127.0),
        ([(19.6, 180), (-180, -169)], 105.3),
        ([(-61.8, 55.8)], -3.0),
    ):
        shapes = np.array([shapely.box(west, 50, east, 51) for west, east in spans])
        found = geography.middle_longitude(shapely.get_coordinates(shapes)[:, 0])
        assert found == pytest.approx(middle)
        west, _, east, _ = shapely.total_bounds(geography.unwrap(shapes))
        assert (west + east) / 2 == pytest.approx(middle)
    assert geography.unwrap(shapes) is shapes


def test_time_zones_are_found_beyond_the_meridian():
    assert preview.find_time_zone(178.4, -18.1) == preview.find_time_zone(-181.6, -18.1)
