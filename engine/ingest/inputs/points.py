"""Coordinates → places: the zone a point lies in and its nearest tower, in batches."""

from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray
from pyproj import Transformer

from ... import geography
from ...arrays import Floats
from ...errors import InputError
from .places import WGS84, Places, lowest

BATCH = 500_000
SAMPLE = 2_000


def place_points(points: pa.Table, places: Places, max_distance_m: float) -> pa.Table:
    """Return ``lat, lng, location, zone`` for distinct coordinates in degrees."""
    lat = points["lat"].to_numpy().astype(np.float64)
    lng = points["lng"].to_numpy().astype(np.float64)
    finder = _Finder(places, max_distance_m)
    location = np.full(len(lat), -1, dtype=np.int32)
    zone = np.full(len(lat), -1, dtype=np.int32)
    for start in range(0, len(lat), BATCH):
        batch = slice(start, start + BATCH)
        location[batch], zone[batch] = finder.find(lat[batch], lng[batch])
    return pa.table(
        {
            "lat": points["lat"],
            "lng": points["lng"],
            "location": pa.array(location, mask=location < 0),
            "zone": pa.array(zone, mask=zone < 0),
        }
    )


def check_order(points: pa.Table, places: Places) -> None:
    """Refuse coordinates of which none lies inside as they are, but some do when swapped."""
    step = max(1, points.num_rows // SAMPLE)
    lat, lng = (points[name].to_numpy().astype(np.float64)[::step] for name in ("lat", "lng"))
    zones = places.zones.geometry.to_numpy()
    shapely.prepare(zones)
    if (_zone(zones, lat, lng) >= 0).any():
        return
    if (np.abs(lng) <= 90).all() and (_zone(zones, lng, lat) >= 0).any():
        raise InputError(
            "columns lat and lng look swapped: no point lies in the area, but points do when "
            "the two change places; map lat and lng the other way round"
        )


class _Finder:
    """Public geometry prepared for many points."""

    def __init__(self, places: Places, max_distance_m: float) -> None:
        crs = geography.projected_crs(places.zones)
        self._to_metres = Transformer.from_crs(WGS84, crs, always_xy=True)
        self._zones: Any = places.zones.geometry.to_numpy()
        shapely.prepare(self._zones)
        self._zone_of_tower = places.zone_of_tower
        self._zones_are_towers = places.zones_are_towers
        towers = shapely.get_coordinates(places.towers.geometry.to_numpy())
        self._towers = shapely.STRtree(
            _points(np.column_stack(self._to_metres.transform(towers[:, 0], towers[:, 1])))
        )
        self._max_distance_m = max_distance_m

    def find(self, lat: Floats, lng: Floats) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return tower and zone of each point, -1 where it is outside."""
        zone = _zone(self._zones, lat, lng)
        if self._zones_are_towers:
            tower, distance = zone.copy(), np.full(len(lat), np.inf)
            away = np.flatnonzero(zone < 0)
            tower[away], distance[away] = self._nearest(lat[away], lng[away])
        else:
            tower, distance = self._nearest(lat, lng)
        outside = zone < 0
        near = outside & (distance <= self._max_distance_m)
        zone[near] = self._zone_of_tower[tower[near]]
        tower[outside & ~near] = -1
        return tower, zone

    def _nearest(self, lat: Floats, lng: Floats) -> tuple[NDArray[np.int32], Floats]:
        if len(lat) == 0:
            return np.empty(0, np.int32), np.empty(0)
        metres = _points(np.column_stack(self._to_metres.transform(lng, lat)))
        # all nearest towers in order of the points: of towers at the same distance, the first
        pairs, distance = self._towers.query_nearest(metres, return_distance=True)
        away = np.empty(len(lat))
        away[pairs[0]] = distance
        return lowest(pairs[0], pairs[1], len(lat)), away


def _zone(zones: Any, lat: Floats, lng: Floats) -> NDArray[np.int32]:
    tree = shapely.STRtree(_points(np.column_stack((lng, lat))))
    zone, point = tree.query(zones, predicate="intersects")
    return lowest(point, zone, len(lat))


def _points(coordinates: Floats) -> Any:
    return shapely.points(coordinates)
