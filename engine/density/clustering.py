"""Algorithm 3 of P1: merge the least visited cluster with its nearest until all are large."""

import heapq

import numpy as np

from ..arrays import Floats, Integers


def cluster_cells(
    totals: Floats, centres_m: Floats, areas_m2: Floats, cluster_minimum: float
) -> Integers:
    """Cluster the cells of the cover by their noisy totals (P1, Algorithm 3).

    While some cluster's total is below the minimum, the one with the least total is merged with
    the one whose centre is nearest; a centre is the centroid of all the cluster's polygons (P1,
    footnote 5). Ties go to the cluster with the lowest cell. It reads only noisy totals and
    public geometry, so it costs no privacy.

    Parameters
    ----------
    totals : array, shape (cells,)
        Ŝ, noisy totals; negative ones are allowed.
    centres_m : array, shape (cells, 2)
        Centroids of the cells in a projection, metres.
    areas_m2 : array, shape (cells,)
        Areas of the cells, above 0.
    cluster_minimum : float
        τ. With 0 every cell is its own cluster; above the whole total there is one cluster.

    Returns
    -------
    int array, shape (cells,)
        Cluster of every cell, 0, 1, …, numbered by the clusters' lowest cells.

    Examples
    --------
    >>> centres = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]])
    >>> cluster_cells(np.array([3.0, 4.0, 9.0]), centres, np.ones(3), 5.0)
    array([0, 0, 1])
    """
    size = live = len(totals)
    if cluster_minimum == 0:
        return np.arange(size)
    merged_into = list(range(size))
    current: list[float] = totals.tolist()
    heap = [(total, cell) for cell, total in enumerate(current)]
    heapq.heapify(heap)
    centres, areas = centres_m.T.copy(), areas_m2.copy()  # of a cluster at its lowest cell
    offset, distance = np.empty_like(centres), np.empty(size)
    while live > 1:
        total, cluster = heapq.heappop(heap)
        if merged_into[cluster] != cluster or total != current[cluster]:
            continue  # left over from before a merge
        if total >= cluster_minimum:
            break
        np.subtract(centres, centres[:, cluster, None], offset)
        np.multiply(offset, offset, offset)
        np.add(offset[0], offset[1], distance)
        distance[cluster] = np.inf
        other = int(distance.argmin())
        keep, gone = min(cluster, other), max(cluster, other)
        areas[keep] += areas[gone]
        centres[:, keep] += (centres[:, gone] - centres[:, keep]) * (areas[gone] / areas[keep])
        centres[:, gone] = np.inf  # infinitely far from everything
        merged_into[gone] = keep
        current[keep] += current[gone]
        heapq.heappush(heap, (current[keep], keep))
        live -= 1
    for cell in range(size):  # a cluster always goes into one with a lower cell
        merged_into[cell] = merged_into[merged_into[cell]]
    return np.unique(np.array(merged_into, dtype=np.int64), return_inverse=True)[1]
