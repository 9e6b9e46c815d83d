"""Trips as matrices: which days, which trips a unit of protection keeps, and what fits in memory.

A matrix has origins in its rows and destinations in its columns, in the order of the dataset's
zones; its diagonal is 0 and is no part of anything that is counted (P2, Algorithm 1, step 1).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import validation
from ..arrays import Integers, Numbers
from ..datasets import Dataset, Trips
from ..errors import DatasetError, ParameterError
from ..parameters import ODParameters, ODUnit

Days = int | slice | Sequence[int] | None
"""Which declared days: one, a slice, several, or None for all of them."""

MAX_DENSE_CELLS = 25_000_000
"""Most cells of a dense stack of matrices (200 MB); beyond it, ask for fewer days."""

MAX_COUNT = 2**53
"""Largest count that every step can hold without rounding."""


def day_indices(dataset: Dataset, days: Days) -> tuple[int, ...]:
    """Return the positions of `days` in the declared period of `dataset`.

    Raises `ParameterError` if a day is outside the period or named twice, or none is left.
    """
    count = len(dataset.metadata.periods)
    if days is None:
        return tuple(range(count))
    if isinstance(days, slice):
        chosen = list(range(count))[days]
    else:
        several = isinstance(days, Sequence | np.ndarray) and not isinstance(days, str)
        wanted: Any = days if several else [days]
        chosen = [
            validation.whole_number("days", day, 0, count - 1, remedy="day 0 is the first")
            for day in wanted
        ]
    if not chosen:
        raise ParameterError(f"days must name at least one of the {count} days, got {days!r}")
    if len(set(chosen)) < len(chosen):
        raise ParameterError(f"days must name each day once, got {days!r}; drop the repeats")
    return tuple(chosen)


def by_zone(counts: Numbers) -> Numbers:
    """Return what decisions on zones read of true or released matrices: trips that arrive.

    Counts of shape (matrices, zones, zones) or (zones, zones) become (matrices, zones); trips
    within a zone are not counted anywhere.

    Examples
    --------
    >>> by_zone(np.array([[0, 4], [7, 0]])).tolist()
    [[7, 4]]
    """
    return np.atleast_2d(counts.sum(axis=-2))


def truth(dataset: Dataset, *, days: Days = None, sum_days: bool = False) -> Integers:
    """Return the true origin–destination matrices M (confidential).

    Parameters
    ----------
    dataset : Dataset
        With trips.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Add the days up to one matrix.

    Returns
    -------
    array of int64, shape (days, zones, zones)
        Trips per day, origin and destination; shape (1, zones, zones) with `sum_days`.

    Raises
    ------
    ParameterError
        If the stack would not fit (`MAX_DENSE_CELLS`), or `days` is not in the period.
    DatasetError
        If the dataset has no trips.

    Examples
    --------
    >>> from engine import datasets
    >>> truth(datasets.load("demo-city"), days=0).shape
    (1, 150, 150)
    """
    chosen = day_indices(dataset, days)
    return stack(dataset, dataset.trips, None, chosen, sum_days=sum_days)


def kept(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> Integers:
    """Return the matrices that a release adds noise to: trimmed, before any noise (confidential).

    Arguments, shape and errors as `truth`.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> bool((kept(demo, ODParameters(epsilon=1.0), days=0) <= truth(demo, days=0)).all())
    True
    """
    unit, limit = parameters.unit, parameters.max_trips_per_user
    return trimmed_counts(dataset, unit, limit, day_indices(dataset, days), sum_days=sum_days)


def trimmed_counts(
    dataset: Dataset,
    unit: ODUnit,
    max_trips_per_user: int,
    chosen: tuple[int, ...],
    *,
    sum_days: bool = False,
) -> Integers:
    """Return the matrices of the trips that the unit of protection keeps, before any noise.

    At trip level every trip is kept. Otherwise at most T per person-day (or person, over the
    whole period) are, at random: removing one unit of protection changes the result by at most
    T in L₁ (1 at trip level).
    """
    trips, limit = ranked_trips(dataset, unit, max_trips_per_user)
    return stack(dataset, trips, limit, chosen, sum_days=sum_days)


def ranked_trips(
    dataset: Dataset, unit: ODUnit, max_trips_per_user: int
) -> tuple[Trips, int | None]:
    """Return the counted trips for `unit` and the highest rank it keeps (None keeps all)."""
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
            "anyone's trips; choose unit='trip' with max_trips_per_user=1"
        )
    if unit == "person" and not dataset.has_trips_by_person:
        raise DatasetError(
            f"dataset '{dataset.id}' does not rank trips within a person over the whole period, "
            "which unit='person' needs; choose unit='person-day'"
        )


def stack(
    dataset: Dataset,
    trips: Trips,
    highest_rank: int | None,
    chosen: tuple[int, ...],
    *,
    sum_days: bool,
) -> Integers:
    """Add counted trips up to dense matrices of the chosen days, in the order given."""
    zones = len(dataset.zones)
    layers = 1 if sum_days else len(chosen)
    require_room(layers, zones)
    counts = np.zeros((layers, zones, zones), dtype=np.int64)
    for layer in range(layers):
        rows = trips.summed(chosen) if sum_days else trips.day(chosen[layer])
        keep = rows.origin != rows.destination
        if highest_rank is not None:
            keep &= rows.rank <= highest_rank
        cell = rows.origin[keep].astype(np.int64) * zones + rows.destination[keep]
        np.add.at(counts[layer].reshape(-1), cell, rows.n[keep].astype(np.int64))
    return counts


def require_room(matrices: int, zones: int) -> None:
    """Raise `ParameterError` where so many dense matrices are too large for memory."""
    if matrices * zones**2 > MAX_DENSE_CELLS:
        raise ParameterError(
            f"days must fit in memory ({MAX_DENSE_CELLS:,} cells), got {matrices} days of "
            f"{zones} × {zones} zones; ask for at most "
            f"{max(1, MAX_DENSE_CELLS // zones**2)} days at a time, or for od.expectation"
        )


def require_alike(true: Numbers, released: Numbers) -> None:
    """Raise `ParameterError` unless both are square matrices, or stacks of them, of one shape."""
    if true.shape != released.shape or true.ndim < 2 or true.shape[-1] != true.shape[-2]:
        raise ParameterError(
            "true and released must be square matrices of the same shape, got "
            f"{true.shape} and {released.shape}; take both for the same days"
        )


def checked_matrix(counts: Any) -> Integers:
    """Return counts, shape (…, zones, zones), as whole numbers with diagonal 0, in a new array.

    Raises `ParameterError` where they are not square, hold no zone, or are negative, fractional,
    NaN, infinite or above 2⁵³.
    """
    try:
        values = np.asarray(counts)
    except ValueError as error:
        raise ParameterError(
            "counts must be a square matrix, got rows of different lengths; give one row and one "
            "column for every zone"
        ) from error
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or 0 in values.shape:
        raise ParameterError(
            "counts must be a square matrix of at least one zone, or a stack of them (days, "
            f"zones, zones), got shape {values.shape}; give one row and one column for every zone"
        )
    if values.dtype.kind not in "iuf":
        raise ParameterError(
            f"counts must be numbers, got an array of {values.dtype}; convert it to integers"
        )
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values) | (values != np.floor(values))
        if bad.any():
            raise ParameterError(
                f"counts must be whole numbers, got {values[bad][0]!s} and {int(bad.sum()) - 1} "
                "more that are not; give trips, not rates, and 0 where nothing is known"
            )
    low, high = values.min(), values.max()
    if low < 0 or high > MAX_COUNT:
        raise ParameterError(
            f"counts must be from 0 to 2**53, got {low if low < 0 else high!s}; a count of trips "
            "is neither negative nor that large"
        )
    whole = values.astype(np.int64)
    clear_diagonal(whole)
    return whole


def clear_diagonal(counts: Integers) -> None:
    """Set the diagonal of every matrix of a stack to 0, in place."""
    np.einsum("...zz->...z", counts)[...] = 0
