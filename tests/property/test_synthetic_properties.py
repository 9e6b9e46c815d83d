"""Properties of the generators' building blocks, on small random input."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.synthetic.sampling import Rows, heavy_tailed, position_within

groups = st.lists(st.integers(0, 6), max_size=60).map(lambda g: np.array(g, dtype=np.int64))


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


def test_rows_draw_from_their_own_distribution() -> None:
    rng = np.random.default_rng(6)
    weights = np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 2.0]])
    rows = np.repeat([0, 1], 40_000)
    drawn = Rows(weights).draw(rows, rng)
    for row, expected in enumerate(weights / weights.sum(axis=1, keepdims=True)):
        share = np.bincount(drawn[rows == row], minlength=3) / 40_000
        np.testing.assert_allclose(share, expected, atol=0.012)
