"""The methods of one release: a new one is one file and one line of `METHODS`."""

from collections.abc import Callable

import numpy as np

from engine.datasets import Dataset
from engine.origin_destination import estimate, mechanism
from engine.origin_destination.estimate import EstimateRelease
from engine.origin_destination.matrices import Days
from engine.origin_destination.mechanism import ODNoise, ODRelease
from engine.parameters import ODMethod, ODParameters

METHODS: dict[ODMethod, Callable[..., ODRelease | EstimateRelease]] = {
    "published": mechanism.release,
    "estimate": estimate.release,
}


def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    rng: np.random.Generator | None = None,
    noise: ODNoise | None = None,
    days: Days = None,
    sum_days: bool = False,
) -> ODRelease | EstimateRelease:
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
    draw = METHODS[parameters.method]
    return draw(dataset, parameters, rng=rng, noise=noise, days=days, sum_days=sum_days)
