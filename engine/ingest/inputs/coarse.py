"""Coarser zones out of public geometry: Voronoi cells, grids, clusters of places, parents.

Nothing here looks at a row of the data. Fewer zones mean more people in each, and so less noise
beside them: where a dataset reads as too noisy, this is the remedy that helps.
"""

from dataclasses import replace
from typing import Any, TypeAlias

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from ... import geography
from ...arrays import Floats, Integers
from ...errors import InputError
from ..coarseness import MOST_ZONES, Coarseness, check_count
from . import parents
from .places import (
    HULL_BUFFER_M,
    WGS84,
    WIDEST_DEGREES,
    Places,
    from_zones,
    lowest,
    voronoi_zones,
    zone_of,
)
from .sources import shown

_ROUNDS = 40
Shapes: TypeAlias = Any


def coarsen(places: Places, how: Coarseness) -> Places:
    """Return `places` with coarser zones; every place keeps its own position.

    Zones that were given bound a grid, else the places' hull widened by 500 m does.

    Raises
    ------
    InputError
        If there are fewer places than clusters, or a parent is missing.
    """
    if how.zoning == "given":
        return places
    if how.zoning == "voronoi":
        shapes = places.zones if places.zones_from_places else voronoi_zones(places.towers, {})
        note = "zones are the places' own Voronoi cells"
    elif how.zoning in ("square", "hexagon"):
        shapes, note = _grid(_region(places), how)
        note += ", cut at the edge of the area"
    elif how.zoning == "clusters":
        shapes = _clusters(places, how.clusters)
        note = f"zones are {how.clusters} clusters of neighbouring places, by their positions alone"
    else:
        return _parents(places, how.parent)
    zone_of_tower = zone_of(places.towers, shapes)
    return replace(
        places,
        zones=shapes,
        zone_of_tower=zone_of_tower,
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
    """Return the H3 resolution whose cells are nearest to `size_m` from side to opposite side.

    Examples
    --------
    >>> resolution_of(2_000), resolution_of(100_000)
    (7, 3)
    """
    wanted = np.log(size_m)
    return min(range(13), key=lambda r: abs(np.log(_edge_m(r) * np.sqrt(3)) - wanted))


def check_size(places: Places) -> None:
    """Refuse more zones than can be opened, with the numbers, and zones cut by the 180° meridian.

    Raises
    ------
    InputError
        Above 5,000 zones; for a zone around a place so near the 180° meridian that its cell
        reaches beyond it.
    """
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


def _h3() -> Any:
    try:
        import h3
    except ModuleNotFoundError:
        raise InputError(
            "hexagons need the library h3",
            remedy="install mobility-privacy-explorer[grid], or take squares",
            code="not-installed",
        ) from None
    return h3


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
        geometry=[_polygons(part) for part in parts[kept]],
        crs=region.crs,
    )
    return frame.to_crs(WGS84).sort_values("zone_id", ignore_index=True)


def _polygons(shape: Shapes) -> Shapes:
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _clusters(places: Places, count: int) -> gpd.GeoDataFrame:
    crs = geography.projected_crs(places.towers)
    points = places.towers.geometry.to_crs(crs)
    positions = shapely.get_coordinates(points.to_numpy())
    distinct = np.unique(positions, axis=0)
    if len(distinct) < count:
        raise InputError(
            f"{len(distinct):,} places at different positions cannot make {count:,} clusters",
            remedy="ask for fewer",
            code="clusters",
            settings=("clusters",),
        )
    label = clusters_of(positions, count)
    cells = geography.voronoi_cells(points, geography.hull_region(points, HULL_BUFFER_M))
    first = ~pd.DataFrame(positions).duplicated().to_numpy()
    shapes = [
        shapely.union_all(cells.to_numpy()[first & (label == c)], grid_size=0.01)
        for c in range(count)
    ]
    width = len(str(count))
    names = [f"C{c + 1:0{width}d}" for c in range(count)]
    sizes = np.bincount(label, minlength=count)
    labels = [
        f"cluster {c + 1} ({sizes[c]} place{'' if sizes[c] == 1 else 's'})" for c in range(count)
    ]
    frame: Any = gpd.GeoDataFrame({"zone_id": names, "name": labels}, geometry=shapes, crs=crs)
    return frame.to_crs(WGS84)


def clusters_of(positions: Floats, count: int) -> Integers:
    """Return the cluster of each position, shape (places, 2) in metres, by k-means.

    It starts from positions far from each other (the first one, then always the farthest), so that
    it is the same on every machine; clusters are numbered from the south-west.

    Examples
    --------
    >>> clusters_of(np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]]), 2)
    array([0, 0, 1])
    """
    origin = positions.mean(axis=0)
    first = int(np.argmin(((positions - origin) ** 2).sum(axis=1)))
    centres = [positions[first]]
    away = ((positions - centres[0]) ** 2).sum(axis=1)
    for _ in range(count - 1):
        centres.append(positions[int(np.argmax(away))])
        away = np.minimum(away, ((positions - centres[-1]) ** 2).sum(axis=1))
    middle = np.array(centres)
    label = _nearest(positions, middle)
    for _ in range(_ROUNDS):
        sizes = np.bincount(label, minlength=count)[:, None]
        sums = np.column_stack(
            [np.bincount(label, weights=positions[:, axis], minlength=count) for axis in (0, 1)]
        )
        middle = np.where(sizes > 0, sums / np.maximum(sizes, 1), middle)
        again = _nearest(positions, middle)
        if (again == label).all() or len(np.unique(again)) < count:
            break
        label = again
    order = np.lexsort((middle[:, 0], middle[:, 0] + middle[:, 1]))
    number = np.empty(count, dtype=np.int64)
    number[order] = np.arange(count)
    return number[label]


def _nearest(positions: Floats, centres: Floats) -> Integers:
    points: Any = shapely.points(positions)
    middles: Any = shapely.points(centres)
    pairs = shapely.STRtree(middles).query_nearest(points)
    return lowest(pairs[0], pairs[1], len(positions)).astype(np.int64)


def _parents(places: Places, column: str) -> Places:
    """Join the zones to those of one level, which keep the levels that they lie in as a whole."""
    level = parents.level_name(column)
    if f"{level}_id" not in places.zones.columns:
        raise InputError(
            "the zones have no such column of parents",
            remedy="name a column of the file that names a coarser zone for every zone",
            code="no-parent",
            settings=("parent",),
        )
    codes, ids = pd.factorize(places.zones[f"{level}_id"].to_numpy(dtype=object), sort=True)
    first = np.unique(codes, return_index=True)[1]
    names = places.zones[level if level in places.zones.columns else f"{level}_id"]
    crs = geography.projected_crs(places.zones)
    cells = places.zones.geometry.to_crs(crs).to_numpy()
    shapes = [shapely.union_all(cells[codes == c], grid_size=0.1) for c in range(len(ids))]
    frame: Any = gpd.GeoDataFrame(
        {
            "zone_id": ids,
            "name": names.to_numpy(dtype=object)[first],
            **parents.above(places.zones, codes, list(ids)),
        },
        geometry=shapes,
        crs=crs,
    )
    of_zone = np.append(codes, -1).astype(np.int32)
    return replace(
        places,
        zones=frame.to_crs(WGS84),
        zone_of_tower=of_zone[places.zone_of_tower],
        notes=(*places.notes, f"zones are the parents of the given ones by '{shown(column)}'"),
        zones_are_towers=False,
    )
