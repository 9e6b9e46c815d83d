"""Density, by Fourier perturbation and Multiscale Gaussian, equals the plain code."""

from dataclasses import replace

import numpy as np
import pytest

from engine import density
from engine.density import smoothing
from engine.density.gaussian import gdp_mu
from engine.density.multiscale import measure_tables
from engine.density.multiscale_estimation import (
    NoisyTable,
    build_tree,
    estimate_city_profile,
    estimate_tower_shares,
    estimate_visits,
)
from tests.reference import density_reference as reference, zoom_reference as plain
from tests.reference.small_city import (
    MemoryDataset,
    added,
    city_of,
    geography,
    multiscale_city,
    random_positions,
    random_visits,
)

BASE = density.DensityParameters(epsilon=2.0, delta=1e-6, max_visits_per_user=12)


@pytest.fixture(scope="module")
def city() -> MemoryDataset:
    return city_of(random_visits(900, 24, seed=1), geography(24, 4, seed=1))


def compare(city: MemoryDataset, parameters: density.DensityParameters, seed: int) -> int:
    """Compare every stage and return the number of clusters."""
    noise = density.draw_noise(city, parameters, rng=np.random.default_rng(seed))
    release = density.release(city, parameters, noise=noise)
    expected = reference.release(city, parameters, noise)
    assert release.clusters is not None
    assert release.coefficient_counts is not None
    assert release.cell_totals is not None
    top = np.abs(expected.totals).max()
    np.testing.assert_allclose(release.cell_totals, expected.totals, rtol=1e-9, atol=1e-9 * top)
    members = [
        np.flatnonzero(release.clusters == c).tolist()
        for c in range(len(release.coefficient_counts))
    ]
    assert members == expected.clusters
    assert release.coefficient_counts.tolist() == expected.kept
    assert release.cover_counts is not None
    for ours, theirs in ((release.cover_counts, expected.cover), (release.counts, expected.zones)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * theirs.max())
    return len(release.coefficient_counts)


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("scaling", [True, False])
@pytest.mark.parametrize("method", ["efpa", "efpag", "efpag_joint"])
def test_fourier_methods_equal_the_paper_stage_by_stage(
    city: MemoryDataset, method: str, scaling: bool, smooth: bool
) -> None:
    parameters = replace(
        BASE, method=method, scaling=scaling, smoothing=smooth, cluster_minimum=1500.0
    )
    assert compare(city, parameters, seed=2 * scaling + smooth) > 1


@pytest.mark.parametrize(
    "changes",
    [
        {"gaussian": "analytic", "epsilon": 6.0, "cluster_minimum": 3000.0},
        {"cluster_minimum": None},
        {"cluster_minimum": None, "method": "efpa"},
        {"cluster_minimum": None, "gaussian": "analytic", "epsilon": 0.7},
        {"cluster_minimum": 0.0, "method": "efpag"},
        {"cluster_minimum": 1e9},
        {"max_visits_per_user": 1, "cluster_minimum": 2000.0},
        {"max_visits_per_user": 168, "cluster_minimum": 6000.0},
        {"epsilon": 0.2, "cluster_minimum": 9000.0},
    ],
    ids=str,
)
def test_settings_at_their_ends_equal_the_paper(
    city: MemoryDataset, changes: dict[str, object]
) -> None:
    compare(city, replace(BASE, **changes), seed=99)


@pytest.mark.parametrize("method", ["zones_laplace", "towers_laplace", "lpa"])
def test_laplace_methods_equal_the_paper(city: MemoryDataset, method: str) -> None:
    parameters = replace(BASE, method=method)
    noise = density.draw_noise(city, parameters, rng=np.random.default_rng(3))
    expected = reference.laplace(city, parameters, noise)
    counts = density.release(city, parameters, noise=noise).counts
    np.testing.assert_allclose(counts, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_truth_and_presampled_equal_the_paper(city: MemoryDataset) -> None:
    overlap = city.tessellation.overlap.toarray()
    for ours, towers in (
        (density.truth(city), city.truth_by_tower),
        (density.presampled_counts(city, 7), city.presampled_by_tower(7)),
    ):
        np.testing.assert_allclose(ours, reference.to_zones(overlap, towers), rtol=1e-9, atol=1e-9)
    cover = reference.to_cover(city.tessellation, city.presampled_by_tower(7))
    np.testing.assert_allclose(density.cover_series(city, 7), cover, rtol=1e-9, atol=1e-9)


def test_fits_equal_the_reference_on_hard_series() -> None:
    rng = np.random.default_rng(0)
    easy = rng.gamma(2.0, 1.0, (150, 5))
    spiky = rng.gamma(0.1, 1.0, (150, 5))
    clipped = np.maximum(rng.normal(0.2, 1.0, (150, 5)), 0)
    special = np.array(
        [[0.0] * 5, [3.0] * 5, [5, 0, 0, 0, 0], [0, 0, 0, 0, 5], [0, 0, 7, 0, 0], [1, 2, 4, 8, 16]]
    )
    for values in (easy, spiky, clipped, special):
        for points in (5, 3):
            ours = smoothing.fit_exponential(values[:, :points])
            theirs = np.array([reference.fit(row) for row in values[:, :points]])
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * values.max())


@pytest.mark.parametrize("towers", [1, 2, 3, 5, 16, 23])
def test_tree_has_the_nodes_of_the_plain_one(towers: int) -> None:
    positions = random_positions(towers, seed=towers)
    tree = build_tree(positions)
    nodes = plain.levels([tuple(place) for place in positions.tolist()])
    assert len(tree.nodes) == len(nodes)
    for numbers, level in zip(tree.nodes, nodes, strict=True):
        for number, node in enumerate(level):
            assert np.flatnonzero(numbers == number).tolist() == node
    halves = [plain.split(n, positions) for level in nodes for n in level if len(n) > 1]
    assert [h[0] for h in halves] == [row.indices.tolist() for row in tree.first_halves]
    assert [h[1] for h in halves] == [row.indices.tolist() for row in tree.second_halves]


@pytest.mark.parametrize("towers", [1, 2, 3, 23])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 50.0])
def test_reading_equals_the_plain_one(towers: int, epsilon: float) -> None:
    city = multiscale_city(people=1200, towers=towers, seed=towers)
    positions = city.towers.geometry.get_coordinates().to_numpy()
    tree = build_tree(positions)
    rng = np.random.default_rng(1)

    def add(_: str, counts: np.ndarray, sigma: float) -> np.ndarray:
        return counts + sigma * rng.standard_normal(counts.shape)

    noisy = measure_tables(city.multiscale_tables, gdp_mu(epsilon, 1e-7), add)
    visits, sizes, week, weeks = plain.read(noisy, positions)
    np.testing.assert_allclose(estimate_city_profile(noisy.city), week, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        estimate_tower_shares(noisy.tower_totals, tree)[0], sizes, rtol=1e-9, atol=1e-12
    )
    shares = estimate_visits(replace(noisy, visit_total=1.0), tree)
    np.testing.assert_allclose(shares, sizes[:, None] * weeks, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(estimate_visits(noisy, tree), max(visits, 0.0) * shares, rtol=1e-14)


@pytest.mark.parametrize(
    ("spread", "seed", "is_projected"), [(0.5, 0, False), (1.5, 20, False), (1.5, 6, True)]
)
def test_sizes_are_projected_where_that_is_clearly_closer(spread, seed, is_projected) -> None:
    """Where neighbours do not tell sizes: by 2.95 standard errors it is not clear, by 3.4 it is."""
    rng, positions = np.random.default_rng(seed), random_positions(60, 3)
    sizes = 100 * np.exp(spread * rng.normal(size=60))
    table = NoisyTable(sizes + 100 * rng.normal(size=60), 100.0)
    shares, _ = estimate_tower_shares(table, build_tree(positions))
    expected, noise = plain.read_sizes(table, positions)
    np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-12)
    smoothed = plain.smooth_sizes(table.values / table.total, noise, positions)[0]
    assert np.allclose(shares, smoothed) != is_projected


def test_a_release_is_visits_times_sizes_times_weeks() -> None:
    city = multiscale_city()
    parameters = density.DensityParameters(epsilon=1.0, method="multiscale")
    release = density.release(city, parameters, rng=np.random.default_rng(2))
    noise = density.draw_noise(city, parameters, rng=np.random.default_rng(2))
    noisy = measure_tables(city.multiscale_tables, gdp_mu(1.0, 1e-7), added(noise))
    visits, sizes, _, weeks = plain.read(noisy, random_positions(11))
    np.testing.assert_allclose(release.counts, visits * sizes[:, None] * weeks, rtol=1e-7)
