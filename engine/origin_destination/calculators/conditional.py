"""Theorems 4 and 5 as they are stated: given that the cells are not suppressed (erratum O3).

P2 states both for released cells and proves them for all cells. Far above τ the two agree; near τ
they differ, because a cell near τ is released only when its noise is not too negative.
"""

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from .. import solving
from ..laws import LawName, NoiseLaw, effective_threshold
from ..solving import betas, counts_and_threshold, errors, rates, trips_per_user


def cell_error_probability_if_released(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(|out − m| > α | out > 0), exactly, for a cell of m trips.

    m may be below τ: such a cell shows only with an error of at least τ − m.

    Examples
    --------
    >>> float(cell_error_probability_if_released(10, 0.2853, count=1000, suppression_threshold=15)
    ...       .round(3))
    0.05
    >>> float(cell_error_probability_if_released(10, 0.2853, count=15, suppression_threshold=15)
    ...       .round(3))
    0.044
    """
    m, threshold = counts_and_threshold(count, suppression_threshold)
    noise = NoiseLaw(rates(epsilon, max_trips_per_user), law)
    return np.exp(_log_cell(noise, errors(alpha), effective_threshold(threshold) - m))[()]


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
    m, threshold = counts_and_threshold(count, suppression_threshold)
    a, b, bound, trips = solving.common_shape(
        errors(alpha),
        betas(beta),
        effective_threshold(threshold) - m,
        trips_per_user(max_trips_per_user),
    )
    rate = solving.least_rate(lambda x: _log_cell(NoiseLaw(x, law), a, bound), np.log(b))
    return (trips * rate)[()]


def change_error_probability_if_released(
    alpha: ArrayLike,
    epsilon: ArrayLike,
    first_count: ArrayLike,
    second_count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return P(|error of the change| > α | both cells are released), exactly.

    Both counts are at least max(τ, 1), as in Theorem 5.

    Examples
    --------
    >>> float(change_error_probability_if_released(10, 0.3922, 1000, 900, 15).round(3))
    0.05
    >>> float(change_error_probability_if_released(10, 0.3922, 15, 15, 15).round(3))
    0.016
    """
    bound, other = _bounds(first_count, second_count, suppression_threshold)
    noise = NoiseLaw(rates(epsilon, max_trips_per_user), law)
    return _change(noise, errors(alpha), bound, other)[()]


def epsilon_for_change_if_released(
    alpha: ArrayLike,
    beta: ArrayLike,
    first_count: ArrayLike,
    second_count: ArrayLike,
    suppression_threshold: ArrayLike,
    max_trips_per_user: ArrayLike = 1,
    *,
    law: LawName = "rounded_laplace",
) -> Floats:
    """Return the least ε with P(|error of the change| > α | both cells are released) ≤ β.

    For counts of at least max(τ, 1) on both days, where the probability falls with ε.

    Examples
    --------
    >>> float(epsilon_for_change_if_released(10, 0.05, 15, 15, 15).round(4))
    0.2847
    """
    a, b, bound, other, trips = solving.common_shape(
        errors(alpha),
        betas(beta),
        *_bounds(first_count, second_count, suppression_threshold),
        trips_per_user(max_trips_per_user),
    )
    rate = solving.least_rate(lambda x: _change(NoiseLaw(x, law), a, bound, other), b)
    return (trips * rate)[()]


def _bounds(
    first_count: ArrayLike, second_count: ArrayLike, suppression_threshold: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the least noise, at most 0, with which each of the two cells is released."""
    # checked before its maximum with 1 is taken, so that a wrong τ is named as it was given
    _, threshold = counts_and_threshold(first_count, suppression_threshold)
    least = effective_threshold(threshold)
    m, _ = counts_and_threshold(first_count, least, below=False)
    later, _ = counts_and_threshold(second_count, least, below=False)
    return least - m, least - later


def _log_cell(noise: NoiseLaw, alpha: Floats, bound: Floats) -> Floats:
    """Return log P(|Z| > α | Z ≥ bound)."""
    # Z ≥ bound and Z > α, or bound ≤ Z ≤ −α − 1, which is there only if bound < −α
    upper = noise.log_tail(np.maximum(alpha + 1, bound))
    low_end, low_start = noise.tail(alpha + 1), noise.tail(np.maximum(1 - bound, alpha + 1))
    lower = np.maximum(low_end - low_start, 0.0)
    with np.errstate(divide="ignore"):  # nothing below: log 0 = −∞
        either = np.logaddexp(upper, np.log(lower))
    return np.minimum(either - noise.log_tail(bound), 0.0)


def _change(noise: NoiseLaw, alpha: Floats, bound: Floats, other: Floats) -> Floats:
    """Return P(|Z₂ − Z₁| > α | Z₁ ≥ bound, Z₂ ≥ other)."""
    rises = _rise(noise, alpha + 1, bound, other)
    falls = _rise(noise, alpha + 1, other, bound)
    return np.minimum((rises + falls) / (noise.tail(bound) * noise.tail(other)), 1.0)


def _rise(noise: NoiseLaw, rise: Floats, bound: Floats, other: Floats) -> Floats:
    """Return P(Z₂ ≥ Z₁ + rise, Z₁ ≥ bound, Z₂ ≥ other) for a whole `rise` of at least 1."""
    start = np.maximum(bound, other - rise)
    # Z₁ from bound to start − 1: there Z₂ ≥ other is the stricter demand
    strict = np.maximum(noise.tail(bound) - noise.tail(start), 0.0) * noise.tail(other)
    return strict + _joint_tail(noise, rise, start)


def _joint_tail(noise: NoiseLaw, rise: Floats, start: Floats) -> Floats:
    """Return Σ_{z ≥ start} P(Z = z)·P(Z ≥ z + rise) for start ≤ 0, by its geometric pieces."""
    tail, h = noise.tail, noise.first
    one_plus_decay = 2 - noise.gap
    upper = h * tail(rise + 1) / one_plus_decay + noise.zero * tail(rise)
    # z = −i for i = 1 … −start: P(Z = −i) = h(1−q)q^(i−1); Z ≥ rise − i is a geometric tail while
    # i < rise, which makes every term the same, and one minus such a tail beyond
    depth = -start
    between = np.minimum(depth, rise - 1) * noise.gap * h * tail(np.maximum(rise - 1, 1))
    deepest = np.maximum(depth, rise - 1)
    steep = tail(rise) - tail(deepest + 1)
    # Σ_{i = rise}^{depth} h²(1−q)q^(2i − 1 − rise)
    both = (h * tail(rise) - tail(deepest + 1) * tail(deepest + 2 - rise)) / one_plus_decay
    return upper + between + np.maximum(steep - both, 0.0)
