"""What T costs either way: trips dropped by trimming against noise in proportion to T."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Integers
from ..datasets import Dataset
from ..errors import ParameterError
from ..parameters import ODParameters
from .exact import expectation
from .matrices import Days

DEFAULT_LIMITS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)


@dataclass(frozen=True)
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
        """The T of least total error: read from confidential data, a release must say so (O4)."""
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

    `parameters` are of unit ``person-day`` or ``person`` (trip level trims nobody); their T is not
    used. `limits` are the T to compare, from 1 to 256; the rest is as for `expected`.
    """
    if parameters.unit == "trip" or not limits:
        raise ParameterError(
            "limits must name a T to compare at unit 'person-day' or 'person', got "
            f"{len(limits)} at {parameters.unit!r}; trip level trims nobody and fixes T to 1"
        )
    chosen = sorted(set(limits))
    rows: list[list[float]] = []
    for limit in chosen:
        settings = replace(parameters, max_trips_per_user=limit)
        exact = expectation(dataset, settings, days=days, sum_days=sum_days)
        trips = exact.histogram.true_trips
        share = 1 - exact.split.trimmed / trips if trips else float("nan")
        rows.append([*vars(exact.split).values(), share])
    return TrimmingCurve(np.array(chosen), *np.array(rows).T)
