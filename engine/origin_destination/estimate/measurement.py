"""The only step of `estimate` that sees counts: whole-number noise in every cell, nothing hidden.

What leaves this module is a `Measurement`, which holds no count. Whatever is computed from it is
post-processing and costs no privacy.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from ...arrays import Floats, Integers
from ...datasets import Dataset
from ...ledger import Kind, Ledger, Noise
from ...parameters import ODParameters
from ..matrices import Days, clear_diagonal, day_indices, kept
from ..mechanism import Draw, drawn, laplace_ledger

Keep = Callable[[Iterator[Integers]], Integers]
"""Puts noisy days together, shape (days, zones, zones), as they are drawn."""

Add = Callable[[Integers, int, float], Integers]
"""Adds discrete Laplace noise to whole counts of an L₁ sensitivity for an ε."""

CAPPED_TRIPS = 20
"""Trips of a person-day that the capped count counts."""

CAPPED_SHARE = 0.03
"""Share of ε that the capped count costs, where it is bought."""

CAPPED_NOISE_LIMIT = 0.05
"""The capped count is bought where its noise scale is at most this share of the guessed trips."""

PUBLIC_TRIPS_A_PERSON = 0.1
"""Public guess of the trips of a person a day. It decides only whether the count is bought."""

_LARGEST_NOISE = 2.0**62


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """Noisy cells and all that is public about them.

    Attributes
    ----------
    cells : array of int64, shape (days, zones, zones)
        Kept trips plus discrete Laplace noise, signed; diagonal 0.
    rate : float
        a, the noise of a cell has P(z) ∝ e^(−a|z|); 1/a trips is its scale.
    capped_trips : array of int64, shape (days,), or None
        Noisy number of trips capped at `CAPPED_TRIPS` a person-day; None where it is not bought.
    days : tuple of int
        Positions of the days in the declared period.
    ledger : Ledger
        What one unit of protection pays; exactly ε in all.
    """

    parameters: ODParameters
    cells: Integers
    rate: float
    capped_trips: Integers | None
    days: tuple[int, ...]
    ledger: Ledger


def measure(dataset: Dataset, parameters: ODParameters, **draw: Unpack[Draw]) -> Measurement:
    """Measure the matrices of a dataset with ε per unit of protection; arguments as `release`.

    Removing one unit of protection changes all kept cells by at most T in L₁ (1 at trip level),
    so noise of scale T/ε makes them ε-DP (Ghosh, Roughgarden and Sundararajan 2009, geometric
    mechanism). With the capped count the cells get 97% of ε and the count, of sensitivity 20, 3%.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> measured = measure(demo, ODParameters(epsilon=0.5), days=0, rng=np.random.default_rng(0))
    >>> measured.cells.shape, measured.ledger.proved_epsilon
    ((1, 150, 150), 0.5)
    """
    variates, chosen, summed = drawn(dataset, **draw)
    of_days = iter(variates)

    def add(counts: Integers, sensitivity: int, epsilon: float) -> Integers:
        # the diagonal is no cell of the matrix, so its variates are free for the capped count
        own = next(of_days) if counts.ndim == variates.ndim - 1 else variates[:, 0, 0]
        return counts + discrete_laplace(own, epsilon / sensitivity)

    return measure_with(dataset, parameters, add, days=chosen, sum_days=summed)


def measure_with(
    dataset: Dataset,
    parameters: ODParameters,
    add: Add,
    *,
    days: Days = None,
    sum_days: bool = False,
    keep: Keep = lambda days: np.stack(list(days)),
) -> Measurement:
    """Measure with noise of any source of discrete Laplace noise; else as `measure`.

    One day's counts are in memory at a time.

    Parameters
    ----------
    add : callable
        Given whole counts, their L₁ sensitivity and ε, returns them with discrete Laplace noise
        of scale sensitivity/ε in every cell. It is asked for the cells of one day after another,
        shape (zones, zones), whose diagonal is not used, and then for the capped counts where
        they are bought, shape (days,).
    keep : callable
        Where noisy cells are kept: in memory, or in a file that is mapped.
    """
    chosen, limit = day_indices(dataset, days), parameters.max_trips_per_user
    groups = [chosen] if sum_days else [(day,) for day in chosen]
    buys = buys_capped_count(dataset, parameters, len(chosen) if sum_days else 1)
    stated = ledger(parameters, capped_count=buys)
    cells_epsilon = stated.stages[0].epsilon

    def noisy_days() -> Iterator[Integers]:
        for group in groups:
            (counts,) = kept(dataset, parameters, days=group, sum_days=sum_days)
            noisy = add(counts, limit, cells_epsilon)
            clear_diagonal(noisy)
            yield noisy

    cells, capped = keep(noisy_days()), None
    if buys:
        more = replace(parameters, max_trips_per_user=CAPPED_TRIPS)
        totals = [int(kept(dataset, more, days=one, sum_days=sum_days).sum()) for one in groups]
        capped = add(np.array(totals), CAPPED_TRIPS, stated.stages[1].epsilon)
    return Measurement(
        parameters=replace(parameters, method="estimate"),
        cells=cells,
        rate=cells_epsilon / limit,
        capped_trips=capped,
        days=chosen,
        ledger=stated,
    )


def ledger(parameters: ODParameters, *, capped_count: bool = False) -> Ledger:
    """Return what one unit of protection pays; with the capped count the cells get 97% of ε."""
    count_epsilon = CAPPED_SHARE * parameters.epsilon if capped_count else 0.0
    cells = (Kind.FLOWS, parameters.max_trips_per_user, parameters.epsilon - count_epsilon)
    counts = [(Kind.CAPPED_TRIPS, CAPPED_TRIPS, count_epsilon)] if capped_count else []
    return laplace_ledger(parameters, Noise.DISCRETE_LAPLACE, cells, *counts)


def discrete_laplace(variates: Floats, rate: float) -> Integers:
    """Return whole-number noise with P(z) ∝ e^(−rate·|z|) from standard Laplace variates.

    The inverse of the distribution function: with q = e^(−a), P(|Z| ≥ j) = 2qʲ/(1 + q) is the
    chance that a standard Laplace variate exceeds a·j − log(2/(1 + q)).

    Examples
    --------
    >>> discrete_laplace(np.array([-1.2, 0.1, 3.0]), 0.5)
    array([-2,  0,  6])
    """
    size = (np.abs(variates) + np.log(2 / (1 + np.exp(-rate)))) / rate
    whole = np.floor(np.minimum(size, _LARGEST_NOISE)).astype(np.int64)
    return whole * np.where(variates < 0, -1, 1)


def buys_capped_count(dataset: Dataset, parameters: ODParameters, summed_days: int) -> bool:
    """Whether the number of trips is bought: by public numbers alone, no count is read."""
    people = dataset.metadata.people_public
    trims = parameters.unit == "person-day" and parameters.max_trips_per_user < CAPPED_TRIPS
    if not trims or people is None:
        return False
    scale = CAPPED_TRIPS / (CAPPED_SHARE * parameters.epsilon)
    return scale <= CAPPED_NOISE_LIMIT * PUBLIC_TRIPS_A_PERSON * people * summed_days
