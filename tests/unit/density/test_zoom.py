import math
from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, density
from engine.datasets.multiscale_tables import MultiscaleClips
from engine.density import multiscale
from engine.density.aggregates import tower_tree
from engine.density.gaussian import gdp_mu
from tests.reference.small_city import (
    MultiscaleCity,
    added,
    multiscale_city,
    random_positions,
    random_visits,
)
from tests.reference.zoom_reference import clipped_sums

MULTISCALE = density.DensityParameters(epsilon=1.0, method="multiscale")


def release(city, seed=0, **changes):
    return density.release(city, replace(MULTISCALE, **changes), rng=np.random.default_rng(seed))


def test_the_same_noisy_tables_of_other_people_give_the_same_bytes(monkeypatch):
    one = multiscale_city(people=300, towers=11, seed=3)
    positions = one.towers.geometry.get_coordinates().to_numpy()
    other = MultiscaleCity(clipped_sums(random_visits(900, 11, seed=9), positions), positions)
    assert not np.array_equal(one.multiscale_tables.towers, other.multiscale_tables.towers)
    noise = density.draw_noise(one, MULTISCALE, rng=np.random.default_rng(4))
    noisy = multiscale.measure_tables(one.multiscale_tables, gdp_mu(1.0, 1e-7), added(noise))
    monkeypatch.setattr(multiscale, "measure_tables", lambda *_: noisy)
    releases = [density.release(city, MULTISCALE, noise=noise) for city in (one, other)]
    assert releases[0].counts.tobytes() == releases[1].counts.tobytes()
    monkeypatch.undo()
    apart = density.release(other, MULTISCALE, noise=noise)
    assert apart.counts.tobytes() != releases[0].counts.tobytes()


MANY, MIDDLE = (0.32, 0.29, 0.11, 0.28), (0.2, 0.2, 0.12, 0.48)
TOTALS, COARSE = (0.084, 0.076, 0.12, 0.72), (0.2, 0.8)
EDGES = {
    10.0: {-5.0: COARSE, 24.999: COARSE, 25.001: MIDDLE, 79.99: MIDDLE, 80.01: MANY, 1e6: MANY},
    4.75: {0.0: COARSE, 24.999: COARSE, 25.001: TOTALS, 299.9: TOTALS, 300.1: MIDDLE, 1e6: MIDDLE},
}
"""Shares by c² and noisy visits a tower over c/μ, from docs/density.md."""


@pytest.mark.parametrize(
    ("squared", "ratio"), [(squared, ratio) for squared in EDGES for ratio in EDGES[squared]]
)
@pytest.mark.parametrize("people", [0, 400])
def test_the_noisy_number_of_visits_alone_chooses_tables_and_noise(squared, ratio, people):
    """Every scale is the stated one, and the squares of all but the visit total add up to μ²."""
    mu, drawn, clips = gdp_mu(0.4, 1e-7), dict[str, float](), MultiscaleClips(squared, 50)
    tables = replace(multiscale_city(people=people).multiscale_tables, clips=clips)
    found = ratio * 11 * math.sqrt(squared) / mu

    def add(name, counts, sigma):
        drawn[name] = sigma / (1 if name == "visit_total" else 1024)
        return np.full(counts.shape, found if name == "visit_total" else 0.0)

    multiscale.measure_tables(tables, mu, add)
    public = replace(MULTISCALE, epsilon=0.4), mu, 840, clips
    stages = multiscale.multiscale_stages(*public, visit_total=found, tower_count=11)
    names = [stage.query.name.removeprefix("MULTISCALE_").lower() for stage in stages]
    stated = [stage.noise_scale for stage in stages]
    assert stated == pytest.approx([drawn.pop(name) for name in names], rel=1e-12)
    assert not drawn
    shares = [(stage.sensitivity / stage.noise_scale / mu) ** 2 for stage in stages[:-1]]
    assert shares == pytest.approx(EDGES[squared][ratio])
    assert math.fsum(shares) == pytest.approx(1.0)
    # told of those with most visits, who weigh less in the other four
    share = (stages[-1].sensitivity / stages[-1].noise_scale / mu) ** 2
    assert (stages[-1].sensitivity, share) == (840, pytest.approx(50 / 64))


@pytest.mark.parametrize("towers", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 1e6])
def test_few_towers_and_the_ends_of_epsilon_are_finite(towers, epsilon):
    outcome = release(multiscale_city(people=40, towers=towers), epsilon=epsilon)
    assert outcome.counts.shape == (towers, 168)
    assert np.isfinite(outcome.counts).all()
    assert (outcome.counts >= 0).all()


@pytest.mark.parametrize("cap", [1, 20, 840])
def test_nobody_at_all_is_finite(cap):
    positions = random_positions(6)
    city = MultiscaleCity(clipped_sums({}, positions, cap), positions, cap)
    for seed in range(6):
        outcome = release(city, seed)
        assert np.isfinite(outcome.counts).all()
        blank = density.NO_POSITIVE_TOTAL in outcome.flags
        assert blank == (outcome.visit_total <= 0) == (outcome.counts.sum() == 0)


def test_shipped_tables_are_those_of_the_same_people():
    """The sums fit the true counts: nobody is sampled, and few people are scaled down."""
    for name in ("demo-city", "paris"):
        data = datasets.load(name)
        tables, truth = data.multiscale_tables, data.truth_by_tower
        assert tables.visit_total == truth.sum()
        assert (tables.towers <= 1024 * truth).all()
        assert ((tables.towers > 0) == (truth > 0)).mean() > 0.999
        assert (np.diff(tables.city, axis=0) >= 0).all()
        assert (tables.city[-1] <= 1024 * truth.sum(axis=0)).all()
        assert len(tables.districts) == tower_tree(data).districts.max() + 1
