# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""The histogram of distinct (kept, true) counts: all that an exact expectation needs.

A stack of daily matrices has millions of cells and only thousands of distinct counts. The
histogram is built day by day from the sparse trips, never through a dense stack, and kept for as
long as its dataset is (confidential, like the dataset).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from engine.datasets import Dataset, TripCounts
from engine.errors import ParameterError
from engine.origin_destination.matrices import (
    Days,
    Integers,
    between_days,
    checked_matrix,
    day_indices,
    ranked_trips,
    stack,
)
from engine.parameters import ODUnit

Floats = NDArray[np.float64]

_MOST_HISTOGRAMS = 64

Cells = tuple[Integers, Integers, Floats, Floats]
"""Origin, destination, kept count and true count of cells of which no two are the same."""


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

    @property
    def true_trips(self) -> float:
        """All true trips."""
        return float(self.cells @ self.true)

    @property
    def trimmed_trips(self) -> float:
        """Trips that trimming drops."""
        return float(self.cells @ (self.true - self.kept))


def histogram(
    dataset: Dataset,
    unit: ODUnit = "trip",
    max_trips_per_user: int = 1,
    *,
    days: Days = None,
    sum_days: bool = False,
) -> CountHistogram:
    """Return the histogram of a dataset's days; built once per unit, T and days.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    unit : str
        What T bounds; ``trip`` trims nothing.
    max_trips_per_user : int
        T.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Count cells of the sum of the days rather than of each day.

    Examples
    --------
    >>> from engine import datasets
    >>> counted = histogram(datasets.load("demo-city"), days=0)
    >>> int(counted.cells.sum()) == 150 * 149
    True
    """
    chosen = day_indices(dataset, days)
    limit = 1 if unit == "trip" else max_trips_per_user
    key = (unit, limit, chosen, sum_days)
    known = _KNOWN.setdefault(dataset, {})
    if key not in known:
        trips, highest_rank = ranked_trips(dataset, unit, limit)

        def cells() -> Iterator[Cells]:
            if sum_days:
                yield _summed_cells(dataset, trips, highest_rank, chosen)
            else:
                for day in chosen:
                    yield _cells_of_day(between_days(trips, day, day), highest_rank)

        while len(known) >= _MOST_HISTOGRAMS:
            known.pop(next(iter(known)), None)
        known[key] = _count(cells, len(dataset.zones), 1 if sum_days else len(chosen))
    return known[key]


def histogram_of_matrix(true: Any, kept: Any = None) -> CountHistogram:
    """Return the histogram of one matrix or a stack of daily matrices.

    Parameters
    ----------
    true : array-like, shape (zones, zones) or (days, zones, zones)
        True counts; the diagonal is left out.
    kept : array-like, same shape, or None
        Counts after trimming, at most the true ones; None trims nothing.

    Raises
    ------
    ParameterError
        If these are no matrices of counts, or kept exceeds true somewhere.

    Examples
    --------
    >>> counted = histogram_of_matrix([[0, 7, 7], [2, 0, 0], [0, 0, 0]])
    >>> counted.true.tolist(), counted.cells.tolist()
    ([0.0, 2.0, 7.0], [3.0, 1.0, 2.0])
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


_KNOWN: WeakKeyDictionary[Dataset, dict[tuple[object, ...], CountHistogram]] = WeakKeyDictionary()


def _cells_of_day(trips: TripCounts, highest_rank: int | None) -> Cells:
    off = trips.origin != trips.destination
    origin, destination = trips.origin[off], trips.destination[off]
    n = trips.n[off].astype(np.float64)
    # the ranks of one cell lie together: each change of zones starts a cell
    change = (origin[1:] != origin[:-1]) | (destination[1:] != destination[:-1])
    first = np.flatnonzero(np.r_[True, change]) if len(n) else np.zeros(0, dtype=np.int64)
    true = np.add.reduceat(n, first) if len(n) else n
    kept = true
    if highest_rank is not None and len(n):
        kept = np.add.reduceat(n * (trips.rank[off] <= highest_rank), first)
    return origin[first].astype(np.int64), destination[first].astype(np.int64), kept, true


def _summed_cells(
    dataset: Dataset, trips: TripCounts, highest_rank: int | None, chosen: tuple[int, ...]
) -> Cells:
    true = stack(dataset, trips, None, chosen, sum_days=True)[0]
    if highest_rank is None:
        return _dense_cells(true, true)
    return _dense_cells(true, stack(dataset, trips, highest_rank, chosen, sum_days=True)[0])


def _dense_cells(true: Integers, kept: Integers) -> Cells:
    origin, destination = np.nonzero(true)
    return (
        origin,
        destination,
        kept[origin, destination].astype(np.float64),
        true[origin, destination].astype(np.float64),
    )


def _count(cells: Callable[[], Iterator[Cells]], zones: int, matrices: int) -> CountHistogram:
    # A complex number holds a pair of counts up to 2⁵³ exactly and sorts by its real part first.
    pairs = np.zeros(1, dtype=np.complex128)
    for _, _, kept, true in cells():
        pairs = np.union1d(pairs, true + 1j * kept)
    shape = (zones, len(pairs))
    rows, columns = sparse.csr_array(shape), sparse.csr_array(shape)
    for origin, destination, kept, true in cells():
        pair = np.searchsorted(pairs, true + 1j * kept)
        ones = np.ones(len(pair))
        rows = rows + sparse.coo_array((ones, (origin, pair)), shape=shape).tocsr()
        columns = columns + sparse.coo_array((ones, (destination, pair)), shape=shape).tocsr()
    rows = _with_empty_cells(rows, matrices)
    return CountHistogram(
        kept=pairs.imag.copy(),
        true=pairs.real.copy(),
        cells=np.asarray(rows.sum(axis=0)),
        by_origin=rows,
        by_destination=_with_empty_cells(columns, matrices),
        matrices=matrices,
    )


def _with_empty_cells(counted: sparse.csr_array, matrices: int) -> sparse.csr_array:
    """Add to pair 0 the cells without a trip: each zone has k − 1 cells in every matrix."""
    zones = len(counted.indptr) - 1
    empty = matrices * (zones - 1) - counted.sum(axis=1)
    corner = sparse.coo_array(
        (empty, (np.arange(zones), np.zeros(zones, dtype=np.int64))), shape=counted.shape
    )
    return sparse.csr_array(counted + corner.tocsr())
