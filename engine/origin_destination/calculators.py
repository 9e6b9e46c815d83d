"""Convert a tolerated error to ε and back: Theorems 2 to 7 of P2, as printed and exact.

No function here reads data: the results hold for any dataset and cost no privacy. Arguments are
single numbers or arrays that broadcast: `alpha`, tolerated error in trips, a whole number of at
least 0; `beta`, 1 minus the confidence, in (0, 1); `epsilon` above 0, for a change of each of the
two releases; `max_trips_per_user`, T of at least 1; `count` and `suppression_threshold`, m and τ,
whole numbers of at least 0. `method` is ``exact``, or ``published`` for the formula as P2 prints
it; `law` is P2's ``rounded_laplace`` or the ``discrete_laplace`` noise of a release that leaves the
building (erratum O5). All raise `ParameterError` for an argument outside its domain.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .. import validation
from ..arrays import Booleans, Floats
from ..errors import ParameterError
from .noise_distribution import NoiseDistribution, NoiseName, effective_threshold

__all__ = [
    "cell_error_probability",
    "change_error_probability",
    "epsilon_for_cell_error",
    "epsilon_for_change",
    "released_error_probability",
    "stays_released_probability",
    "stays_suppressed_probability",
]

FormulaKind = Literal["exact", "published"]

_COUNT = "a whole number of at least 0"
_RULES = {  # rule of each argument, and the remedy
    "alpha": (_COUNT, "released counts are whole; 10 is usual"),
    "beta": ("a number above 0 and below 1", "0.05 stands for a confidence of 95%"),
    "epsilon": ("a finite number above 0", "smaller means more private, 0.1 to 2 is usual"),
    "max_trips_per_user": ("a whole number of at least 1", "1 is usual"),
    "count": (_COUNT, "it is a number of trips"),
    "suppression_threshold": (_COUNT, "15 is used by health agencies"),
}


def stays_suppressed_probability(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return P(m < τ is suppressed): Theorem 2, 1 − ½·e^(−a(τ − ½ − m)) if rounded, a = ε/T."""
    m, threshold, loss, trips = _check_arguments(
        count=count,
        suppression_threshold=suppression_threshold,
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
    )
    _require_side(m, threshold, below=True)
    return NoiseDistribution(loss / trips, law).upper_tail(1 - (threshold - m))[()]


def stays_released_probability(
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: FormulaKind = "exact",
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return P(a count of at least τ is not suppressed in the release): Theorem 3.

    Exactly 1 − ½·e^(a(τ − ½ − m)), for m ≥ τ. P2 prints τ + ½ (erratum O1), which gives too small a
    probability, below 0 for counts near τ when ε is large. A released 0 counts as suppressed, so τ
    = 0 equals τ = 1.
    """
    m, threshold, loss, trips = _check_arguments(
        count=count,
        suppression_threshold=suppression_threshold,
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
    )
    _require_side(m, threshold, below=False)
    if _uses_printed_formula(method, law):
        return (1 - 0.5 * np.exp(loss / trips * (threshold + 0.5 - m)))[()]
    return NoiseDistribution(loss / trips, law).upper_tail(effective_threshold(threshold) - m)[()]


def cell_error_probability(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return P(|error| > α) of one cell before suppression: Theorem 4.

    e^(−a(α + ½)) with rounded and 2q^(α+1)/(1 + q) with discrete Laplace noise, q = e^(−a). P2
    states it for released cells, but proves this unconditional probability (erratum O3).
    `released_error_probability` gives the conditional one.
    """
    a, rate = _check_error_and_rate(alpha, epsilon, max_trips_per_user)
    return np.exp(_log_cell_error(NoiseDistribution(rate, law), a))[()]


def released_error_probability(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return P(|out − m| > α | out > 0), exactly, for m trips, also m < τ (erratum O3)."""
    a, m, threshold, loss, trips = _check_arguments(
        alpha=alpha,
        count=count,
        suppression_threshold=suppression_threshold,
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
    )
    bound, noise = effective_threshold(threshold) - m, NoiseDistribution(loss / trips, law)
    # Z ≥ bound and Z > α, or bound ≤ Z ≤ −α − 1, which is there only if bound < −α
    upper = noise.log_upper_tail(np.maximum(a + 1, bound))
    lower = noise.upper_tail(a + 1) - noise.upper_tail(np.maximum(1 - bound, a + 1))
    with np.errstate(divide="ignore"):  # nothing below: log 0 = −∞
        either = np.logaddexp(upper, np.log(np.maximum(lower, 0.0)))
    return np.exp(np.minimum(either - noise.log_upper_tail(bound), 0.0))[()]


def epsilon_for_cell_error(
    alpha: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return the least ε with P(|error| > α) ≤ β: Theorem 6, −T·ln β/(α + ½) if rounded."""
    a, b, trips = _check_arguments(alpha=alpha, beta=beta, max_trips_per_user=max_trips_per_user)
    if NoiseDistribution(1.0, law).name == "rounded_laplace":
        return (-trips * np.log(b) / (a + 0.5))[()]
    rate = find_min_rate(lambda x: _log_cell_error(NoiseDistribution(x, law), a), np.log(b))
    return (trips * rate)[()]


def change_error_probability(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: FormulaKind = "exact",
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return P(|error of the change between two releases| > α): Theorem 5, corrected (O2).

    Exact: the tail of the difference of two independent whole-number noises. Published: e^(−x)(x +
    2)/2 with x = a(α + 1), the tail of the difference before rounding, which is too small.
    """
    a, rate = _check_error_and_rate(alpha, epsilon, max_trips_per_user)
    if _uses_printed_formula(method, law):
        x = rate * (a + 1)
        return (np.exp(-x) * (x + 2) / 2)[()]
    return np.exp(_log_change_error(NoiseDistribution(rate, law), a))[()]


def epsilon_for_change(
    alpha: ArrayLike,
    beta: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    method: FormulaKind = "exact",
    law: NoiseName = "rounded_laplace",
) -> Floats:
    """Return the least ε at which a change errs by more than α with probability at most β.

    Published (Theorem 7): ε = T·(−2 − W₋₁(−2β·e^(−2)))/(α + 1), stated for β ≤ ½e^(−1), though it
    inverts Theorem 5 for every β in (0, 1). It understates ε (erratum O2); exact is the default.
    """
    a, b, trips = _check_arguments(alpha=alpha, beta=beta, max_trips_per_user=max_trips_per_user)
    if _uses_printed_formula(method, law):
        branch = np.real(special.lambertw(-2 * b * math.exp(-2), k=-1))
        return (trips * (-2 - branch) / (a + 1))[()]
    rate = find_min_rate(lambda x: _log_change_error(NoiseDistribution(x, law), a), np.log(b))
    return (trips * rate)[()]


def _log_cell_error(noise: NoiseDistribution, alpha: Floats) -> Floats:
    return np.log(2) + noise.log_upper_tail(alpha + 1)


def _log_change_error(noise: NoiseDistribution, alpha: Floats) -> Floats:
    # P(Z₂ − Z₁ ≥ n) = h·q^(n−1)·(2 − 2h − h(1−q)/(1+q) + h(n−1)(1−q)/q), n = α + 1: the
    # convolution of two two-sided geometric distributions with an atom at 0.
    edge = 2 - 2 * noise.positive_mass - noise.positive_mass * noise.gap / (2 - noise.gap)
    with np.errstate(divide="ignore"):  # α = 0 has no such term: log 0 = −∞
        middle = noise.log_positive_mass + np.log(alpha) + np.log(noise.gap) + noise.rate
    return np.log(2) + noise.log_upper_tail(alpha + 1) + np.logaddexp(np.log(edge), middle)


def find_min_rate(decreasing_function: Callable[[Floats], Floats], bound: Floats) -> Floats:
    """Return the least rate a = ε/T at which a decreasing function is at most `bound`."""
    # ε/T at confidence from 10⁻³⁰⁰ and errors up to 2⁵³ lies well inside
    low, high = np.full(bound.shape, np.log(1e-18)), np.full(bound.shape, np.log(1e5))
    for _ in range(64):
        middle = (low + high) / 2
        enough = decreasing_function(np.exp(middle)) <= bound
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.exp(high)  # the upper end, at which the bound holds


def _check_arguments(**given: ArrayLike) -> tuple[Floats, ...]:
    """Return the arguments as float arrays of one shape, or raise `ParameterError`."""
    arrays: list[Floats] = []
    for name, values in given.items():
        array, (rule, remedy), wrong = np.asarray(values), _RULES[name], ""
        if array.dtype.kind not in "iuf":
            wrong = repr(values)
        elif len(bad := (array := array.astype(np.float64))[~_meets_rule(name, array)]):
            wrong = f"{bad[0]:g}"
        if wrong:
            raise ParameterError(f"{name} must be {rule}", value=wrong, remedy=remedy)
        arrays.append(array)
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        raise ParameterError(
            "arguments must have shapes that broadcast",
            value=", ".join(str(array.shape) for array in arrays),
            remedy="give single numbers or arrays that broadcast",
        ) from error


def _check_error_and_rate(
    alpha: ArrayLike, epsilon: ArrayLike, trips: ArrayLike
) -> tuple[Floats, Floats]:
    a, loss, limit = _check_arguments(alpha=alpha, epsilon=epsilon, max_trips_per_user=trips)
    return a, loss / limit


def _meets_rule(name: str, x: Floats) -> Booleans:
    if name == "beta":
        return (x > 0) & (x < 1)
    if name == "epsilon":
        return np.isfinite(x) & (x > 0)
    return np.isfinite(x) & (x == np.floor(x)) & (x >= (name == "max_trips_per_user"))


def _require_side(count: Floats, threshold: Floats, *, below: bool) -> None:
    """Raise `ParameterError` unless all counts are on one side of the threshold."""
    bad = (count < threshold) != below
    if bad.any():
        rule, outcome = ("below", "released") if below else ("at least", "suppressed")
        rule = f"count must be {rule} suppression_threshold {threshold[bad][0]:g}"
        remedy = f"use the other theorem for {outcome} counts"
        raise ParameterError(rule, value=f"{count[bad][0]:g}", remedy=remedy)


def _uses_printed_formula(method: FormulaKind, law: NoiseName) -> bool:
    remedy = "use 'exact' unless reproducing the paper"
    validation.check_one_of("method", method, ("exact", "published"), remedy)
    if method == "published":
        remedy = "P2 has no formula for other noise"
        validation.check_one_of("law", law, ("rounded_laplace",), remedy)
    return method == "published"
