"""Noise and privacy loss of each stage, from public settings alone; symbols as in `engine.density`.

P1's budget: half of ε for the cells' totals; ε_E = ε/2 for the clusters' series (Algorithm 4), half
of it for the choice of k and half for the coefficients, both with Δ₂ = √ℓ (§5.3, §5.4; errata D3 to
D5). The score u(k) of a choice of k is its expected error: the L₂ norm of the coefficients beyond k
plus the expected norm of the noise on the first k; smaller is likelier. Erratum D1 defines the
three totals of `PrivacyCost`, ``docs/density.md`` proves the smallest.
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
from ..privacy_cost import (
    Noise,
    Norm,
    PrivacyCost,
    PrivacyDefinition,
    PrivacyUnit,
    Query,
    Stage,
    simple_cost,
)
from .gaussian import analytic_sigma, bracketed_root, gdp_epsilon

BOUNDED_RANGE_FACTOR_SQUARED = 2.0
"""κ², κ = √2. One choice of k has *bounded range* κ·c·‖Δ‖₂ for a change Δ of its series.

The range is the largest less the smallest log-ratio of neighbours' probabilities, over all k: the
largest c·|change of T_k − T_m|, c = ε_E/(4√ℓ), T_k the L₂ norm beyond k. The gradient of T_k − T_m
(k < m) has length √2 at most (proof in ``docs/density.md``).
"""

RELEASE_EPSILON_RANGE, MAX_RELEASE_DELTA = (1e-3, 50.0), 1e-3
"""Limits of ε and δ within which `engine.release` accepts a density with Gaussian noise."""

COEFFICIENT_COUNTS: Floats = np.arange(1, HOURS_PER_WEEK + 1, dtype=np.float64)  # k

_COUNT_QUERIES = {
    "zones_laplace": Query.ZONE_COUNTS,
    "towers_laplace": Query.TOWER_COUNTS,
    "lpa": Query.COVER_COUNTS,
}


def coefficient_scale(parameters: DensityParameters) -> float:
    """Return the noise scale of one coefficient: σ, or EFPA's Laplace scale at k = 1.

    σ is P1's σ² = 8·Δ₂²·ln(4/δ)/ε_E² or, with ``gaussian="analytic"``, the least σ for (ε_E/2,
    δ)-DP (erratum D4). The Laplace scale 2·√k·Δ₂/ε_E grows with k.
    """
    stage_epsilon = parameters.epsilon / 4
    l2_sensitivity = math.sqrt(parameters.max_visits_per_user)
    if parameters.method == "efpa":
        return l2_sensitivity / stage_epsilon
    if parameters.gaussian == "analytic":
        return analytic_sigma(stage_epsilon, parameters.delta, l2_sensitivity)
    return l2_sensitivity * math.sqrt(2 * math.log(4 / parameters.delta)) / stage_epsilon


def expected_noise_norms(parameters: DensityParameters, cluster_count: int) -> Floats:
    """Return the noise term of u(k) for k = 1 … 168, shape (168,): root mean square L₂ norms.

    Gaussian: √(k·cluster_count)·σ; `cluster_count` is 1 unless clusters share one k (erratum D1).
    Laplace: 2√2·k·√ℓ/ε_E, from k coefficients of scale 2√k·√ℓ/ε_E. P1 prints 2·k·√ℓ/ε, an erratum
    of utility, not of privacy.
    """
    scale = coefficient_scale(parameters)
    if parameters.method == "efpa":
        return math.sqrt(2) * scale * COEFFICIENT_COUNTS
    return scale * np.sqrt(COEFFICIENT_COUNTS * cluster_count)


def cluster_minimum(parameters: DensityParameters) -> float:
    """Return τ of Algorithm 3, in visits; by default the noise at k = 168, over 0.01 (P1 §6)."""
    if parameters.cluster_minimum is not None:
        return parameters.cluster_minimum
    return float(expected_noise_norms(parameters, 1)[-1]) / 0.01


def laplace_cost(parameters: DensityParameters, **_public: object) -> PrivacyCost:
    """Return one stage that costs all of ε, of Laplace noise; other public facts are not needed."""
    visit_limit = parameters.max_visits_per_user
    query, scale = _COUNT_QUERIES[parameters.method], visit_limit / parameters.epsilon
    stage = Stage(query, Noise.LAPLACE, visit_limit, Norm.L1, scale, parameters.epsilon)
    return simple_cost((stage,), unit=PrivacyUnit.PERSON_WEEK)


def fourier_stages(parameters: DensityParameters, max_visits_cap: int) -> tuple[Stage, ...]:
    """Return the stages of EFPA and EFPAG in the order of the draws; K_max is public (erratum D5).

    With the improved scaling (P1 §5.4.1) the cells' totals are noisy shares × K̂: one person changes
    one tower's count in H̃ by 1 and K by at most K_max. Without it they are noisy sums of
    pre-sampled series, which one person changes by at most ℓ.
    """
    visit_limit, quarter = parameters.max_visits_per_user, parameters.epsilon / 4

    def laplace_stage(query: Query, sensitivity: int, epsilon: float) -> Stage:
        return Stage(query, Noise.LAPLACE, sensitivity, Norm.L1, sensitivity / epsilon, epsilon)

    total_stages = [laplace_stage(Query.COVER_TOTALS, visit_limit, 2 * quarter)]
    if parameters.scaling:
        visit_stage = laplace_stage(Query.ALL_VISITS, max_visits_cap, quarter)
        total_stages = [laplace_stage(Query.SINGLE_VISITS, 1, quarter), visit_stage]
    is_joint = parameters.method == "efpag_joint"
    choice = Query.JOINT_CHOICE if is_joint else Query.CHOICE_BY_CLUSTER
    noise, delta = Noise.ROOT_K_LAPLACE, 0.0
    if parameters.method in GAUSSIAN_METHODS:
        is_classical, delta = parameters.gaussian == "classical", parameters.delta
        noise = Noise.CLASSICAL_GAUSSIAN if is_classical else Noise.ANALYTIC_GAUSSIAN
    l2_sensitivity, scale = math.sqrt(visit_limit), coefficient_scale(parameters)
    return (
        *total_stages,
        Stage(choice, Noise.EXPONENTIAL, l2_sensitivity, Norm.L2, None, quarter),
        Stage(Query.COEFFICIENTS, noise, l2_sensitivity, Norm.L2, scale, quarter, delta),
    )


def fourier_cost(
    parameters: DensityParameters, *, cover_size: int, max_visits_cap: int, **_public: object
) -> PrivacyCost:
    """Return the stages and three totals of EFPA and EFPAG; |ℂ| and K_max are public."""
    stages = fourier_stages(parameters, max_visits_cap)
    definition = {
        Noise.ROOT_K_LAPLACE: PrivacyDefinition.PURE,
        Noise.CLASSICAL_GAUSSIAN: PrivacyDefinition.PROBABILISTIC,
        Noise.ANALYTIC_GAUSSIAN: PrivacyDefinition.APPROXIMATE,
    }[stages[-1].noise]
    composed = composed_epsilon(parameters, cover_size)
    proved = proved_epsilon(parameters, cover_size)
    return PrivacyCost(
        stages=stages,
        paper_epsilon=parameters.epsilon,
        composed_epsilon=composed,
        proved_epsilon=proved,
        delta=parameters.delta,
        paper_definition=definition,
        proved_definition=definition if proved == composed else PrivacyDefinition.APPROXIMATE,
        unit=PrivacyUnit.PERSON_WEEK,
    )


def composed_epsilon(parameters: DensityParameters, cover_size: int) -> float:
    """Return ε as the sum of what the stages really lose (erratum D1, docs/density.md)."""
    factor = math.sqrt(min(parameters.max_visits_per_user, cover_size))  # for all clusters
    quarters = {"efpag": 3 + factor, "efpa": 2 + 2 * factor}.get(parameters.method, 4.0)
    return parameters.epsilon / 4 * quarters


def proved_epsilon(parameters: DensityParameters, cover_size: int) -> float:
    """Return the least ε that is proved at the parameters' δ.

    ε/2 of the totals is added to the ε that zCDP gives for choices and coefficients together. For
    `efpag_joint` the bounded range ε/(4√2) of its one choice plus the exact ε of its Gaussian noise
    is a second bound; the smaller counts. So does `composed_epsilon` where it is smaller still.
    """
    composed = composed_epsilon(parameters, cover_size)
    if parameters.method not in FOURIER_METHODS:
        return composed
    series_epsilon = convert_zcdp_to_epsilon(fourier_rho(parameters), parameters.delta)
    if parameters.method == "efpag_joint":
        mu = math.sqrt(parameters.max_visits_per_user) / coefficient_scale(parameters)
        coefficient_epsilon = gdp_epsilon(mu, parameters.delta)
        series_epsilon = min(series_epsilon, joint_choice_epsilon(parameters) + coefficient_epsilon)
    return min(composed, parameters.epsilon / 2 + series_epsilon)


def joint_choice_epsilon(parameters: DensityParameters) -> float:
    """Return the loss κ·ε_E/4 of the one choice of `efpag_joint`: its bounded range at Δ₂ = √ℓ."""
    return math.sqrt(BOUNDED_RANGE_FACTOR_SQUARED) * parameters.epsilon / 8


def fourier_rho(parameters: DensityParameters) -> float:
    """Return ρ of choices and coefficients together, by the proof in docs/density.md."""
    series_epsilon = parameters.epsilon / 2  # ε_E
    choices = BOUNDED_RANGE_FACTOR_SQUARED * series_epsilon**2 / 128
    if parameters.method == "efpa":
        return choices + series_epsilon**2 / 8
    return choices + parameters.max_visits_per_user / (2 * coefficient_scale(parameters) ** 2)


def convert_zcdp_to_epsilon(rho: float, delta: float) -> float:
    """Return the ε at which ρ-zCDP is (ε, δ)-DP (Canonne, Kamath & Steinke, proposition 12)."""
    # every order gives an ε that holds; the smallest ε is that of an order near 1 + √(ln(1/δ)/ρ)
    central_order_less_one = math.sqrt(max(-math.log(delta), 1.0) / rho)
    order_less_one = central_order_less_one * np.exp(np.linspace(-3.0, 3.0, 601))
    order = 1.0 + order_less_one
    epsilons = rho * order - np.log1p(1 / order_less_one) - np.log(delta * order) / order_less_one
    return max(float(epsilons.min()), 0.0)


def match_proved_epsilon(
    parameters: DensityParameters, target: float, cover_size: int
) -> DensityParameters:
    """Return the parameters at proved ε `target`; beyond ε 4 the Gaussian is analytic (D4)."""
    validation.check_above("target", target, 0, "it is the proved epsilon to reach")

    def excess(epsilon: float) -> float:
        return proved_epsilon(replace(parameters, epsilon=epsilon), cover_size) - target

    is_classical = parameters.method in GAUSSIAN_METHODS and parameters.gaussian == "classical"
    max_epsilon = CLASSICAL_GAUSSIAN_MAX_EPSILON if is_classical else math.inf
    low = high = min(target, max_epsilon)
    while excess(low) > 0:
        low /= 2
    while excess(high) < 0:
        if high == max_epsilon:
            analytic = replace(parameters, gaussian="analytic")
            return match_proved_epsilon(analytic, target, cover_size)
        high = min(2 * high, max_epsilon)
    epsilon = high if low == high else bracketed_root(excess, low, high)
    return replace(parameters, epsilon=epsilon)


@lru_cache(maxsize=1024)
def match_release_noise(parameters: DensityParameters) -> DensityParameters:
    """Return the parameters with which `engine.density` adds as much noise as `engine.release`.

    Both charge the ε of the given parameters, but by different proofs. This package adds continuous
    noise and charges P1's ε, or the exact ε of `multiscale`. `engine.release` adds whole-number
    noise and charges the ε that zCDP proves of it (``docs/release.md``). For `efpag_joint` that is
    usually less than P1's, so the result has a larger ε (1.147 for 1 at δ = 10⁻⁷). For `multiscale`
    it is more than the exact one, so the result has a smaller ε (0.936). This ε only sets the
    noise: the loss to show is that of the given parameters. Other methods stay the same, and so do
    parameters that `engine.release` refuses: of the classical Gaussian those that would need P1's ε
    above 4, at δ = 10⁻⁷ from ε = 3.54 on (3.5 gives 3.956).
    """
    target, delta = parameters.epsilon, parameters.delta
    min_epsilon, max_epsilon = RELEASE_EPSILON_RANGE
    if not min_epsilon <= target <= max_epsilon or delta > MAX_RELEASE_DELTA:
        return parameters
    if parameters.method == "multiscale":

        def excess(log_mu: float) -> float:  # Gaussian noise is μ²/2-zCDP
            return convert_zcdp_to_epsilon(math.exp(2 * log_mu) / 2, delta) - target

        # every ε and δ above have e⁻² < ε/μ < e⁸
        mu = math.exp(bracketed_root(excess, math.log(target) - 8, math.log(target) + 2))
        return replace(parameters, epsilon=gdp_epsilon(mu, delta))
    if parameters.method != "efpag_joint" or not parameters.scaling:
        return parameters  # `engine.release` makes only scaled densities

    def release_epsilon(epsilon: float) -> float:
        paper = replace(parameters, epsilon=epsilon)
        rho = parameters.max_visits_per_user / (2 * coefficient_scale(paper) ** 2)
        return epsilon / 2 + joint_choice_epsilon(paper) + convert_zcdp_to_epsilon(rho, delta)

    high = 1.6 * target  # there totals and choice alone charge more than `target`
    if parameters.gaussian == "classical":
        high = min(high, CLASSICAL_GAUSSIAN_MAX_EPSILON)
        if release_epsilon(high) < target:
            return parameters
    root = bracketed_root(lambda epsilon: release_epsilon(epsilon) - target, target / 64, high)
    return replace(parameters, epsilon=root)


def is_delta_large(delta: float, people_public: int | None) -> bool:
    """Return whether δ exceeds one over the published number of people; False if None (secret).

    P1 calls its δ = 2e-6 at most 1/N; for N = 1,992,846 it is four times that (erratum D7).

    >>> is_delta_large(2e-6, 1_992_846), is_delta_large(1e-7, 1_992_846), is_delta_large(1e-4, None)
    (True, False, False)
    """
    return people_public is not None and delta * people_public > 1
