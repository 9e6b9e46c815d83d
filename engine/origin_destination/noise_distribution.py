"""The exact distribution of one released cell, for both kinds of whole-number noise.

Rounded Laplace (P2's Algorithm 1) and discrete Laplace (drawn by a vetted library, erratum O5) have
the same shape. With a = ε/T, q = e^(−a) and Z the whole-number noise,

    P(Z ≥ j) = h·q^(j−1) for j ≥ 1,   Z symmetric,   P(Z = 0) = 1 − 2h,

where h = ½·e^(−a/2) for rounded Laplace and h = q/(1 + q) for discrete Laplace. A cell with count m
is released as m + Z if that is at least τ′ = max(τ, 1), that is if Z ≥ s = τ′ − m, and as 0
otherwise (τ = 0 maps only negatives to 0, so a released 0 still needs Z < 1 − m).

All formulas take the branch in which the exponent is at most 0 and nothing cancels.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..arrays import Floats

NoiseName = Literal["rounded_laplace", "discrete_laplace"]
"""``rounded_laplace`` is P2's Algorithm 1; ``discrete_laplace`` is the noise of a release."""


class NoiseDistribution:
    """Distribution of the whole-number noise Z in one cell, at `rate` a = ε/T, which broadcasts."""

    def __init__(self, rate: ArrayLike, name: NoiseName = "rounded_laplace") -> None:
        remedy = "the paper's is 'rounded_laplace'"
        validation.check_one_of("law", name, get_args(NoiseName), remedy)
        self.name: NoiseName = name
        self.rate: Floats = np.asarray(rate, dtype=np.float64)
        decay = np.exp(-self.rate)
        self.gap: Floats = -np.expm1(-self.rate)  # 1 − q
        self.mean_excess: Floats = decay / self.gap  # E[Z − j | Z ≥ j] = q/(1 − q), for every j ≥ 1
        if name == "rounded_laplace":
            self.log_positive_mass: Floats = np.log(0.5) - self.rate / 2
            self.zero_mass: Floats = -np.expm1(-self.rate / 2)
        else:
            self.log_positive_mass = -self.rate - np.log1p(decay)
            self.zero_mass = np.tanh(self.rate / 2)
        self.positive_mass: Floats = np.exp(self.log_positive_mass)  # h = P(Z ≥ 1)

    def upper_tail(self, bound: ArrayLike) -> Floats:
        """Return P(Z ≥ bound) for whole numbers `bound`."""
        j = np.asarray(bound, dtype=np.float64)
        # P(Z ≥ j) for j ≥ 1, and 1 − P(Z ≥ 1 − j) below, by symmetry
        small = self.positive_mass * np.exp(-self.rate * np.where(j >= 1, j - 1, -j))
        return np.where(j >= 1, small, 1 - small)

    def log_upper_tail(self, bound: ArrayLike) -> Floats:
        """Return log P(Z ≥ bound), finite however far out the bound is."""
        j = np.asarray(bound, dtype=np.float64)
        log_small = self.log_positive_mass - self.rate * np.where(j >= 1, j - 1, -j)
        return np.where(j >= 1, log_small, np.log1p(-np.exp(log_small)))

    def pmf(self, value: ArrayLike) -> Floats:
        """Return P(Z = value) for whole numbers `value`."""
        size = np.abs(np.asarray(value, dtype=np.float64))
        away = self.positive_mass * self.gap * np.exp(-self.rate * np.maximum(size - 1, 0))
        return np.where(size == 0, self.zero_mass, away)

    def half_width(self, beyond: ArrayLike) -> Floats:
        """Return the least whole r with P(|Z| > r) ≤ `beyond`, above 0 and below 1."""
        # P(|Z| > r) = 2·P(Z ≥ 1)·q^r
        reach = (self.log_positive_mass - np.log(np.asarray(beyond) / 2)) / self.rate
        return np.maximum(np.ceil(reach), 0.0)

    def expected_excess(self, bound: ArrayLike) -> Floats:
        """Return E[(Z − bound)⁺] for whole numbers `bound` of at least 0."""
        # Σ_{j > bound} P(Z ≥ j)
        return np.exp(self.log_upper_tail(np.asarray(bound) + 1)) / self.gap

    def partial_expectation(self, bound: ArrayLike) -> Floats:
        """Return E[Z·1{Z ≥ bound}] for whole numbers `bound`; at least 0 on both sides."""
        j = np.asarray(bound, dtype=np.float64)
        # E[Z] = 0, so E[Z; Z ≥ j] = −E[Z; Z < j] = E[Z; Z ≥ 1 − j]
        outer = np.where(j >= 1, j, 1 - j)
        return self.upper_tail(outer) * (outer + self.mean_excess)


def effective_threshold(suppression_threshold: ArrayLike) -> Floats:
    """Return τ′ = max(τ, 1), the least count that can be released as itself."""
    return np.maximum(np.asarray(suppression_threshold, dtype=np.float64), 1.0)


def suppressed_probability(
    law: NoiseDistribution, truncated_count: ArrayLike, threshold: ArrayLike
) -> Floats:
    """Return P(out = 0) for `truncated_count` at the threshold τ."""
    m = np.asarray(truncated_count, dtype=np.float64)
    return law.upper_tail(1 - (effective_threshold(threshold) - m))


def absolute_error(
    law: NoiseDistribution, truncated_count: ArrayLike, true: ArrayLike, threshold: ArrayLike
) -> Floats:
    """Return E|out − t| for a true count t, of which `truncated_count` are within T."""
    m, t = np.asarray(truncated_count, dtype=np.float64), np.asarray(true, dtype=np.float64)
    trimmed = t - m
    bound = effective_threshold(threshold) - m
    # Released: |Z − d|, d = t − m, over Z ≥ s. If s ≥ d that is Z − d throughout; below d the
    # sign turns, hence |x| = 2x⁺ − x.
    released = law.partial_expectation(bound) - trimmed * law.upper_tail(bound)
    turned = 2 * law.expected_excess(trimmed) - released
    return np.where(bound >= trimmed, released, turned) + t * law.upper_tail(1 - bound)


def bias_and_variance(
    law: NoiseDistribution, truncated_count: ArrayLike, threshold: ArrayLike
) -> tuple[Floats, Floats]:
    """Return E[out] − m and the variance of a released cell; those of independent cells add up."""
    m = np.asarray(truncated_count, dtype=np.float64)
    threshold_count = effective_threshold(threshold)
    hidden = threshold_count - m >= 1
    outer = np.where(hidden, threshold_count - m, 1 - (threshold_count - m))
    rare = np.exp(law.log_upper_tail(outer))
    # s ≥ 1: E[out] = P(Z ≥ s)·(τ′ + q/(1−q)), mostly suppressed.
    # s ≤ 0: E[out] = m + P(Z < s)·(1 + q/(1−q) − τ′), mostly released.
    expected_if_hidden = rare * (threshold_count + law.mean_excess)
    bias_if_shown = rare * (1 + law.mean_excess - threshold_count)

    def second(start: Floats) -> Floats:
        return start**2 + 2 * start * law.mean_excess + (law.mean_excess + 2 * law.mean_excess**2)

    # about 0 where the cell is mostly suppressed, about m where it is mostly released
    about_count = 2 * law.positive_mass * second(np.ones(())) - rare * second(outer) + m**2 * rare
    first = np.where(hidden, expected_if_hidden, bias_if_shown)
    variance = np.where(hidden, rare * second(threshold_count), about_count) - first**2
    return np.where(hidden, expected_if_hidden - m, bias_if_shown), variance
