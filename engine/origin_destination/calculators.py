"""From a tolerated error to ε and back: Theorems 2 to 7 of P2, published and exact.

Nothing here reads data: the answers hold for any dataset, and looking at them costs no privacy.
Arguments are single numbers or arrays that broadcast: `alpha`, tolerated error in trips, a whole
number of at least 0; `beta`, 1 minus the confidence, in (0, 1); `epsilon` above 0, for a change of
each of the two releases; `max_trips_per_user`, T of at least 1; `count` and
`suppression_threshold`, m and τ, whole numbers of at least 0. `method` is ``exact``, or
``published`` for the formula as P2 prints it; `law` is P2's ``rounded_laplace`` or the
``discrete_laplace`` noise of a release that leaves the building (erratum O5). `ParameterError` is
raised where an argument is outside its domain.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import validation
from ..arrays import Booleans, Floats
from ..errors import ParameterError
from .laws import LawName, NoiseLaw, effective_threshold

__all__ = [
    "ThresholdHeuristic",
    "cell_error_probability",
    "cell_error_probability_if_released",
    "change_error_probability",
    "epsilon_for_cell_error",
    "epsilon_for_cell_error_if_released",
    "epsilon_for_change",
    "epsilon_heuristic",
    "largest_cell_error",
    "largest_change_error",
    "stays_released_probability",
    "stays_suppressed_probability",
    "threshold_heuristic",
]

Method = Literal["exact", "published"]

# ε/T at confidence from 10⁻³⁰⁰ and errors up to 2⁵³ lies well inside
_LEAST_RATE, _LARGEST_RATE = 1e-18, 1e5
_LARGEST_ERROR = 2.0**53
_HALVINGS = 64


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
    m, threshold = _counts_and_threshold(count, suppression_threshold, below=True)
    return NoiseLaw(_rates(epsilon, max_trips_per_user), law).tail(1 - (threshold - m))[()]


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
    m, threshold = _counts_and_threshold(count, suppression_threshold, below=False)
    rate = _rates(epsilon, max_trips_per_user)
    if _is_published(method, law):
        return (1 - 0.5 * np.exp(rate * (threshold + 0.5 - m)))[()]
    return NoiseLaw(rate, law).tail(effective_threshold(threshold) - m)[()]


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
    noise = NoiseLaw(_rates(epsilon, max_trips_per_user), law)
    return np.exp(_log_cell_error(noise, _errors(alpha)))[()]


def cell_error_probability_if_released(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(|out − m| > α | out > 0), exactly, for a cell of m trips (erratum O3).

    m may be below τ: such a cell shows only with an error of at least τ − m.

    Examples
    --------
    >>> float(cell_error_probability_if_released(10, 0.2853, count=15, suppression_threshold=15)
    ...       .round(3))
    0.044
    """
    m, threshold = _counts_and_threshold(count, suppression_threshold)
    noise = NoiseLaw(_rates(epsilon, max_trips_per_user), law)
    bound = effective_threshold(threshold) - m
    return np.exp(_log_cell_error_if_released(noise, _errors(alpha), bound))[()]


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
    a, b, trips = _common_shape(_errors(alpha), _betas(beta), _trips(max_trips_per_user))
    if NoiseLaw(1.0, law).name == "rounded_laplace":
        return (-trips * np.log(b) / (a + 0.5))[()]
    return (trips * _least_rate(lambda x: _log_cell_error(NoiseLaw(x, law), a), np.log(b)))[()]


def epsilon_for_cell_error_if_released(
    alpha: ArrayLike,
    beta: ArrayLike,
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε with P(|out − m| > α | out > 0) ≤ β.

    Infinity where no ε will do: a cell with m < τ − α shows only with a larger error.

    Examples
    --------
    >>> float(epsilon_for_cell_error_if_released(10, 0.05, count=15, suppression_threshold=15)
    ...       .round(4))
    0.2738
    """
    m, threshold = _counts_and_threshold(count, suppression_threshold)
    a, b, bound, trips = _common_shape(
        _errors(alpha), _betas(beta), effective_threshold(threshold) - m, _trips(max_trips_per_user)
    )
    rate = _least_rate(lambda x: _log_cell_error_if_released(NoiseLaw(x, law), a, bound), np.log(b))
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
    rate, b = _common_shape(_rates(epsilon, max_trips_per_user), _betas(beta))
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
    a, rate = _errors(alpha), _rates(epsilon, max_trips_per_user)
    if _is_published(method, law):
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
    a, b, trips = _common_shape(_errors(alpha), _betas(beta), _trips(max_trips_per_user))
    if _is_published(method, law):
        branch = np.real(special.lambertw(-2 * b * math.exp(-2), k=-1))
        return (trips * (-2 - branch) / (a + 1))[()]
    return (trips * _least_rate(lambda x: _log_change_error(NoiseLaw(x, law), a), np.log(b)))[()]


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
    rate, b = _common_shape(_rates(epsilon, max_trips_per_user), _betas(beta))
    noise = NoiseLaw(rate, law)
    low, high = np.full(b.shape, -1.0), np.full(b.shape, _LARGEST_ERROR)
    while bool((high - low > 1).any()):
        middle = np.maximum(np.floor((low + high) / 2), 0.0)
        enough = _log_change_error(noise, middle) <= np.log(b)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high[()]


def epsilon_heuristic(alpha: ArrayLike, max_trips_per_user: ArrayLike = 1) -> Floats:
    """Return √2·T/α: the ε at which the noise's standard deviation is α (P2, Methods).

    Only about three of four errors stay within one standard deviation; `epsilon_for_cell_error`
    answers for a confidence that is chosen.

    Examples
    --------
    >>> epsilon_heuristic([10, 50]).round(4).tolist()
    [0.1414, 0.0283]
    """
    a = _positive("alpha", alpha, "the heuristic divides by it; 10 trips is usual")
    return (math.sqrt(2) * _trips(max_trips_per_user) / a)[()]


class ThresholdHeuristic(NamedTuple):
    """Three readings of a suppression standard s as τ (P2, Methods): s − √2·T/ε, s, s + √2·T/ε.

    With a lower τ few cells are lost and more small flows show, with a higher one the reverse.
    """

    fewer_suppressed: int
    unchanged: int
    fewer_revealed: int


def threshold_heuristic(
    standard: int, epsilon: float, max_trips_per_user: int = 1
) -> ThresholdHeuristic:
    """Return the thresholds τ = s and τ = s ± √2·T/ε, rounded and at least 0, for a standard s.

    P2 writes √2/ε, for T = 1; the standard deviation of the noise is √2·T/ε.

    Examples
    --------
    >>> threshold_heuristic(15, 0.5)
    ThresholdHeuristic(fewer_suppressed=12, unchanged=15, fewer_revealed=18)
    """
    s = validation.whole_number("standard", standard, 0, remedy="10 and 15 are in use")
    deviation = math.sqrt(2) / float(_rates(epsilon, max_trips_per_user))
    low, high = (math.floor(s + sign * deviation + 0.5) for sign in (-1, 1))
    return ThresholdHeuristic(max(0, low), s, high)


def _log_cell_error(noise: NoiseLaw, alpha: Floats) -> Floats:
    return np.log(2) + noise.log_tail(alpha + 1)


def _log_cell_error_if_released(noise: NoiseLaw, alpha: Floats, bound: Floats) -> Floats:
    """Return log P(|Z| > α | Z ≥ bound)."""
    # Z ≥ bound and Z > α, or bound ≤ Z ≤ −α − 1, which is there only if bound < −α
    upper = noise.log_tail(np.maximum(alpha + 1, bound))
    low_end, low_start = noise.tail(alpha + 1), noise.tail(np.maximum(1 - bound, alpha + 1))
    with np.errstate(divide="ignore"):  # nothing below: log 0 = −∞
        either = np.logaddexp(upper, np.log(np.maximum(low_end - low_start, 0.0)))
    return np.minimum(either - noise.log_tail(bound), 0.0)


def _log_change_error(noise: NoiseLaw, alpha: Floats) -> Floats:
    # P(Z₂ − Z₁ ≥ n) = h·q^(n−1)·(2 − 2h − h(1−q)/(1+q) + h(n−1)(1−q)/q), n = α + 1: the
    # convolution of two two-sided geometric laws with an atom at 0.
    edge = 2 - 2 * noise.first - noise.first * noise.gap / (2 - noise.gap)
    with np.errstate(divide="ignore"):  # α = 0 has no such term: log 0 = −∞
        middle = noise.log_first + np.log(alpha) + np.log(noise.gap) + noise.rate
    return np.log(2) + noise.log_tail(alpha + 1) + np.logaddexp(np.log(edge), middle)


def _least_rate(log_probability: Callable[[Floats], Floats], log_beta: Floats) -> Floats:
    """Return the least rate a = ε/T at which a log probability that falls with it is at most log β.

    0 where every rate will do, infinity where none does; otherwise the upper end of the last
    bracket, so that it holds there.
    """
    low = np.full(log_beta.shape, np.log(_LEAST_RATE))
    high = np.full(log_beta.shape, np.log(_LARGEST_RATE))
    always = log_probability(np.exp(low)) <= log_beta
    never = log_probability(np.exp(high)) > log_beta
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = log_probability(np.exp(middle)) <= log_beta
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return np.where(always, 0.0, np.where(never, np.inf, np.exp(high)))


def _checked(
    name: str, values: ArrayLike, rule: str, fits: Callable[[Floats], Booleans], remedy: str
) -> Floats:
    given = np.asarray(values)
    if given.dtype.kind not in "iuf":
        raise ParameterError(f"{name} must be {rule}, got {values!r}; {remedy}")
    numbers = given.astype(np.float64)
    bad = ~fits(numbers)
    if bad.any():
        raise ParameterError(f"{name} must be {rule}, got {numbers[bad][0]:g}; {remedy}")
    return numbers


def _whole_numbers(name: str, values: ArrayLike, low: int, remedy: str) -> Floats:
    rule = f"a whole number of at least {low}"
    return _checked(
        name, values, rule, lambda x: np.isfinite(x) & (x == np.floor(x)) & (x >= low), remedy
    )


def _positive(name: str, values: ArrayLike, remedy: str) -> Floats:
    rule = "a finite number above 0"
    return _checked(name, values, rule, lambda x: np.isfinite(x) & (x > 0), remedy)


def _errors(alpha: ArrayLike) -> Floats:
    return _whole_numbers("alpha", alpha, 0, "released counts are whole; 10 is usual")


def _betas(beta: ArrayLike) -> Floats:
    rule, remedy = "a number above 0 and below 1", "0.05 stands for a confidence of 95%"
    return _checked("beta", beta, rule, lambda x: (x > 0) & (x < 1), remedy)


def _trips(max_trips_per_user: ArrayLike) -> Floats:
    return _whole_numbers("max_trips_per_user", max_trips_per_user, 1, "1 is usual")


def _rates(epsilon: ArrayLike, max_trips_per_user: ArrayLike) -> Floats:
    loss = _positive("epsilon", epsilon, "smaller means more private, 0.1 to 2 is usual")
    loss, trips = _common_shape(loss, _trips(max_trips_per_user))
    return loss / trips


def _counts_and_threshold(
    count: ArrayLike, suppression_threshold: ArrayLike, *, below: bool | None = None
) -> tuple[Floats, Floats]:
    """Return counts m and thresholds τ; `below` demands m < τ (true) or m ≥ τ (false)."""
    m = _whole_numbers("count", count, 0, "it is a number of trips")
    threshold = _whole_numbers(
        "suppression_threshold", suppression_threshold, 0, "15 is used by health agencies"
    )
    m, threshold = _common_shape(m, threshold)
    bad = (m < threshold) != below
    if below is not None and bool(np.any(bad)):
        rule, other = ("below", "released") if below else ("at least", "suppressed")
        raise ParameterError(
            f"count must be {rule} suppression_threshold {threshold[bad][0]:g}, got "
            f"{m[bad][0]:g}; the other theorem answers for {other} counts"
        )
    return m, threshold


def _common_shape(*arrays: Floats) -> tuple[Floats, ...]:
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ParameterError(
            f"arguments must have shapes that fit each other, got {shapes}; give single numbers "
            "or arrays that broadcast"
        ) from error


def _is_published(method: Method, law: LawName) -> bool:
    remedy = "use 'exact' unless reproducing the paper"
    validation.one_of("method", method, ("exact", "published"), remedy)
    if method == "published":
        validation.one_of("law", law, ("rounded_laplace",), "P2 has no formula for other noise")
    return method == "published"
