"""Coarser zones out of public geometry: Voronoi cells, grids, clusters of places, parents.

Nothing here looks at a row of the data. Fewer zones mean more people in each, and so less noise
beside them: where a dataset reads as too noisy, this is the remedy that helps.
"""

from dataclasses import replace
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import shapely

from ... import geography
from ...errors import ExplorerError, InputError
from ...resolution.levels import joined_zones, labels_of, zone_levels
from ..options import MOST_ZONES, Coarseness, check_count
from . import parents
from .cells import h3 as _h3
from .places import HULL_BUFFER_M, WGS84, WIDEST_DEGREES, Places, from_zones, voronoi_zones, zone_of
from .sources import shown
from .zones import polygons

Shapes: TypeAlias = Any


def coarsen(places: Places, how: Coarseness) -> Places:
    """Return `places` with coarser zones; every place keeps its own position."""
    if how.zoning == "given":
        return places
    if how.zoning == "clusters":
        note = f"zones are {how.clusters} clusters of neighbouring ones, by their positions alone"
        return _joined(places, f"clusters-{how.clusters}", note)
    if how.zoning == "parents":
        note = f"zones are the parents of the given ones by '{shown(how.parent)}'"
        return _joined(places, parents.level_name(how.parent), note)
    if how.zoning == "voronoi":
        shapes = places.zones if places.zones_from_places else voronoi_zones(places.towers)
        note = "zones are the places' own Voronoi cells"
    else:
        shapes, note = _grid(_region(places), how)
        note += ", cut at the edge of the area"
    return replace(
        places,
        zones=shapes,
        zone_of_tower=zone_of(places.towers, shapes),
        notes=(*places.notes, note),
        zones_are_towers=False,
    )


def _joined(places: Places, level: str, note: str) -> Places:
    """Join zones to those of a level, which keep the levels that they lie in as a whole."""
    fine = places.zones
    try:
        labels, ids, names = labels_of(fine, level)
    except ExplorerError:
        raise InputError(
            f"the zones cannot be joined to '{level}': they have no such column, or are fewer",
            remedy="name a column that names a coarser zone for every zone, or fewer clusters",
            code="no-parent",
            settings=("parent", "clusters"),
        ) from None
    zones = joined_zones(fine, labels, ids, names)
    first = np.unique(labels, return_index=True)[1]
    for name, count in zone_levels(fine)[1:]:
        own = fine[f"{name}_id"].to_numpy(dtype=object)
        if count < len(ids) and (own[first][labels] == own).all():
            for column in (f"{name}_id", name):
                if column in fine.columns:
                    zones[column] = fine[column].to_numpy(dtype=object)[first]
    order = np.argsort(zones["zone_id"].to_numpy(dtype=object).astype(str), kind="stable")
    number = np.argsort(order)
    return replace(
        places,
        zones=zones.iloc[order].reset_index(drop=True),
        zone_of_tower=np.append(number[labels], -1)[places.zone_of_tower].astype(np.int32),
        notes=(*places.notes, note),
        zones_are_towers=False,
    )


def grid_places(how: Coarseness) -> Places:
    """Return a grid over ``how.area``, each cell standing as one place at a point inside it."""
    assert how.area is not None
    box = gpd.GeoSeries([shapely.segmentize(shapely.box(*how.area), 0.05)], crs=WGS84)
    region = box.to_crs(geography.projected_crs(box))
    zones, note = _grid(region, how)
    return replace(from_zones(zones), notes=(f"{note} over the stated area",))


def _grid(region: Shapes, how: Coarseness) -> tuple[gpd.GeoDataFrame, str]:
    if how.zoning == "square":
        return _squares(region, how.size_m), f"zones are squares of {how.size_m:,.0f} m"
    resolution = resolution_of(how.size_m)
    return _hexagons(region, resolution), f"zones are H3 hexagons of resolution {resolution}"


def resolution_of(size_m: float) -> int:
    """Return the H3 resolution whose cells are nearest to `size_m` from side to opposite side."""
    wanted = np.log(size_m)
    return min(range(13), key=lambda r: abs(np.log(_edge_m(r) * np.sqrt(3)) - wanted))


def check_size(places: Places) -> None:
    """Refuse more zones than can be opened, and zones cut by the 180° meridian."""
    bounds: Shapes = shapely.bounds(places.zones.geometry.to_numpy())
    widest = float((bounds[:, 2] - bounds[:, 0]).max())
    if widest > WIDEST_DEGREES:
        raise InputError(
            f"a zone would span {widest:.0f} degrees of longitude: its place lies so near the 180° "
            "meridian that its area reaches beyond it",
            remedy="leave places within a few hundred metres of the meridian out, or name zones",
            code="antimeridian",
            settings=("locations", "zones"),
        )
    check_count(len(places.zones))


def _region(places: Places) -> Shapes:
    """Return the area of a grid, in metres of a plane (a GeoSeries of one shape)."""
    crs = geography.projected_crs(places.towers)
    if places.zones_from_places:
        points = places.towers.geometry.to_crs(crs)
        shape = geography.hull_region(points, HULL_BUFFER_M)
    else:
        shape = shapely.union_all(places.zones.geometry.to_crs(crs).to_numpy(), grid_size=0.1)
    return gpd.GeoSeries([shape], crs=crs)


def _squares(region: Shapes, size_m: float) -> gpd.GeoDataFrame:
    west, south, east, north = region.total_bounds
    columns, rows = int(np.ceil((east - west) / size_m)), int(np.ceil((north - south) / size_m))
    _check_grid(columns * rows)
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    x, y = x.ravel(), y.ravel()
    left, low = west + x * size_m, south + y * size_m
    boxes = shapely.box(left, low, left + size_m, low + size_m)
    width = len(str(max(columns, rows)))
    names = [f"{column:0{width}d}-{row:0{width}d}" for column, row in zip(x, y, strict=True)]
    return _cut(names, [f"square {n}" for n in names], boxes, region)


def _edge_m(resolution: int) -> float:
    return float(_h3().average_hexagon_edge_length(resolution, unit="m"))


def _hexagons(region: Shapes, resolution: int) -> gpd.GeoDataFrame:
    edge_m = _edge_m(resolution)
    wide = region.buffer(2 * edge_m)
    area = float(wide.area.iloc[0])
    _check_grid(int(area / (2.598 * edge_m**2)))
    shape = wide.to_crs(WGS84).iloc[0]
    h3 = _h3()
    names = sorted(h3.geo_to_cells(shape, resolution))
    outlines = [[(lng, lat) for lat, lng in h3.cell_to_boundary(name)] for name in names]
    cells = gpd.GeoSeries([shapely.Polygon(line) for line in outlines], crs=WGS84)
    return _cut(names, [f"hexagon {n}" for n in names], cells.to_crs(region.crs).to_numpy(), region)


def _check_grid(cells: int) -> None:
    if cells > 20 * MOST_ZONES:
        raise InputError(
            f"a grid of about {cells:,} cells over the area is too fine",
            remedy=f"choose larger cells, for at most {MOST_ZONES:,} zones",
            code="too-fine",
            settings=("size_m",),
        )


def _cut(names: list[str], labels: list[str], cells: Shapes, region: Shapes) -> gpd.GeoDataFrame:
    """Return the parts of cells that lie in the area, without slivers, sorted by id."""
    shape = region.iloc[0]
    shapely.prepare(shape)
    inside = shapely.contains_properly(shape, cells)
    parts = np.where(inside, cells, shapely.intersection(cells, shape))
    kept = shapely.area(parts) > 1e-6 * shapely.area(cells)
    frame: Any = gpd.GeoDataFrame(
        {"zone_id": np.asarray(names, dtype=object)[kept], "name": np.asarray(labels)[kept]},
        geometry=[polygons(part) for part in parts[kept]],
        crs=region.crs,
    )
    return frame.to_crs(WGS84).sort_values("zone_id", ignore_index=True)
