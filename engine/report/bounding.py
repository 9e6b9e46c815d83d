"""Two errors that pull against each other: trips left out (small M), noise (large M)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from .. import validation
from ..arrays import Floats, Integers
from .measures import STOPS
from .results import Result


@dataclass(frozen=True)
class ErrorParts:
    """Mean absolute error of one number of an analysis, split in two.

    Attributes
    ----------
    bounding : float
        Mean |kept − true|: what keeping at most M trips a person takes away.
    noise : float
        Mean absolute noise, from its law.
    drawn : float
        Mean |private − true| in this draw, after clipping at 0.
    """

    bounding: float
    noise: float
    drawn: float

    @property
    def together(self) -> float:
        """Bounding and noise: at least the error to expect before clipping."""
        return self.bounding + self.noise


def error_parts(truth: Integers, kept: Integers, result: Result) -> ErrorParts:
    """Split the error of one analysis into bounding and noise, per number.

    `truth` and `kept` are its `numbers` before the noise, of all trips and of those that are kept
    (confidential).

    Examples
    --------
    >>> from engine.report.analyses import Analysis
    >>> one = Result(analysis=Analysis.DAYS, epsilon=1.0, sources=(), noisy=np.array([9]),
    ...              terms=((np.array([2.0]), np.array([1])),))
    >>> error_parts(np.array([10]), np.array([8]), one)
    ErrorParts(bounding=2.0, noise=2.0, drawn=1.0)
    """
    return ErrorParts(
        bounding=float(np.abs(kept - truth).mean()),
        noise=float(result.mean_absolute_noise().mean()),
        drawn=float(np.abs(result.shown - truth).mean()),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class TripsGuess:
    """A public guess of how many trips people make: never read from the data (R1).

    Parameters
    ----------
    people : int
        Number of people.
    mean, standard_deviation : float
        Trips per person over the whole period, taken as lognormal.
    """

    people: int
    mean: float
    standard_deviation: float

    def __post_init__(self) -> None:
        remedy = "a public guess is enough"
        validation.whole_number("people", self.people, 1, remedy=remedy)
        validation.finite_above("mean", self.mean, 0, remedy)
        validation.finite_above("standard_deviation", self.standard_deviation, 0, remedy)

    def trips_left_out(self, max_trips_per_user: int) -> float:
        """Return the expected trips beyond M of all people together: n·E[(K − M)⁺].

        Examples
        --------
        >>> guess = TripsGuess(people=100, mean=10.0, standard_deviation=10.0)
        >>> round(guess.trips_left_out(10))
        323
        """
        variance = np.log1p((self.standard_deviation / self.mean) ** 2)
        spread = np.sqrt(variance)
        reach = (np.log(self.mean / max_trips_per_user) + variance / 2) / spread
        above = self.mean * ndtr(reach) - max_trips_per_user * ndtr(reach - spread)
        return float(self.people * above)


@dataclass(frozen=True, eq=False)
class BoundingCurve:
    """Expected sums of absolute errors over all numbers of an analysis, at each stop of M.

    `bounding` and `noise` have shape (stops,), in trips.
    """

    stops: tuple[int, ...]
    bounding: Floats
    noise: Floats

    @property
    def best(self) -> int:
        """The M with the least sum of both."""
        return self.stops[int(np.argmin(self.bounding + self.noise))]


def balance(guess: TripsGuess, result: Result, max_trips_per_user: int) -> BoundingCurve:
    """Return bounding and noise of a released count of trips or points at every M, in trips.

    The noise is that of the numbers as they are shown: a week adds up seven noisy days. Only its
    law is read, and no count. It grows with M in proportion. The analysis counts trips or points at
    unit ``user``; `max_trips_per_user` is the M of `result`.
    """
    per_trip = 2 if result.analysis.counted == "point" else 1
    noise = float(result.mean_absolute_noise().sum()) / per_trip / max_trips_per_user
    return BoundingCurve(
        stops=STOPS,
        bounding=np.array([guess.trips_left_out(m) for m in STOPS]),
        noise=np.array([noise * m for m in STOPS]),
    )
