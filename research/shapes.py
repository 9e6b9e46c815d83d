"""Compare the shapes of simulated zones with real ones: areas and numbers of neighbours."""

from collections.abc import Iterator
from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from engine import datasets
from engine.arrays import Floats
from engine.geography import projected_crs
from research.rows import Row, row

BOUNDARIES = Path(__file__).parents[2] / "shared" / "data" / "boundaries"

TOUCHING_M = 15.0
"""Zones this near are neighbours; real boundaries, drawn by hand, do not meet exactly."""

_PAIRS = (
    ("rwanda-sectors", "rwanda_sectors.geojson", "Rwandan sectors"),
    ("rwanda-districts", "rwanda_districts.geojson", "Rwandan districts"),
    ("paris", "paris_iris_992.geojson", "Paris IRIS"),
)
_QUANTILES = (5, 25, 50, 75, 95)


def rows() -> Iterator[Row]:
    """Yield areas and neighbours of simulated zones and, where they are at hand, of real ones."""
    for name, file, real_name in _PAIRS:
        yield from _shape(f"{name} (simulated)", datasets.load(name).zones)
        if (BOUNDARIES / file).is_file():
            yield from _shape(f"{real_name} (real)", gpd.read_file(BOUNDARIES / file))


def relative_areas(zones: gpd.GeoDataFrame) -> Floats:
    """Return the areas of `zones` divided by their mean."""
    areas = zones.geometry.to_crs(projected_crs(zones)).area.to_numpy()
    return areas / areas.mean()


def neighbour_counts(zones: gpd.GeoDataFrame) -> NDArray[np.int64]:
    """Return how many other zones lie within `TOUCHING_M` of each."""
    polygons = zones.geometry.to_crs(projected_crs(zones)).to_numpy()
    left, right = shapely.STRtree(polygons).query(
        polygons, predicate="dwithin", distance=TOUCHING_M
    )
    return np.bincount(left[left != right], minlength=len(polygons)).astype(np.int64)


def _shape(name: str, zones: gpd.GeoDataFrame) -> Iterator[Row]:
    areas, neighbours = relative_areas(zones), neighbour_counts(zones)
    table = "shapes of zones"
    yield row(table, "zones", name, len(zones))
    yield row(table, "area, sd over mean", name, float(areas.std()))
    for quantile, value in zip(_QUANTILES, np.percentile(areas, _QUANTILES), strict=True):
        yield row(table, f"area over the mean, {quantile}%", name, float(value))
    yield row(table, f"neighbours within {TOUCHING_M:g} m, mean", name, float(neighbours.mean()))
    yield row(table, f"neighbours within {TOUCHING_M:g} m, sd", name, float(neighbours.std()))
