"""From a tolerated error to ε and back: Theorems 2 to 7 of P2, published and exact.

Every function takes single numbers or arrays that broadcast, and returns float64 (a scalar where
all arguments are scalars). Nothing here reads data: the answers hold for any dataset, and looking
at them costs no privacy. The arguments are the same everywhere; `ParameterError` is raised where
one is outside its domain.

Parameters
----------
alpha : int or array
    Tolerated error in trips, a whole number of at least 0.
beta : float or array
    1 minus the confidence, in (0, 1).
epsilon : float or array
    ε above 0, for a change of each of the two releases.
max_trips_per_user : int or array
    T of at least 1.
count, suppression_threshold : int or array
    m and τ, whole numbers of at least 0.
method : str
    ``exact``, or ``published`` for the formula as P2 prints it (rounded Laplace noise only).
law : str
    The noise: P2's ``rounded_laplace``, or the ``discrete_laplace`` noise of a release that leaves
    the building (erratum O5).
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ...arrays import Floats
from .. import solving
from ..laws import LawName, NoiseLaw
from ..solving import Method, betas, errors, is_published, rates, trips_per_user
from .conditional import (
    cell_error_probability_if_released,
    change_error_probability_if_released,
    epsilon_for_cell_error_if_released,
    epsilon_for_change_if_released,
)
from .suppression import (
    ThresholdHeuristic,
    epsilon_to_stay_released,
    epsilon_to_stay_suppressed,
    stays_released_probability,
    stays_suppressed_probability,
    threshold_heuristic,
)

__all__ = [
    "ThresholdHeuristic",
    "cell_error_probability",
    "cell_error_probability_if_released",
    "change_error_probability",
    "change_error_probability_if_released",
    "epsilon_for_cell_error",
    "epsilon_for_cell_error_if_released",
    "epsilon_for_change",
    "epsilon_for_change_if_released",
    "epsilon_heuristic",
    "epsilon_to_stay_released",
    "epsilon_to_stay_suppressed",
    "largest_cell_error",
    "largest_change_error",
    "stays_released_probability",
    "stays_suppressed_probability",
    "threshold_heuristic",
]


def cell_error_probability(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(|error| > α) of one cell before suppression: Theorem 4.

    e^(−a(α + ½)) with rounded and 2q^(α+1)/(1 + q) with discrete Laplace noise, q = e^(−a). P2
    states it for cells that are released; its proof is of this, the unconditional one (erratum
    O3). See `cell_error_probability_if_released` for the other.

    Examples
    --------
    >>> float(cell_error_probability(10, 0.2853).round(3))
    0.05
    """
    noise = NoiseLaw(rates(epsilon, max_trips_per_user), law)
    return np.exp(_log_cell_error(noise, errors(alpha)))[()]


def epsilon_for_cell_error(
    alpha: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε with which a cell errs by more than α at most with probability β.

    Theorem 6: ε = −T·ln β/(α + ½). With discrete Laplace noise the same is solved numerically.

    Examples
    --------
    >>> float(epsilon_for_cell_error(alpha=10, beta=0.05, max_trips_per_user=1).round(4))
    0.2853
    """
    a, b, trips = solving.common_shape(
        errors(alpha), betas(beta), trips_per_user(max_trips_per_user)
    )
    if NoiseLaw(1.0, law).name == "rounded_laplace":
        return (-trips * np.log(b) / (a + 0.5))[()]
    rate = solving.least_rate(lambda x: _log_cell_error(NoiseLaw(x, law), a), np.log(b))
    return (trips * rate)[()]


def largest_cell_error(
    epsilon: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least whole α that a cell's error exceeds at most with probability β.

    Theorem 6 solved for α: "a flow of 40 will usually read between 40 − α and 40 + α".

    Examples
    --------
    >>> float(largest_cell_error(0.2854, 0.05))
    10.0
    """
    rate, b = solving.common_shape(rates(epsilon, max_trips_per_user), betas(beta))
    return NoiseLaw(rate, law).reach(b)[()]


def change_error_probability(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: Method = "exact",
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(|error of the change between two releases| > α): Theorem 5, corrected (O2).

    Exact: the tail of the difference of two independent whole-number noises. Published:
    e^(−x)(x + 2)/2 with x = a(α + 1), the tail of the difference before rounding: too small.

    Examples
    --------
    >>> float(change_error_probability(0, 4.113, method="published").round(3))
    0.05
    >>> float(1 - change_error_probability(0, 4.113).round(3))
    0.768
    """
    a = errors(alpha)
    rate = rates(epsilon, max_trips_per_user)
    if is_published(method, law):
        x = rate * (a + 1)
        return (np.exp(-x) * (x + 2) / 2)[()]
    return np.exp(_log_change_error(NoiseLaw(rate, law), a))[()]


def epsilon_for_change(
    alpha: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: Method = "exact",
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε with which a change errs by more than α at most with probability β.

    Published (Theorem 7): ε = T·(−2 − W₋₁(−2β·e^(−2)))/(α + 1), stated for β ≤ ½e^(−1), though
    it inverts Theorem 5 for every β in (0, 1). It understates ε (erratum O2); exact is the
    default.

    Examples
    --------
    >>> float(epsilon_for_change(alpha=10, beta=0.05, max_trips_per_user=1).round(4))
    0.3922
    >>> float(epsilon_for_change(alpha=10, beta=0.05, method="published").round(4))
    0.3739
    """
    a, b, trips = solving.common_shape(
        errors(alpha), betas(beta), trips_per_user(max_trips_per_user)
    )
    if is_published(method, law):
        branch = np.real(special.lambertw(-2 * b * math.exp(-2), k=-1))
        return (trips * (-2 - branch) / (a + 1))[()]
    rate = solving.least_rate(lambda x: _log_change_error(NoiseLaw(x, law), a), np.log(b))
    return (trips * rate)[()]


def largest_change_error(
    epsilon: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least whole α that a change's error exceeds at most with probability β, exactly.

    Examples
    --------
    >>> float(largest_change_error(0.3923, 0.05))
    10.0
    """
    rate, b = solving.common_shape(rates(epsilon, max_trips_per_user), betas(beta))
    noise = NoiseLaw(rate, law)
    return solving.least_error(lambda a: _log_change_error(noise, a), np.log(b))[()]


def epsilon_heuristic(alpha: ArrayLike, max_trips_per_user: ArrayLike = 1) -> Floats:
    """Return √2·T/α: the ε at which the noise's standard deviation is α (P2, Methods).

    Only about three of four errors stay within one standard deviation; `epsilon_for_cell_error`
    answers for a confidence that is chosen.

    Examples
    --------
    >>> epsilon_heuristic([10, 50]).round(4).tolist()
    [0.1414, 0.0283]
    """
    a = solving.positive("alpha", alpha, "the heuristic divides by it; 10 trips is usual")
    return (math.sqrt(2) * trips_per_user(max_trips_per_user) / a)[()]


def _log_cell_error(noise: NoiseLaw, alpha: Floats) -> Floats:
    return np.log(2) + noise.log_tail(alpha + 1)


def _log_change_error(noise: NoiseLaw, alpha: Floats) -> Floats:
    # P(Z₂ − Z₁ ≥ n) = h·q^(n−1)·(2 − 2h − h(1−q)/(1+q) + h(n−1)(1−q)/q), n = α + 1: the
    # convolution of two two-sided geometric laws with an atom at 0.
    edge = 2 - 2 * noise.first - noise.first * noise.gap / (2 - noise.gap)
    with np.errstate(divide="ignore"):  # α = 0 has no such term: log 0 = −∞
        middle = noise.log_first + np.log(alpha) + np.log(noise.gap) + noise.rate
    return np.log(2) + noise.log_tail(alpha + 1) + np.logaddexp(np.log(edge), middle)
