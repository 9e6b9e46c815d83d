"""The exact mean relative error 2|out − t|/(out + t) of a released cell, without a sum over noise.

With c = m + t and d = t − m, out + t = Z + c where the cell is released, and
|Z − d|/(Z + c) = ±(1 − 2t/(Z + c)). What is left are two sums of reciprocals against a power,

    F(v) = Σ_{n ≥ 0} qⁿ/(n + v)      B(n) = Σ_{1 ≤ k ≤ n} q^(n − k)/k,

with F(v) = 1/v + q·F(v + 1) and B(n) = q·B(n − 1) + 1/n: one pass each tabulates them for all
counts at once, in the direction in which nothing cancels.
"""

from collections.abc import Callable

import numpy as np
from scipy import special
from scipy.linalg import get_blas_funcs

from ...arrays import Floats
from ..laws import NoiseLaw, effective_threshold

_SHORTEST_TABLE, _LONGEST_TABLE = 64, 2**21
_FEW_TERMS = 100
(_solve_banded,) = get_blas_funcs(("tbsv",), dtype=np.float64)
_FAST = 0.5  # above this rate, q^100 is below 2·10⁻²²
# B₂ₖ/(2k)! of the Euler–Maclaurin formula, k = 1 … 6
_EULER_MACLAURIN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -5.284190e-10)


class ReciprocalSums:
    """F and B for one rate a = ε/T, tabulated up to the largest argument that is needed.

    Arguments beyond 2²¹ are computed one by one: as sums of few terms for large rates, else by
    the Euler–Maclaurin formula around an exponential integral.
    """

    def __init__(self, rate: float, largest: float) -> None:
        self.rate = rate
        size = int(min(max(largest, _SHORTEST_TABLE), _LONGEST_TABLE))
        decay = np.exp(-rate)
        reciprocals = 1 / np.arange(1, size + 1, dtype=np.float64)
        downwards = reciprocals[::-1].copy()
        downwards[0] += decay * _far_upper(rate, np.array([size + 1.0]))[0]
        down, up = _decaying_sums(decay, downwards), _decaying_sums(decay, reciprocals)
        self._upper: Floats = np.concatenate([[np.inf], down[::-1]])
        self._lower: Floats = np.concatenate([[0.0], up])

    def upper(self, v: Floats) -> Floats:
        """Return F(v) for whole v of at least 1."""
        return _look_up(self._upper, v, lambda far: _far_upper(self.rate, far))

    def lower(self, n: Floats) -> Floats:
        """Return B(n) for whole n of at least 0."""
        last = len(self._lower) - 1
        return _look_up(
            self._lower, n, lambda far: _far_lower(self.rate, far, last, float(self._lower[-1]))
        )


def _decaying_sums(decay: float, terms: Floats) -> Floats:
    """Return s with sᵢ = q·sᵢ₋₁ + termᵢ: a triangular system of two diagonals."""
    bands = np.array([[1.0], [-decay]]).repeat(len(terms), axis=1)
    return _solve_banded(1, np.asfortranarray(bands), terms, lower=1, diag=1)


def mean_relative_error(
    law: NoiseLaw, sums: ReciprocalSums, kept: Floats, true: Floats, threshold: Floats
) -> Floats:
    """Return E[2|out − t|/(out + t)], from 0 to 2, 0/0 counting as 0 (P2, figure 2).

    The law and the sums, tabulated up to `largest_argument`, are of one rate.
    """
    gap = law.gap
    least = effective_threshold(threshold)
    total, trimmed, bound = kept + true, true - kept, least - kept
    # everything below is P(Z = z)/(h(1 − q)) = q^(|z| − 1), z ≠ 0

    def beyond(z: Floats) -> tuple[Floats, Floats]:
        """Return Σ q^(y−1) and Σ q^(y−1)·2t/(y + c) over y ≥ z, for z ≥ 1."""
        power = law.power(z - 1)
        return power / gap, power * 2 * true * sums.upper(z + total)

    above = np.maximum(bound, 1)
    mass, ratio = beyond(np.maximum(above, trimmed))
    rises = mass - ratio
    falls = 0.0
    if trimmed.any():  # released below the true count although the noise is positive
        (mass, ratio), (far_mass, far_ratio) = beyond(above), beyond(np.maximum(above, trimmed))
        falls = (ratio - far_ratio) - (mass - far_mass)
    # z = −j for j = 1 … J = m − τ′: Σ q^(j−1)·(2t/(c − j) − 1)
    depth = np.maximum(-bound, 0)
    power = law.power(depth)
    ratio = sums.lower(np.maximum(total - 1, 0)) - power * sums.lower(total - depth - 1)
    drops = np.where(depth > 0, 2 * true * ratio - (1 - power) / gap, 0.0)
    still = np.where((bound <= 0) & (trimmed > 0), trimmed / np.maximum(total, 1), 0.0)
    zero = np.where(true > 0, law.tail(1 - bound), 0.0)
    noisy = law.first * gap * (rises + falls + drops)
    return np.clip(2 * (noisy + law.zero * still + zero), 0.0, 2.0)


def largest_argument(true: Floats, highest_threshold: float) -> float:
    """Return the largest argument of F and B that `mean_relative_error` will ask for."""
    largest = float(np.max(true, initial=0.0))
    return largest + max(largest + 1, highest_threshold, 1.0)


def _look_up(table: Floats, argument: Floats, compute: Callable[[Floats], Floats]) -> Floats:
    last = len(table) - 1
    values = np.asarray(table[np.clip(argument, 0, last).astype(np.int64)])
    far = argument > last
    if far.any():
        values[far] = compute(argument[far])
    return values


def _far_upper(rate: float, v: Floats) -> Floats:
    """Return F(v) for v above 64."""
    if rate >= _FAST:
        n = np.arange(_FEW_TERMS)
        return (np.exp(-rate * n) / (n + v[:, None])).sum(axis=1)
    # Σ f(n), f(x) = e^(−ax)/(x + v): the integral is e^(av)·E₁(av)
    ends = sum(b * _odd_derivative(rate, v, k) for k, b in enumerate(_EULER_MACLAURIN))
    return _scaled_e1(rate * v) + 0.5 / v + ends


def _far_lower(rate: float, n: Floats, known: int, sum_at_known: float) -> Floats:
    """Return B(n) for n > `known`, of which B(known) is known."""
    if rate >= _FAST:
        j = np.arange(_FEW_TERMS)
        return (np.exp(-rate * j) / (n[:, None] - j)).sum(axis=1)
    # q^(n − N)·B(N) and Σ f(j) for j = 0 … R = n − N − 1, f(x) = e^(−ax)/(n − x)
    last = n - known - 1
    power = np.exp(-rate * last)
    integral = _scaled_ei(rate * n) - power * _scaled_ei(np.asarray(rate * (known + 1.0)))
    ends = sum(
        b * (_odd_derivative(rate, -n, k) - power * _odd_derivative(rate, -(n - last), k))
        for k, b in enumerate(_EULER_MACLAURIN)
    )
    edges = 0.5 * (1 / n + power / (known + 1.0))
    return np.exp(-rate) * power * sum_at_known + integral + edges - ends


def _odd_derivative(rate: float, v: Floats, k: int) -> Floats:
    """Return −f⁽²ᵏ⁺¹⁾(0) of f(x) = e^(−ax)/(x + v)."""
    # d₀ = 1/v and dₙ = (aⁿ + n·dₙ₋₁)/v for dₙ = (−1)ⁿ·f⁽ⁿ⁾(0)
    term = 1 / v
    for order in range(1, 2 * k + 2):
        term = (rate**order + order * term) / v
    return term


def _scaled_e1(x: Floats) -> Floats:
    """Return eˣ·E₁(x)."""
    near = np.minimum(x, 50.0)
    return np.where(x > 50, _asymptotic(-x) * -1, np.exp(near) * special.exp1(near))


def _scaled_ei(x: Floats) -> Floats:
    """Return e⁻ˣ·Ei(x)."""
    near = np.minimum(x, 50.0)
    return np.where(x > 50, _asymptotic(x), np.exp(-near) * special.expi(near))


def _asymptotic(x: Floats) -> Floats:
    """Return Σ k!/x^(k+1), k < 30: e⁻ˣ·Ei(x) for x > 50, and −eʸ·E₁(y) for x = −y < −50."""
    term = 1 / x
    total = term
    for k in range(1, 30):
        term = term * k / x
        total = total + term
    return total
