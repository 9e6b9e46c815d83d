"""The histogram of distinct (kept, true) counts: all that an exact expectation needs.

A stack of daily matrices has millions of cells and only thousands of distinct counts. The
histogram is built day by day from the sparse trips, never through a dense stack, and kept for as
long as its dataset is (confidential, like the dataset).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Complex, Floats, Integers
from ...datasets import Dataset, distinct, remembered
from ...datasets.distinct import Cells, Tally, cells_of
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

        matrices = [trips.summed(chosen)] if sum_days else map(trips.day, chosen)
        kept = None
        if trips.distinct is not None and not sum_days and 1 < len(chosen) == trips.days:
            kept = distinct.at(trips.distinct(), highest_rank)
        cells = (cells_of(matrix, highest_rank) for matrix in matrices)
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
    return _count(map(_dense_cells, layers, lefts), zones, len(layers))


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
    cells: Iterator[Cells], zones: int, matrices: int, known: tuple[Tally, Tally] | None = None
) -> CountHistogram:
    sides = _tally(cells, zones) if known is None else known
    pairs: Complex = np.unique(np.append(_pairs(sides[0]), 0))  # a cell is counted on both sides
    shape = (zones, len(pairs))
    rows, columns = (
        _with_empty_cells(
            sparse.coo_array(
                (side.cells.astype(np.float64), (side.zone, np.searchsorted(pairs, _pairs(side)))),
                shape=shape,
            ).tocsr(),
            matrices,
        )
        for side in sides
    )
    return CountHistogram(
        kept=pairs.imag.copy(),
        true=pairs.real.copy(),
        cells=np.asarray(rows.sum(axis=0)),
        by_origin=rows,
        by_destination=columns,
        matrices=matrices,
    )


def _pairs(cells: Cells | Tally) -> Complex:
    """Return true and kept counts as one number each, which sorts by the first, then the second."""
    return cells.true + 1j * cells.kept


def _tally(cells: Iterator[Cells], zones: int) -> tuple[Tally, Tally]:
    """Count (zone, true, kept) by origins and by destinations, a batch of days at a time."""
    parts: tuple[list[Tally], list[Tally]] = ([], [])
    waiting: list[Cells] = []

    def count_waiting() -> None:
        batch = Cells(*map(np.concatenate, zip(*waiting, strict=True)))
        waiting.clear()
        true, kept, values = batch.true, batch.kept, None
        span = int(true.max(initial=0)) + 1
        if zones * span**2 >= 2**63:  # ranks sort like the counts and are much smaller
            values = np.unique(np.concatenate([true, kept]))
            span, (true, kept) = len(values), np.searchsorted(values, (true, kept))
        for zone, part in zip((batch.origin, batch.destination), parts, strict=True):
            keys, number = np.unique((zone * span + true) * span + kept, return_counts=True)
            counts = keys // span % span, keys % span
            high, low = counts if values is None else values[np.array(counts)]
            part.append(Tally(keys // span**2, high, low, number))

    for some in cells:
        waiting.append(some)
        if sum(len(c.true) for c in waiting) >= _BATCH:
            count_waiting()
    if waiting:
        count_waiting()
    origins, destinations = (Tally(*map(np.concatenate, zip(*part, strict=True))) for part in parts)
    return origins, destinations


def _with_empty_cells(counted: sparse.csr_array, matrices: int) -> sparse.csr_array:
    """Add to pair 0 the cells without a trip: each zone has k − 1 cells in every matrix."""
    zones = len(counted.indptr) - 1
    empty = matrices * (zones - 1) - counted.sum(axis=1)
    corner = sparse.coo_array(
        (empty, (np.arange(zones), np.zeros(zones, dtype=np.int64))), shape=counted.shape
    )
    return sparse.csr_array(counted + corner.tocsr())
