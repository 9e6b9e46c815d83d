"""The papers' density scheme with OpenDP's noise: its law, and its use."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from engine import datasets, density, metrics
from engine.parameters import DensityParameters
from engine.release import fourier as way, noise

ASKED = DensityParameters(epsilon=1.0, delta=1e-7)
HOURS = 168


@pytest.fixture(scope="module")
def scales(demo):
    return way.Scales.proving(ASKED, demo.metadata.max_visits_cap)


def closed_form(scores, scale):
    """Permute and flip (McKenna and Sheldon 2020): of each order of the scores, the first kept."""
    chance, orders = np.zeros(len(scores)), list(permutations(range(len(scores))))
    for order in orders:
        left = 1 / len(orders)
        for one in order:
            kept = math.exp(-(scores[one] - min(scores)) / scale)
            chance[one] += left * kept
            left *= 1 - kept
    return chance


@pytest.mark.parametrize("scale", [3.0, 12.0])
def test_the_choice_follows_its_closed_form(scale):
    scores, draws = [7, 0, 4, 11], 40_000
    drawn = np.bincount([noise.least(scores, scale) for _ in range(draws)], minlength=4)
    for factor in (1.0, 0.8, 1.25):
        p_value = stats.chisquare(drawn, closed_form(scores, scale * factor) * draws).pvalue
        assert (p_value > 1e-6) == (factor == 1.0)


@pytest.mark.parametrize("factor", [1.0, 0.8, 1.25])
def test_coefficients_are_drawn_at_sigma(demo, scales, monkeypatch, factor):
    """The noise itself, of a whole draw: its χ² fits σ, and no σ a fifth or a quarter off."""
    seen = {}
    draw = noise.discrete_gaussian

    def record(counts, sigma):
        noisy = draw(counts, sigma * factor)
        seen["z"] = (noisy - counts).ravel() / sigma
        return noisy

    monkeypatch.setattr(noise, "discrete_gaussian", record)
    monkeypatch.setattr(noise, "least", lambda scores, scale: HOURS - 1)
    small = replace(scales, published=replace(scales.published, cluster_minimum=0.0))
    way.draw(demo, small)
    z = seen["z"]
    assert z.size > 20_000
    spread = stats.chi2.cdf((z**2).sum(), z.size)
    assert (1e-6 < spread < 1 - 1e-6) == (factor == 1.0)


def use_of(true, drawn):
    return float(metrics.common_part(np.abs(drawn - true).sum(), drawn.sum(), true.sum()))


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [
        ("demo-city", 0.3),
        pytest.param("demo-city", 1.0, marks=pytest.mark.long),
        pytest.param("paris", 0.3, marks=pytest.mark.long),
        pytest.param("paris", 1.0, marks=pytest.mark.long),
    ],
)
def test_a_release_is_of_as_much_use_as_the_exploration_at_the_same_proved_total(name, epsilon):
    dataset, draws = datasets.load(name), 10
    true = density.truth(dataset)
    size, asked = dataset.tessellation.cover_size, replace(ASKED, epsilon=epsilon)
    fair = density.at_equal_proved_epsilon(asked, epsilon, size)
    scales = way.Scales.proving(asked, dataset.metadata.max_visits_cap)
    rng = np.random.default_rng(2)
    explored = [use_of(true, density.release(dataset, fair, rng=rng).counts) for _ in range(draws)]
    released = [use_of(true, way.draw(dataset, scales)[0]) for _ in range(draws)]
    assert np.mean(released) == pytest.approx(np.mean(explored), rel=0.03)
