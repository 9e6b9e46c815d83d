"""Exact relations of σ, ε and δ of the Gaussian mechanism, and μ of Gaussian DP (μ-GDP)."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from scipy.special import log_ndtr


@lru_cache(maxsize=1024)
def analytic_sigma(epsilon: float, delta: float, l2_sensitivity: float) -> float:
    """Return the least σ of the Gaussian mechanism for (ε, δ)-DP (Balle & Wang 2018, Theorem 8).

    With r = Δ₂/σ the mechanism is (ε, δ)-DP if and only if Φ(r/2 − ε/r) − e^ε·Φ(−r/2 − ε/r) ≤ δ.
    """

    def excess(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        return math.log(gaussian_delta(epsilon, ratio)) - math.log(delta)

    low = high = 0.0
    while excess(low) > 0:
        low -= 1.0
    while excess(high) < 0:
        high += 1.0
    # end where σ is slightly larger, so that rounding loses no privacy
    root = bracketed_root(excess, low, high) - 1e-13
    return l2_sensitivity / math.exp(root)


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """Return the least δ, above 0, of the Gaussian mechanism at ε, with ``ratio`` = Δ₂/σ."""
    first = float(log_ndtr(ratio / 2 - epsilon / ratio))
    second = epsilon + float(log_ndtr(-ratio / 2 - epsilon / ratio))
    return max(math.exp(first) * -math.expm1(min(second - first, 0.0)), 5e-324)


def gdp_mu(epsilon: float, delta: float) -> float:
    """Return the largest μ with μ-GDP ⇒ (ε, δ)-DP (Dong, Roth & Su 2022, Corollary 1)."""
    return 1.0 / analytic_sigma(epsilon, delta, 1.0)


def gdp_epsilon(mu: float, delta: float) -> float:
    """Return the ε at which a μ-GDP mechanism is (ε, δ)-DP; the inverse of `gdp_mu`."""

    def excess(epsilon: float) -> float:
        return math.log(delta) - math.log(gaussian_delta(epsilon, mu))

    high = 1.0
    while excess(high) < 0:
        high *= 2.0
    return bracketed_root(excess, 0.0, high) if excess(0.0) < 0 else 0.0


def bracketed_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of `function` between `low` and `high`, to 14 digits (Brent's method)."""
    from scipy.optimize import brentq  # loads slowly; imported here so that --help need not load it

    root: Any = brentq(function, low, high, xtol=1e-14 * max(abs(low), abs(high)))
    return float(root)
