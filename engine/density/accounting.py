"""Noise and privacy loss of each stage, from public settings alone.

The totals get half of ε, the choice of k and the coefficients a quarter each: ε_E = ε/2. Δ₂ = √ℓ
(P1 §5.3, §5.4; errata D3 to D5). Erratum D1 defines the three totals; ``docs/density.md`` proves
the best one.
"""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from .. import validation
from ..arrays import Floats
from ..parameters import (
    CLASSICAL_GAUSSIAN_MAX_EPSILON,
    FOURIER_METHODS,
    GAUSSIAN_METHODS,
    HOURS_PER_WEEK,
    DensityParameters,
)
from ..privacy_ledger import (
    Ledger,
    Noise,
    Norm,
    PrivacyDefinition,
    PrivacyUnit,
    Query,
    Stage,
    simple_ledger,
)
from .gaussian import analytic_sigma, bracketed_root, strength_to_epsilon

BOUNDED_RANGE_FACTOR_SQUARED = 2.0
"""κ²: log-ratios of a choice of k differ by at most κ·ε_E/(4√ℓ)·‖Δ‖₂, κ = √2."""

RELATIVE_NOISE = 0.01
"""Default τ: with all coefficients, the expected RSSE is 1% of a cluster's total (P1 §6)."""

RELEASED_EPSILONS, RELEASED_DELTA = (1e-3, 50.0), 1e-3
"""Range of ε, and largest δ, of a released density with Gaussian noise."""

COEFFICIENT_COUNTS: Floats = np.arange(1, HOURS_PER_WEEK + 1, dtype=np.float64)
"""The possible k."""

_COUNT_KINDS = {
    "zones_laplace": Query.ZONE_COUNTS,
    "towers_laplace": Query.TOWER_COUNTS,
    "lpa": Query.COVER_COUNTS,
}


def coefficient_scale(parameters: DensityParameters) -> float:
    """Return the noise scale of one coefficient: σ, or EFPA's Laplace scale at k = 1.

    σ is P1's σ² = 8·Δ₂²·ln(4/δ)/ε_E² or, with ``gaussian="analytic"``, the least σ for (ε_E/2,
    δ)-DP (erratum D4). The Laplace scale 2·√k·Δ₂/ε_E grows with k.
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

    Gaussian: √(k·clusters)·σ; `clusters` is 1 unless they share one k (D1). Laplace: 2√2·k·√ℓ/ε_E,
    the root of its mean square over k coefficients of scale 2√k·√ℓ/ε_E. P1 prints 2·k·√ℓ/ε, an
    erratum of utility, not of privacy.
    """
    scale = coefficient_scale(parameters)
    if parameters.method == "efpa":
        return math.sqrt(2) * scale * COEFFICIENT_COUNTS
    return scale * np.sqrt(COEFFICIENT_COUNTS * clusters)


def default_cluster_minimum(parameters: DensityParameters) -> float:
    """Return the default τ of Algorithm 3, √168 · (coefficient noise at k = 168) / 0.01 visits."""
    return float(noise_terms(parameters, 1)[-1]) / RELATIVE_NOISE


def laplace_ledger(parameters: DensityParameters, **_public: object) -> Ledger:
    """Return one stage that costs all of ε: Laplace noise on counts of ℓ visits a person."""
    visit_limit = parameters.max_visits_per_user
    kind, scale = _COUNT_KINDS[parameters.method], visit_limit / parameters.epsilon
    stage = Stage(kind, Noise.LAPLACE, visit_limit, Norm.L1, scale, parameters.epsilon)
    return simple_ledger((stage,), unit=PrivacyUnit.PERSON_WEEK)


def fourier_stages(parameters: DensityParameters, max_visits_cap: int) -> tuple[Stage, ...]:
    """Return the stages of EFPA and EFPAG in the order of the draws; K_max is public (erratum D5).

    One person changes one bin of H̃ by 1 and K by at most K_max; without the improved scaling the
    cell totals by at most ℓ.
    """
    visit_limit, quarter = parameters.max_visits_per_user, parameters.epsilon / 4

    def laplace(kind: Query, sensitivity: int, share: float) -> Stage:
        return Stage(kind, Noise.LAPLACE, sensitivity, Norm.L1, sensitivity / share, share)

    totals = [laplace(Query.COVER_TOTALS, visit_limit, 2 * quarter)]
    if parameters.scaling:
        visits = laplace(Query.ALL_VISITS, max_visits_cap, quarter)
        totals = [laplace(Query.TOWER_SHARES, 1, quarter), visits]
    joint = parameters.method == "efpag_joint"
    choice = Query.JOINT_CHOICE if joint else Query.CHOICE_BY_CLUSTER
    noise, delta = Noise.ROOT_K_LAPLACE, 0.0
    if parameters.method in GAUSSIAN_METHODS:
        classical, delta = parameters.gaussian == "classical", parameters.delta
        noise = Noise.CLASSICAL_GAUSSIAN if classical else Noise.ANALYTIC_GAUSSIAN
    root, scale = math.sqrt(visit_limit), coefficient_scale(parameters)
    return (
        *totals,
        Stage(choice, Noise.EXPONENTIAL, root, Norm.L2, None, quarter),
        Stage(Query.COEFFICIENTS, noise, root, Norm.L2, scale, quarter, delta),
    )


def fourier_ledger(
    parameters: DensityParameters, *, cover_size: int, max_visits_cap: int, **_public: object
) -> Ledger:
    """Return the stages and three totals of EFPA and EFPAG; |ℂ| and K_max are public."""
    stages = fourier_stages(parameters, max_visits_cap)
    published = {
        Noise.ROOT_K_LAPLACE: PrivacyDefinition.PURE,
        Noise.CLASSICAL_GAUSSIAN: PrivacyDefinition.PROBABILISTIC,
        Noise.ANALYTIC_GAUSSIAN: PrivacyDefinition.APPROXIMATE,
    }[stages[-1].noise]
    pure = pure_epsilon(parameters, cover_size)
    proved = proved_epsilon(parameters, cover_size)
    return Ledger(
        stages=stages,
        published_epsilon=parameters.epsilon,
        pure_epsilon=pure,
        proved_epsilon=proved,
        delta=parameters.delta,
        published_notion=published,
        pure_notion=published,
        proved_notion=published if proved == pure else PrivacyDefinition.APPROXIMATE,
        unit=PrivacyUnit.PERSON_WEEK,
    )


def pure_epsilon(parameters: DensityParameters, cover_size: int) -> float:
    """Return ε by simple composition (D1).

    A person's change Δ_E in cluster E costs a choice at most (ε/4)·‖Δ_E‖₂/√ℓ. A visit may be split
    over several cells, yet Σ‖Δ_E‖₂ ≤ Σ‖Δ_E‖₁ ≤ ℓ, and ≤ √(|ℂ|·ℓ) because Σ‖Δ_E‖₂² ≤ ℓ. All choices
    cost at most (ε/4)·√min(ℓ, |ℂ|), and so does EFPA's Laplace noise; the Gaussian acts on all
    clusters at once and costs ε/4.
    """
    spread = math.sqrt(min(parameters.max_visits_per_user, cover_size))
    charged = {"efpag": 3 + spread, "efpa": 2 + 2 * spread}.get(parameters.method, 4.0)
    return parameters.epsilon / 4 * charged


def proved_epsilon(parameters: DensityParameters, cover_size: int) -> float:
    """Return the best proved ε at the release's δ: zCDP of stages 4 and 5, plus ε/2.

    The one choice of `efpag_joint` has bounded range ε/(4√2), its pure ε: together with the exact ε
    of its Gaussian that is less. The result is at most `pure_epsilon`, which holds too.
    """
    pure = pure_epsilon(parameters, cover_size)
    if parameters.method not in FOURIER_METHODS:
        return pure
    perturbed = convert_zcdp_to_epsilon(fourier_zcdp(parameters), parameters.delta)
    if parameters.method == "efpag_joint":
        strength = math.sqrt(parameters.max_visits_per_user) / coefficient_scale(parameters)
        choice = math.sqrt(BOUNDED_RANGE_FACTOR_SQUARED) * parameters.epsilon / 8
        perturbed = min(perturbed, choice + strength_to_epsilon(strength, parameters.delta))
    return min(pure, parameters.epsilon / 2 + perturbed)


def fourier_zcdp(parameters: DensityParameters) -> float:
    """Return ρ such that the choices of k and the coefficients together are ρ-zCDP.

    Choices: bounded range η_E = κ·ε_E/(4√ℓ)·‖Δ_E‖₂ gives η²/8-zCDP each, κ²·ε_E²/128 in all.
    Gaussian: Δ₂²/(2σ²). Laplace: (ε_E/2)²·‖Δ_E‖₂²/(2ℓ) each, ε_E²/8 in all.
    """
    share = parameters.epsilon / 2
    choices = BOUNDED_RANGE_FACTOR_SQUARED * share**2 / 128
    if parameters.method == "efpa":
        return choices + share**2 / 8
    return choices + parameters.max_visits_per_user / (2 * coefficient_scale(parameters) ** 2)


def convert_zcdp_to_epsilon(rho: float, delta: float) -> float:
    """Return the ε at which ρ-zCDP is (ε, δ)-DP.

    The least over orders α of ρα + ln(1 − 1/α) − ln(δα)/(α − 1) (Canonne, Kamath and Steinke, "The
    discrete Gaussian for differential privacy", proposition 12).
    """
    # the best order lies near 1 + √(ln(1/δ)/ρ); a fine grid around it costs nothing
    best = math.sqrt(max(-math.log(delta), 1.0) / rho)
    beyond = best * np.exp(np.linspace(-3.0, 3.0, 601))
    order = 1.0 + beyond
    epsilons = rho * order - np.log1p(1 / beyond) - np.log(delta * order) / beyond
    return max(float(epsilons.min()), 0.0)


def match_proved_epsilon(
    parameters: DensityParameters, target: float, cover_size: int
) -> DensityParameters:
    """Return the parameters with ε rescaled so that the best proved ε equals `target`, above 0.

    Where the classical Gaussian would need ε above 4 (D4), the analytic one replaces it.
    """
    validation.check_above("target", target, 0, "it is the total to reach")

    def excess(epsilon: float) -> float:
        return proved_epsilon(replace(parameters, epsilon=epsilon), cover_size) - target

    classical = parameters.method in GAUSSIAN_METHODS and parameters.gaussian == "classical"
    ceiling = CLASSICAL_GAUSSIAN_MAX_EPSILON if classical else math.inf
    low = high = min(target, ceiling)
    while excess(low) > 0:
        low /= 2
    while excess(high) < 0:
        if high == ceiling:
            analytic = replace(parameters, gaussian="analytic")
            return match_proved_epsilon(analytic, target, cover_size)
        high = min(2 * high, ceiling)
    epsilon = high if low == high else bracketed_root(excess, low, high)
    return replace(parameters, epsilon=epsilon)


@lru_cache(maxsize=1024)
def as_released(parameters: DensityParameters) -> DensityParameters:
    """Return the parameters at the ε whose noise here equals the noise of their release.

    A release charges the ε that zCDP proves of whole-number noise (``docs/release.md``). For
    `efpag_joint` that is less than P1's ε, so P1's ε grows. For `multiscale` it is more than the
    exact ε of continuous noise, so ε shrinks. Other methods stay, as do ε, δ or a classical
    Gaussian that no release accepts.
    """
    target, delta = parameters.epsilon, parameters.delta
    if not RELEASED_EPSILONS[0] <= target <= RELEASED_EPSILONS[1] or delta > RELEASED_DELTA:
        return parameters
    if parameters.method == "multiscale":

        def excess(log_strength: float) -> float:
            return convert_zcdp_to_epsilon(math.exp(2 * log_strength) / 2, delta) - target

        strength = math.exp(bracketed_root(excess, math.log(target) - 8, math.log(target) + 2))
        return replace(parameters, epsilon=strength_to_epsilon(strength, delta))
    if parameters.method != "efpag_joint" or not parameters.scaling:
        return parameters

    def charged(epsilon: float) -> float:
        published = replace(parameters, epsilon=epsilon)
        rho = parameters.max_visits_per_user / (2 * coefficient_scale(published) ** 2)
        choice = math.sqrt(BOUNDED_RANGE_FACTOR_SQUARED) * epsilon / 8
        return epsilon / 2 + choice + convert_zcdp_to_epsilon(rho, delta)

    highest = 1.6 * target
    if parameters.gaussian == "classical":
        highest = min(highest, CLASSICAL_GAUSSIAN_MAX_EPSILON)
        if charged(highest) < target:
            return parameters
    root = bracketed_root(lambda epsilon: charged(epsilon) - target, target / 64, highest)
    return replace(parameters, epsilon=root)


def is_delta_large(delta: float, people_public: int | None) -> bool:
    """Return whether δ exceeds one over the public number of people (erratum D7).

    P1 calls its δ = 2e-6 at most 1/N; for N = 1,992,846 it is four times that.

    Examples
    --------
    >>> is_delta_large(2e-6, 1_992_846), is_delta_large(1e-7, 1_992_846), is_delta_large(1e-4, None)
    (True, False, False)
    """
    return people_public is not None and delta * people_public > 1
