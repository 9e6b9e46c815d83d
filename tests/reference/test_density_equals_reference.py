from dataclasses import replace

import numpy as np
import pytest

from engine import density
from engine.density import accounting, smoothing
from tests.reference import density_reference as reference
from tests.reference.small_city import MemoryDataset, city_of, geography, random_visits

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
    assert release.coefficients_kept is not None
    assert release.cell_totals is not None
    top = np.abs(expected.totals).max()
    np.testing.assert_allclose(release.cell_totals, expected.totals, rtol=1e-9, atol=1e-9 * top)
    members = [
        np.flatnonzero(release.clusters == c).tolist()
        for c in range(len(release.coefficients_kept))
    ]
    assert members == expected.clusters
    assert release.coefficients_kept.tolist() == expected.kept
    assert release.cover_counts is not None
    for ours, theirs in ((release.cover_counts, expected.cover), (release.counts, expected.zones)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * theirs.max())
    return len(release.coefficients_kept)


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


def test_the_noise_term_of_efpa_is_root_two_times_the_printed_one() -> None:
    """An erratum of utility: P1 leaves out that Laplace noise has twice its scale's square."""
    for epsilon, kept in ((0.3, 30), (2.0, 12)):
        parameters = replace(BASE, method="efpa", epsilon=epsilon, max_visits_per_user=kept)
        printed = [reference.printed_noise_of_kept(parameters, k) for k in range(1, 169)]
        ours = accounting.noise_terms(parameters, 1)
        np.testing.assert_allclose(ours, np.sqrt(2) * np.array(printed), rtol=1e-14)
        k = 40
        scale = np.sqrt(k) * accounting.coefficient_scale(parameters)
        noise = np.random.default_rng(0).laplace(scale=scale, size=(20_000, k))
        size = np.sqrt((noise**2).sum(axis=1).mean())
        assert size == pytest.approx(ours[k - 1], rel=0.01)


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
        (density.presampled(city, 7), city.presampled_by_tower(7)),
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
