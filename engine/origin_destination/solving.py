"""Checks of array arguments and the search for the least ε or α, shared by the calculators."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Booleans, Floats
from ..errors import ParameterError

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
