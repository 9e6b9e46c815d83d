"""EFPA and EFPAG: choose how many Fourier coefficients to keep, and perturb those (P1 §5.3.2).

ε_E = ε/2 is the budget of these stages, one half of it for the choice of k and one half for the
coefficients (erratum D3). Δ₂ = √ℓ.
"""

import math

import numpy as np
from scipy.fft import dct, idct

from ..arrays import Floats, Integers
from ..parameters import HOURS_PER_WEEK, DensityParameters
from .draws import DensityNoise
from .gaussian import analytic_sigma

RELATIVE_NOISE = 0.01
"""Default τ: with all coefficients kept, the expected RSSE is 1% of a cluster's total (P1 §6)."""

_KEPT: Floats = np.arange(1, HOURS_PER_WEEK + 1, dtype=np.float64)


def coefficient_scale(parameters: DensityParameters) -> float:
    """Return the noise of one coefficient: σ of the Gaussian, or EFPA's Laplace scale at k = 1.

    The Gaussian is P1's σ² = 8·Δ₂²·ln(4/δ)/ε_E² or, with ``gaussian="analytic"``, the least σ for
    (ε_E/2, δ)-DP (erratum D4). The Laplace scale 2·√k·Δ₂/ε_E grows with the number k kept.
    """
    share = parameters.epsilon / 4
    l2_sensitivity = math.sqrt(parameters.max_visits_per_user)
    if parameters.method == "efpa":
        return l2_sensitivity / share
    if parameters.gaussian == "analytic":
        return analytic_sigma(share, parameters.delta, l2_sensitivity)
    return l2_sensitivity * math.sqrt(2 * math.log(4 / parameters.delta)) / share


def default_cluster_minimum(parameters: DensityParameters) -> float:
    """Return the default τ of Algorithm 3: √168 · (noise of a coefficient at k = 168) / 0.01.

    Examples
    --------
    >>> round(default_cluster_minimum(DensityParameters(epsilon=0.3, delta=2e-6)), -2)
    509900.0
    """
    return float(noise_terms(parameters, 1)[-1]) / RELATIVE_NOISE


def noise_terms(parameters: DensityParameters, clusters: int) -> Floats:
    """Return the expected noise in u(k) for k = 1 … 168, shape (168,).

    √k·σ for the Gaussian, 2√2·k·√ℓ/ε_E for the Laplace; with `clusters` chosen for jointly, √k·σ
    of all of them together (erratum D1).
    """
    scale = coefficient_scale(parameters)
    if parameters.method == "efpa":
        return math.sqrt(2) * scale * _KEPT
    return scale * np.sqrt(_KEPT * clusters)


def choose_kept(
    coefficients: Floats, parameters: DensityParameters, noise: DensityNoise, rows: Integers
) -> Integers:
    """Choose how many of its 168 coefficients each cluster keeps, by the exponential mechanism.

    P(k) ∝ exp(−ε_E·u(k)/(4·Δ₂)) with u(k) = √(Σ_{i>k} F_i²) + noise(k), of sensitivity Δ₂ (P1,
    Algorithm 4, line 3; erratum D3). `efpag_joint` makes one choice for all clusters with u of
    all their coefficients together, which has sensitivity Δ₂ too (erratum D1). `rows` are the
    clusters' lowest cells, and their rows of the noise.
    """
    if parameters.method == "efpag_joint":
        kept = 1 + np.argmax(selection_logits(coefficients, parameters)[0] + noise.joint_choice)
        return np.full(len(coefficients), kept, dtype=np.int64)
    logits = selection_logits(coefficients, parameters)
    return 1 + np.argmax(logits + noise.cluster_choice[rows], axis=1)


def selection_logits(coefficients: Floats, parameters: DensityParameters) -> Floats:
    """Return the unnormalised log-probabilities of k = 1 … 168, one row a choice.

    One row a cluster, or a single row for `efpag_joint`. Explicit, so that their privacy loss can
    be computed exactly.
    """
    squares = coefficients**2
    clusters = 1
    if parameters.method == "efpag_joint":
        clusters = len(coefficients)
        squares = squares.sum(axis=0, keepdims=True)
    tails = np.zeros_like(squares)
    tails[:, :-1] = np.cumsum(squares[:, :0:-1], axis=1)[:, ::-1]
    losses = np.sqrt(tails) + noise_terms(parameters, clusters)
    share = parameters.epsilon / 4
    return losses * (-share / (2 * math.sqrt(parameters.max_visits_per_user)))


def perturb(
    coefficients: Floats,
    kept: Integers,
    parameters: DensityParameters,
    noise: DensityNoise,
    rows: Integers,
) -> Floats:
    """Add noise to the first k coefficients of every cluster and drop the rest, same shape."""
    scale = np.full((len(kept), 1), coefficient_scale(parameters))
    if parameters.method == "efpa":
        scale *= np.sqrt(kept)[:, None]
    return np.where(kept[:, None] >= _KEPT, coefficients + scale * noise.counts[rows], 0.0)


def to_coefficients(series: Floats) -> Floats:
    """Return the orthonormal DCT-II of each row, which keeps L₂ distances."""
    return np.asarray(dct(series, type=2, norm="ortho", axis=1))


def to_series(coefficients: Floats) -> Floats:
    """Return the series of each row of orthonormal DCT-II coefficients."""
    return np.asarray(idct(coefficients, type=2, norm="ortho", axis=1))
