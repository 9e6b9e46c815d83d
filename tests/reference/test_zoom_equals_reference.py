from dataclasses import replace

import numpy as np
import pytest

from engine import density
from engine.density.gaussian import gaussian_strength
from engine.density.reading import build_tree, city_week, read, tower_sizes
from engine.density.zoom import measure
from tests.reference import zoom_reference as plain
from tests.reference.small_city import added, random_positions, zoom_city


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
    assert [h[0] for h in halves] == [row.indices.tolist() for row in tree.first]
    assert [h[1] for h in halves] == [row.indices.tolist() for row in tree.second]


@pytest.mark.parametrize("towers", [1, 2, 3, 23])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 50.0])
def test_reading_equals_the_plain_one(towers: int, epsilon: float) -> None:
    city = zoom_city(people=1200, towers=towers, seed=towers)
    positions = city.towers.geometry.get_coordinates().to_numpy()
    tree = build_tree(positions)
    rng = np.random.default_rng(1)

    def add(_: str, counts: np.ndarray, sigma: float) -> np.ndarray:
        return counts + sigma * rng.standard_normal(counts.shape)

    noisy = measure(city.zoom_tables, gaussian_strength(epsilon, 1e-7), add)
    visits, sizes, week, weeks = plain.read(noisy, positions)
    np.testing.assert_allclose(city_week(noisy.city), week, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(tower_sizes(noisy.weeks, tree)[0], sizes, rtol=1e-9, atol=1e-12)
    shares = read(replace(noisy, visits=1.0), tree)
    np.testing.assert_allclose(shares, sizes[:, None] * weeks, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(read(noisy, tree), max(visits, 0.0) * shares, rtol=1e-14)


def test_a_release_is_visits_times_sizes_times_weeks() -> None:
    city = zoom_city()
    parameters = density.DensityParameters(epsilon=1.0, method="zoom")
    release = density.release(city, parameters, rng=np.random.default_rng(2))
    noise = density.draw_noise(city, parameters, rng=np.random.default_rng(2))
    noisy = measure(city.zoom_tables, gaussian_strength(1.0, 1e-7), added(noise))
    visits, sizes, _, weeks = plain.read(noisy, random_positions(11))
    np.testing.assert_allclose(release.counts, visits * sizes[:, None] * weeks, rtol=1e-7)
