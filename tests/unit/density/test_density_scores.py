"""What a density holds of the truth: its common part, and the figures beside it."""

import numpy as np
import pytest

from engine import density, metrics
from engine.datasets import Dataset

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
