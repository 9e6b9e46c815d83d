"""Algorithm 3 of P1: merge the least visited cluster with its nearest until all are large."""

import heapq

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def cluster_cells(
    totals: Floats, centres_m: Floats, areas_m2: Floats, cluster_minimum: float
) -> Labels:
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
    size = len(totals)
    if cluster_minimum == 0:
        return np.arange(size)
    merged_into = list(range(size))
    current = totals.tolist()
    heap = [(total, cell) for cell, total in enumerate(current)]
    heapq.heapify(heap)
    live = _LiveCentres(centres_m, areas_m2)
    while live.count > 1:
        total, cluster = heapq.heappop(heap)
        if merged_into[cluster] != cluster or total != current[cluster]:
            continue  # left over from before a merge
        if total >= cluster_minimum:
            break
        keep, gone = sorted((cluster, live.nearest(cluster)))
        live.merge(keep, gone)
        merged_into[gone] = keep
        current[keep] += current[gone]
        heapq.heappush(heap, (current[keep], keep))
    for cell in range(size):  # a cluster always goes into one with a lower cell
        merged_into[cell] = merged_into[merged_into[cell]]
    return np.unique(np.array(merged_into, dtype=np.int64), return_inverse=True)[1]


class _LiveCentres:
    """Centres of the clusters that are still there, in rows that shrink as clusters go."""

    def __init__(self, centres_m: Floats, areas_m2: Floats) -> None:
        self.count = len(areas_m2)
        self._areas = areas_m2.tolist()
        self._set(centres_m.T.copy(), np.arange(self.count))

    def _set(self, xy: Floats, clusters: Labels) -> None:
        self._xy = xy
        self._x, self._y = xy
        self._cluster_at = clusters
        self._row = dict(zip(clusters.tolist(), range(len(clusters)), strict=True))
        self._offset = np.empty_like(xy)
        self._dx, self._dy = self._offset
        self._distance = np.empty(len(clusters))

    def nearest(self, cluster: int) -> int:
        """Return the other cluster whose centre is nearest, the lowest one at a tie."""
        row = self._row[cluster]
        np.subtract(self._xy, self._xy[:, row : row + 1], out=self._offset)
        np.multiply(self._offset, self._offset, out=self._offset)
        np.add(self._dx, self._dy, out=self._distance)
        self._distance[row] = np.inf
        return int(self._cluster_at[self._distance.argmin()])

    def merge(self, keep: int, gone: int) -> None:
        """Move `keep` to the centroid of both and take `gone` out."""
        row, other = self._row[keep], self._row[gone]
        area, more = self._areas[keep], self._areas[gone]
        both = area + more
        for axis in (self._x, self._y):
            axis[row] = (area * axis[row] + more * axis[other]) / both
            axis[other] = np.inf  # infinitely far from everything
        self._areas[keep] = both
        self.count -= 1
        if 2 * self.count < len(self._cluster_at):
            there = np.isfinite(self._x)
            self._set(self._xy[:, there], self._cluster_at[there])
