from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, density
from engine.density import multiscale
from engine.density.aggregates import tower_tree
from engine.density.gaussian import gdp_mu
from engine.privacy_cost import is_above
from tests.reference.small_city import (
    MultiscaleCity,
    added,
    multiscale_city,
    random_positions,
    random_visits,
)
from tests.reference.zoom_reference import clipped_sums

MULTISCALE = density.DensityParameters(epsilon=1.0, method="multiscale")


def release(city: MultiscaleCity, seed: int = 0, **changes: object) -> density.DensityRelease:
    return density.release(city, replace(MULTISCALE, **changes), rng=np.random.default_rng(seed))


def test_the_same_noisy_tables_of_other_people_give_the_same_bytes(monkeypatch) -> None:
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


def test_published_is_proved_is_epsilon_and_the_stages_share_it() -> None:
    city = multiscale_city()
    for epsilon in (1e-3, 0.3, 7.0):
        ledger = release(city, epsilon=epsilon, delta=2e-6).cost
        assert ledger.paper_epsilon == ledger.proved_epsilon == ledger.composed_epsilon == epsilon
        assert ledger.delta == 2e-6
        assert len(ledger.stages) == 5
        assert sum(stage.epsilon for stage in ledger.stages) == pytest.approx(epsilon)
        assert not is_above(ledger.proved_epsilon, ledger.paper_epsilon)
        mu = gdp_mu(epsilon, 2e-6)
        spent = [(stage.sensitivity / stage.noise_scale) ** 2 for stage in ledger.stages]
        assert sum(spent[:-1]) == pytest.approx(mu**2)
        clips = [10**0.5, 10**0.5, 29, 10**0.5]
        assert [stage.sensitivity for stage in ledger.stages] == [*clips, 840]
        # told of those with most visits, who weigh less in the other four
        assert spent[-1] == pytest.approx(mu**2 * 63 / 64)


@pytest.mark.parametrize("epsilon", [0.01, 10.0])
def test_tables_are_drawn_with_the_scales_that_are_stated_and_the_city_with_less(epsilon) -> None:
    city, drawn = multiscale_city(people=400), dict[str, float]()

    def add(name, counts, sigma):
        drawn[name] = sigma / (1 if name == "visit_total" else 1024)
        return counts * 1.0

    multiscale.measure_tables(city.multiscale_tables, gdp_mu(epsilon, MULTISCALE.delta), add)
    for stage in release(city, epsilon=epsilon).cost.stages:
        table = stage.query.name.removeprefix("MULTISCALE_").lower()
        if table == "city":
            assert drawn[table] < stage.noise_scale
            assert "the largest is stated" in stage.reads
        else:
            assert drawn[table] == pytest.approx(stage.noise_scale, rel=1e-12)


@pytest.mark.parametrize("towers", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 1e6])
def test_few_towers_and_the_ends_of_epsilon_are_finite(towers: int, epsilon: float) -> None:
    outcome = release(multiscale_city(people=40, towers=towers), epsilon=epsilon)
    assert outcome.counts.shape == (towers, 168)
    assert np.isfinite(outcome.counts).all()
    assert (outcome.counts >= 0).all()


@pytest.mark.parametrize("cap", [1, 20, 840])
def test_nobody_at_all_is_finite(cap: int) -> None:
    positions = random_positions(6)
    city = MultiscaleCity(clipped_sums({}, positions, cap), positions, cap)
    for seed in range(6):
        outcome = release(city, seed)
        assert np.isfinite(outcome.counts).all()
        blank = density.NOISE_EXCEEDS_DATA in outcome.flags
        assert blank == (outcome.visit_total <= 0) == (outcome.counts.sum() == 0)


def test_shipped_tables_are_those_of_the_same_people() -> None:
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
