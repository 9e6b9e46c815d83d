"""Trips as matrices, and the histogram of their counts, by days and contribution limit.

A matrix has origins in its rows and destinations in its columns, in the order of the dataset's
zones; its diagonal is 0 and is excluded from all counts (P2, Algorithm 1, step 1). Everything here
is confidential.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from .. import validation
from ..arrays import Complex, Floats, Integers
from ..datasets import Dataset, Trips, distinct, memoise
from ..datasets.distinct import MatrixCells, matrix_cells
from ..errors import DatasetError, ParameterError
from ..parameters import ODParameters, ODUnit

Days = int | slice | Sequence[int] | None
"""Declared days: one position, a slice, several, or None for all of them."""

MAX_DENSE_CELLS = 25_000_000
"""Maximum cells of a dense stack of matrices (200 MB); beyond it, request fewer days."""


def day_indices(dataset: Dataset, days: Days) -> tuple[int, ...]:
    """Return the positions of `days` in the declared period of `dataset`."""
    count = len(dataset.metadata.periods)
    if days is None:
        return tuple(range(count))
    positions: Any = range(count)[days] if isinstance(days, slice) else days
    chosen = [
        validation.check_whole_number("days", day, 0, count - 1, remedy="day 0 is the first")
        for day in (positions if isinstance(positions, Sequence | np.ndarray) else [positions])
    ]
    if not chosen:
        raise ParameterError(f"days must name at least one of the {count} days", value=f"{days!r}")
    if len(set(chosen)) < len(chosen):
        rule = "days must name each day once"
        raise ParameterError(rule, value=f"{days!r}", remedy="drop the repeats")
    return tuple(chosen)


def truth(dataset: Dataset, *, days: Days = None, sum_days: bool = False) -> Integers:
    """Return the true origin–destination matrices M, shape (days, zones, zones) (confidential).

    `days` are positions in the declared period; with `sum_days` they are added up to one matrix.
    Raises `ParameterError` if the stack would not fit (`MAX_DENSE_CELLS`) or `days` is not in the
    period, and `DatasetError` if the dataset has no trips.
    """
    return truncated_counts(dataset, "trip", 1, day_indices(dataset, days), sum_days=sum_days)


def truncated_matrices(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> Integers:
    """Return truncated matrices, before any noise (confidential).

    At most T random trips of each unit of privacy are within the contribution limit: removing one
    unit changes the result by at most T in L₁ (1 at trip level). Arguments, shape and errors as
    `truth`.
    """
    unit, limit = parameters.unit, parameters.max_trips_per_user
    return truncated_counts(dataset, unit, limit, day_indices(dataset, days), sum_days=sum_days)


def truncated_counts(
    dataset: Dataset,
    unit: ODUnit,
    max_trips_per_user: int,
    chosen: tuple[int, ...],
    *,
    sum_days: bool = False,
) -> Integers:
    """Return matrices of the trips within the contribution limit of a unit, before any noise."""
    trips, highest_rank = ranked_trips(dataset, unit, max_trips_per_user)
    zones, layers = len(dataset.zones), 1 if sum_days else len(chosen)
    require_memory(layers, zones)
    counts = np.zeros((layers, zones, zones), dtype=np.int64)
    for layer in range(layers):
        rows = trips.sum_days(chosen) if sum_days else trips.day(chosen[layer])
        keep = rows.origin != rows.destination
        if highest_rank is not None:
            keep &= rows.rank <= highest_rank
        cell = rows.origin[keep].astype(np.int64) * zones + rows.destination[keep]
        np.add.at(counts[layer].reshape(-1), cell, rows.trip_count[keep].astype(np.int64))
    return counts


def ranked_trips(
    dataset: Dataset, unit: ODUnit, max_trips_per_user: int
) -> tuple[Trips, int | None]:
    """Return the counted trips of a unit and the highest rank within T (None for all)."""
    require_unit(dataset, unit)
    if unit == "trip":
        return dataset.trips, None
    if unit == "person-day":
        return dataset.trips, max_trips_per_user
    return dataset.trips_by_person, max_trips_per_user


def require_unit(dataset: Dataset, unit: ODUnit) -> None:
    """Raise `DatasetError` where the dataset cannot protect `unit`; no count is read."""
    if unit == "trip":
        return
    if not dataset.metadata.trips_have_people:
        raise DatasetError(
            f"dataset '{dataset.id}' holds flows without people, so unit='{unit}' cannot bound "
            "anyone's trips",
            remedy="choose unit='trip' with max_trips_per_user=1",
        )
    if unit == "person" and not dataset.has_person_ranks:
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period, "
            "which unit='person' needs",
            remedy="choose unit='person-day'",
        )


def require_memory(matrices: int, zones: int) -> None:
    """Raise `ParameterError` if so many dense matrices are too large for memory."""
    if matrices * zones**2 > MAX_DENSE_CELLS:
        raise ParameterError(
            f"days must fit in memory ({MAX_DENSE_CELLS:,} cells)",
            value=f"{matrices} days of {zones} × {zones} zones",
            remedy=f"ask for at most {max(1, MAX_DENSE_CELLS // zones**2)} days, or od.expected",
        )


def clear_diagonal(counts: Integers) -> None:
    """Set the diagonal of every matrix of a stack to 0, in place."""
    np.einsum("...zz->...z", counts)[...] = 0


@dataclass(frozen=True, eq=False)
class CountHistogram:
    """Distinct pairs of a truncated and a true count, pair 0 is (0, 0), and their numbers of cells.

    `cell_counts` counts off-diagonal cells over all matrices; `by_origin` and `by_destination`,
    shape (zones, pairs), those of each row and of each column.
    """

    truncated_counts: Floats
    true_counts: Floats
    cell_counts: Floats
    by_origin: sparse.csr_array
    by_destination: sparse.csr_array

    @cached_property
    def total_trips(self) -> float:
        """All true trips."""
        return float(self.cell_counts @ self.true_counts)

    @cached_property
    def dropped_trips(self) -> float:
        """Trips that truncation drops."""
        return float(self.cell_counts @ (self.true_counts - self.truncated_counts))


def compute_histogram(
    dataset: Dataset,
    unit: ODUnit = "trip",
    max_trips_per_user: int = 1,
    *,
    days: Days = None,
    sum_days: bool = False,
) -> CountHistogram:
    """Return the histogram of a dataset's days, built once per unit, T and days, day by day."""
    chosen = day_indices(dataset, days)
    limit = 1 if unit == "trip" else max_trips_per_user

    def build() -> CountHistogram:
        trips, highest_rank = ranked_trips(dataset, unit, limit)
        zones, several = len(dataset.zones), not sum_days and 1 < len(chosen) == trips.days
        if several and trips.distinct is not None:
            blocks = distinct.distinct_at_limit(trips.distinct(), highest_rank)
            if blocks is not None:
                pairs = (block.untruncated + 1j * block.truncated for block in blocks)
                sides = [(b.zone, p, b.cell_count) for b, p in zip(blocks, pairs, strict=True)]
                return _histogram_by_side(sides, zones, len(chosen))
        layers = [trips.sum_days(chosen)] if sum_days else map(trips.day, chosen)
        cells = (matrix_cells(layer, highest_rank) for layer in layers)
        return _count_pairs(cells, zones, 1 if sum_days else len(chosen))

    return memoise(dataset, ("histogram of trips", unit, limit, chosen, sum_days), build)


def _count_pairs(cells: Iterator[MatrixCells], zones: int, matrices: int) -> CountHistogram:
    parts: list[list[Any]] = [[], []]
    for some in cells:
        # true and truncated counts as one number each, which sorts by the first, then the second
        pairs, place = np.unique(some.untruncated + 1j * some.truncated, return_inverse=True)
        for part, zone in zip(parts, (some.origin, some.destination), strict=True):
            keys, number = np.unique(zone * max(len(pairs), 1) + place, return_counts=True)
            zone_of, pair_of = np.divmod(keys, max(len(pairs), 1))
            part.append((zone_of, pairs[pair_of], number))
    sides = [tuple(map(np.concatenate, zip(*part, strict=True))) for part in parts]
    return _histogram_by_side(sides, zones, matrices)


def _histogram_by_side(sides: Any, zones: int, matrices: int) -> CountHistogram:
    """Return the histogram of (zone, pair, cells) of origins and of destinations."""
    # a cell is counted on both sides
    distinct_pairs: Complex = np.unique(np.append(sides[0][1], 0))
    rows, columns = (_cells_by_zone(side, distinct_pairs, zones, matrices) for side in sides)
    return CountHistogram(
        truncated_counts=distinct_pairs.imag.copy(),
        true_counts=distinct_pairs.real.copy(),
        cell_counts=np.asarray(rows.sum(axis=0)),
        by_origin=rows,
        by_destination=columns,
    )


def _cells_by_zone(
    side: Any, distinct_pairs: Complex, zones: int, matrices: int
) -> sparse.csr_array:
    zone, pairs, number = side
    some = sparse.coo_array(
        (number.astype(np.float64), (zone, np.searchsorted(distinct_pairs, pairs))),
        shape=(zones, len(distinct_pairs)),
    ).tocsr()
    empty = matrices * (zones - 1) - some.sum(axis=1)
    corner = (np.arange(zones), np.zeros(zones, dtype=np.int64))
    return sparse.csr_array(some + sparse.coo_array((empty, corner), shape=some.shape).tocsr())
