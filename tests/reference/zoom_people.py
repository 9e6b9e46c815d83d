"""Small cities of raw visits for tests of the method `zoom`, in memory."""

from collections.abc import Callable
from types import SimpleNamespace

import geopandas as gpd
import numpy as np
import shapely

from engine.datasets.zoomtables import ZoomTables
from tests.reference.small_city import one_zone_a_tower, random_visits
from tests.reference.zoom_reference import clipped_sums


def random_positions(towers: int, seed: int = 0) -> np.ndarray:
    """Longitudes and latitudes; some are shared, so that ties matter."""
    return np.random.default_rng(seed).integers(0, 60, (towers, 2)) / 600 + [2.3, 48.8]


def added(noise: dict[str, np.ndarray]) -> Callable[..., np.ndarray]:
    """Return what adds noise that was drawn by name to the tables of `zoom`."""
    return lambda name, counts, sigma: counts + sigma * noise[name]


class ZoomCity:
    """What the method `zoom` reads of a dataset."""

    def __init__(self, zoom: ZoomTables, positions: np.ndarray, cap: int = 840) -> None:
        points = shapely.points(positions)
        self.zoom_tables = zoom
        self.towers = gpd.GeoDataFrame(geometry=points, crs=4326)
        self.zones = range(len(positions))
        self.tessellation = one_zone_a_tower(len(positions))
        self.metadata = SimpleNamespace(max_visits_cap=cap, people_public=None)


def zoom_city(people: int = 400, towers: int = 11, seed: int = 0, cap: int = 840) -> ZoomCity:
    positions = random_positions(towers, seed)
    visits = random_visits(people, towers, seed)
    return ZoomCity(clipped_sums(visits, positions, cap), positions, cap)
