"""Whole-number noise of a release, from OpenDP's exact samplers.

OpenDP samples in exact rational arithmetic from the operating system's entropy, so neither floats
nor a seed leak. Discrete Gaussian noise is ρ-zCDP (zero-concentrated differential privacy),
ρ = Δ₂²/(2σ²) for L₂ sensitivity Δ₂ (Canonne, Kamath and Steinke 2020, Theorem 14), and ρ adds up,
also adaptively. It is not μ-GDP (Gaussian differential privacy): the exact ε of continuous Gaussian
noise does not hold.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from opendp import combinators, domains, measurements, measures, metrics, mod

from .. import validation
from ..arrays import Integers
from ..density.gaussian import bracketed_root

_COUNTS_PER_CALL = 2**18  # bounds the memory of Python's integers

mod.enable_features("contrib")  # by `opendp.mod`: `opendp.prelude` would load scikit-learn
_INTEGER_DOMAIN: Any = domains.vector_domain(domains.atom_domain(T="i64"))


def discrete_laplace(counts: Integers, scale: float) -> Integers:
    """Return whole counts of any shape plus noise, P(z) ∝ exp(−|z|/scale)."""
    return _add_noise(make_laplace(scale), counts)


def discrete_gaussian(counts: Integers, sigma: float) -> Integers:
    """Return whole counts of any shape plus noise, P(z) ∝ exp(−z²/(2σ²))."""
    return _add_noise(make_gaussian(sigma), counts)


def noisy_min(scores: Sequence[int], scale: float) -> int:
    """Return the position of the noisy minimum of scores (permute-and-flip)."""
    return int(make_noisy_min(scale)(list(scores)))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return ε at δ of a ρ-zCDP mechanism, as OpenDP converts it (ibid., Proposition 12)."""
    profile = combinators.make_zCDP_to_approxDP(make_gaussian(1.0)).map(math.sqrt(2 * rho))
    return float(profile.epsilon(delta))


@lru_cache(maxsize=256)
def zcdp_mu(epsilon: float, delta: float) -> float:
    """Return the largest √(2ρ) = Δ₂/σ, less one part in 10⁹, whose ρ-zCDP is (ε, δ)-DP."""

    def excess_epsilon(log_mu: float) -> float:
        return zcdp_epsilon(math.exp(2 * log_mu) / 2, delta) - epsilon

    # ends around ln √(2ρ): ε exceeds ρ at any useful δ; a higher end overflows from ε = 60 on
    low, high = math.log(epsilon) - 8, min(math.log(epsilon) + 2, (math.log(2 * epsilon) + 1) / 2)
    return math.exp(bracketed_root(excess_epsilon, low, high)) * (1 - 1e-9)


@lru_cache(maxsize=64)
def make_noisy_min(scale: float) -> Any:
    """Return a noisy minimum (permute-and-flip); its map takes r to ε = r/scale.

    r is the most by which a difference of two scores changes between neighbours. `monotonic=True`
    only selects this formula; scores need not be monotonic (``docs/release.md``).
    """
    distance, loss = metrics.linf_distance(T="i64", monotonic=True), measures.max_divergence()
    scale = _require_positive(scale)
    return measurements.make_noisy_max(_INTEGER_DOMAIN, distance, loss, scale, negate=True)


def make_gaussian(sigma: float) -> Any:
    """Return a discrete Gaussian mechanism; its map takes L₂ sensitivity to ρ, rounded up."""
    distance = metrics.l2_distance(T=float)
    return measurements.make_gaussian(_INTEGER_DOMAIN, distance, _require_positive(sigma))


def make_laplace(scale: float) -> Any:
    """Return a discrete Laplace mechanism; its map takes L₁ sensitivity to ε, rounded up."""
    distance = metrics.l1_distance(T="i64")
    return measurements.make_laplace(_INTEGER_DOMAIN, distance, _require_positive(scale))


def _require_positive(scale: float) -> float:
    """Return a positive scale; raise at 0, which OpenDP accepts without adding noise."""
    return validation.check_above("scale", scale, 0, "it is the sensitivity over ε")


def _add_noise(measurement: Any, counts: Integers) -> Integers:
    """Return whole counts of any shape plus the noise of an OpenDP measurement."""
    flat = np.array(counts, dtype=np.int64).ravel()  # a copy: OpenDP takes no read-only arrays
    pieces = np.array_split(flat, max(1, math.ceil(flat.size / _COUNTS_PER_CALL)))
    noisy = [np.asarray(measurement(piece), dtype=np.int64) for piece in pieces if piece.size]
    return np.concatenate([np.zeros(0, dtype=np.int64), *noisy]).reshape(counts.shape)
