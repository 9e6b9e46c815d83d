"""What is judged of a density has the noise of its release, by the release's own plan and draws."""

import numpy as np
import pytest

from engine import density, metrics, release
from engine.parameters import DensityParameters
from engine.release import fourier_writer
from engine.utility import drawn_utilities
from tests.support.releases import seen

SETTINGS = [
    DensityParameters(epsilon=epsilon, delta=delta, method=method, gaussian=gaussian)
    for method, gaussian in (
        ("multiscale", "classical"), ("efpag_joint", "classical"), ("efpag_joint", "analytic")
    )
    for epsilon in (0.01, 0.1, 1.0, 3.0)
    for delta in (1e-9, 1e-7, 1e-4)
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
