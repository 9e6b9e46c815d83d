"""Means over zones and over releases: what a curve over ε shows."""

import numpy as np
import pytest

from engine import density, metrics, sweeping
from engine.datasets import Dataset
from engine.density import scaling

BLANK = 1e-4
"""At this ε the noise of seed 3 exceeds the data, so that no total is left."""
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


@pytest.mark.parametrize("epsilon", [1.0, 0.1, BLANK])
def test_errors_of_towers_are_those_of_totals_counted_by_hand(
    tiny_city: Dataset, epsilon: float
) -> None:
    settings = BASE.at(epsilon)
    noise = density.DensityNoise.draw(np.random.default_rng(3), tiny_city, settings.method)
    errors = density.total_errors(tiny_city, settings, noise)
    true = [float(row.sum()) for row in tiny_city.truth_by_tower]
    visits = sum(true)
    for sampled, error in ((True, errors.sampled), (False, errors.plain)):
        noisy = scaling.tower_totals(tiny_city, settings, noise, sampled=sampled).tolist()
        above = sum(max(total, 0.0) for total in noisy)
        shares = [max(total, 0.0) / above if above else 1 / len(noisy) for total in noisy]
        apart = sum(abs(share - t / visits) for share, t in zip(shares, true, strict=True)) / 2
        assert error.shares == pytest.approx(apart, rel=1e-9)
        off = [abs(total - t) / t for total, t in zip(noisy, true, strict=True) if t]
        assert error.totals == pytest.approx(sum(off) / len(off), rel=1e-9)
    assert (epsilon == BLANK) != scaling.tower_totals(tiny_city, settings, noise).any()
