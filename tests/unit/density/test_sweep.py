from dataclasses import replace

import numpy as np
import pytest

from engine import density, metrics
from engine.datasets import Dataset
from engine.density.sweep import density_settings, density_sweep, summarise
from engine.errors import ParameterError

BASE = density.DensityParameters(epsilon=1.0)
SETTINGS = density_settings(BASE, ["lpa", "efpag_joint"], [0.5, 5.0])


def test_settings_take_the_analytic_gaussian_beyond_theorem_three() -> None:
    assert [(s.method, s.epsilon, s.gaussian) for s in SETTINGS] == [
        ("lpa", 0.5, "classical"),
        ("lpa", 5.0, "classical"),
        ("efpag_joint", 0.5, "classical"),
        ("efpag_joint", 5.0, "analytic"),
    ]


def test_results_come_repeat_by_repeat_with_progress(tiny_city: Dataset) -> None:
    seen: list[tuple[int, int]] = []
    results = list(
        density_sweep(
            tiny_city,
            SETTINGS,
            3,
            rng=np.random.default_rng(0),
            progress=lambda done, of: seen.append((done, of)),
        )
    )
    assert [(r.repeat, r.setting) for r in results] == [(i, j) for i in range(3) for j in range(4)]
    assert seen == [(done, 12) for done in range(1, 13)]


def test_a_result_is_the_release_with_common_noise(tiny_city: Dataset) -> None:
    """All ε of one method share their noise: redone by hand from the documented seeds."""
    results = list(density_sweep(tiny_city, SETTINGS, 2, rng=np.random.default_rng(0)))
    seed = np.random.default_rng(0).integers(0, 2**32, size=4)
    truth = density.truth(tiny_city)
    for result in results:
        parameters = SETTINGS[result.setting]
        noise = density.DensityNoise.draw(
            np.random.default_rng([*seed, result.repeat]), tiny_city, parameters.method
        )
        counts = density.release(tiny_city, parameters, noise=noise).counts
        errors = metrics.mean_relative_error(truth, counts)
        assert result.mean_relative_error == pytest.approx(np.nanmean(errors), rel=1e-12)
        assert result.pearson == pytest.approx(np.nanmean(metrics.pearson(truth, counts)))
        assert result.total_error == metrics.total_error(truth, counts)


def test_a_longer_sweep_starts_like_a_shorter_one(tiny_city: Dataset) -> None:
    short = list(density_sweep(tiny_city, SETTINGS, 1, rng=np.random.default_rng(3)))
    long = list(density_sweep(tiny_city, SETTINGS, 2, rng=np.random.default_rng(3)))
    assert long[: len(short)] == short


def test_a_repeat_may_be_the_release_of_a_generator_of_ones_own(tiny_city: Dataset) -> None:
    seeds = (11, 12)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    results = list(density_sweep(tiny_city, SETTINGS, 2, rng=rngs))
    truth = density.truth(tiny_city)
    for result in results:
        rng = np.random.default_rng(seeds[result.repeat])
        counts = density.release(tiny_city, SETTINGS[result.setting], rng=rng).counts
        assert result.total_error == metrics.total_error(truth, counts)
    with pytest.raises(ParameterError, match="one for each repeat"):
        next(density_sweep(tiny_city, SETTINGS, 3, rng=rngs))


def test_partial_results_and_cancelling(tiny_city: Dataset) -> None:
    asked = iter([False, False, False, True])
    results = list(
        density_sweep(
            tiny_city, SETTINGS, 5, rng=np.random.default_rng(0), cancelled=lambda: next(asked)
        )
    )
    assert len(results) == 3
    summaries = summarise(SETTINGS, results)
    assert [s.parameters for s in summaries] == list(SETTINGS[:3])
    assert all(np.isnan(s.pearson_sd) for s in summaries)


def test_summary_is_mean_and_standard_deviation(tiny_city: Dataset) -> None:
    results = list(density_sweep(tiny_city, SETTINGS[:1], 6, rng=np.random.default_rng(0)))
    (summary,) = summarise(SETTINGS, results)
    errors = [r.mean_relative_error for r in results]
    assert summary.repeats == 6
    assert summary.mean_relative_error == pytest.approx(np.mean(errors))
    assert summary.mean_relative_error_sd == pytest.approx(np.std(errors, ddof=1))


def test_blank_releases_are_counted_and_left_out_of_the_means(tiny_city: Dataset) -> None:
    settings = [replace(BASE, epsilon=1e-4)]
    results = list(density_sweep(tiny_city, settings, 12, rng=np.random.default_rng(0)))
    (summary,) = summarise(settings, results)
    assert 0 < summary.blank < 12
    assert all(np.isnan(r.pearson) for r in results if r.noise_exceeds_data)
    assert np.isfinite(summary.pearson)
    drawn = [r.mean_relative_error for r in results if not r.noise_exceeds_data]
    assert summary.mean_relative_error == pytest.approx(np.mean(drawn))


def test_a_release_scores_alike_by_itself_and_in_a_sweep(tiny_city: Dataset) -> None:
    settings = [replace(BASE, epsilon=1e-4), replace(BASE, epsilon=1.0)]
    rngs = [np.random.default_rng([5, repeat]) for repeat in range(12)]
    truth = density.truth(tiny_city)
    results = list(density_sweep(tiny_city, settings, 12, rng=rngs))
    assert {r.noise_exceeds_data for r in results} == {True, False}
    for result in results:
        rng = np.random.default_rng([5, result.repeat])
        drawn = density.release(tiny_city, settings[result.setting], rng=rng)
        alone = density.scores(truth, drawn)
        together = (result.mean_relative_error, result.pearson, result.total_error)
        np.testing.assert_equal(
            together, (alone.mean_error, alone.mean_correlation, alone.total_error)
        )
        assert result.noise_exceeds_data == alone.exceeded


def test_repeats_are_checked(tiny_city: Dataset) -> None:
    with pytest.raises(ParameterError, match="repeats"):
        next(density_sweep(tiny_city, SETTINGS, 0, rng=np.random.default_rng(0)))
