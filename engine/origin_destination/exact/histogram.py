"""The histogram of distinct (kept, true) counts: all that an exact expectation needs.

A stack of daily matrices has millions of cells and only thousands of distinct counts. The
histogram is built day by day from the sparse trips, never through a dense stack, and kept for as
long as its dataset is (confidential, like the dataset).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Floats, Integers
from ...datasets import Dataset, remembered, tallies
from ...datasets.tallies import Cells, cells_of
from ...errors import ParameterError
from ...parameters import ODUnit
from ..matrices import Days, checked_matrix, day_indices, ranked_trips

_BATCH = 2**21  # cells that are sorted at once


class Groups(NamedTuple):
    """Distinct values, ascending, shape (groups,), and which pairs have them, (groups, pairs).

    ``members @ x`` adds x up over the pairs of each group.
    """

    values: Floats
    members: sparse.csr_array


class ZoneCounts(NamedTuple):
    """True trips of zones, shape (zones,), and their cells by kept count, (zones, groups)."""

    true: Floats
    cells: sparse.csr_array | Floats


@dataclass(frozen=True, eq=False)
class CountHistogram:
    """Distinct pairs of a kept and a true count, and how many cells have them.

    Attributes
    ----------
    kept, true : arrays, shape (pairs,)
        Count after trimming and true count, kept ≤ true; pair 0 is (0, 0).
    cells : array, shape (pairs,)
        Off-diagonal cells with that pair, over all matrices.
    by_origin, by_destination : sparse arrays, shape (zones, pairs)
        The same for the cells of each row and of each column.
    matrices : int
        Number of matrices, one a day, or 1 for the sum of the days.
    """

    kept: Floats
    true: Floats
    cells: Floats
    by_origin: sparse.csr_array
    by_destination: sparse.csr_array
    matrices: int

    @property
    def zones(self) -> int:
        """Number of zones."""
        return len(self.by_origin.indptr) - 1

    @cached_property
    def by_kept(self) -> Groups:
        """Pairs by their kept count."""
        return group_pairs(self.kept)

    @cached_property
    def by_trimmed(self) -> Groups:
        """Pairs by the number of trips that trimming drops."""
        return group_pairs(self.true - self.kept)

    @cached_property
    def outgoing(self) -> ZoneCounts:
        """Trips and counts of each row."""
        return self._zone_counts(self.by_origin)

    @cached_property
    def incoming(self) -> ZoneCounts:
        """Trips and counts of each column."""
        return self._zone_counts(self.by_destination)

    @cached_property
    def grand(self) -> ZoneCounts:
        """Trips and counts of everything, without the axis of zones."""
        cells = np.asarray(self.by_kept.members @ self.cells)
        return ZoneCounts(true=np.asarray(self.true_trips), cells=cells)

    @cached_property
    def true_trips(self) -> float:
        """All true trips."""
        return float(self.cells @ self.true)

    @cached_property
    def trimmed_trips(self) -> float:
        """Trips that trimming drops."""
        return float(self.cells @ (self.true - self.kept))

    def _zone_counts(self, cells: sparse.csr_array) -> ZoneCounts:
        return ZoneCounts(
            true=np.asarray(cells @ self.true), cells=cells @ self.by_kept.members.T.tocsr()
        )


def histogram(
    dataset: Dataset,
    unit: ODUnit = "trip",
    max_trips_per_user: int = 1,
    *,
    days: Days = None,
    sum_days: bool = False,
) -> CountHistogram:
    """Return the histogram of a dataset's days; built once per unit, T and days.

    T bounds the trips of a `unit`; ``trip`` trims nothing. The other arguments are those of
    `engine.origin_destination.truth`.

    Examples
    --------
    >>> from engine import datasets
    >>> counted = histogram(datasets.load("demo-city"), days=0)
    >>> int(counted.cells.sum()) == 150 * 149
    True
    """
    chosen = day_indices(dataset, days)
    limit = 1 if unit == "trip" else max_trips_per_user

    def build() -> CountHistogram:
        trips, highest_rank = ranked_trips(dataset, unit, limit)

        def cells() -> Iterator[Cells]:
            if sum_days:
                yield cells_of(trips.summed(chosen), highest_rank)
            else:
                for day in chosen:
                    yield cells_of(trips.day(day), highest_rank)

        kept = None
        if trips.tallies is not None and not sum_days and 1 < len(chosen) == trips.days:
            kept = tallies.at(trips.tallies(), highest_rank)
        return _count(cells, len(dataset.zones), 1 if sum_days else len(chosen), kept)

    return remembered(dataset, ("histogram of trips", unit, limit, chosen, sum_days), build)


def histogram_of_matrix(true: Any, kept: Any = None) -> CountHistogram:
    """Return the histogram of one matrix or a stack of daily matrices, diagonals left out.

    `kept` are counts after trimming, at most the true ones; None trims nothing. Raises
    `ParameterError` where they exceed them or these are no matrices of counts.
    """
    counts = checked_matrix(true)
    left = counts if kept is None else checked_matrix(kept)
    if left.shape != counts.shape or bool((left > counts).any()):
        raise ParameterError(
            "kept must have the shape of true and exceed it nowhere, got shape "
            f"{left.shape} for {counts.shape}; trim the same trips that were counted"
        )
    zones = counts.shape[-1]
    layers = counts.reshape(-1, zones, zones)
    lefts = left.reshape(-1, zones, zones)

    def cells() -> Iterator[Cells]:
        for layer, after in zip(layers, lefts, strict=True):
            yield _dense_cells(layer, after)

    return _count(cells, zones, len(layers))


def group_pairs(of: Floats) -> Groups:
    """Return which entries of `of` are alike."""
    values, group = np.unique(of, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(values) + 1))
    shape = (len(values), len(of))
    return Groups(values, sparse.csr_array((np.ones(len(of)), order, starts), shape=shape))


def _dense_cells(true: Integers, kept: Integers) -> Cells:
    origin, destination = np.nonzero(true)
    return Cells(origin, destination, kept[origin, destination], true[origin, destination])


def _count(
    cells: Callable[[], Iterator[Cells]],
    zones: int,
    matrices: int,
    known: tuple[tallies.Tally, tallies.Tally] | None = None,
) -> CountHistogram:
    # One whole number holds a zone, a true and a kept count and sorts in this order.
    bits = (63 - zones.bit_length()) // 2
    try:
        origins, destinations = _tally(cells(), bits) if known is None else _packed(known, bits)
        values = None
    except OverflowError:  # ranks among all counts sort like the counts and are much smaller
        values = np.unique(np.concatenate([np.r_[0, c.kept, c.true] for c in cells()]))
        origins, destinations = _tally((_ranked(c, values) for c in cells()), bits)
    pair_bits = (1 << 2 * bits) - 1
    pairs = np.union1d(origins.keys & pair_bits, 0)
    true, kept = pairs >> bits, pairs & ((1 << bits) - 1)
    rows, columns = (
        _with_empty_cells(
            sparse.csr_array(
                (
                    tally.counts.astype(np.float64),
                    np.searchsorted(pairs, tally.keys & pair_bits),
                    np.searchsorted(tally.keys >> 2 * bits, np.arange(zones + 1)),
                ),
                shape=(zones, len(pairs)),
            ),
            matrices,
        )
        for tally in (origins, destinations)
    )
    return CountHistogram(
        kept=(kept if values is None else values[kept]).astype(np.float64),
        true=(true if values is None else values[true]).astype(np.float64),
        cells=np.asarray(rows.sum(axis=0)),
        by_origin=rows,
        by_destination=columns,
        matrices=matrices,
    )


class _Tally(NamedTuple):
    """Distinct keys, ascending, and how often each was met."""

    keys: Integers
    counts: Integers


def _tally(cells: Iterator[Cells], bits: int) -> tuple[_Tally, _Tally]:
    """Count (zone, true, kept) by origins and by destinations, a batch of days at a time."""
    parts: tuple[list[_Tally], list[_Tally]] = ([], [])
    waiting: list[Cells] = []

    def sort_waiting() -> None:
        origin, destination, kept, true = (
            np.concatenate(column) for column in zip(*waiting, strict=True)
        )
        waiting.clear()
        if max(kept.max(initial=0), true.max(initial=0)) >> bits:
            raise OverflowError
        pair = (true << bits) | kept
        for zone, part in zip((origin, destination), parts, strict=True):
            part.append(_Tally(*np.unique((zone << 2 * bits) | pair, return_counts=True)))

    for some in cells:
        waiting.append(some)
        if sum(len(c.true) for c in waiting) >= _BATCH:
            sort_waiting()
    if waiting:
        sort_waiting()
    return _merged(parts[0]), _merged(parts[1])


def _packed(known: tuple[tallies.Tally, tallies.Tally], bits: int) -> tuple[_Tally, _Tally]:
    if max(int(side.true.max(initial=0)) for side in known) >> bits:
        raise OverflowError
    origins, destinations = (
        _Tally((side.zone << 2 * bits) | (side.true << bits) | side.kept, side.cells)
        for side in known
    )
    return origins, destinations


def _merged(parts: list[_Tally]) -> _Tally:
    keys, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    distinct, position = np.unique(keys, return_inverse=True)
    # sums of whole numbers below 2⁵³ are exact in float64
    return _Tally(distinct, np.bincount(position, weights=counts).astype(np.int64))


def _ranked(cells: Cells, values: Integers) -> Cells:
    kept, true = (np.searchsorted(values, counts) for counts in (cells.kept, cells.true))
    return Cells(cells.origin, cells.destination, kept, true)


def _with_empty_cells(counted: sparse.csr_array, matrices: int) -> sparse.csr_array:
    """Add to pair 0 the cells without a trip: each zone has k − 1 cells in every matrix."""
    zones = len(counted.indptr) - 1
    empty = matrices * (zones - 1) - counted.sum(axis=1)
    corner = sparse.coo_array(
        (empty, (np.arange(zones), np.zeros(zones, dtype=np.int64))), shape=counted.shape
    )
    return sparse.csr_array(counted + corner.tocsr())
