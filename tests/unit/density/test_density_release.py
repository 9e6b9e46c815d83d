"""Releases at the edges of the data, never NaN; clusters by hand, nights fitted, scores."""

import itertools
from dataclasses import replace

import geopandas as gpd
import numpy as np
import pytest
import shapely

from engine import density, metrics, release
from engine.density.mechanism import cluster_cells
from engine.errors import ParameterError
from engine.parameters import DensityMethod, DensityParameters
from engine.release import fourier_writer
from engine.utility import drawn_utilities
from tests.reference.small_city import (
    Aggregates,
    Geography,
    MemoryDataset,
    city_of,
    geography,
    one_zone_a_tower,
    random_visits,
)
from tests.support.releases import seen

METHODS: tuple[DensityMethod, ...] = (
    "zones_laplace",
    "towers_laplace",
    "lpa",
    "efpa",
    "efpag",
    "efpag_joint",
)
BASE = density.DensityParameters(epsilon=1.0)


def moved(places, geometry):
    return Geography(places.towers.set_geometry(gpd.GeoSeries(geometry, crs=4326)), places.zones)


FAR = shapely.points([[2.6, 48.85], [2.1, 48.85], [2.35, 48.85], [2.351, 48.851]])
SIX = geography(6, 3)
TOGETHER = SIX.towers.geometry.to_numpy()[[0, 0, 0, 3, 4, 5]]
EDGES = {
    "no visits at all": ({}, geography(5, 2)),
    "one tower": (random_visits(50, 1), geography(1, 2)),
    "one zone": (random_visits(50, 5), geography(5, 1)),
    "towers outside, zones without": (random_visits(60, 4), moved(geography(4, 3), FAR)),
    "towers at one place": (random_visits(60, 6), moved(SIX, TOGETHER)),
    "empty zones and hours": ({n: [(0, 10 + n % 3)] for n in range(400)}, geography(8, 3)),
}


@pytest.mark.parametrize("name", EDGES)
def test_nothing_is_nan_infinite_or_negative(name):
    dataset = city_of(*EDGES[name])
    truth = density.truth(dataset)
    assert truth.sum() == pytest.approx(dataset.truth_by_tower.sum())
    switches = ({"scaling": False}, {"cluster_minimum": 0.0}, {"smoothing": False})
    ways = [(method, {}) for method in METHODS]
    ways += itertools.product(("efpa", "efpag", "efpag_joint"), switches)  # of others without use
    for (method, changes), epsilon in itertools.product(ways, (0.01, 3.0)):
        parameters = replace(BASE, method=method, epsilon=epsilon, **changes)
        release = density.release(dataset, parameters, rng=np.random.default_rng(1))
        assert release.counts.shape == (len(dataset.zones), 168)
        assert np.isfinite(release.counts).all()
        assert release.counts.min() >= 0
        assert (density.NO_POSITIVE_TOTAL in release.flags) <= (not release.counts.any())
        metrics.mean_relative_error(truth, release.counts)
        metrics.pearson_correlation(truth, release.counts)


def flat_city(value, towers=20):
    ranked = np.full((towers, 168, 1), value)
    people = np.full(towers, 16 * value)
    return MemoryDataset(Aggregates(ranked[:, :, 0], ranked, people), one_zone_a_tower(towers))


@pytest.mark.parametrize(
    ("minimum", "clusters", "flags"),
    [(1e12, [0] * 20, (density.ONE_CLUSTER,)), (0.0, list(range(20)), ())],
)
def test_the_cluster_minimum_joins_all_and_says_so_or_none(minimum, clusters, flags):
    parameters = replace(BASE, cluster_minimum=minimum)
    release = density.release(flat_city(1000), parameters, rng=np.random.default_rng(0))
    assert release.clusters is not None
    assert (release.clusters.tolist(), release.flags) == (clusters, flags)


def test_cells_with_a_negative_total_read_zero_all_week():
    dataset = flat_city(20)
    parameters = replace(BASE, cluster_minimum=0.0, scaling=False, method="efpag")
    noise = density.draw_noise(dataset, parameters, rng=np.random.default_rng(3))
    low = np.arange(20) < 5
    noise["cell_totals"] = np.where(low, -1e4, 0.0)
    release = density.release(dataset, parameters, noise=noise)
    assert release.cell_totals is not None
    assert release.cover_counts is not None
    assert (release.cell_totals[low] < 0).all()
    assert not release.cover_counts[low].any()
    assert release.cover_counts[~low].any(axis=1).all()


def test_noise_of_another_dataset_or_method_is_refused():
    small, city = flat_city(1, 3), flat_city(10)
    for drawn_for, method, other in (
        (city, "efpag_joint", "efpag"),
        (city, "efpag", "efpag_joint"),
        (small, "lpa", "lpa"),
        (small, "efpag_joint", "efpag_joint"),
    ):
        parameters = replace(BASE, method=method)
        noise = density.draw_noise(drawn_for, parameters, rng=np.random.default_rng(0))
        with pytest.raises(ParameterError, match=r"density\.draw_noise"):
            density.release(city, replace(BASE, method=other), noise=noise)


@pytest.mark.parametrize("method", [*METHODS, "multiscale"])
def test_every_variate_of_a_release_is_drawn_from_the_state_and_none_twice(method):
    dataset = city_of(random_visits(50, 4), geography(4, 2))

    def variates(seed):
        parameters = replace(BASE, method=method)
        drawn = density.draw_noise(dataset, parameters, rng=np.random.default_rng(seed))
        return {name: part.ravel() for name, part in drawn.items() if part.size}

    one, other = variates(1), variates(2)
    assert one.keys() == other.keys()
    for name, part in one.items():
        assert not np.isin(part, other[name]).any(), name
    together = np.concatenate(list(one.values()))
    assert len(np.unique(together)) == len(together)


def test_a_cell_that_is_as_near_to_two_joins_the_lower_one():
    centres = np.array([[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    clusters = cluster_cells(np.array([1.0, 5.0, 5.0]), centres, np.ones(3), 2.0)
    assert clusters.tolist() == [0, 0, 1]


def test_a_release_of_nothing_has_no_error_and_nothing_in_common(tiny_city):
    truth = density.truth(tiny_city)
    seen = set()
    for seed in range(12):
        rng = np.random.default_rng([5, seed])
        release = density.release(tiny_city, BASE.with_epsilon(1e-4), rng=rng)
        scored = density.scores(truth, release)
        seen.add(scored.is_empty)
        assert scored.is_empty == (not release.counts.any()) == np.isnan(scored.mean_error)
        common = 2 * np.minimum(truth, release.counts).sum()
        assert scored.common_part == pytest.approx(common / (truth.sum() + release.counts.sum()))
        assert scored.total_error == metrics.total_error(truth, release.counts)
        if scored.is_empty:
            assert scored.common_part == 0
    assert seen == {True, False}


SETTINGS = [
    DensityParameters(epsilon=epsilon, delta=delta, method=method, gaussian=gaussian)
    for method, gaussian in (
        ("multiscale", "classical"), ("efpag_joint", "classical"), ("efpag_joint", "analytic")
    )
    for epsilon in (0.01, 3.0)
    for delta in (1e-9, 1e-4)
]  # fmt: skip


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
def test_every_scale_of_what_is_judged_is_that_of_the_release(demo, parameters):
    planned = release.plan(seen(parameters), demo).stages
    judged = density.compute_cost(demo, density.match_release_noise(parameters)).stages
    explored = density.compute_cost(demo, parameters).stages
    for one, drawn, before in zip(planned, judged, explored, strict=True):
        if drawn.noise_scale is not None:  # the choice has none here
            assert drawn.noise_scale == pytest.approx(one.scale, rel=1e-4)
            assert before.noise_scale != pytest.approx(one.scale, rel=1e-3)


@pytest.mark.parametrize(
    "parameters",
    [
        DensityParameters(epsilon=1.0, method="towers_laplace"),
        DensityParameters(epsilon=1.0, method="efpag"),
        DensityParameters(epsilon=1.0, scaling=False),
        DensityParameters(epsilon=3.9),  # classical noise of a release proves up to 3.5
        DensityParameters(epsilon=1.0, delta=0.01, method="multiscale"),
        DensityParameters(epsilon=100.0, method="multiscale"),
    ],
    ids=str,
)
def test_what_has_no_other_noise_or_no_release_is_judged_as_it_is(parameters):
    assert density.match_release_noise(parameters) == parameters


def test_the_use_is_that_of_releases(demo):
    """60 draws of OpenDP against 60 judged ones; as explored, use is lower by six errors."""
    parameters = DensityParameters(epsilon=1.0)
    setting, true = seen(parameters), density.truth(demo)
    stages = release.plan(setting, demo).stages
    published = fourier_writer.find_paper_parameters(parameters, demo.metadata.max_visits_cap)
    shares = []
    for _ in range(60):
        counts, _ = fourier_writer.draw_density(demo, published, stages)
        apart = np.abs(counts - true).sum()
        shares.append(metrics.common_part(apart, counts.sum(), true.sum()))
    (use,) = drawn_utilities(demo, setting.selection, [parameters], draws=60).values()
    error = np.hypot(np.std(shares) / np.sqrt(60), use.standard_error)
    assert error < 0.0005
    assert use.common_part == pytest.approx(np.mean(shares), abs=4 * error)
