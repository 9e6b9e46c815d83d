"""The rank-based cache of visits: those kept for any ℓ are a prefix of each slice of rows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..arrays import Integers
from ..parameters import HOURS_PER_WEEK

_SLICE_ROWS = 2**20


class _Slice(NamedTuple):
    cell: NDArray[np.int32]  # tower · 168 + hour, by ascending rank
    n: NDArray[np.int32]
    ends: NDArray[np.intp]  # rows of rank ≤ r, r = 0 … 255


class Presampled:
    """Counts by tower, hour and rank, sorted by rank a slice at a time: there are millions."""

    def __init__(self, table: pa.Table, tower_index: Callable[[pa.ChunkedArray], Integers]) -> None:
        self._slices: list[_Slice] = []
        for start in range(0, len(table), _SLICE_ROWS):
            part = table.slice(start, _SLICE_ROWS)
            rank = part["rank"].to_numpy().astype(np.uint8)
            order = np.argsort(rank, kind="stable")
            cell = tower_index(part["location_id"]) * HOURS_PER_WEEK + part["hour"].to_numpy()
            ends = np.searchsorted(rank[order], np.arange(256), side="right")
            n = part["n"].to_numpy()[order].astype(np.int32)
            self._slices.append(_Slice(cell[order].astype(np.int32), n, ends))

    def kept(self, max_rank: int, towers: int) -> Integers:
        """Return the sum of the counts of rank ≤ `max_rank`, shape (towers, 168)."""
        counts = np.zeros(towers * HOURS_PER_WEEK)
        for cell, n, ends in self._slices:
            end = ends[max_rank]
            counts += np.bincount(cell[:end], weights=n[:end], minlength=len(counts))
        return counts.astype(np.int64).reshape(towers, HOURS_PER_WEEK)
