"""The noise of a release follows its law; that of another scale does not."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import engine.release as package
from engine.errors import ParameterError
from engine.origin_destination.noise_bounds import cell_half_width, noise_variance
from engine.parameters import DensityParameters
from engine.release import fourier_writer as way, opendp_noise
from engine.release.plan import safe_scale

DRAWS = 10_000
"""Enough: a scale that is wrong by a fifth passes once in 10¹⁰ times or less."""
ENOUGH = 1e-6


def laplace(scale):
    """Discrete Laplace, P(z) = (1 − q)/(1 + q)·q^|z|, at −m … m."""
    q, z = np.exp(-1 / scale), np.arange(-int(30 * scale) - 30, int(30 * scale) + 31)
    return (1 - q) / (1 + q) * q ** np.abs(z)


def gaussian(sigma):
    """Discrete Gaussian, P(z) ∝ exp(−z²/2σ²), at −m … m."""
    z = np.arange(-int(12 * sigma) - 3, int(12 * sigma) + 4)
    law = np.exp(-(z**2) / (2 * sigma**2))
    return law / law.sum()


def p_value(draws, law):
    """χ² of the draws against a law, in at most about 40 bins, each of 200 expected draws."""
    middle = len(law) // 2
    few = law[::-1].cumsum() * len(draws) >= 200
    cut = max(middle - int(few.argmax()), 2)
    edges = np.arange(-cut, cut + 1, max(1, cut // 20))
    expected = np.add.reduceat(law, [0, *(edges + middle)])
    observed = np.bincount(np.searchsorted(edges, draws, side="right"), minlength=len(expected))
    return stats.chisquare(observed, expected * len(draws)).pvalue


@pytest.mark.parametrize(
    ("add", "law", "scale"),
    [
        *((opendp_noise.discrete_laplace, laplace, scale) for scale in (0.4, 1, 4, 20, 300)),
        *((opendp_noise.discrete_gaussian, gaussian, sigma) for sigma in (0.7, 2, 5, 30, 200)),
    ],
)
def test_release_noise_follows_its_law(add, law, scale):
    draws = add(np.zeros(DRAWS, dtype=np.int64), scale)
    assert p_value(draws, law(scale)) > ENOUGH
    for wrong in (0.8, 1.25):
        assert p_value(draws, law(scale * wrong)) < ENOUGH


def test_no_random_numbers_of_numpy_in_the_release_package():
    for path in Path(package.__file__).parent.glob("*.py"):
        code = path.read_text(encoding="utf-8")
        assert not re.search(r"\.random\b|\brandom import|import .*random|default_rng", code)


@pytest.mark.parametrize(
    "kind", [opendp_noise.make_laplace, opendp_noise.make_gaussian, opendp_noise.make_noisy_min]
)
def test_a_scale_of_0_which_adds_nothing_is_refused(kind):
    with pytest.raises(ParameterError, match="scale must be"):
        kind(0.0)


@pytest.mark.parametrize("scale", [0.5, 3.0, 10.0, 137.0])
def test_bars_and_deviations_are_exact(scale):
    q = np.exp(-1 / scale)
    z = cell_half_width(1 / scale)
    assert 2 * q ** (z + 1) / (1 + q) <= 0.05 < 2 * q**z / (1 + q) or z == 0
    values = np.arange(-20_000, 20_001)
    law = (1 - q) / (1 + q) * q ** np.abs(values)
    assert noise_variance(1 / scale) == pytest.approx((law * values**2).sum(), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.3, 1.0, 7.0])
@pytest.mark.parametrize("sensitivity", [1, 4, 30])
def test_opendp_states_no_more_than_what_is_charged(epsilon, sensitivity):
    scale = safe_scale(sensitivity, epsilon)
    stated = opendp_noise.make_laplace(scale).map(sensitivity)
    assert stated <= epsilon
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(str(epsilon))
    assert stated == pytest.approx(epsilon, rel=1e-9)


def test_noise_is_added_to_each_count_at_its_place(monkeypatch):
    """Next to no noise leaves every count as it is: below 0, in rows, and beyond one piece."""
    monkeypatch.setattr(opendp_noise, "_COUNTS_PER_CALL", 2**10)
    counts = np.arange(-(2**12) - 5, 5).reshape(-1, 2)
    counts.flags.writeable = False
    assert np.array_equal(opendp_noise.discrete_laplace(counts, 1e-9), counts)
    assert np.array_equal(opendp_noise.discrete_gaussian(counts, 1e-9), counts)


ASKED = DensityParameters(epsilon=1.0, delta=1e-7)
HOURS = 168


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


@pytest.mark.parametrize(("scale", "draws"), [(3.0, 6_000), (12.0, 20_000)])
def test_the_choice_follows_its_closed_form(scale, draws):
    """With so many draws another scale passes once in 10¹⁰ times."""
    scores = [7, 0, 4, 11]
    drawn = np.bincount([opendp_noise.noisy_min(scores, scale) for _ in range(draws)], minlength=4)
    for factor in (1.0, 0.8, 1.25):
        p_value = stats.chisquare(drawn, closed_form(scores, scale * factor) * draws).pvalue
        assert (p_value > 1e-6) == (factor == 1.0)


@pytest.mark.parametrize("factor", [1.0, 0.8, 1.25])
def test_coefficients_are_drawn_at_sigma(demo, monkeypatch, factor):
    """The noise itself, of a whole draw: its χ² fits σ, and no σ a fifth or a quarter off."""
    seen = {}
    draw = opendp_noise.discrete_gaussian

    def record(counts, sigma):
        noisy = draw(counts, sigma * factor)
        seen["z"] = (noisy - counts).ravel() / sigma
        return noisy

    monkeypatch.setattr(opendp_noise, "discrete_gaussian", record)
    monkeypatch.setattr(opendp_noise, "noisy_min", lambda scores, scale: HOURS - 1)
    settings = way.find_paper_parameters(ASKED, cap := demo.metadata.max_visits_cap)
    stages = way.build_stages(settings, cap)
    way.draw_density(demo, replace(settings, cluster_minimum=0.0), stages)
    z = seen["z"]
    assert z.size > 20_000
    spread = stats.chi2.cdf((z**2).sum(), z.size)
    assert (1e-6 < spread < 1 - 1e-6) == (factor == 1.0)
