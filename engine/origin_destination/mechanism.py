"""Algorithm 1 of P2 (Kohli, Aiken and Blumenstock): truncated counts, noise, suppression.

The noise here is for exploring (erratum O5); a release that leaves the building draws whole-number
noise from a vetted library (`engine.release.flow_writer`).
"""

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from ..arrays import Booleans, Floats, Integers
from ..contract import resolve_noise
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import ODParameters, ODUnit
from ..privacy_cost import Noise, Norm, PrivacyCost, PrivacyUnit, Query, Stage, simple_cost
from .matrices import Days, clear_diagonal, day_indices, require_memory, truncated_matrices

UNITS: dict[ODUnit, PrivacyUnit] = {
    "trip": PrivacyUnit.TRIP,
    "person-day": PrivacyUnit.PERSON_DAY,
    "person": PrivacyUnit.PERSON_TRIPS,
}
_LARGEST_NOISE = 2.0**62
_CHUNK_CELLS = 2**15


class ReleaseArguments(TypedDict, total=False):
    """Arguments of a release: exactly one source of noise, and the days."""

    rng: np.random.Generator | None
    noise: Floats | None
    days: Days
    sum_days: bool


def release(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> "ODRelease":
    """Draw one release by Algorithm 1; arguments and errors as those of the package."""
    standard, chosen, summed = draw_variates(dataset, **draw)
    # 1. truncate to T trips of every unit of privacy
    trimmed = truncated_matrices(dataset, parameters, days=chosen, sum_days=summed)
    # 2. and 3. add noise of scale T/ε to every cell, round, set values below τ to 0
    return ODRelease(
        parameters=parameters,
        counts=perturb_and_suppress(trimmed, parameters, standard),
        cost=suppression_cost(parameters),
    )


def perturb_and_suppress(
    truncated: Integers, parameters: ODParameters, standard: Floats
) -> Integers:
    """Return Algorithm 1 of matrices of whole numbers below 2⁵³, with their diagonals set to 0.

    `truncated` are counts after step 1, which one unit of privacy changes by at most T in L₁.
    """
    require_laplace_suppression(parameters)
    private = rounded_laplace(truncated, standard, parameters.noise_scale)
    private *= private >= parameters.min_shown_count
    clear_diagonal(private)
    return private


def rounded_laplace(counts: Integers, standard: Floats, scale: float) -> Integers:
    """Return counts plus noise, rounded half up: count + ⌊scale·η + ½⌋, η of `standard`."""
    # adding whole numbers loses no digit; blocks that fit a processor's cache are quicker
    noisy_counts = np.empty(counts.shape, dtype=np.int64)
    flat, flat_counts, variates = (each.reshape(-1) for each in (noisy_counts, counts, standard))
    for start in range(0, len(flat), _CHUNK_CELLS):
        piece = slice(start, start + _CHUNK_CELLS)
        noise = np.floor(variates[piece] * scale + 0.5)
        np.clip(noise, -_LARGEST_NOISE, _LARGEST_NOISE, out=noise)
        np.add(noise.astype(np.int64), flat_counts[piece], out=flat[piece])
    return noisy_counts


def discrete_laplace(variates: Floats, rate: float) -> Integers:
    """Return whole-number noise with P(z) ∝ e^(−rate·|z|) from standard Laplace variates.

    Inverts the distribution function: with q = e^(−a), P(|Z| ≥ j) = 2qʲ/(1 + q) is the probability
    that a standard Laplace variate exceeds a·j − log(2/(1 + q)).
    """
    size = (np.abs(variates) + np.log(2 / (1 + np.exp(-rate)))) / rate
    return np.copysign(np.floor(np.minimum(size, _LARGEST_NOISE)), variates).astype(np.int64)


def require_laplace_suppression(parameters: ODParameters) -> None:
    """Raise `ParameterError` unless the method is Laplace with suppression."""
    if parameters.method != "laplace_suppression":
        rule = "method must be 'laplace_suppression' for Algorithm 1 and its exact law"
        remedy = "draw it with od.release, or replace the method to compare with"
        raise ParameterError(rule, value=repr(parameters.method), remedy=remedy)


@dataclass(frozen=True, eq=False, kw_only=True)
class ODRelease:
    """One private release: trips that are 0 or at least τ, shape (days, zones, zones)."""

    parameters: ODParameters
    counts: Integers
    cost: PrivacyCost

    @property
    def is_shown(self) -> Booleans:
        """Flows that are shown; the others are suppressed and 0."""
        return self.counts > 0

    @property
    def point_estimates(self) -> Integers:
        """Best estimate of each single flow: `counts`."""
        return self.counts

    @property
    def shown_counts(self) -> Integers:
        """Shown number of each single flow: `counts`."""
        return self.counts


def draw_variates(
    dataset: Dataset,
    *,
    rng: np.random.Generator | None = None,
    noise: Floats | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> tuple[Floats, tuple[int, ...], bool]:
    """Return variates of a release, shape (matrices, zones, zones), its days, and `sum_days`."""
    chosen, zones = day_indices(dataset, days), len(dataset.zones)
    matrices = 1 if sum_days else len(chosen)
    require_memory(matrices, zones)
    shape = (matrices, zones, zones)
    cells = resolve_noise(rng, noise, lambda generator: generator.laplace(size=shape))
    if cells.shape != shape or not np.isfinite(cells).all():
        rule = f"noise must hold one finite variate for each of {shape} cells"
        remedy = "draw it for this dataset and these days with od.draw_noise"
        raise ParameterError(rule, value=f"shape {cells.shape}", remedy=remedy)
    return cells, chosen, sum_days


def suppression_cost(parameters: ODParameters) -> PrivacyCost:
    """Return the privacy loss of one unit for any number of matrices (P2, Theorem 1)."""
    flow_counts = (Query.FLOWS, parameters.max_trips_per_user, parameters.epsilon)
    return laplace_cost(parameters, Noise.ROUNDED_LAPLACE, flow_counts)


def laplace_cost(
    parameters: ODParameters, noise: Noise, *counted: tuple[Query, int, float]
) -> PrivacyCost:
    """Return the cost of several kinds of counts, each with its L₁ sensitivity and its ε."""
    stages = (
        Stage(kind, noise, float(change), Norm.L1, change / epsilon, epsilon)
        for kind, change, epsilon in counted
    )
    return simple_cost(tuple(stages), unit=UNITS[parameters.unit])
