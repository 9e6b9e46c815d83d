"""What a density holds of the truth: its common part, and the figures beside it."""

import numpy as np
import pytest

from engine import datasets, density, metrics
from engine.datasets import Dataset

BASE = density.DensityParameters(epsilon=1.0, max_visits_per_user=30, delta=1e-7)


def common_part(truth: np.ndarray, private: np.ndarray) -> float:
    """Of all visits, true and private, the share in common: by min and sum alone."""
    return 2 * np.minimum(truth, private).sum() / (truth.sum() + private.sum())


@pytest.mark.parametrize(
    ("name", "epsilon", "figure"),
    [
        *[("demo-city", epsilon, part) for epsilon, part in ((0.3, 0.92), (1, 0.93), (3, 0.94))],
        ("paris", 0.3, 0.96),
    ],
)
def test_common_parts_are_the_check_figures(name: str, epsilon: float, figure: float) -> None:
    data = datasets.load(name)
    truth = density.truth(data)
    shares = []
    for seed in range(4):
        release = density.release(data, BASE.at(epsilon), rng=np.random.default_rng(seed))
        scored = density.scores(truth, release)
        assert scored.common_part == pytest.approx(common_part(truth, release.counts))
        shares.append(scored.common_part)
    assert np.mean(shares) == pytest.approx(figure, abs=0.01)


def test_the_citys_rhythm_at_the_true_totals_is_already_close() -> None:
    """Without noise: a limit of use must lie above what says nothing of single places' weeks."""
    truth = density.truth(datasets.load("demo-city"))
    rhythm = truth.sum(axis=0) / truth.sum()
    assert common_part(truth, truth.sum(axis=1)[:, None] * rhythm) == pytest.approx(0.93, abs=0.01)


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
        assert scored.total_error == metrics.total_error(truth, release.counts)
        if scored.exceeded:
            assert scored.common_part == 0
    assert seen == {True, False}
