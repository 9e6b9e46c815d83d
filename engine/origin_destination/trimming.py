"""What T costs either way: trips dropped by trimming against noise in proportion to T."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import validation
from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import MAX_TRIPS_LIMIT, ODParameters
from .exact import expectation
from .matrices import Days

DEFAULT_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


@dataclass(frozen=True, kw_only=True)
class TrimmingCurve:
    """The expected sum of absolute errors, in trips, over T, and its causes (see `ErrorSplit`)."""

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
) -> TrimmingCurve:
    """Return the exact error for each T at the ε, τ and unit of `parameters`.

    Parameters
    ----------
    parameters : ODParameters
        Of unit ``person-day`` or ``person`` (trip level trims nobody); its own T is not used.
    limits : sequence of int
        The T to compare, from 1 to 256.
    dataset, days, sum_days
        As for `expected`.

    Examples
    --------
    >>> from engine import datasets
    >>> curve = trimming_curve(datasets.load("demo-city"), ODParameters(epsilon=1.0), days=0)
    >>> curve.best in curve.limits
    True
    """
    if parameters.unit == "trip" or not limits:
        raise ParameterError(
            "limits must name a T to compare at unit 'person-day' or 'person', got "
            f"{len(limits)} at {parameters.unit!r}; trip level trims nobody and fixes T to 1"
        )
    for limit in limits:
        validation.whole_number(
            "max_trips_per_user", limit, 1, MAX_TRIPS_LIMIT, remedy="1 to 20 is usual"
        )
    chosen = sorted(set(limits))
    rows: list[tuple[float, ...]] = []
    for limit in chosen:
        settings = replace(parameters, max_trips_per_user=limit)
        exact = expectation(dataset, settings, days=days, sum_days=sum_days)
        trips, dropped = exact.histogram.true_trips, exact.histogram.trimmed_trips
        split = exact.split
        share = 1 - dropped / trips if trips else float("nan")
        rows.append((split.trimmed, split.noise, split.suppression, split.total, share))
    trimmed, noise, suppression, total, kept_share = np.array(rows).T
    return TrimmingCurve(
        limits=np.array(chosen),
        trimmed=trimmed,
        noise=noise,
        suppression=suppression,
        total=total,
        kept_share=kept_share,
    )
