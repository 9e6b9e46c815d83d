"""Private origin–destination matrices: Algorithm 1 of P2 (Kohli, Aiken and Blumenstock).

Noise here is for exploring (erratum O5); a release that leaves the building draws whole-number
noise from a vetted library, whose law `engine.origin_destination.laws` offers beside this one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import noise as samplers
from engine.datasets import Dataset
from engine.errors import ParameterError
from engine.ledger import Ledger, Stage, simple_ledger
from engine.origin_destination.matrices import (
    Days,
    Integers,
    checked_matrix,
    clear_diagonal,
    day_indices,
    kept,
)
from engine.parameters import ODParameters, ODUnit

Floats = NDArray[np.float64]

UNIT_WORDS: dict[ODUnit, str] = {
    "trip": "one trip",
    "person-day": "one person's trips of one day",
    "person": "one person's trips of the whole period",
}
"""The unit of protection in words, to be said before any number."""

_LARGEST_NOISE = 2.0**62


@dataclass(frozen=True, eq=False)
class ODRelease:
    """One private release and what it costs.

    Attributes
    ----------
    counts : array of int64, shape (days, zones, zones)
        Private trips: 0 or at least τ; diagonal 0.
    kept : array of int64, same shape
        The counts after trimming and before noise (confidential).
    days : tuple of int
        Positions of the days in the declared period.
    ledger : Ledger
        What one unit of protection pays. At ``person-day`` a person who travels on D released
        days pays more: see `engine.origin_destination.composition`.
    """

    counts: Integers
    kept: Integers
    days: tuple[int, ...]
    ledger: Ledger


def release(
    dataset: Dataset,
    params: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: Floats | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> ODRelease:
    """Draw one private release of a dataset's origin–destination matrices.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    params : ODParameters
        ε, T, τ and the unit of protection.
    rng : numpy.random.Generator
        Source of the noise. Same state, same release. Exactly one of `rng` and `noise`.
    noise : array, shape (days, zones, zones)
        Standard Laplace variates (see `standard_noise`), scaled here by T/ε: the same noise can
        follow a slider.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Release the sum of the days as one matrix.

    Returns
    -------
    ODRelease

    Raises
    ------
    ParameterError
        If the stack would not fit, `days` is not in the period or `noise` has another shape.
    DatasetError
        If the dataset has no trips, or none that `unit` can be bound with.

    Examples
    --------
    >>> from engine import datasets
    >>> private = release(datasets.load("demo-city"), ODParameters(epsilon=0.5), days=0,
    ...                   rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.published_epsilon
    ((1, 150, 150), 0.5)
    """
    chosen = day_indices(dataset, days)
    before = kept(dataset, params.unit, params.max_trips_per_user, chosen, sum_days=sum_days)
    return ODRelease(
        counts=_perturb(before, params, rng, noise),
        kept=before,
        days=chosen,
        ledger=ledger(params),
    )


def release_matrix(
    counts: Any,
    params: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: Floats | None = None,
) -> Integers:
    """Perturb one matrix, or a stack of daily matrices, of trips that are trimmed already.

    Steps 2 and 3 of Algorithm 1: Lap(T/ε) on every off-diagonal cell, rounding half up, values
    below τ to 0.

    Parameters
    ----------
    counts : array-like, shape (zones, zones) or (days, zones, zones)
        Whole numbers from 0 to 2⁵³; the diagonal is taken as 0. Removing one unit of protection
        must change it by at most T in L₁.
    params : ODParameters
        ε, T and τ are used.
    rng, noise
        As in `release`; exactly one of them.

    Returns
    -------
    array of int64, same shape

    Raises
    ------
    ParameterError
        If the counts are no matrix of counts, or the noise does not fit them.

    Examples
    --------
    >>> release_matrix([[0, 100], [3, 0]], ODParameters(epsilon=1.0), noise=np.zeros((2, 2)))
    array([[  0, 100],
           [  0,   0]])
    """
    return _perturb(checked_matrix(counts), params, rng, noise)


def standard_noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Draw the standard Laplace variates that `release` scales by T/ε, one for every cell.

    Examples
    --------
    >>> standard_noise(np.random.default_rng(0), (1, 2, 2)).shape
    (1, 2, 2)
    """
    return samplers.laplace(rng, 1.0, shape)


def ledger(params: ODParameters) -> Ledger:
    """Return what one unit of protection pays for any number of matrices (P2, Theorem 1).

    A trip lies in one cell of one day, and a person's T trips are counted over the whole period,
    so at ``trip`` and ``person`` all days together cost ε. At ``person-day`` every day costs ε.

    Examples
    --------
    >>> ledger(ODParameters(epsilon=0.5, unit="trip")).proved_epsilon
    0.5
    """
    stage = Stage(
        name="Trips between zones",
        reads="trips of every origin and destination, " + _trimming(params),
        mechanism="Laplace noise in every cell, rounded; values below "
        f"{params.suppression_threshold} suppressed",
        sensitivity=float(params.max_trips_per_user),
        norm="L1",
        noise_scale=params.noise_scale,
        epsilon=params.epsilon,
    )
    return simple_ledger((stage,), unit=UNIT_WORDS[params.unit])


def _trimming(params: ODParameters) -> str:
    if params.unit == "trip":
        return "none trimmed"
    period = "a day" if params.unit == "person-day" else "over the whole period"
    return f"at most {params.max_trips_per_user} a person {period}"


def _perturb(
    counts: Integers,
    params: ODParameters,
    rng: np.random.Generator | None,
    noise: Floats | None,
) -> Integers:
    shift = _scaled_noise(counts.shape, params.noise_scale, rng, noise)
    # the counts are whole: rounding count + noise half up is the count + ⌊noise + ½⌋, and adding
    # whole numbers loses no digit
    shift += 0.5
    np.floor(shift, out=shift)
    private = shift.astype(np.int64)
    private += counts
    private *= private >= params.suppression_threshold
    clear_diagonal(private)
    return private


def _scaled_noise(
    shape: tuple[int, ...],
    scale: float,
    rng: np.random.Generator | None,
    noise: Floats | None,
) -> Floats:
    if (rng is None) == (noise is None):
        raise ParameterError(
            "exactly one of rng and noise must be given, got "
            f"{'neither' if rng is None else 'both'}; give rng=numpy.random.default_rng(…) or "
            "standard Laplace variates as noise"
        )
    if noise is None:
        assert rng is not None
        return samplers.laplace(rng, scale, shape)
    if noise.shape != shape or not np.isfinite(noise).all():
        raise ParameterError(
            f"noise must hold one finite variate for each of {shape} cells, got shape "
            f"{noise.shape}; draw it with standard_noise(rng, {shape})"
        )
    return np.clip(noise * scale, -_LARGEST_NOISE, _LARGEST_NOISE)
