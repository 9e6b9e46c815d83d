"""The noise of `zoom`: every table has its σ and no other, and together they have μ."""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats

from engine.datasets.zoomtables import WEIGHT_UNITS, ZoomTables
from engine.density.gaussian import gaussian_strength, strength_to_epsilon
from engine.density.reading import NoisyTables
from engine.density.zoom import measure
from tests.reference.small_city import zoom_city
from tests.support.few_visits import riders

EPSILON, DELTA = 1.0, 0.01
TABLES = ("towers", "districts", "city", "weeks", "visits")


def plain_strength(epsilon: float, delta: float) -> float:
    """The largest μ with Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) ≤ δ."""

    def excess(mu: float) -> float:
        first = stats.norm.cdf(mu / 2 - epsilon / mu)
        return first - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu) - delta

    return optimize.brentq(excess, 1e-3, 50, xtol=1e-14)


STRENGTH = plain_strength(EPSILON, DELTA)


def measured(tables: ZoomTables, runs: int) -> Iterator[NoisyTables]:
    rng, strength = np.random.default_rng(0), gaussian_strength(EPSILON, DELTA)
    for _ in range(runs):
        yield measure(
            tables,
            strength,
            lambda _, counts, sigma: counts + sigma * rng.normal(size=counts.shape),
        )


def standardised(tables: ZoomTables, noisy: NoisyTables, name: str, few: bool) -> np.ndarray:
    """The noise of a table in units of the σ written out from the specification."""
    mu = STRENGTH
    if name == "visits":  # c² = 1.75 and K_max = 4: the sum takes 16 of 64 parts at most
        share = math.floor(3.2 * (4 / 1.75) ** 2) / 64 if few else 63 / 64
        sigma = tables.max_visits_cap / (mu * math.sqrt(share))
        return np.array([(noisy.visits - tables.visits) / sigma])
    counts, squared = getattr(tables, name), 1.75 if few else 10.0
    if name == "city":
        clip = noisy.city.sigma * mu * math.sqrt(0.12 if few else 0.11)
        row = int(np.argmin(np.abs(np.array(tables.clips.city) - clip**2)))
        squared *= (10.0, 20.25, 36.0, 64.0, 121.0, 225.0, 841.0)[row] / 10
        counts = counts[row]
    share = {"towers": 0.084, "districts": 0.076, "city": 0.12, "weeks": 0.72}
    share = share if few else {"towers": 0.32, "districts": 0.29, "city": 0.11, "weeks": 0.28}
    sigma = math.sqrt(squared) / (mu * math.sqrt(share[name]))
    return ((getattr(noisy, name).values - counts / WEIGHT_UNITS) / sigma).ravel()


def right_scale(draws: np.ndarray) -> bool:
    """Whether the mean square is what standard normals give, except once in a million tests."""
    low, high = stats.chi2.interval(1 - 1e-6, len(draws))
    return low <= (draws**2).sum() <= high


@cache
def draws(few: bool) -> dict[str, np.ndarray]:
    """The noise of many measurements of every table, in units of the specified σ."""
    city = riders(5, 300, 4, 1.75) if few else zoom_city(people=60, towers=5)
    tables: ZoomTables = city.zoom_tables
    runs = list(measured(tables, 1_000))
    return {
        name: np.concatenate([standardised(tables, noisy, name, few) for noisy in runs])
        for name in TABLES
    }


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_noise_scale_passes_and_fails_off_scale(name: str, few: bool) -> None:
    noise = draws(few)[name]
    assert right_scale(noise)
    assert stats.kstest(noise[:2000], "norm").pvalue > 1e-4
    assert not right_scale(0.8 * noise)
    assert not right_scale(1.25 * noise)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 10.0, 1e6])
@pytest.mark.parametrize("delta", [1e-9, 1e-2])
def test_strength_and_epsilon_are_each_others_inverse(epsilon: float, delta: float) -> None:
    back = strength_to_epsilon(gaussian_strength(epsilon, delta), delta)
    assert back == pytest.approx(epsilon, rel=1e-6, abs=1e-9)
