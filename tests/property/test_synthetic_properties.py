"""Properties of the generators' building blocks, on small random input."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings, strategies as st

from engine.synthetic.sampling import Rows, heavy_tailed, position_within, random_rank_within
from research.simulated.subdivision import scatter, subdivide

groups = st.lists(st.integers(0, 6), max_size=60).map(lambda g: np.array(g, dtype=np.int64))


@given(groups, st.integers(0, 2**32 - 1))
def test_ranks_of_a_group_are_one_two_three(group: np.ndarray, seed: int) -> None:
    rank = random_rank_within(group, np.random.default_rng(seed))
    for member in np.unique(group):
        among = np.sort(rank[group == member])
        np.testing.assert_array_equal(among, np.arange(1, len(among) + 1))


@given(groups)
def test_position_restarts_with_each_group(group: np.ndarray) -> None:
    ordered = np.sort(group)
    position = position_within(ordered)
    expected = [int((ordered[:i] == value).sum()) for i, value in enumerate(ordered)]
    assert position.tolist() == expected


@given(mean=st.floats(3, 40), ratio=st.floats(0.6, 1.6), maximum=st.integers(600, 1200))
@settings(max_examples=25, deadline=None)
def test_heavy_tailed_has_the_moments_asked_for(mean: float, ratio: float, maximum: int) -> None:
    numbers = np.arange(1, maximum + 1)
    mass = np.diff(heavy_tailed(mean, ratio * mean, maximum), prepend=0.0)
    assert np.all(mass >= 0)
    assert mass.sum() == pytest.approx(1.0)
    assert mass @ numbers == pytest.approx(mean, rel=1e-4)
    spread = np.sqrt(mass @ numbers**2 - (mass @ numbers) ** 2)
    assert spread == pytest.approx(ratio * mean, rel=1e-4)


@given(seed=st.integers(0, 1000), parts=st.integers(1, 25))
@settings(max_examples=20, deadline=None)
def test_zones_partition_any_region(seed: int, parts: int) -> None:
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 17)[:-1]
    radius = rng.uniform(2000, 9000, len(angle))
    region = shapely.Polygon(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    zones = subdivide(region, parts, rng)
    assert len(zones) == parts
    assert np.all(shapely.is_valid(zones))
    assert np.all(shapely.area(zones) > 0)
    assert shapely.area(zones).sum() == pytest.approx(shapely.area(region), rel=1e-9)
    missing = shapely.symmetric_difference(shapely.union_all(zones), region)
    assert shapely.area(missing) < 1e-6 * shapely.area(region)


def test_points_scatter_by_density() -> None:
    rng = np.random.default_rng(5)
    region = shapely.box(0, 0, 100, 100)
    points = scatter(region, 20_000, rng, lambda p: np.where(p[:, 0] < 50, 3.0, 1.0))
    assert np.all(shapely.contains_xy(region, points))
    assert (points[:, 0] < 50).mean() == pytest.approx(0.75, abs=0.015)


def test_rows_draw_from_their_own_distribution() -> None:
    rng = np.random.default_rng(6)
    weights = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 2.0]])
    rows = np.repeat([0, 1], 40_000)
    drawn = Rows(weights).draw(rows, rng)
    for row, expected in enumerate(weights / weights.sum(axis=1, keepdims=True)):
        share = np.bincount(drawn[rows == row], minlength=3) / 40_000
        np.testing.assert_allclose(share, expected, atol=0.012)
