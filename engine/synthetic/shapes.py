"""Compare the shapes of simulated zones with real ones: areas and numbers of neighbours."""

from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.datasets import Dataset
from engine.geography import projected_crs

TOUCHING_M = 15.0
"""Zones this near are neighbours; real boundaries, drawn by hand, do not meet exactly."""

_PAIRS = (
    ("rwanda-sectors", "rwanda_sectors.geojson", "Rwandan sectors"),
    ("rwanda-districts", "rwanda_districts.geojson", "Rwandan districts"),
    ("paris", "paris_iris_992.geojson", "Paris IRIS"),
)
_QUANTILES = (5, 25, 50, 75, 95)


def shape_tables(load: Callable[[str], Dataset], boundaries: Path | None) -> list[str]:
    """Return Markdown lines comparing simulated zones with those in `boundaries`, if any."""
    quantiles = " | ".join(f"{q}%" for q in _QUANTILES)
    lines = [
        "## Shapes of zones beside real ones",
        "",
        "Areas are divided by their mean. Neighbours are zones at most "
        f"{TOUCHING_M:g} m apart. Real boundaries are compared with, not shipped.",
        "",
        f"| zones | number | area: variation (sd/mean) | {quantiles} | neighbours: mean | sd |",
        "| --- | --- | --- | " + "--- | " * len(_QUANTILES) + "--- | --- |",
    ]
    for name, file, real_name in _PAIRS:
        lines.append(_line(f"{name} (simulated)", load(name).zones))
        if boundaries is not None and (boundaries / file).is_file():
            lines.append(_line(f"{real_name} (real)", gpd.read_file(boundaries / file)))
        else:
            lines.append(f"| {real_name} (real) | not at hand | | {'| ' * len(_QUANTILES)}| |")
    return lines


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


def _line(name: str, zones: gpd.GeoDataFrame) -> str:
    areas, neighbours = relative_areas(zones), neighbour_counts(zones)
    quantiles = " | ".join(f"{value:.2f}" for value in np.percentile(areas, _QUANTILES))
    return (
        f"| {name} | {len(zones)} | {areas.std():.2f} | {quantiles} "
        f"| {neighbours.mean():.2f} | {neighbours.std():.2f} |"
    )
