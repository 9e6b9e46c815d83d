"""Distinct counts of the cells of all days: what an exact law over a year needs, kept ready.

For every zone, as an origin and as a destination: how many of its cells hold `true` trips, and for
each bound T in `STOPS` in how many of them trimming leaves fewer, `kept`.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..parameters import MAX_TRIPS_STOPS
from .tripcounts import TripCounts

STOPS = MAX_TRIPS_STOPS
"""The T whose distinct counts are kept."""
_KEYS = ["limit", "side", "zone", "true", "kept"]


class Cells(NamedTuple):
    """Cells of which no two are the same, all with a trip."""

    origin: Integers
    destination: Integers
    kept: Integers
    true: Integers


class Tally(NamedTuple):
    """Distinct (zone, true, kept) of origins or of destinations, and the cells that have them."""

    zone: Integers
    true: Integers
    kept: Integers
    cells: Integers


def cells_of(trips: TripCounts, highest_rank: int | None) -> Cells:
    """Return the cells of one matrix, sorted like its trips; the diagonal is left out."""
    off = trips.origin != trips.destination
    origin, destination = trips.origin[off], trips.destination[off]
    # the ranks of one cell lie together: each change of zones starts a cell
    change = (origin[1:] != origin[:-1]) | (destination[1:] != destination[:-1])
    first = np.flatnonzero(np.r_[True, change]) if len(origin) else np.zeros(0, dtype=np.int64)
    n = trips.n[off].astype(np.int64)
    kept = true = np.add.reduceat(n, first) if len(n) else n
    if highest_rank is not None and len(n):
        kept = np.add.reduceat(n * (trips.rank[off] <= highest_rank), first)
    ends = origin[first].astype(np.int64), destination[first].astype(np.int64)
    return Cells(*ends, kept, true)


def counted(days: Iterable[TripCounts]) -> pa.Table:
    """Return the distinct counts of matrices: untrimmed as limit 0, then what each T trims."""
    parts: list[pa.Table] = []
    for trips in days:
        parts.append(_added_up([_rows(cells, limit) for limit, cells in _parts(trips)]))
        if len(parts) == 16:
            parts = [_added_up(parts)]
    return _added_up(parts).sort_by([(key, "ascending") for key in _KEYS])


def at(table: pa.Table, highest_rank: int | None) -> tuple[Tally, Tally] | None:
    """Return the distinct counts of origins and of destinations; None for a T that is not kept."""
    if highest_rank is not None and highest_rank not in STOPS:
        return None
    limit, side = table["limit"].to_numpy(), table["side"].to_numpy()
    columns = [table[name].to_numpy().astype(np.int64) for name in (*_KEYS[2:], "cells")]

    def of(number: int) -> Tally:
        whole = [values[(limit == 0) & (side == number)] for values in columns]
        if highest_rank is None:
            return Tally(*whole)
        cut = [values[(limit == highest_rank) & (side == number)] for values in columns]
        span = 1 + int(whole[1].max(initial=0))
        at = np.searchsorted(whole[0] * span + whole[1], cut[0] * span + cut[1])
        np.subtract.at(whole[3], at, cut[3])
        left = whole[3] > 0
        return Tally(*(np.concatenate([a[left], b]) for a, b in zip(whole, cut, strict=True)))

    return of(0), of(1)


def _parts(trips: TripCounts) -> Iterable[tuple[int, Cells]]:
    whole = cells_of(trips, None)
    yield 0, whole
    for limit in STOPS:
        cells = cells_of(trips, limit)
        cut = cells.kept < cells.true
        if not cut.any():
            return  # a cell that keeps all at T keeps all at every larger T
        yield limit, Cells(*(values[cut] for values in cells))


def _rows(cells: Cells, limit: int) -> pa.Table:
    count = len(cells.true)
    return pa.table(
        {
            "limit": np.full(2 * count, limit, dtype=np.int16),
            "side": np.repeat(np.array([0, 1], dtype=np.int8), count),
            "zone": np.concatenate([cells.origin, cells.destination]).astype(np.int32),
            "true": np.tile(cells.true, 2),
            "kept": np.tile(cells.kept, 2),
            "cells": np.ones(2 * count, dtype=np.int64),
        }
    )


def _added_up(parts: list[pa.Table]) -> pa.Table:
    summed = pa.concat_tables(parts).group_by(_KEYS).aggregate([("cells", "sum")])
    return summed.select([*_KEYS, "cells_sum"]).rename_columns([*_KEYS, "cells"])
