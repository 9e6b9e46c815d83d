"""Means over zones and over releases: what a curve over ε shows."""

import numpy as np
import pytest

from engine import density, metrics, sweeping
from engine.datasets import Dataset

BASE = density.DensityParameters(epsilon=1.0)


def test_settings_take_the_analytic_gaussian_beyond_theorem_three() -> None:
    settings = [BASE.at(e, method) for method in ("lpa", "efpag_joint") for e in (0.5, 5.0)]
    assert [each.gaussian for each in settings] == [*["classical"] * 3, "analytic"]


def test_blank_releases_are_counted_and_left_out_of_the_means(tiny_city: Dataset) -> None:
    settings = [BASE.at(1e-4), BASE]
    rngs = [np.random.default_rng([5, repeat]) for repeat in range(12)]
    points = list(
        sweeping.sweep(density, tiny_city, settings, 12, rng=rngs, score=density.mean_scores)
    )
    truth, kept = density.truth(tiny_city), {0: [], 1: []}
    for point in points:
        drawn = density.release(
            tiny_city, settings[point.setting], rng=np.random.default_rng([5, point.repeat])
        )
        assert point.scores.total_error == metrics.total_error(truth, drawn.counts)
        assert point.scores.exceeded == (not drawn.counts.any())
        assert np.isnan(point.scores.error) == point.scores.exceeded
        if not point.scores.exceeded:
            error = np.nanmean(metrics.mean_relative_error(truth, drawn.counts))
            assert point.scores.error == pytest.approx(error, rel=1e-12)
            pearson = metrics.pearson(truth, drawn.counts)
            known = pearson[np.isfinite(pearson)]
            if len(known):
                assert point.scores.correlation == pytest.approx(known.mean())
            kept[point.setting].append(error)
    summary = density.summarise(points)
    assert 0 < summary[0][0].exceeded < 12
    assert summary[1][0].exceeded == 0
    for setting, (mean, spread, repeats) in summary.items():
        assert repeats == 12
        assert mean.error == pytest.approx(np.mean(kept[setting]))
        assert spread.error == pytest.approx(np.std(kept[setting], ddof=1))
    one = density.summarise(points[:1])[0]
    assert np.isnan(one[1].total_error)
