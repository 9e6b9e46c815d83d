"""Parts of the scheme by themselves: clusters by hand, nights fitted, scores."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import density, metrics
from engine.datasets import Dataset
from engine.density.mechanism import cluster_cells
from engine.density.smoothing import fit_exponential, smooth_nights


@pytest.mark.parametrize(
    ("totals", "at", "areas", "minimum", "labels"),
    [
        ([-3, 2, -1], [0, 0, 0], [1, 1, 1], 0, [0, 1, 2]),  # 0 joins nothing, negative or not
        ([1, 1, 1, 1], [0, 2, 4, 6], [1, 1, 1, 1], 2, [0, 0, 1, 1]),  # ties: the lowest cell
        # 0 is nearest to 3; the total of {0, 3} is enough, then 1, a large one, joins 2
        ([1, 2, 50, 50], [0, 10, 11, -2], [1, 1000, 1, 1], 10, [0, 1, 1, 0]),
        ([-5], [0], [1], 7, [0]),
    ],
)
def test_clusters_by_hand(
    totals: list[int], at: list[int], areas: list[int], minimum: int, labels: list[int]
) -> None:
    centres = np.column_stack([at, np.zeros(len(at))]).astype(float)
    clusters = cluster_cells(np.array(totals, float), centres, np.array(areas, float), minimum)
    assert clusters.tolist() == labels


def test_exact_exponentials_come_back_and_constants_stay() -> None:
    rates = np.array([-3.0, -0.7, -1e-3, 0.0, 1e-3, 0.4, 2.5])
    values = 7.0 * np.exp(rates[:, None] * np.arange(5))
    np.testing.assert_allclose(fit_exponential(values), values, rtol=1e-9)
    week = np.zeros((2, 168))
    week[1] = 0.3
    np.testing.assert_allclose(smooth_nights(week), week, rtol=1e-12)


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.floats(0, 1e6), min_size=5, max_size=5), factor=st.floats(1e-3, 1e6))
def test_fits_are_finite_positive_and_blind_to_scale(values: list[float], factor: float) -> None:
    row = np.array([values])
    fitted = fit_exponential(row)
    assert np.isfinite(fitted).all()
    assert (fitted >= 0).all()
    error = ((fitted - row) ** 2).sum()
    assert error <= ((row - row.mean()) ** 2).sum() * (1 + 1e-9) + 1e-12  # b = 0 is a candidate
    again = fit_exponential(factor * row) / factor
    assert ((again - row) ** 2).sum() == pytest.approx(error, rel=1e-6, abs=1e-9 * row.max() ** 2)


BASE = density.DensityParameters(epsilon=1.0, max_visits_per_user=30, delta=1e-7)


def common_part(truth: np.ndarray, private: np.ndarray) -> float:
    """Of all visits, true and private, the share in common: by min and sum alone."""
    return 2 * np.minimum(truth, private).sum() / (truth.sum() + private.sum())


def test_settings_take_the_analytic_gaussian_beyond_theorem_three() -> None:
    settings = [BASE.at(e, method) for method in ("lpa", "efpag_joint") for e in (0.5, 5.0)]
    assert [each.gaussian for each in settings] == [*["classical"] * 3, "analytic"]


def test_a_release_of_nothing_has_no_error_and_nothing_in_common(tiny_city: Dataset) -> None:
    truth = density.truth(tiny_city)
    seen = set()
    for seed in range(12):
        release = density.release(tiny_city, BASE.at(1e-4), rng=np.random.default_rng([5, seed]))
        scored = density.scores(truth, release)
        seen.add(scored.exceeded)
        assert scored.exceeded == (not release.counts.any()) == np.isnan(scored.mean_error)
        assert scored.common_part == pytest.approx(common_part(truth, release.counts))
        assert scored.total_error == metrics.total_error(truth, release.counts)
        if scored.exceeded:
            assert scored.common_part == 0
    assert seen == {True, False}
