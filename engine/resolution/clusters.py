"""Public clusters of neighbouring zones: from areas and adjacency alone, never from a count."""

import heapq

import geopandas as gpd
import numpy as np
import shapely

from .. import validation
from ..arrays import Floats, Integers
from ..geography import projected_crs

_GRID_M = 1e-5
"""Zones whose borders are apart by less than this share of the map's extent are neighbours."""


def cluster_zones(zones: gpd.GeoDataFrame, k: int) -> Integers:
    """Return `k` clusters of neighbouring zones of similar area, as labels of shape (zones,).

    The smallest cluster joins its smallest neighbour, again and again; an island joins the cluster
    with the nearest centre. Ties go to the zone that comes first. Only the zones' polygons are
    read, so the clusters cost no privacy and are the same for everybody. Labels 0 … k − 1 follow
    the clusters' first zones.
    """
    remedy = "there cannot be more clusters than zones"
    k = validation.check_whole_number("k", k, 1, len(zones), remedy=remedy)
    count = len(zones)
    polygons = zones.geometry.to_crs(projected_crs(zones)).to_numpy()
    areas: list[float] = shapely.area(polygons).tolist()
    centres = shapely.get_coordinates(shapely.centroid(polygons))
    near = _find_neighbours(polygons, centres)
    weights = np.array(areas)[:, None] * centres  # an area-weighted sum: merged by adding
    owner = list(range(count))
    queue = [(areas[i], i) for i in range(count)]
    heapq.heapify(queue)
    for _ in range(count - k):
        area, first = heapq.heappop(queue)
        while owner[first] != first or area != areas[first]:  # an entry from before a merger
            area, first = heapq.heappop(queue)
        candidates = near[first] or _nearest_cluster(first, owner, weights, areas)
        second = min(candidates, key=lambda neighbour: (areas[neighbour], neighbour))
        keep, gone = min(first, second), max(first, second)
        owner[gone] = keep
        areas[keep] += areas[gone]
        weights[keep] += weights[gone]
        near[keep] = (near[keep] | near[gone]) - {keep, gone}
        for neighbour in near[gone] - {keep}:
            near[neighbour] = (near[neighbour] - {gone}) | {keep}
        heapq.heappush(queue, (areas[keep], keep))
    roots = [_find_root(owner, i) for i in range(count)]
    return np.unique(roots, return_inverse=True)[1].astype(np.int64)


def _find_neighbours(
    polygons: "np.ndarray[tuple[int], np.dtype[np.object_]]", centres: Floats
) -> list[set[int]]:
    extent = float(np.ptp(centres, axis=0).max()) if len(centres) > 1 else 1.0
    gap = max(extent * _GRID_M, 1.0)
    tree = shapely.STRtree(polygons)
    left, right = tree.query(polygons, predicate="dwithin", distance=gap)
    is_ordered = left < right
    left, right = left[is_ordered], right[is_ordered]
    edges, grown = shapely.boundary(polygons), shapely.buffer(polygons, gap, quad_segs=1)
    border = shapely.intersection(edges[left], grown[right])
    some = shapely.length(border) > 4 * gap  # corners touch in a point only
    near: list[set[int]] = [set() for _ in polygons]
    for i, j in zip(left[some].tolist(), right[some].tolist(), strict=True):
        near[i].add(j)
        near[j].add(i)
    return near


def _nearest_cluster(first: int, owner: list[int], weights: Floats, areas: list[float]) -> set[int]:
    """Return the cluster whose centre is nearest to that of an island."""
    roots = [i for i, root in enumerate(owner) if root == i and i != first]
    centres = weights[roots] / np.array([areas[i] for i in roots])[:, None]
    distances = np.linalg.norm(centres - weights[first] / areas[first], axis=1)
    return {roots[int(np.argmin(distances))]}


def _find_root(owner: list[int], zone: int) -> int:
    while owner[zone] != zone:
        zone = owner[zone]
    return zone
