"""Does a cell below τ stay suppressed, and a cell above it released? Theorems 2 and 3 of P2."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import validation
from ...arrays import Floats
from .. import solving
from ..laws import LawName, NoiseLaw, effective_threshold
from ..solving import Method, betas, counts_and_threshold, is_published, rates, trips_per_user


def stays_suppressed_probability(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(a count below τ is suppressed in the release too): Theorem 2.

    1 − ½·e^(−a(τ − ½ − m)) with rounded Laplace noise, a = ε/T, for m < τ.

    Examples
    --------
    >>> float(stays_suppressed_probability(14, 15, 0.5).round(4))
    0.6106
    """
    m, threshold = counts_and_threshold(count, suppression_threshold, below=True)
    noise = NoiseLaw(rates(epsilon, max_trips_per_user), law)
    return noise.tail(1 - (threshold - m))[()]


def epsilon_to_stay_suppressed(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε at which a count below τ stays suppressed with confidence 1 − β.

    Theorem 2 solved for ε; 0 where every ε will do (β ≥ ½).

    Examples
    --------
    >>> float(epsilon_to_stay_suppressed(5, 15, 0.05).round(4))
    0.2424
    """
    m, threshold = counts_and_threshold(count, suppression_threshold, below=True)
    return _epsilon_for_tail(threshold - m, betas(beta), max_trips_per_user, law)


def stays_released_probability(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: Method = "exact",
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(a count of at least τ is not suppressed in the release): Theorem 3.

    Exactly 1 − ½·e^(a(τ − ½ − m)). The theorem as printed has τ + ½ (erratum O1): too small, and
    below 0 for counts near τ when ε is large. A released 0 reads as suppressed, so τ = 0 counts as
    τ = 1. For m ≥ τ.

    Examples
    --------
    >>> float(stays_released_probability(15, 15, 0.5).round(3))
    0.611
    >>> float(stays_released_probability(15, 15, 0.5, method="published").round(3))
    0.358
    """
    m, threshold = counts_and_threshold(count, suppression_threshold, below=False)
    rate = rates(epsilon, max_trips_per_user)
    if is_published(method, law):
        return (1 - 0.5 * np.exp(rate * (threshold + 0.5 - m)))[()]
    return NoiseLaw(rate, law).tail(effective_threshold(threshold) - m)[()]


def epsilon_to_stay_released(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: Method = "exact",
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε at which a count of at least τ is released with confidence 1 − β.

    Theorem 3 solved for ε; 0 where every ε will do (β ≥ ½), infinity where none does, which the
    published formula says of a count of exactly τ.

    Examples
    --------
    >>> float(epsilon_to_stay_released(25, 15, 0.05).round(4))
    0.2193
    """
    m, threshold = counts_and_threshold(count, suppression_threshold, below=False)
    wanted = betas(beta)
    if is_published(method, law):
        need, room, trips = solving.common_shape(
            np.maximum(-np.log(2 * wanted), 0.0),
            m - threshold - 0.5,
            trips_per_user(max_trips_per_user),
        )
        least = np.where(room > 0, trips * need / np.abs(room), np.inf)
        return np.where(need > 0, least, 0.0)[()]
    # lost if Z ≤ τ′ − 1 − m, by symmetry as often as Z ≥ m − τ′ + 1
    bound = m - effective_threshold(threshold) + 1
    enough = _epsilon_for_tail(np.maximum(bound, 1), wanted, max_trips_per_user, law)
    return np.where(bound >= 1, enough, np.inf)[()]


class ThresholdHeuristic(NamedTuple):
    """Three readings of an existing suppression standard s as a threshold τ (P2, Methods).

    Attributes
    ----------
    fewer_suppressed : int
        s − √2·T/ε, rounded and at least 0: few cells are lost, more small flows show.
    unchanged : int
        s: the noise is 0 on average.
    fewer_revealed : int
        s + √2·T/ε, rounded: small flows seldom show, more are lost.
    """

    fewer_suppressed: int
    unchanged: int
    fewer_revealed: int


def threshold_heuristic(
    standard: int, epsilon: float, max_trips_per_user: int = 1
) -> ThresholdHeuristic:
    """Return the thresholds τ = s and τ = s ± √2·T/ε for a suppression standard s.

    P2 writes √2/ε, for T = 1; the standard deviation of the noise is √2·T/ε.

    Examples
    --------
    >>> threshold_heuristic(15, 0.5)
    ThresholdHeuristic(fewer_suppressed=12, unchanged=15, fewer_revealed=18)
    """
    s = validation.whole_number("standard", standard, 0, remedy="10 and 15 are in use")
    deviation = math.sqrt(2) / float(rates(epsilon, max_trips_per_user))
    return ThresholdHeuristic(
        fewer_suppressed=max(0, math.floor(s - deviation + 0.5)),
        unchanged=s,
        fewer_revealed=math.floor(s + deviation + 0.5),
    )


def _epsilon_for_tail(
    bound: Floats, beta: Floats, max_trips_per_user: ArrayLike, law: LawName
) -> Floats:
    """Return the least ε with P(Z ≥ bound) ≤ β for a whole `bound` of at least 1."""
    j, b, trips = solving.common_shape(bound, beta, trips_per_user(max_trips_per_user))
    if NoiseLaw(1.0, law).name == "rounded_laplace":
        return (trips * np.maximum(-np.log(2 * b), 0.0) / (j - 0.5))[()]
    rate = solving.least_rate(lambda x: NoiseLaw(x, law).log_tail(j), np.log(b))
    return (trips * rate)[()]
