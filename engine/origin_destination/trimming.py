"""What T costs either way: trips dropped by trimming against noise in proportion to T."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from .. import validation
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import MAX_TRIPS_LIMIT, ODParameters
from .exact.expected import expectation
from .laws import LawName
from .matrices import Days

SCALE, POWER, DAYS_POWER = 0.35, 0.4, 0.75
"""Of `suggested_max_trips`: those with the least regret over random worlds."""

MOST_SUGGESTED = 100
DEFAULT_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def suggested_max_trips(
    people_public: int | None, zones: int, epsilon: float, *, days: int = 1
) -> int | None:
    """Return T = 0.35·(N·ε/F)^0.4·D^0.75 from public numbers, 1 to 100; None without N.

    One more trip a person adds noise of 1/ε to each of the F = zones·(zones − 1) flows, and brings
    back a trip of each of the N·P(V > T) people who make more than T: the least error is where
    N·P(V > T) = F/ε. With P(V > T) falling as (T/s)^(−1/0.4) that is T = s·(N·ε/F)^0.4. People's
    numbers of trips grow with the D days that are protected together. The three constants are those
    of least regret over random worlds; ``docs/mechanisms.md`` has what the rule loses there. It
    reads public numbers only: the best T itself would be read off the data (erratum O4).

    Parameters
    ----------
    people_public : int or None
        N, the public number of people; where one noise covers several of each person's days that
        are protected singly, people times days.
    days : int
        D: 1 where a person's day is protected, the days of the period where a person is.

    Examples
    --------
    >>> suggested_max_trips(541_000, 30, 1.0), suggested_max_trips(541_000, 30, 1.0, days=7)
    (5, 20)
    >>> suggested_max_trips(50_000, 150, 0.1)
    1
    """
    validation.finite_above("epsilon", epsilon, 0, "it is the total of the release")
    if people_public is None or zones < 2:
        return None
    clear = max(people_public, 0) * epsilon / (zones * (zones - 1))
    return min(max(round(SCALE * clear**POWER * days**DAYS_POWER), 1), MOST_SUGGESTED)


@dataclass(frozen=True, kw_only=True)
class TrimmingCurve:
    """The expected sum of absolute errors over T, split by its causes (see `ErrorSplit`).

    Attributes
    ----------
    limits : array of int, shape (limits,)
        T.
    trimmed, noise, suppression, total : arrays, shape (limits,)
        Trips; `total` is their sum.
    kept_share : array, shape (limits,)
        Share of true trips that trimming keeps; NaN without any trip.
    """

    limits: Integers
    trimmed: Floats
    noise: Floats
    suppression: Floats
    total: Floats
    kept_share: Floats

    @property
    def best(self) -> int:
        """The T of least total error.

        It is read from confidential data (erratum O4): choosing it breaks Theorem 1's
        "independently of the data", so a release that uses it must name it.
        """
        return int(self.limits[self.total.argmin()])


def trimming_curve(
    dataset: Dataset,
    parameters: ODParameters,
    limits: Sequence[int] = DEFAULT_LIMITS,
    *,
    days: Days = None,
    sum_days: bool = False,
    law: LawName = "rounded_laplace",
) -> TrimmingCurve:
    """Return the exact error for each T at the ε, τ and unit of `parameters`.

    Parameters
    ----------
    parameters : ODParameters
        Of unit ``person-day`` or ``person`` (trip level trims nobody); its own T is not used.
    limits : sequence of int
        The T to compare, from 1 to 256.
    dataset, days, sum_days, law
        As for `expectation`.

    Examples
    --------
    >>> from engine import datasets
    >>> curve = trimming_curve(datasets.load("demo-city"), ODParameters(epsilon=1.0), days=0)
    >>> curve.best in curve.limits
    True
    """
    if parameters.unit == "trip":
        raise ParameterError(
            "unit must be 'person-day' or 'person' to compare T, got 'trip'; trip level trims "
            "nobody and fixes T to 1"
        )
    chosen = sorted(
        {
            validation.whole_number(
                "max_trips_per_user", t, 1, MAX_TRIPS_LIMIT, remedy="1 to 20 is usual"
            )
            for t in limits
        }
    )
    if not chosen:
        raise ParameterError("limits must name at least one T, got none; give range(1, 21)")
    curves: list[TrimmingCurve] = []
    for limit in chosen:
        settings = replace(parameters, max_trips_per_user=limit)
        exact = expectation(dataset, settings, days=days, sum_days=sum_days, law=law)
        trips, trimmed = exact.histogram.true_trips, exact.histogram.trimmed_trips
        kept_share = 1 - trimmed / trips if trips else float("nan")
        errors = {name: np.array([value]) for name, value in vars(exact.split).items()}
        curves.append(
            TrimmingCurve(limits=np.array([limit]), kept_share=np.array([kept_share]), **errors)
        )
    return joined_curves(curves)


def joined_curves(curves: Sequence[TrimmingCurve]) -> TrimmingCurve:
    """Return one curve of several at other T, in the order given.

    Examples
    --------
    >>> from engine import datasets
    >>> city, settings = datasets.load("demo-city"), ODParameters(epsilon=1.0)
    >>> parts = [trimming_curve(city, settings, [limit], days=0) for limit in (1, 4)]
    >>> joined_curves(parts).limits
    array([1, 4])
    """
    names = (field.name for field in fields(TrimmingCurve))
    return TrimmingCurve(
        **{name: np.concatenate([getattr(curve, name) for curve in curves]) for name in names}
    )
