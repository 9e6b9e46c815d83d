"""Private origin–destination matrices: Algorithm 1 of P2 (Kohli, Aiken and Blumenstock).

Noise here is for exploring (erratum O5); a release that leaves the building draws whole-number
noise from a vetted library, whose law `engine.origin_destination.laws` offers beside this one.
"""

from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from .. import noise as samplers
from ..arrays import Booleans, Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..ledger import Kind, Ledger, Noise, Norm, Stage, Unit, simple_ledger
from ..parameters import ODParameters, ODUnit
from .algorithm import algorithm_1, rounded_laplace
from .matrices import Days, checked_matrix, clear_diagonal, day_indices, kept, require_room

UNITS: dict[ODUnit, Unit] = {
    "trip": Unit.TRIP,
    "person-day": Unit.PERSON_DAY,
    "person": Unit.PERSON_TRIPS,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class ODNoise:
    """Standard Laplace variates of one release; the mechanism scales them by T/ε.

    The same noise under two settings is what makes a change on a slider the slider's own (common
    random numbers). Whoever knows it can subtract it.

    Attributes
    ----------
    cells : array, shape (zones, zones) or (days, zones, zones)
        One variate for every cell; those of the diagonal are not used.
    """

    cells: Floats

    @classmethod
    def draw(
        cls,
        rng: np.random.Generator,
        dataset: Dataset,
        *,
        days: Days = None,
        sum_days: bool = False,
    ) -> "ODNoise":
        """Draw the noise of a release of these days, in their order, origins before destinations.

        Examples
        --------
        >>> from engine import datasets
        >>> demo = datasets.load("demo-city")
        >>> ODNoise.draw(np.random.default_rng(0), demo, days=[0, 3]).cells.shape
        (2, 150, 150)
        """
        layers = 1 if sum_days else len(day_indices(dataset, days))
        zones = len(dataset.zones)
        return cls(cells=standard_noise(rng, (layers, zones, zones)))

    def of_shape(self, shape: tuple[int, ...]) -> Floats:
        """Return the variates, raising `ParameterError` unless they fit counts of `shape`."""
        if self.cells.shape != shape or not np.isfinite(self.cells).all():
            raise ParameterError(
                f"noise must hold one finite variate for each of {shape} cells, got shape "
                f"{self.cells.shape}; draw it for this dataset and these days with ODNoise.draw"
            )
        return self.cells


@dataclass(frozen=True, eq=False, kw_only=True)
class ODRelease:
    """One private release and what it costs.

    Attributes
    ----------
    counts : array of int64, shape (days, zones, zones)
        Private trips: 0 or at least τ; diagonal 0.
    days : tuple of int
        Positions of the days in the declared period.
    ledger : Ledger
        What one unit of protection pays. At ``person-day`` a person who travels on D released
        days pays more: see `engine.origin_destination.composition`.
    """

    parameters: ODParameters
    counts: Integers
    days: tuple[int, ...]
    ledger: Ledger

    @property
    def shown(self) -> Booleans:
        """Flows that are shown; the others are suppressed and read 0."""
        return self.counts > 0

    @property
    def typical(self) -> Integers:
        """The best number of each flow by itself, shown or not: `counts`."""
        return self.counts

    @property
    def as_shown(self) -> Integers:
        """The number shown of each flow by itself: `counts`."""
        return self.counts


class Draw(TypedDict, total=False):
    """How each method is asked for a release: exactly one source of noise, and which days."""

    rng: np.random.Generator | None
    noise: ODNoise | None
    days: Days
    sum_days: bool


def drawn(
    dataset: Dataset,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> tuple[Floats, tuple[int, ...], bool]:
    """Return variates of a release, shape (matrices, zones, zones), its days, whether summed."""
    chosen, zones = day_indices(dataset, days), len(dataset.zones)
    matrices = 1 if sum_days else len(chosen)
    require_room(matrices, zones)
    return standard_variates((matrices, zones, zones), rng, noise), chosen, sum_days


def release(dataset: Dataset, parameters: ODParameters, **draw: Unpack[Draw]) -> ODRelease:
    """Draw one release by Algorithm 1; arguments and errors as those of the package."""
    standard, chosen, summed = drawn(dataset, **draw)
    before = kept(dataset, parameters, days=chosen, sum_days=summed)
    return ODRelease(
        parameters=parameters,
        counts=_perturb(before, parameters, standard),
        days=chosen,
        ledger=ledger(parameters),
    )


def release_matrix(
    counts: Any,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
) -> Integers:
    """Perturb one matrix, or a stack of daily matrices, of trips that are trimmed already.

    Steps 2 and 3 of Algorithm 1: Lap(T/ε) on every off-diagonal cell, rounding half up, values
    below τ to 0.

    Parameters
    ----------
    counts : array-like, shape (zones, zones) or (days, zones, zones)
        Whole numbers from 0 to 2⁵³; the diagonal is taken as 0. Removing one unit of protection
        must change it by at most T in L₁.
    parameters : ODParameters
        ε, T and τ are used.
    rng, noise
        As in `release`; exactly one of them.

    Returns
    -------
    array of int64, same shape

    Examples
    --------
    >>> silence = ODNoise(cells=np.zeros((2, 2)))
    >>> release_matrix([[0, 100], [3, 0]], ODParameters(epsilon=1.0), noise=silence)
    array([[  0, 100],
           [  0,   0]])
    """
    whole = checked_matrix(counts)
    return _perturb(whole, parameters, standard_variates(whole.shape, rng, noise))


def standard_noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Draw standard Laplace variates, one for every cell; see `ODNoise`.

    Examples
    --------
    >>> standard_noise(np.random.default_rng(0), (1, 2, 2)).shape
    (1, 2, 2)
    """
    return samplers.laplace(rng, 1.0, shape)


def standard_variates(
    shape: tuple[int, ...], rng: np.random.Generator | None, noise: ODNoise | None
) -> Floats:
    """Return standard Laplace variates of a shape, from exactly one of `rng` and `noise`."""
    drawn = samplers.given_or_drawn(
        rng, noise, lambda own: ODNoise(cells=standard_noise(own, shape))
    )
    return drawn.of_shape(shape)


def ledger(parameters: ODParameters) -> Ledger:
    """Return what one unit of protection pays for any number of matrices (P2, Theorem 1).

    A trip lies in one cell of one day, and a person's T trips are counted over the whole period,
    so at ``trip`` and ``person`` all days together cost ε. At ``person-day`` every day costs ε.

    Examples
    --------
    >>> ledger(ODParameters(epsilon=0.5, unit="trip")).proved_epsilon
    0.5
    """
    counted = (Kind.FLOWS, parameters.max_trips_per_user, parameters.epsilon)
    return laplace_ledger(parameters, Noise.ROUNDED_LAPLACE, counted)


def laplace_ledger(
    parameters: ODParameters, noise: Noise, *counted: tuple[Kind, int, float]
) -> Ledger:
    """Return what a unit pays for counts of some kinds, each with its L₁ sensitivity and its ε."""
    stages = (
        Stage(kind, noise, float(change), Norm.L1, change / epsilon, epsilon)
        for kind, change, epsilon in counted
    )
    return simple_ledger(tuple(stages), unit=UNITS[parameters.unit])


def _perturb(counts: Integers, parameters: ODParameters, standard: Floats) -> Integers:
    sampler = rounded_laplace(standard, parameters.noise_scale)
    private, shown = algorithm_1(counts, parameters, sampler)
    private *= shown
    clear_diagonal(private)
    return private
