"""Aid after a shock: how many people leave an affected area, by the exact law (P2, Table 3).

Daily matrices after the shock give the trips that leave the area. Trips between zones of the area
are no out-migration; both totals are stated. Table S3 sets T to percentiles of the daily trips
(erratum O4), and its figures are not Algorithm 1's (erratum E2: see ``docs/decisions.md``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import DatasetError, ParameterError
from ..origin_destination.laws import LawName, NoiseLaw, mean_shift
from ..origin_destination.matrices import Days, day_indices, trimmed_counts
from ..origin_destination.sums import Totals
from ..parameters import ODParameters
from .places import zone_positions


@dataclass(frozen=True, kw_only=True)
class Shock:
    """An affected area and the days on which people leave it.

    Attributes
    ----------
    zones : tuple of int
        Positions of the affected zones, ascending.
    days : tuple of int
        Positions of the days in the declared period.
    """

    zones: tuple[int, ...]
    days: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Outflow:
    """Trips out of an affected area (confidential).

    Attributes
    ----------
    true, kept : arrays, shape (days, area, destinations)
        Trips per day, from each affected zone to each zone outside, before and after trimming.
    destinations : array of int, shape (destinations,)
        Positions of the zones outside the area, ascending.
    inside : array, shape (days,)
        True trips between zones of the area, which are not counted as leaving it.
    """

    true: Floats
    kept: Floats
    destinations: Integers
    inside: Floats


@dataclass(frozen=True, kw_only=True)
class Causes:
    """What makes the expected total differ from the true one, in trips; they add up to the bias.

    Attributes
    ----------
    trimming : array
        At most 0: trips beyond T.
    suppression : array
        At most 0: counts below τ that would be suppressed without noise.
    noise : array
        What noise changes in cells that have trips in truth: small counts it lifts over τ, larger
        ones it pushes below.
    phantoms : array
        At least 0: trips that noise invents where nobody travelled.
    """

    trimming: Floats
    suppression: Floats
    noise: Floats
    phantoms: Floats


@dataclass(frozen=True, kw_only=True)
class ShockTotals:
    """Total out-migration by day and over all days, exactly.

    Attributes
    ----------
    by_day, together : Totals
        Shapes (days,) and (): true, expected, bias, standard deviation and 95% interval.
    causes : Causes
        The bias of the total over all days by its causes.
    inside_by_day : array, shape (days,)
        True trips inside the area, not counted above.
    """

    by_day: Totals
    together: Totals
    causes: Causes
    inside_by_day: Floats


def shock(dataset: Dataset, zone_ids: Sequence[str] | None = None, *, days: Days = None) -> Shock:
    """Return the affected area and its days, as given or as the dataset describes them.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    zone_ids : sequence of str or None
        Affected zones; None takes those that the dataset names.
    days : int, slice, sequence of int or None
        Positions in the declared period. None takes the days that the dataset names; where it
        names none, the first seven.

    Raises
    ------
    ParameterError
        If a zone is not in the dataset, or no zone is left outside the area.
    DatasetError
        If no zones are given and the dataset names none.

    Examples
    --------
    >>> from engine import datasets
    >>> shock(datasets.load("rwanda-districts")).days
    (0, 1, 2, 3, 4, 5, 6)
    """
    described: Mapping[str, Any] = dataset.metadata.scenario.get("shock", {})
    if zone_ids is None:
        zone_ids = described.get("zone_ids")
        if not zone_ids:
            raise DatasetError(
                f"an affected area is needed, and dataset '{dataset.id}' names none",
                remedy="choose one or more zones",
                settings=("zone_ids",),
            )
    area = zone_positions(dataset, zone_ids, "zone_ids")
    if len(area) == len(dataset.zones):
        raise ParameterError(
            "zone_ids must leave a zone to go to",
            value=f"all {len(area)}",
            remedy="choose fewer zones",
            settings=("zone_ids",),
        )
    if days is None:
        days = _described_days(dataset, described)
    return Shock(zones=tuple(sorted(area)), days=day_indices(dataset, days))


def _described_days(dataset: Dataset, described: Mapping[str, Any]) -> slice:
    first = 0
    if "first_day" in described:
        first = (date.fromisoformat(described["first_day"]) - dataset.metadata.first_day).days
    return slice(first, first + int(described.get("days", 7)))


def outflow(dataset: Dataset, event: Shock, settings: ODParameters) -> Outflow:
    """Return the trips out of the affected area, true and as trimmed to T (confidential).

    Raises
    ------
    DatasetError
        If the dataset has no trips, or none that the unit can be bound with.

    Examples
    --------
    >>> from engine import datasets
    >>> week = datasets.load("rwanda-districts")
    >>> leaving = outflow(week, shock(week), ODParameters(epsilon=1.0, unit="trip"))
    >>> leaving.true.shape, int(leaving.true.sum())
    ((7, 1, 29), 32638)
    """
    area = np.array(event.zones)
    outside = np.setdiff1d(np.arange(len(dataset.zones)), area)
    true: list[Integers] = []
    left: list[Integers] = []
    inside: list[int] = []
    for day in event.days:
        matrix = trimmed_counts(dataset, "trip", 1, (day,))[0]
        true.append(matrix[np.ix_(area, outside)])
        inside.append(int(matrix[np.ix_(area, area)].sum()))
        if settings.unit != "trip":
            matrix = trimmed_counts(dataset, settings.unit, settings.max_trips_per_user, (day,))[0]
        left.append(matrix[np.ix_(area, outside)])
    return Outflow(
        true=np.array(true, dtype=np.float64),
        kept=np.array(left, dtype=np.float64),
        destinations=outside,
        inside=np.array(inside, dtype=np.float64),
    )


def shock_totals(
    leaving: Outflow, settings: ODParameters, *, law: LawName = "rounded_laplace"
) -> ShockTotals:
    """Return the total out-migration that a release shows: expected value, interval and causes.

    Parameters
    ----------
    leaving : Outflow
        Trimmed with the same unit and T.
    law : str
        ``rounded_laplace`` (P2) or ``discrete_laplace`` (a release that leaves the building).

    Examples
    --------
    >>> from engine import datasets
    >>> week = datasets.load("afghanistan-provinces")
    >>> params = ODParameters(epsilon=0.1, unit="trip")
    >>> totals = shock_totals(outflow(week, shock(week), params), params)
    >>> round(float(totals.together.expected), 4)
    50247.4753
    """
    noise = NoiseLaw(1 / settings.noise_scale, law)
    threshold = settings.suppression_threshold
    days = len(leaving.true)
    true = leaving.true.reshape(days, -1)
    left = leaving.kept.reshape(days, -1)
    hidden = left < max(threshold, 1)
    shifted = left + mean_shift(noise, left, threshold)
    causes = Causes(
        trimming=(left - true).sum(axis=1),
        suppression=-np.where(hidden, left, 0.0).sum(axis=1),
        noise=np.where(true > 0, shifted - np.where(hidden, 0.0, left), 0.0).sum(axis=1),
        phantoms=np.where(true == 0, shifted, 0.0).sum(axis=1),
    )
    values, value = np.unique(left, return_inverse=True)
    value = value.reshape(left.shape)
    cells = np.array([np.bincount(day, minlength=len(values)) for day in value], dtype=np.float64)
    by_day = Totals.of_cells(noise, values, cells, true=true.sum(axis=1), threshold=threshold)
    together = Totals.of_cells(
        noise, values, cells.sum(axis=0), true=np.asarray(true.sum()), threshold=threshold
    )
    return ShockTotals(
        by_day=by_day,
        together=together,
        causes=Causes(**{name: np.asarray(values.sum()) for name, values in vars(causes).items()}),
        inside_by_day=leaving.inside,
    )
