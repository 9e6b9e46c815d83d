"""H3 hexagons in place of zones: coarser than those given, or over an area without places.

Only `bounding_area` reads rows of the data. Fewer zones have more people in each, and so relatively
less noise: where a dataset is too noisy, this remedy helps.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from ... import geography
from ...child_process import call_in_child
from ..options import MAX_ZONES, IngestOptions, build_error, check_zone_count
from .cells import cells_to_zones, import_h3
from .places import (
    HULL_BUFFER_M,
    VORONOI_NOTE,
    WGS84,
    Places,
    check_extent,
    find_zones,
    places_from_zones,
    read_places,
)
from .sources import is_small_text

Shapes: TypeAlias = Any
Area = tuple[float, float, float, float]
"""West, south, east and north in degrees."""
DEFAULT_SIZE_M = 2_000.0
SHARE_WITHIN = 0.99
"""Share of the points within the edges of `bounding_area`; remote points do not stretch it."""
_STEP_DEGREES = 0.05


def build_places(
    options: IngestOptions,
    check: Callable[[], None] = lambda: None,
    row_ids: Sequence[str] | None = None,
) -> Places:
    """Return the places and zones of an ingest's files, or hexagons over its area.

    Zones, and tables of places that are large or packed, are read in a process of their own.
    """
    files, table = (options.locations, options.zones), options.locations
    if options.zones is None and (table is None or is_small_text(table)):
        return _build_places(options, row_ids)
    return call_in_child(_build_places, options, row_ids, files=files, check=check)


def _build_places(options: IngestOptions, row_ids: Sequence[str] | None) -> Places:
    if options.area is not None:
        return cover_with_hexagons(options.area, options.hexagon_m)
    return coarsen_to_hexagons(read_places(options, row_ids), options.hexagon_m)


def coarsen_to_hexagons(places: Places, size_m: float | None) -> Places:
    """Return `places` with hexagons for zones, if of any size; places stay at their positions."""
    if size_m is None:
        return places
    crs = geography.projected_crs(places.towers)
    if places.zones_from_places:
        region = geography.hull_region(places.towers.geometry.to_crs(crs), HULL_BUFFER_M)
    else:
        region = shapely.union_all(places.zones.geometry.to_crs(crs).to_numpy(), grid_size=0.1)
    towers = shapely.get_coordinates(places.towers.geometry)
    middle = geography.middle_longitude(towers[:, 0])
    zones, note = _hexagons_touching(gpd.GeoSeries([region], crs=crs), size_m, middle)
    zone = find_zones(places.towers, zones)
    if not places.zones_are_towers:
        inside, names = np.flatnonzero(zone >= 0)[::-1], zones["name"].to_numpy(copy=True)
        names[zone[inside]] = "around " + places.towers["name"].to_numpy(object)[inside]
        zones["name"] = names  # the first place of a hexagon locates it
    notes = (*(n for n in places.notes if not n.startswith(VORONOI_NOTE)), note)
    return replace(places, zones=zones, zone_of_tower=zone, notes=notes, zones_are_towers=False)


def cover_with_hexagons(area: Area, size_m: float | None) -> Places:
    """Return hexagons over an area, each standing as one place at a point inside it."""
    box = gpd.GeoSeries([shapely.segmentize(shapely.box(*area), 0.05)], crs=WGS84)
    middle = geography.middle_longitude(shapely.get_coordinates(box)[:, 0])
    box = box.to_crs(geography.projected_crs(box))
    zones, note = _hexagons_touching(box, size_m or DEFAULT_SIZE_M, middle)
    return replace(places_from_zones(zones), notes=(f"{note} over the stated area",))


def bounding_area(points: pa.Table) -> Area:
    """Return the area of nearly all distinct points, without 0°, 0°."""
    points = points.filter((pc.field("lat") != 0) | (pc.field("lng") != 0))
    if not points.num_rows:
        raise build_error("no-coordinates")
    rest, lng = (1 - SHARE_WITHIN) / 2, points["lng"].to_numpy()
    lng = geography.unwrap_longitudes(lng, geography.middle_longitude(lng))
    (west, east), (south, north) = (
        np.quantile(degrees, (rest, 1 - rest)) for degrees in (lng, points["lat"].to_numpy())
    )
    west, south = map(_round_down, (west, south))
    east, north = (-_round_down(-degrees) for degrees in (east, north))
    return west, south, max(east, west + _STEP_DEGREES), max(north, south + _STEP_DEGREES)


def _round_down(degrees: float) -> float:
    return round(math.floor(float(degrees) / _STEP_DEGREES) * _STEP_DEGREES, 2)


def h3_resolution(size_m: float) -> int:
    """Return the H3 resolution whose cells are nearest to `size_m` from side to opposite side."""
    log_size = np.log(size_m)
    return min(range(13), key=lambda r: abs(np.log(_edge_length_m(r) * np.sqrt(3)) - log_size))


def check_zone_limits(places: Places) -> None:
    """Raise `InputError` for too many zones, or zones that reach beyond the 180° meridian."""
    check_extent(places.zones)
    check_zone_count(len(places.zones))


def _edge_length_m(resolution: int) -> float:
    return float(import_h3().average_hexagon_edge_length(resolution, unit="m"))


def _hexagons_touching(
    region: Shapes, size_m: float, middle: float
) -> tuple[gpd.GeoDataFrame, str]:
    resolution = h3_resolution(size_m)
    edge_m = _edge_length_m(resolution)
    wide = region.buffer(2 * edge_m)
    if (cells := int(wide.area.iloc[0] / (2.598 * edge_m**2))) > 20 * MAX_ZONES:
        raise build_error("fine-grid", cells=cells, most=MAX_ZONES)
    region, wide = (
        geography.unwrap(shape.to_crs(WGS84).to_numpy(), middle)[0] for shape in (region, wide)
    )
    ids = set[str]()
    for turn in (-360, 0, 360):  # H3 takes degrees within ±180
        world = shapely.box(turn - 180, -90, turn + 180, 90)
        part = wide if shapely.covers(world, wide) else shapely.intersection(wide, world)
        part = geography.unwrap(np.array([part]), 0.0)[0]
        ids |= set(import_h3().geo_to_cells(part, resolution) if part else ())
    zones = cells_to_zones(list(ids), "h3", middle)
    touched: Any = zones[zones.intersects(region)]
    across = f"about {round(edge_m * math.sqrt(3), -2):,.0f} m across"
    note = f"zones are H3 hexagons of resolution {resolution}, {across}"
    return touched.reset_index(drop=True), note
