"""One release by either method: the published one, or ours read from the same noisy cells."""

from typing import Literal, get_args, overload

import numpy as np

from engine import validation
from engine.datasets import Dataset
from engine.origin_destination import estimate, mechanism
from engine.origin_destination.estimate import EstimateRelease
from engine.origin_destination.matrices import Days
from engine.origin_destination.mechanism import ODNoise, ODRelease
from engine.parameters import ODParameters

Method = Literal["published", "estimate"]


@overload
def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = ...,
    noise: ODNoise | None = ...,
    days: Days = ...,
    sum_days: bool = ...,
    method: Literal["published"] = ...,
) -> ODRelease: ...
@overload
def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = ...,
    noise: ODNoise | None = ...,
    days: Days = ...,
    sum_days: bool = ...,
    method: Literal["estimate"],
) -> EstimateRelease: ...
def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
    days: Days = None,
    sum_days: bool = False,
    method: Method = "published",
) -> ODRelease | EstimateRelease:
    """Draw one private release of a dataset's origin–destination matrices.

    Parameters
    ----------
    dataset : Dataset
        With trips.
    parameters : ODParameters
        ε, T, τ and the unit of protection; ``"estimate"`` suppresses nothing and leaves τ aside.
    rng : numpy.random.Generator
        Source of the noise. Same state, same release. Exactly one of `rng` and `noise`.
    noise : ODNoise
        In place of `rng`: noise that was drawn before, carried over to these settings.
    days : int, slice, sequence of int or None
        Positions in the declared period; None takes all days.
    sum_days : bool
        Release the sum of the days as one matrix.
    method : str
        ``"published"`` is P2's Algorithm 1; ``"estimate"`` adds the noise to the same trimmed
        cells and reads them with statistics, at the same proved ε (`estimate.release`).

    Returns
    -------
    ODRelease or EstimateRelease
        Both have ``counts``, shape (days, zones, zones) in trips, ``days`` and ``ledger``.

    Raises
    ------
    ParameterError
        If the stack would not fit, `days` is not in the period, `noise` has another shape or
        `method` is unknown.
    DatasetError
        If the dataset has no trips, or none that the unit can be bound with.

    Examples
    --------
    >>> from engine import datasets
    >>> demo, settings = datasets.load("demo-city"), ODParameters(epsilon=0.5)
    >>> private = release(demo, settings, days=0, rng=np.random.default_rng(0))
    >>> private.counts.shape, private.ledger.published_epsilon
    ((1, 150, 150), 0.5)
    >>> ours = release(demo, settings, days=0, rng=np.random.default_rng(0), method="estimate")
    >>> ours.counts.shape, ours.ledger.proved_epsilon
    ((1, 150, 150), 0.5)
    """
    remedy = "'estimate' reads the same noisy cells with statistics"
    validation.one_of("method", method, get_args(Method), remedy)
    by = estimate.release if method == "estimate" else mechanism.release
    return by(dataset, parameters, rng=rng, noise=noise, days=days, sum_days=sum_days)
