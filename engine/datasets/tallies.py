"""Distinct counts of the cells of all days: what an exact law over a year needs, kept ready.

For every zone, as an origin and as a destination: how many of its cells hold `true` trips, and for
each bound T in `STOPS` in how many of them trimming leaves `kept` fewer. The second are stored as
changes to the first, and there are few: tallies of further days are added, in any order.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..arrays import Integers
from ..parameters import MAX_TRIPS_STOPS
from .tripcounts import TripCounts

STOPS = MAX_TRIPS_STOPS
"""The T whose tallies are kept."""
_ORIGIN, _DESTINATION = 0, 1
_KEYS = ("limit", "side", "zone", "true", "kept")


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
    first, off = _first_rows(trips)
    n = trips.n[off].astype(np.int64)
    kept = true = np.add.reduceat(n, first) if len(n) else n
    if highest_rank is not None and len(n):
        kept = np.add.reduceat(n * (trips.rank[off] <= highest_rank), first)
    origin, destination = (
        ends[off][first].astype(np.int64) for ends in (trips.origin, trips.destination)
    )
    return Cells(origin, destination, kept, true)


def of_day(trips: TripCounts) -> pa.Table:
    """Return the tallies of one matrix."""
    return merged([_table(limit, sign, cells) for limit, sign, cells in _parts(trips)])


def merged(parts: Sequence[pa.Table]) -> pa.Table:
    """Return tallies added up: sorted, none of them zero."""
    summed = pa.concat_tables(parts).group_by(list(_KEYS)).aggregate([("cells", "sum")])
    summed = summed.rename_columns([*_KEYS, "cells"])
    where = np.flatnonzero(summed["cells"].to_numpy())
    table = summed.take(pa.array(where)).sort_by([(key, "ascending") for key in _KEYS])
    return table.combine_chunks()


def at(table: pa.Table, highest_rank: int | None) -> tuple[Tally, Tally] | None:
    """Return the tallies of origins and of destinations; None for a T that is not kept."""
    if highest_rank is not None and highest_rank not in STOPS:
        return None
    columns = {name: table[name].to_numpy() for name in table.column_names}

    def side(number: int) -> Tally:
        spans = [_span(columns, limit, number) for limit in sorted({0, highest_rank or 0})]
        keys, cells = (
            np.concatenate([np.stack([columns[name][span] for name in names]) for span in spans], 1)
            for names in (_KEYS[2:], ("cells",))
        )
        order = np.lexsort(keys[::-1])
        keys, cells = keys[:, order].astype(np.int64), cells[0, order]
        first = np.flatnonzero(np.r_[True, (np.diff(keys) != 0).any(axis=0)][: len(cells)])
        sums = np.add.reduceat(cells, first) if len(cells) else cells
        left = first[sums != 0]
        zone, true, kept = keys[:, left]
        return Tally(zone, true, kept, sums[sums != 0])

    return side(_ORIGIN), side(_DESTINATION)


def _span(columns: dict[str, Any], limit: int, side: int) -> slice:
    """Return the rows of one T and side: the table is sorted by both."""
    first, last = np.searchsorted(columns["limit"], [limit, limit + 1]).tolist()
    middle = first + int(np.searchsorted(columns["side"][first:last], _DESTINATION))
    return slice(first, middle) if side == _ORIGIN else slice(middle, last)


def _first_rows(trips: TripCounts) -> tuple[Integers, Any]:
    """Return where each cell begins among the rows off the diagonal, and which rows those are."""
    off = trips.origin != trips.destination
    origin, destination = trips.origin[off], trips.destination[off]
    # the ranks of one cell lie together: each change of zones starts a cell
    change = (origin[1:] != origin[:-1]) | (destination[1:] != destination[:-1])
    first = np.flatnonzero(np.r_[True, change]) if len(origin) else np.zeros(0, dtype=np.int64)
    return first, off


def _parts(trips: TripCounts) -> Iterator[tuple[int, int, Cells]]:
    """Yield all cells untrimmed, then for each T those that it trims, as they were and are."""
    whole = cells_of(trips, None)
    yield 0, 1, whole
    for limit in STOPS:
        # ranks rise within a cell: one that keeps all at T keeps all at every larger T
        high = trips.rank > limit
        if not high.any():
            return
        zones = 1 + max(int(trips.origin.max()), int(trips.destination.max()))
        key = trips.origin.astype(np.int64) * zones + trips.destination
        trips = trips.rows(np.isin(key, np.unique(key[high])))
        cells = cells_of(trips, limit)
        yield limit, -1, cells._replace(kept=cells.true)
        yield limit, 1, cells


def _table(limit: int, sign: int, cells: Cells) -> pa.Table:
    count = len(cells.true)
    columns: dict[str, Any] = {
        "limit": np.full(2 * count, limit, dtype=np.int16),
        "side": np.repeat(np.array([_ORIGIN, _DESTINATION], dtype=np.int8), count),
        "zone": np.concatenate([cells.origin, cells.destination]).astype(np.int32),
        "true": np.tile(cells.true, 2),
        "kept": np.tile(cells.kept, 2),
        "cells": np.full(2 * count, sign, dtype=np.int64),
    }
    return pa.table(columns)
