"""Accounting of discrete Gaussian noise: zero-concentrated differential privacy, ρ = Δ₂²/(2σ²).

Discrete Gaussian noise is ρ-zCDP as the continuous one is (Canonne, Kamath and Steinke 2020,
Theorem 14), and ρ adds up, also where a later table is chosen after earlier noisy ones. It is not
μ-GDP, so the exact ε of the continuous mechanism may not be claimed for it.
"""

import math
from functools import lru_cache

import opendp.prelude as opendp

from engine.density.gaussian import bracketed_root
from engine.release.noise import gaussian

_ROOM = 1e-9


def gaussian_rho(sensitivity: float, sigma: float) -> float:
    """Return ρ that OpenDP states for whole numbers of this L₂ sensitivity, rounded up.

    Examples
    --------
    >>> gaussian_rho(3.0, 6.0)
    0.125
    """
    return float(gaussian(sigma).map(float(sensitivity)))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return ε at δ of a ρ-zCDP mechanism, as OpenDP converts it (CKS 2020, Proposition 12).

    Examples
    --------
    >>> round(zcdp_epsilon(0.02, 1e-7), 4)
    0.9951
    """
    profile = opendp.c.make_zCDP_to_approxDP(gaussian(1.0)).map(math.sqrt(2 * rho))
    return float(profile.epsilon(delta))


@lru_cache(maxsize=256)
def zcdp_strength(epsilon: float, delta: float) -> float:
    """Return the largest μ = √(2ρ), less one part in 10⁹, whose ρ-zCDP is (ε, δ)-DP.

    Examples
    --------
    >>> mu = zcdp_strength(1.0, 1e-7)
    >>> round(mu, 4), zcdp_epsilon(mu**2 / 2, 1e-7) <= 1.0
    (0.2009, True)
    """

    def excess(log_mu: float) -> float:
        return zcdp_epsilon(math.exp(2 * log_mu) / 2, delta) - epsilon

    # ρ-zCDP costs more than ρ at any δ of use: a larger bracket overflows from ε = 60 on
    low, high = math.log(epsilon) - 8, min(math.log(epsilon) + 2, (math.log(2 * epsilon) + 1) / 2)
    return math.exp(bracketed_root(excess, low, high)) * (1 - _ROOM)
