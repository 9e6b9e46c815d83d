"""The noise of `zoom` has the scale that its ledger promises, and its output hides one person."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats

from engine import density
from engine.datasets.zoomtables import WEIGHT_UNITS, ZoomTables
from engine.density.gaussian import gaussian_strength, strength_to_epsilon
from engine.density.zoom.measure import NoisyTables, ZoomNoise, measure
from tests.reference.small_city import random_visits
from tests.reference.zoom_people import ZoomCity, random_positions, zoom_city
from tests.reference.zoom_reference import clipped_sums
from tests.statistical.density_audit import epsilon_lower_bound

EPSILON, DELTA = 1.0, 0.05
SHARES = {"towers": 0.32, "districts": 0.29, "city": 0.11, "weeks": 0.28}


@cache
def plain_strength(epsilon: float, delta: float) -> float:
    """μ by bisection on the formula as printed (Balle & Wang 2018)."""

    def excess(mu: float) -> float:
        first = stats.norm.cdf(mu / 2 - epsilon / mu)
        return first - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu) - delta

    return optimize.brentq(excess, 1e-3, 50.0)


def measured(tables: ZoomTables, runs: int, factor: float = 1.0, seed: int = 0):
    """Measure again and again; `factor` multiplies the noise, 1 is right."""
    rng = np.random.default_rng(seed)
    strength = gaussian_strength(EPSILON, DELTA)
    for _ in range(runs):
        noise = ZoomNoise.draw(rng, len(tables.towers), len(tables.districts))
        noise = ZoomNoise(**{name: factor * values for name, values in vars(noise).items()})
        yield measure(tables, strength, noise.add)


def standardised(tables: ZoomTables, noisy: NoisyTables, name: str) -> np.ndarray:
    """The noise of a table in units of the σ written out from the specification."""
    mu = plain_strength(EPSILON, DELTA)
    if name == "visits":
        sigma = tables.max_visits_cap / (mu * math.sqrt(63 / 64))
        return np.array([(noisy.visits - tables.visits) / sigma])
    counts = getattr(tables, name)
    clip_squared = 10.0
    if name == "city":
        row = tables.clips.city.index(round(noisy.city_clip**2, 9))
        counts, clip_squared = counts[row], tables.clips.city[row]
    sigma = math.sqrt(clip_squared) / (mu * math.sqrt(SHARES[name]))
    return ((getattr(noisy, name).values - counts / WEIGHT_UNITS) / sigma).ravel()


def right_scale(draws: np.ndarray) -> bool:
    """Whether the mean square is what standard normals give, except once in a million tests."""
    low, high = stats.chi2.interval(1 - 1e-6, len(draws))
    return low <= (draws**2).sum() <= high


@cache
def draws(factor: float) -> dict[str, np.ndarray]:
    """The noise of 1,000 measurements of every table, in units of the specified σ."""
    tables = zoom_city(people=60, towers=5).zoom_tables
    runs = list(measured(tables, 1_000, factor))
    return {
        name: np.concatenate([standardised(tables, noisy, name) for noisy in runs])
        for name in (*SHARES, "visits")
    }


@pytest.mark.parametrize("name", [*SHARES, "visits"])
def test_noise_scale_passes_and_fails_off_scale(name: str) -> None:
    assert right_scale(draws(1.0)[name])
    assert stats.kstest(draws(1.0)[name][:2000], "norm").pvalue > 1e-4
    assert not right_scale(draws(0.8)[name])
    assert not right_scale(draws(1.25)[name])


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.1, 1.0, 10.0, 1e3, 1e6])
@pytest.mark.parametrize("delta", [1e-9, 1e-7, 1e-2])
def test_strength_and_epsilon_are_each_others_inverse(epsilon: float, delta: float) -> None:
    assert strength_to_epsilon(gaussian_strength(epsilon, delta), delta) == pytest.approx(
        epsilon, rel=1e-6, abs=1e-9
    )


def test_strength_is_that_of_the_printed_formula() -> None:
    for epsilon, delta in ((0.1, 1e-3), (1.0, 0.01), (2.0, 1e-5)):
        assert gaussian_strength(epsilon, delta) == pytest.approx(
            plain_strength(epsilon, delta), rel=1e-9
        )


HEAVY = [(tower, hour) for tower in range(5) for hour in range(168)]
"""A person everywhere at all times, at the clip of every table and at the cap of visits."""


def audited(runs: int, factor: float = 1.0, fault: str = "") -> float:
    """The lower bound on ε from log-likelihood ratios of all five tables together."""
    positions = random_positions(5)
    people = random_visits(60, 5)
    without = clipped_sums(people, positions)
    # the number of visits tells most of the heaviest, so a forgotten clip shows on a lighter one
    person = HEAVY[::5] if fault == "forgotten clip" else HEAVY
    there = clipped_sums({**people, 999: person}, positions)
    if fault == "forgotten clip":
        raw = there.weeks - without.weeks
        there = replace(there, weeks=without.weeks + 3 * raw)
    if fault == "person counted twice":
        names = ("towers", "districts", "city", "weeks", "visits")
        twice = {name: 2 * getattr(there, name) - getattr(without, name) for name in names}
        there = replace(there, **twice)
    scores = [
        np.array([ratio(noisy, there, without) for noisy in measured(tables, runs, factor, seed)])
        for seed, tables in enumerate((there, without))
    ]
    return epsilon_lower_bound(scores[0], scores[1], DELTA)


def ratio(noisy: NoisyTables, there: ZoomTables, without: ZoomTables) -> float:
    """Log-likelihood ratio of the two datasets, up to constants; what an attacker knows best."""
    row = there.clips.city.index(round(noisy.city_clip**2, 9))
    total = 0.0
    for name in SHARES:
        one, other = (getattr(tables, name) for tables in (there, without))
        if name == "city":
            one, other = one[row], other[row]
        table = getattr(noisy, name)
        middle = (one + other) / 2 / WEIGHT_UNITS
        total += ((one - other) / WEIGHT_UNITS * (table.values - middle)).sum() / table.sigma**2
    gap = there.visits - without.visits
    middle = (there.visits + without.visits) / 2
    sigma = there.max_visits_cap / (plain_strength(EPSILON, DELTA) * math.sqrt(63 / 64))
    return total + gap * (noisy.visits - middle) / sigma**2


RUNS = 5000


@pytest.mark.parametrize("runs", [RUNS, pytest.param(100_000, marks=pytest.mark.long)])
def test_the_whole_measurement_stays_within_epsilon_and_is_nearly_sharp(runs: int) -> None:
    lower = audited(runs)
    print(f"zoom: {lower:.3f} of {EPSILON:g}")
    assert 0.5 * EPSILON < lower <= EPSILON


@pytest.mark.parametrize(
    ("factor", "fault"), [(0.5, ""), (1.0, "forgotten clip"), (1.0, "person counted twice")]
)
def test_planted_faults_are_caught(factor: float, fault: str) -> None:
    assert audited(RUNS, factor, fault) > EPSILON


def test_the_heavy_person_is_at_every_clip() -> None:
    """So the audit is of the worst person: the five changes together have μ of the release."""
    positions = random_positions(5)
    people = random_visits(60, 5)
    there, without = (
        clipped_sums({**people, 999: HEAVY}, positions),
        clipped_sums(people, positions),
    )
    noisy = next(measured(without, 1))
    squared = 2 * ratio(replace(noisy, **at_middle(noisy, there, without)), there, without)
    share = math.sqrt(squared) / plain_strength(EPSILON, DELTA)
    assert 0.95 < share <= 1  # weights are rounded down


def at_middle(noisy: NoisyTables, there: ZoomTables, without: ZoomTables) -> dict:
    """Noisy tables without noise of the dataset with the person."""
    row = there.clips.city.index(round(noisy.city_clip**2, 9))
    values = {name: getattr(there, name) / WEIGHT_UNITS for name in SHARES}
    values["city"] = values["city"][row]
    tables = {name: replace(getattr(noisy, name), values=values[name]) for name in SHARES}
    return {**tables, "visits": float(there.visits)}


@pytest.mark.long
def test_releases_hide_a_person_as_proved() -> None:
    """Counts of whole releases, with the reading: never above what the measurement allows."""
    positions = random_positions(5)
    people = random_visits(60, 5)
    parameters = density.DensityParameters(epsilon=EPSILON, delta=DELTA, method="zoom")
    scores = []
    for seed, crowd in enumerate(({**people, 999: HEAVY}, people)):
        city = ZoomCity(clipped_sums(crowd, positions), positions)
        rng = np.random.default_rng([7, seed])
        scores.append(
            np.array([density.release(city, parameters, rng=rng).counts.sum() for _ in range(600)])
        )
    assert epsilon_lower_bound(*scores, DELTA) <= EPSILON
