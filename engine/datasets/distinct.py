"""Distinct counts of the cells of all days, stored for exact distributions over a year.

For every zone, as an origin and as a destination: the number of its cells with an `untruncated`
count, and for each T in `MAX_TRIPS_STOPS` the cells whose `truncated` count is lower.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..parameters import MAX_TRIPS_STOPS
from .trip_counts import TripCounts

_KEYS = ["limit", "side", "zone", "true", "kept"]


class MatrixCells(NamedTuple):
    """Distinct cells of one matrix, all with a trip."""

    origin: Integers
    destination: Integers
    truncated: Integers
    untruncated: Integers


class DistinctCounts(NamedTuple):
    """Distinct (zone, untruncated, truncated) of origins or of destinations, and their cells."""

    zone: Integers
    untruncated: Integers
    truncated: Integers
    cell_count: Integers


def matrix_cells(trips: TripCounts, highest_rank: int | None) -> MatrixCells:
    """Return the cells of one matrix, sorted like its trips; the diagonal is left out."""
    off = trips.origin != trips.destination
    origin, destination = trips.origin[off], trips.destination[off]
    # the ranks of one cell lie together: each change of zones starts a cell
    change = (origin[1:] != origin[:-1]) | (destination[1:] != destination[:-1])
    first = np.flatnonzero(np.r_[True, change]) if len(origin) else np.zeros(0, dtype=np.int64)
    n = trips.trip_count[off].astype(np.int64)
    truncated = untruncated = np.add.reduceat(n, first) if len(n) else n
    if highest_rank is not None and len(n):
        truncated = np.add.reduceat(n * (trips.rank[off] <= highest_rank), first)
    ends = origin[first].astype(np.int64), destination[first].astype(np.int64)
    return MatrixCells(*ends, truncated, untruncated)


def count_distinct(days: Iterable[TripCounts]) -> pa.Table:
    """Return distinct counts of matrices: untruncated as limit 0, then the changes by each T."""
    parts: list[pa.Table] = []
    for trips in days:
        parts.append(
            _add_up([_tabulate_by_side(cells, limit) for limit, cells in _cells_by_limit(trips)])
        )
        if len(parts) == 16:
            parts = [_add_up(parts)]
    return _add_up(parts).sort_by([(key, "ascending") for key in _KEYS])


def distinct_at_limit(
    table: pa.Table, highest_rank: int | None
) -> tuple[DistinctCounts, DistinctCounts] | None:
    """Return distinct counts of origins and of destinations; None for a T that is not stored."""
    if highest_rank is not None and highest_rank not in MAX_TRIPS_STOPS:
        return None
    limit, side = table["limit"].to_numpy(), table["side"].to_numpy()
    columns = [table[name].to_numpy().astype(np.int64) for name in (*_KEYS[2:], "cells")]

    def select_side(number: int) -> DistinctCounts:
        columns_of_side = [values[(limit == 0) & (side == number)] for values in columns]
        if highest_rank is None:
            return DistinctCounts(*columns_of_side)
        cut = [values[(limit == highest_rank) & (side == number)] for values in columns]
        span = 1 + int(columns_of_side[1].max(initial=0))
        positions = np.searchsorted(
            columns_of_side[0] * span + columns_of_side[1], cut[0] * span + cut[1]
        )
        np.subtract.at(columns_of_side[3], positions, cut[3])
        is_left = columns_of_side[3] > 0
        return DistinctCounts(
            *(np.concatenate([a[is_left], b]) for a, b in zip(columns_of_side, cut, strict=True))
        )

    return select_side(0), select_side(1)


def _cells_by_limit(trips: TripCounts) -> Iterable[tuple[int, MatrixCells]]:
    all_cells = matrix_cells(trips, None)
    yield 0, all_cells
    for limit in MAX_TRIPS_STOPS:
        cells = matrix_cells(trips, limit)
        cut = cells.truncated < cells.untruncated
        if not cut.any():
            return  # a cell within the limit at T is within it at every larger T
        yield limit, MatrixCells(*(values[cut] for values in cells))


def _tabulate_by_side(cells: MatrixCells, limit: int) -> pa.Table:
    count = len(cells.untruncated)
    return pa.table(
        {
            "limit": np.full(2 * count, limit, dtype=np.int16),
            "side": np.repeat(np.array([0, 1], dtype=np.int8), count),
            "zone": np.concatenate([cells.origin, cells.destination]).astype(np.int32),
            "true": np.tile(cells.untruncated, 2),
            "kept": np.tile(cells.truncated, 2),
            "cells": np.ones(2 * count, dtype=np.int64),
        }
    )


def _add_up(parts: list[pa.Table]) -> pa.Table:
    summed = pa.concat_tables(parts).group_by(_KEYS).aggregate([("cells", "sum")])
    return summed.select([*_KEYS, "cells_sum"]).rename_columns([*_KEYS, "cells"])
