"""Subdivide a region into zones of skewed areas and irregular outlines, as real ones have.

The region is cut into small Voronoi cells; zones grow from randomly chosen cells, neighbour by
neighbour, until every cell belongs to one. So zones are connected, partition the region exactly
and are not the smooth polygons of a plain Voronoi diagram.
"""

import heapq
import itertools
from collections.abc import Callable

import geopandas as gpd
import numpy as np
import shapely

from engine.arrays import Floats, Geometries, Integers
from engine.geography import voronoi_cells

Density = Callable[[Floats], Floats]

CELLS_PER_ZONE = 9
_SAME_VERTEX_M = 1e-3


def subdivide(
    region: shapely.Geometry, parts: int, rng: np.random.Generator, density: Density
) -> Geometries:
    """Partition `region` (projected, metres) into `parts` connected polygons."""
    if parts == 1:
        return np.array([region], dtype=object)
    points = scatter(region, parts * CELLS_PER_ZONE, rng, density)
    cells = voronoi_cells(gpd.GeoSeries(shapely.points(_relaxed(points, region))), region)
    polygons, owner = shapely.get_parts(cells.to_numpy(), return_index=True)
    del owner  # a cell that the outline cuts in two is two cells here
    zone = _grow(polygons, parts, rng)
    return np.array([shapely.union_all(polygons[zone == part]) for part in range(parts)])


def scatter(
    region: shapely.Geometry, count: int, rng: np.random.Generator, density: Density
) -> Floats:
    """Draw `count` points inside `region`, shape (count, 2), with relative `density`."""
    shapely.prepare(region)
    west, south, east, north = shapely.bounds(region)
    accepted: list[Floats] = []
    missing = count
    peak = 0.0
    while missing > 0:
        draw = rng.uniform((west, south), (east, north), (8 * count + 64, 2))
        draw = draw[shapely.contains_xy(region, draw)]
        weight = density(draw)
        peak = peak or float(weight.max())
        draw = draw[rng.random(len(draw)) * peak < weight]
        accepted.append(draw[:missing])
        missing -= len(accepted[-1])
    return np.concatenate(accepted)


def _relaxed(points: Floats, region: shapely.Geometry) -> Floats:
    """One Lloyd step: points move to the centroids of their cells; slivers become rare."""
    cells = voronoi_cells(gpd.GeoSeries(shapely.points(points)), region)
    centres = shapely.get_coordinates(shapely.centroid(cells.to_numpy()))
    inside = shapely.contains_xy(region, centres)
    return np.where(inside[:, None], centres, points)


def _grow(polygons: Geometries, parts: int, rng: np.random.Generator) -> Integers:
    neighbours = shared_edges(polygons)
    zone = np.full(len(polygons), -1, dtype=np.int64)
    seeds = _apart(neighbours, parts, rng)
    queue = [(0.0, int(cell), part) for part, cell in enumerate(seeds)]
    delays = iter(rng.exponential(1.0, 8 * len(polygons) + parts))
    while queue:
        time, cell, part = heapq.heappop(queue)
        if zone[cell] >= 0:
            continue
        zone[cell] = part
        for other in neighbours[cell]:
            if zone[other] < 0:
                heapq.heappush(queue, (time + 0.4 + next(delays), other, part))
    cut_off = np.flatnonzero(zone < 0)
    reached = np.flatnonzero(zone >= 0)
    nearest = shapely.STRtree(polygons[reached]).nearest(polygons[cut_off])
    zone[cut_off] = zone[reached[nearest]]
    return zone


def _apart(neighbours: list[list[int]], count: int, rng: np.random.Generator) -> list[int]:
    """Choose `count` cells at random, no two of them neighbours while that is possible."""
    chosen: dict[int, None] = {}
    passed_over: list[int] = []
    for cell in map(int, rng.permutation(len(neighbours))):
        if chosen.keys() & neighbours[cell]:
            passed_over.append(cell)
        else:
            chosen[cell] = None
    return [*chosen, *passed_over][:count]


def shared_edges(polygons: Geometries) -> list[list[int]]:
    """Return, for each polygon, the polygons that share an edge with it."""
    shared: list[list[int]] = [[] for _ in polygons]
    first_owner: dict[tuple[tuple[int, int], ...], int] = {}
    for index, polygon in enumerate(polygons):
        rings = np.round(shapely.get_coordinates(shapely.boundary(polygon)) / _SAME_VERTEX_M)
        corners = [(int(x), int(y)) for x, y in rings]
        for start, end in itertools.pairwise(corners):
            edge = (start, end) if start < end else (end, start)
            other = first_owner.setdefault(edge, index)
            if other != index and other not in shared[index]:
                shared[index].append(other)
                shared[other].append(index)
    return shared
