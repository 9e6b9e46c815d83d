"""Measure matrices for empirical Bayes: whole-number noise in every cell, no suppression.

This is the only step that sees counts. A `Measurement` holds no true count, so everything computed
from it is post-processing and costs no privacy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Unpack

import numpy as np

from ...arrays import Floats, Integers
from ...datasets import Dataset, memoise
from ...parameters import ODParameters, ODUnit
from ...privacy_cost import Noise, PrivacyCost, Query
from ..matrices import Days, clear_diagonal, compute_histogram, day_indices, truncated_counts
from ..mechanism import ReleaseArguments, discrete_laplace, draw_variates, laplace_cost
from ..noise_bounds import total_half_width

AddNoise = Callable[[Integers, int, float], Integers]
"""Adds discrete Laplace noise to whole counts of an L₁ sensitivity for an ε."""

MAX_COUNTED_TRIPS: dict[ODUnit, int] = {"person-day": 20, "person": 50}
"""Trips of one unit beyond T are counted up to this public bound, all flows together."""

EXCESS_SHARE = 0.03
"""Share of ε that the count of trips beyond T costs."""


class ReleaseTotals(NamedTuple):
    """Noisy sums over all `matrices` of a release: truncated trips, and trips beyond T."""

    matrices: int
    kept_trips: int
    trips_beyond: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """Noisy cells and their public description.

    `cells`, shape (days, zones, zones), are truncated trips plus discrete Laplace noise, P(z) ∝
    e^(−a|z|) with `rate` a; `excess_trips`, shape (days,), is the noisy number of trips beyond T,
    up to `MAX_COUNTED_TRIPS` of each unit, None where not measured. `totals` are of the whole
    release, by default of the matrices here; `cells` may be some of its matrices.
    """

    parameters: ODParameters
    cells: Integers
    rate: float
    excess_trips: Integers | None
    cost: PrivacyCost
    totals: ReleaseTotals | None = None

    def __post_init__(self) -> None:
        if self.totals is None and self.excess_trips is not None:
            sums = int(self.cells.sum()), int(self.excess_trips.sum())
            object.__setattr__(self, "totals", ReleaseTotals(len(self.cells), *sums))


def max_excess_count(parameters: ODParameters) -> int:
    """Return the maximum of counted trips of a unit beyond T; 0 where none is counted.

    In one matrix removing one trip moves at most two cells by one, and this count by one: 2(1 −
    s)ε/T + sε/n is within the 2ε/T of the cells alone where n ≥ T/2 (docs/release.md).
    """
    beyond = MAX_COUNTED_TRIPS.get(parameters.unit, 0) - parameters.max_trips_per_user
    return beyond if 2 * beyond >= parameters.max_trips_per_user else 0


def beyond_rate(parameters: ODParameters) -> float:
    """Return the noise rate of one matrix's count of trips beyond T, where it is measured."""
    return EXCESS_SHARE * parameters.epsilon / max_excess_count(parameters)


def estimation_cost(parameters: ODParameters, *, people_once: bool = False) -> PrivacyCost:
    """Return the privacy loss of one unit: ε, of which the count beyond T takes 3%.

    Of `people_once` nothing is beyond T, so nothing is counted there.
    """
    beyond = 0 if people_once else max_excess_count(parameters)
    count_epsilon = EXCESS_SHARE * parameters.epsilon if beyond else 0.0
    cells = (Query.FLOWS, parameters.max_trips_per_user, parameters.epsilon - count_epsilon)
    counts = [(Query.TRIPS_BEYOND, beyond, count_epsilon)] if beyond else []
    return laplace_cost(parameters, Noise.DISCRETE_LAPLACE, cells, *counts)


def measure(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> Measurement:
    """Return a measurement of a dataset with ε per unit of privacy; arguments as `release`.

    Removing one unit changes all truncated cells by at most T in L₁ (1 at trip level), so noise of
    scale T/ε makes them ε-DP (geometric mechanism: Ghosh, Roughgarden and Sundararajan 2009). A
    release of some `days` still has totals of every matrix of the dataset.
    """
    variates, chosen, summed = draw_variates(dataset, **draw)
    of_days = iter(variates)
    kept_trips = 0

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        nonlocal kept_trips
        # the diagonal is no cell of the matrix, so its variates are free for the count beyond T
        noise = variates[:, 0, 0]
        if counts.ndim == variates.ndim - 1:
            noise, kept_trips = next(of_days), kept_trips + int(counts.sum())
        return counts + discrete_laplace(noise, epsilon / sensitivity)

    measured = measure_with(dataset, parameters, add, days=chosen, sum_days=summed)
    undrawn_count = 0 if summed else len(dataset.metadata.periods) - len(chosen)
    if measured.totals is None or not undrawn_count or len(dataset.zones) < 2:
        return measured
    totals = _with_others(dataset, measured, undrawn_count, kept_trips, variates[0].diagonal())
    return replace(measured, totals=totals)


def _with_others(
    dataset: Dataset, measured: Measurement, undrawn_count: int, kept_trips: int, variates: Floats
) -> ReleaseTotals:
    """Return the totals of a release of which `undrawn_count` matrices are not drawn."""
    parameters, zones = measured.parameters, len(dataset.zones)
    limit, matrices = parameters.max_trips_per_user, len(measured.cells) + undrawn_count
    bounds = limit, limit + max_excess_count(parameters)
    histograms = (compute_histogram(dataset, parameters.unit, bound) for bound in bounds)
    all_kept, all_counted = (int(h.cell_counts @ h.truncated_counts) for h in histograms)
    cells_noise = summed_noise(variates[-1], measured.rate, undrawn_count * zones * (zones - 1))
    counts_noise = summed_noise(variates[0], beyond_rate(parameters), matrices)
    return ReleaseTotals(
        matrices=matrices,
        kept_trips=int(measured.cells.sum()) + all_kept - kept_trips + cells_noise,
        trips_beyond=all_counted - all_kept + counts_noise,
    )


def measure_with(
    dataset: Dataset,
    parameters: ODParameters,
    add: AddNoise,
    *,
    days: Days = None,
    sum_days: bool = False,
) -> Measurement:
    """Return a measurement with any source of discrete Laplace noise, with one day in memory.

    `add` gets the cells of one day after another, shape (zones, zones), whose diagonal is not used,
    then the counts beyond T where they are measured, shape (days,).
    """
    chosen, limit = day_indices(dataset, days), parameters.max_trips_per_user
    groups = [chosen] if sum_days else [(day,) for day in chosen]
    once = dataset.metadata.people_once
    stated = estimation_cost(parameters, people_once=once)
    beyond = 0 if once else max_excess_count(parameters)
    excess: list[int] = []
    cells = np.empty((len(groups), len(dataset.zones), len(dataset.zones)), dtype=np.int64)

    def count_truncated(limit: int, group: tuple[int, ...]) -> Integers:
        return truncated_counts(dataset, parameters.unit, limit, group, sum_days=sum_days)[0]

    def count_trips(limit: int, group: tuple[int, ...]) -> int:
        key = ("trips within T", parameters.unit, limit, group, sum_days)
        return memoise(dataset, key, lambda: int(count_truncated(limit, group).sum()))

    for number, group in enumerate(groups):
        counts = count_truncated(limit, group)
        if beyond:
            excess.append(count_trips(limit + beyond, group) - int(counts.sum()))
        cells[number] = add(counts, limit, stated.stages[0].epsilon)
    clear_diagonal(cells)
    return Measurement(
        parameters=replace(parameters, method="empirical_bayes"),
        cells=cells,
        rate=stated.stages[0].epsilon / limit,
        excess_trips=add(np.array(excess), beyond, stated.stages[1].epsilon) if beyond else None,
        cost=stated,
    )


def summed_noise(variate: float, rate: float, cells: int) -> int:
    """Return the sum of the noise of `cells` cells, from one standard Laplace variate."""
    tail = max(float(np.exp(-abs(variate))), 1e-9)
    return int(np.copysign(total_half_width(rate, cells, confidence=1 - tail), variate))
