"""An empirical audit: how well the output tells neighbouring datasets apart, at 99.9% confidence.

A score of the output is chosen for each stage or method. One half of the runs picks the event
"score above a threshold" (or below) that tells the two datasets apart best; the other half gives
Clopper–Pearson bounds of its two probabilities, and so a lower bound on ε at the given δ. A right
mechanism stays below its proved ε except once in a thousand audits.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from engine import density
from engine.density import mechanism
from engine.density.mechanism import cell_totals
from tests.reference.small_city import Aggregates, MemoryDataset, one_zone_a_tower

CONFIDENCE = 0.999
HOURS = 168


def epsilon_lower_bound(one: np.ndarray, other: np.ndarray, delta: float) -> float:
    """Return a lower bound on ε from scores of both datasets, in either direction."""
    bounds = [0.0]
    level = (1 - CONFIDENCE) / 4  # two directions, two probabilities
    for first, second in ((one, other), (other, one)):
        half, rest = len(first) // 2, len(first) - len(first) // 2
        pilot, check = (first[:half], second[:half]), (first[half:], second[half:])
        sign, threshold = best_event(*pilot, delta)
        p, q = (int((sign * scores > threshold).sum()) for scores in check)
        low = stats.beta.ppf(level, p, rest - p + 1) if p else 0.0
        high = stats.beta.ppf(1 - level, q + 1, rest - q) if q < rest else 1.0
        if low > delta:
            bounds.append(math.log((low - delta) / high))
    return max(bounds)


def best_event(one: np.ndarray, other: np.ndarray, delta: float) -> tuple[int, float]:
    """Pick the side and threshold whose bound promises most, allowing for chance."""
    best, choice = -math.inf, (1, 0.0)
    for sign in (1, -1):
        for threshold in np.quantile(sign * np.concatenate([one, other]), np.linspace(0, 1, 101)):
            p, q = (float((sign * scores > threshold).mean()) for scores in (one, other))
            n = len(one)
            low = p - 3.3 * math.sqrt(p * (1 - p) / n) - delta
            high = q + 3.3 * math.sqrt(q * (1 - q) / n) + 8 / n
            if low > 0 and math.log(low / high) > best:
                best, choice = math.log(low / high), (sign, float(threshold))
    return choice


def flat(value: int, towers: int, ranks: int = 1) -> Aggregates:
    """Aggregates with `value` visits of the first rank in every tower and hour."""
    ranked = np.zeros((towers, HOURS, ranks), dtype=np.int64)
    ranked[:, :, 0] = value
    return Aggregates(ranked.sum(axis=2), ranked, np.full(towers, value * 10))


# Each stage returns scores with and without one person. `fault` multiplies all noise scales, so
# 0.5 is a halved sensitivity; `copies` counts the person that many times.
Scores = tuple[np.ndarray, np.ndarray]
Stage = Callable[[int, float, int], Scores]


def audit_counts(runs: int, fault: float, copies: int) -> Scores:
    """`lpa`, ℓ = 1, ε = 1: every tower and hour of one release is a run of its own."""
    towers = -(-runs // HOURS)
    parameters = density.DensityParameters(epsilon=1.0 / fault, max_visits_per_user=1, method="lpa")
    scores = []
    for seed, value in enumerate((1000 + copies, 1000)):
        data = MemoryDataset(flat(value, towers), one_zone_a_tower(towers))
        release = density.release(data, parameters, rng=np.random.default_rng([1, seed]))
        scores.append(release.counts.ravel()[:runs])
    return scores[0], scores[1]


def audit_visits(runs: int, fault: float, copies: int) -> Scores:
    """K̂ with ε′/2 = 1: the person has K_max visits."""
    return _audit_totals(runs, fault, copies, lambda totals: totals[1], person="visits")


def audit_histogram(runs: int, fault: float, copies: int) -> Scores:
    """H̃ with ε′/2 = 1: the person's one visit is in the first tower of two."""
    return _audit_totals(
        runs, fault, copies, lambda totals: totals[0][0] / totals[1], person="histogram"
    )


def _audit_totals(runs: int, fault: float, copies: int, score: Callable, person: str) -> Scores:
    cap = 840
    parameters = density.DensityParameters(epsilon=4.0 / fault, gaussian="analytic")
    scores = []
    for seed, times in enumerate((copies, 0)):
        counts = flat(1000, 2)
        if person == "visits":
            counts.truth[0, 0] += times * cap
        else:
            counts.single[:] = (1000 + times, 10**9)
        data = MemoryDataset(counts, one_zone_a_tower(2), cap)
        rng = np.random.default_rng([2, seed])
        noises = (density.DensityNoise.draw(rng, data, "efpag_joint") for _ in range(runs))
        scores.append(np.array([score(cell_totals(data, parameters, n)) for n in noises]))
    return scores[0], scores[1]


def audit_plain_totals(runs: int, fault: float, copies: int) -> Scores:
    """Totals without the improved scaling, ε/2 = 1: one person with ℓ visits in every tower."""
    parameters = density.DensityParameters(
        epsilon=2.0 / fault, max_visits_per_user=30, scaling=False
    )
    scores = []
    for seed, times in enumerate((copies, 0)):
        counts = flat(1000, runs)
        counts.ranked[:, :30, 0] += times
        data = MemoryDataset(counts, one_zone_a_tower(runs))
        noise = density.DensityNoise.draw(np.random.default_rng([3, seed]), data, "efpag_joint")
        scores.append(cell_totals(data, parameters, noise)[0])
    return scores[0], scores[1]


def audit_coefficients(method: str, gaussian: str, delta: float) -> Stage:
    """The perturbed coefficients with ε_E/2 = 1: the person is in every hour of one cluster."""

    def audit(runs: int, fault: float, copies: int) -> Scores:
        parameters = density.DensityParameters(
            epsilon=4.0, delta=delta, max_visits_per_user=168, method=method, gaussian=gaussian
        )
        change = mechanism.to_coefficients(np.full((1, HOURS), float(copies)))
        rng = np.random.default_rng(4)
        scores = []
        for coefficients in (change, 0 * change):
            variates = np.zeros((runs, HOURS))
            variates[:, 0] = rng.laplace(size=runs) if method == "efpa" else rng.normal(size=runs)
            noisy = mechanism.perturb(
                np.repeat(coefficients, runs, axis=0),
                np.ones(runs, dtype=np.int64),  # k = 1: the person changes no other coefficient
                parameters,
                density.DensityNoise(counts=fault * variates),
                np.arange(runs),
            )
            scores.append(noisy[:, 0])
        return scores[0], scores[1]

    return audit


STAGES: dict[str, tuple[Stage, float]] = {
    "counts": (audit_counts, 0.0),
    "number of visits": (audit_visits, 0.0),
    "shares of the towers": (audit_histogram, 0.0),
    "plain totals": (audit_plain_totals, 0.0),
    "coefficients, Laplace": (audit_coefficients("efpa", "classical", 1e-7), 0.0),
    "coefficients, analytic Gaussian": (audit_coefficients("efpag", "analytic", 0.02), 0.02),
    "coefficients, classical Gaussian": (audit_coefficients("efpag", "classical", 0.02), 0.02),
}
"""Every stage is set to a share of ε = 1, with the δ at which it is audited."""


def heavy_person_pair(spread: bool) -> tuple[MemoryDataset, MemoryDataset]:
    """Two cities of 12 towers: with and without a person of ℓ = 12 kept visits.

    `spread`: one visit in each of 12 cells that are clusters of their own, each at the peak of
    its series; otherwise all of them, and K_max = 840 in all, at one tower.
    """
    towers = 12
    counts = flat(2, towers)
    counts.truth[:] *= 2
    peaks = 10 + 13 * np.arange(towers)
    counts.ranked[np.arange(towers), peaks, 0] += 3000
    counts.truth[np.arange(towers), peaks] += 3000
    more = Aggregates(counts.truth.copy(), counts.ranked.copy(), counts.single.copy())
    if spread:
        more.ranked[np.arange(towers), peaks, 0] += 1
        more.truth[np.arange(towers), peaks] += 1
    else:
        more.ranked[0, 40:52, 0] += 1
        more.truth[0, :] += 5
    more.single[0] += 1
    place = one_zone_a_tower(towers)
    return MemoryDataset(more, place), MemoryDataset(counts, place)


def audit_release(
    method: str, spread: bool, runs: int, *, gaussian: str = "classical", delta: float = 1e-3
) -> tuple[float, float]:
    """Return the lower bound on ε of whole releases and the best proved total, at ε = 2."""
    parameters = density.DensityParameters(
        epsilon=2.0,
        delta=delta,
        max_visits_per_user=12,
        method=method,
        gaussian=gaussian,
        cluster_minimum=0.0,
        smoothing=False,
    )
    outputs = []
    for which, data in enumerate(heavy_person_pair(spread)):
        draws = (
            density.release(data, parameters, rng=np.random.default_rng([5, which, i]))
            for i in range(runs)
        )
        outputs.append(np.array([features(release) for release in draws]))
    learnt = [output[: runs // 2] for output in outputs]
    weights = np.subtract(*(rows.mean(axis=0) for rows in learnt)) / (
        sum(rows.var(axis=0) for rows in learnt) + 1e-12
    )
    one, other = (output @ weights for output in outputs)
    ledger = density.ledger(parameters, cover_size=12, max_visits_cap=840)
    return epsilon_lower_bound(one, other, ledger.delta), ledger.proved_epsilon


def features(release: density.DensityRelease) -> np.ndarray:
    """Return what an attacker looks at: counts, totals, and how many coefficients were kept."""
    parts = [release.counts.ravel()]
    if release.coefficients_kept is not None:
        parts += [
            release.coefficients_kept.astype(float),
            release.cell_totals,
            np.array([release.visits]),
        ]
    return np.concatenate(parts)
