"""The methods of one release: a new one is one file and one line of `METHODS`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Counts
from engine.datasets import Dataset
from engine.ledger import Ledger
from engine.origin_destination import estimate, mechanism
from engine.origin_destination.estimate import EstimateRelease
from engine.origin_destination.exact.expected import Expectation, expectation
from engine.origin_destination.matrices import Days
from engine.origin_destination.mechanism import ODNoise, ODRelease
from engine.origin_destination.scores import TripScores, drawn_scores
from engine.parameters import ODMethod, ODParameters

Release = ODRelease | EstimateRelease


@dataclass(frozen=True, kw_only=True)
class Method:
    """What a method answers; arguments as the functions below. `expected` is None without a law."""

    release: Callable[..., Release]
    ledger: Callable[..., Ledger]
    expected: Callable[..., Expectation] | None = None


METHODS: dict[ODMethod, Method] = {
    "published": Method(release=mechanism.release, ledger=mechanism.ledger, expected=expectation),
    "estimate": Method(release=estimate.release, ledger=estimate.ledger),
}


def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> Release:
    """Draw one private release of a dataset's origin–destination matrices.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    parameters : ODParameters
        ε, T, τ, the unit of protection and the method: ``"published"`` is P2's Algorithm 1;
        ``"estimate"`` adds the noise to the same trimmed cells and reads them with statistics, at
        the same proved ε (`estimate.release`).
    rng : numpy.random.Generator
        Source of the noise. Same state, same release. Exactly one of `rng` and `noise`.
    noise : ODNoise
        In place of `rng`: noise that was drawn before, carried over to these settings.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Release the sum of the days as one matrix.

    Returns
    -------
    ODRelease or EstimateRelease
        Both have ``counts``, shape (days, zones, zones) in trips, ``days``, ``parameters`` and
        ``ledger``.

    Raises
    ------
    ParameterError
        If the stack would not fit, `days` is not in the period or `noise` has another shape.
    DatasetError
        If the dataset has no trips, or none that the unit can be bound with.

    Examples
    --------
    >>> from engine import datasets
    >>> demo, settings = datasets.load("demo-city"), ODParameters(epsilon=0.5)
    >>> private = release(demo, settings, days=0, rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.published_epsilon
    ((1, 150, 150), 0.5)
    >>> ours = ODParameters(epsilon=0.5, method="estimate")
    >>> private = release(demo, ours, days=0, rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.proved_epsilon
    ((1, 150, 150), 0.5)
    """
    draw = METHODS[parameters.method].release
    return draw(dataset, parameters, rng=rng, noise=noise, days=days, sum_days=sum_days)


def ledger(parameters: ODParameters, **public: Any) -> Ledger:
    """Return what one unit of protection pays, before any release.

    Parameters
    ----------
    parameters : ODParameters
    **public
        What else the method's price depends on: ``capped_count`` of ``"estimate"``.

    Examples
    --------
    >>> ledger(ODParameters(epsilon=0.5, unit="trip")).proved_epsilon
    0.5
    """
    return METHODS[parameters.method].ledger(parameters, **public)


def expected(
    dataset: Dataset, parameters: ODParameters, *, days: Days = None, sum_days: bool = False
) -> Expectation | None:
    """Return what a release is expected to do, exactly; None where the method has no exact law.

    Examples
    --------
    >>> from engine import datasets
    >>> demo = datasets.load("demo-city")
    >>> expected(demo, ODParameters(epsilon=0.5, method="estimate")) is None
    True
    """
    law = METHODS[parameters.method].expected
    return None if law is None else law(dataset, parameters, days=days, sum_days=sum_days)


def scores(truth: Counts, release: Release) -> TripScores:
    """Return the errors of a release, flow by flow as it shows them.

    Parameters
    ----------
    truth : array, shape (days, zones, zones)
        Of the released days, see `engine.origin_destination.truth`.
    release : ODRelease or EstimateRelease

    Examples
    --------
    >>> from engine import datasets
    >>> from engine.origin_destination import truth
    >>> demo = datasets.load("demo-city")
    >>> private = release(demo, ODParameters(epsilon=1.0), days=0, rng=np.random.default_rng(0))
    >>> 0 < scores(truth(demo, days=0), private).visible_share < 1
    True
    """
    return drawn_scores(truth, release.as_shown, release.parameters)
