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
    size = len(totals)
    if cluster_minimum == 0:
        return np.arange(size)
    merged_into = list(range(size))
    current: list[float] = totals.tolist()
    heap = [(total, cell) for cell, total in enumerate(current)]
    heapq.heapify(heap)
    live = _LiveCentres(centres_m, areas_m2)
    while live.count > 1:
        total, cluster = heapq.heappop(heap)
        if merged_into[cluster] != cluster or total != current[cluster]:
            continue  # left over from before a merge
        if total >= cluster_minimum:
            break
        keep, gone = live.merge_with_nearest(cluster)
        merged_into[gone] = keep
        current[keep] += current[gone]
        heapq.heappush(heap, (current[keep], keep))
    for cell in range(size):  # a cluster always goes into one with a lower cell
        merged_into[cell] = merged_into[merged_into[cell]]
    return np.unique(np.array(merged_into, dtype=np.int64), return_inverse=True)[1]


class _LiveCentres:
    """Centres of the clusters that are still there, in rows that shrink as clusters go.

    Every search is four passes over contiguous rows, without a new array.
    """

    def __init__(self, centres_m: Floats, areas_m2: Floats) -> None:
        self.count = len(areas_m2)
        self._areas: list[float] = areas_m2.tolist()
        self._set(centres_m[:, 0].copy(), centres_m[:, 1].copy(), np.arange(self.count))

    def _set(self, x: Floats, y: Floats, clusters: Integers) -> None:
        self._x, self._y, self._clusters = x, y, clusters
        self._cluster_at: list[int] = clusters.tolist()
        self._row_of = dict(zip(self._cluster_at, range(len(clusters)), strict=True))
        self._offset = np.empty((2, len(clusters)))
        self._dx, self._dy = self._offset
        self._distance = np.empty(len(clusters))
        self._shrink_below = 3 * len(clusters) // 4

    def merge_with_nearest(self, cluster: int) -> tuple[int, int]:
        """Merge `cluster` with its nearest one; return which of the two stays and which goes.

        The lowest one is nearest at a tie, and the lower one of the two stays.
        """
        row = self._row_of[cluster]
        x, y, offset, distance = self._x, self._y, self._offset, self._distance
        np.subtract(x, x[row], self._dx)
        np.subtract(y, y[row], self._dy)
        np.multiply(offset, offset, offset)
        np.add(self._dx, self._dy, distance)
        distance[row] = np.inf
        other = int(distance.argmin())
        low, high = (row, other) if row < other else (other, row)
        keep, gone = self._cluster_at[low], self._cluster_at[high]
        both = self._areas[keep] + self._areas[gone]
        part = self._areas[gone] / both
        self._areas[keep] = both
        for axis in (x, y):
            start = axis.item(low)
            axis[low] = start + (axis.item(high) - start) * part
            axis[high] = np.inf  # infinitely far from everything
        self.count -= 1
        if self.count < self._shrink_below:
            there = np.isfinite(x)
            self._set(x[there], y[there], self._clusters[there])
        return keep, gone
