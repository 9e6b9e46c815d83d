"""Arguments of the calculators, checked, and the search for the least ε or α."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..arrays import Booleans, Floats
from ..errors import ParameterError
from .laws import LawName

Method = Literal["exact", "published"]
"""``exact`` is the formula that holds, ``published`` the one that P2 prints."""

# ε/T at confidence from 10⁻³⁰⁰ and errors up to 2⁵³ lies well inside
_LEAST_RATE, _LARGEST_RATE = 1e-18, 1e5
_LARGEST_ERROR = 2.0**53
_HALVINGS = 64


def checked(
    name: str, values: ArrayLike, rule: str, fits: Callable[[Floats], Booleans], remedy: str
) -> Floats:
    """Return `values` as float64 if all are numbers that fit; else raise `ParameterError`."""
    given = np.asarray(values)
    if given.dtype.kind not in "iuf":
        raise ParameterError(f"{name} must be {rule}, got {values!r}; {remedy}")
    numbers = given.astype(np.float64)
    bad = ~fits(numbers)
    if bad.any():
        raise ParameterError(f"{name} must be {rule}, got {numbers[bad][0]:g}; {remedy}")
    return numbers


def whole_numbers(name: str, values: ArrayLike, low: int, remedy: str) -> Floats:
    """Return `values` as float64 if all are whole numbers of at least `low`."""
    rule = f"a whole number of at least {low}"
    return checked(
        name, values, rule, lambda x: np.isfinite(x) & (x == np.floor(x)) & (x >= low), remedy
    )


def positive(name: str, values: ArrayLike, remedy: str) -> Floats:
    """Return `values` as float64 if all are finite and above 0."""
    rule = "a finite number above 0"
    return checked(name, values, rule, lambda x: np.isfinite(x) & (x > 0), remedy)


def least_rate(probability: Callable[[Floats], Floats], beta: Floats) -> Floats:
    """Return the least rate a = ε/T at which a probability that falls with the rate is at most β.

    Either both are on the scale of probabilities or both logarithms. 0 where every rate will do,
    infinity where none does; otherwise the upper end of the last bracket, so that it holds there.
    """
    low = np.full(beta.shape, np.log(_LEAST_RATE))
    high = np.full(beta.shape, np.log(_LARGEST_RATE))
    always = probability(np.exp(low)) <= beta
    never = probability(np.exp(high)) > beta
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = probability(np.exp(middle)) <= beta
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return np.where(always, 0.0, np.where(never, np.inf, np.exp(high)))


def least_error(probability: Callable[[Floats], Floats], beta: Floats) -> Floats:
    """Return the least whole α at which a probability that falls with α is at most β."""
    low = np.full(beta.shape, -1.0)
    high = np.full(beta.shape, _LARGEST_ERROR)
    while bool((high - low > 1).any()):
        middle = np.maximum(np.floor((low + high) / 2), 0.0)
        enough = probability(middle) <= beta
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return high


def common_shape(*arrays: Floats) -> tuple[Floats, ...]:
    """Return the arrays broadcast against each other; raise `ParameterError` if they cannot be."""
    try:
        return np.broadcast_arrays(*arrays)
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ParameterError(
            f"arguments must have shapes that fit each other, got {shapes}; give single numbers "
            "or arrays that broadcast"
        ) from error


def errors(alpha: ArrayLike) -> Floats:
    """Return α, tolerated errors in trips: whole numbers of at least 0."""
    return whole_numbers("alpha", alpha, 0, "released counts are whole; 10 is usual")


def betas(beta: ArrayLike) -> Floats:
    """Return β, one minus the confidence: above 0 and below 1."""
    remedy = "0.05 stands for a confidence of 95%"
    rule = "a number above 0 and below 1"
    return checked("beta", beta, rule, lambda x: (x > 0) & (x < 1), remedy)


def trips_per_user(max_trips_per_user: ArrayLike) -> Floats:
    """Return T: whole numbers of at least 1."""
    return whole_numbers("max_trips_per_user", max_trips_per_user, 1, "1 is usual")


def rates(epsilon: ArrayLike, max_trips_per_user: ArrayLike) -> Floats:
    """Return a = ε/T."""
    loss = positive("epsilon", epsilon, "smaller means more private, 0.1 to 2 is usual")
    loss, trips = common_shape(loss, trips_per_user(max_trips_per_user))
    return loss / trips


def counts_and_threshold(
    count: ArrayLike, suppression_threshold: ArrayLike, *, below: bool | None = None
) -> tuple[Floats, Floats]:
    """Return counts m and thresholds τ; `below` demands m < τ (true) or m ≥ τ (false)."""
    m = whole_numbers("count", count, 0, "it is a number of trips")
    threshold = whole_numbers(
        "suppression_threshold", suppression_threshold, 0, "15 is used by health agencies"
    )
    m, threshold = common_shape(m, threshold)
    bad = (m < threshold) != below
    if below is not None and bool(np.any(bad)):
        rule = "below" if below else "at least"
        other = "released" if below else "suppressed"
        raise ParameterError(
            f"count must be {rule} suppression_threshold {threshold[bad][0]:g}, got "
            f"{m[bad][0]:g}; the other theorem answers for {other} counts"
        )
    return m, threshold


def is_published(method: Method, law: LawName) -> bool:
    """Return whether the published formula is asked for, which knows one noise only."""
    remedy = "use 'exact' unless reproducing the paper"
    validation.one_of("method", method, ("exact", "published"), remedy)
    if method == "published":
        validation.one_of("law", law, ("rounded_laplace",), "P2 has no formula for other noise")
    return method == "published"
