"""Outlines in which places are simulated: an invented city, and Natural Earth extracts."""

from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely
from pyproj import CRS

from engine.geography import projected_crs

OUTLINES = Path(__file__).parents[2] / "data" / "outlines"
"""Extracts of Natural Earth that may be shipped; see the notice beside them."""

_INVENTED_CITY = CRS("+proj=laea +lat_0=40 +lon_0=-30 +datum=WGS84 +units=m")
"""Open ocean: nobody can take it for a real place."""


def provinces(name: str) -> gpd.GeoDataFrame:
    """Return the Natural Earth provinces in ``data/outlines/<name>.geojson`` by ``adm1_code``."""
    shapes = gpd.read_file(OUTLINES / f"{name}.geojson")
    return gpd.GeoDataFrame(shapes.sort_values("adm1_code", ignore_index=True))


def city_outline(name: str, rng: np.random.Generator) -> tuple[shapely.Geometry, CRS]:
    """Return ``invented``, or the union of the provinces of `name`, in metres, and its CRS."""
    if name == "invented":
        return invented_city(rng), _INVENTED_CITY
    shapes = provinces(name)
    crs = projected_crs(shapes)
    return shapely.union_all(shapes.geometry.to_crs(crs).to_numpy()), crs


def invented_city(rng: np.random.Generator, radius_m: float = 9000.0) -> shapely.Geometry:
    """Return the outline of a city with a river through it, in metres around its centre."""
    angle = np.linspace(0, 2 * np.pi, 144, endpoint=False)
    radius = np.ones_like(angle)
    for wave in range(2, 8):
        radius += (
            rng.uniform(0.05, 0.16)
            / (wave - 0.5)
            * np.sin(wave * angle + rng.uniform(0, 2 * np.pi))
        )
    shore = shapely.Polygon(radius_m * (radius * np.stack([np.cos(angle) * 1.25, np.sin(angle)])).T)
    along = np.linspace(-2.0 * radius_m, 2.0 * radius_m, 120)
    across = 0.16 * radius_m * np.sin(along / (0.42 * radius_m) + rng.uniform(0, 2 * np.pi))
    river = shapely.LineString(np.stack([along, across + 0.1 * along - 0.1 * radius_m]).T)
    return shapely.difference(shore, shapely.buffer(river, 125.0))
