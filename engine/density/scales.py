"""How much noise each stage adds: of public settings alone (P1 §5.3, §5.4; errata D3 to D5).

Of ε the totals get a half, the choice of k and the coefficients a quarter each: ε_E = ε/2. Δ₂ = √ℓ.
"""

import math

import numpy as np

from ..arrays import Floats
from ..parameters import HOURS_PER_WEEK, DensityParameters
from .gaussian import analytic_sigma

RELATIVE_NOISE = 0.01
"""Default τ: with all coefficients kept, the expected RSSE is 1% of a cluster's total (P1 §6)."""

KEPT: Floats = np.arange(1, HOURS_PER_WEEK + 1, dtype=np.float64)
"""The k that can be chosen."""


def plain_scale(parameters: DensityParameters) -> float:
    """Return the Laplace scale 2ℓ/ε of every cell's pre-sampled total (P1, Algorithm 2)."""
    return 2.0 * parameters.max_visits_per_user / parameters.epsilon


def histogram_scale(parameters: DensityParameters) -> float:
    """Return the Laplace scale 2/ε′ = 4/ε of every bin of H̃; one person changes one bin by 1."""
    return 4.0 / parameters.epsilon


def visits_scale(parameters: DensityParameters, max_visits_cap: int) -> float:
    """Return the Laplace scale 2·K_max/ε′ = 4·K_max/ε of K̂ (erratum D5: K_max is public)."""
    return 4.0 * max_visits_cap / parameters.epsilon


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


def noise_terms(parameters: DensityParameters, clusters: int) -> Floats:
    """Return the expected noise in u(k) for k = 1 … 168, shape (168,).

    √k·σ for the Gaussian, of so many `clusters` together where they are chosen for jointly (D1);
    2√2·k·√ℓ/ε_E for the Laplace, where P1 prints 2·k·√ℓ/ε: the root of its mean square noise over
    k coefficients of scale 2√k·√ℓ/ε_E each (an erratum of utility, not of privacy).
    """
    scale = coefficient_scale(parameters)
    if parameters.method == "efpa":
        return math.sqrt(2) * scale * KEPT
    return scale * np.sqrt(KEPT * clusters)


def default_cluster_minimum(parameters: DensityParameters) -> float:
    """Return the default τ of Algorithm 3: √168 · (noise of a coefficient at k = 168) / 0.01.

    Examples
    --------
    >>> round(default_cluster_minimum(DensityParameters(epsilon=0.3, delta=2e-6)), -2)
    509900.0
    """
    return float(noise_terms(parameters, 1)[-1]) / RELATIVE_NOISE
