"""How far noise reaches: the inverted law against closed forms and against drawn sums."""

import numpy as np
import pytest

from engine.report.results import half_width


def test_one_variate_has_a_closed_form():
    assert half_width(((5.0, 1),)) == pytest.approx(5 * np.log(10))
    assert half_width(()) == 0.0


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_two_equal_variates_have_a_closed_form(level):
    x = half_width(((3.0, 2),), level) / 3
    assert 1 - np.exp(-x) * (1 + x / 2) == pytest.approx(level, abs=1e-9)


def test_two_unequal_variates_have_a_closed_form():
    a, b = 4.0, 1.5
    x = half_width(((a, 1), (b, 1)))
    beyond = (a**2 * np.exp(-x / a) - b**2 * np.exp(-x / b)) / (a**2 - b**2)
    assert beyond == pytest.approx(0.1, abs=1e-9)


@pytest.mark.parametrize("terms", [((1.0, 7),), ((2.0, 30), (5.0, 11)), ((1.0, 3), (40.0, 1))])
def test_sums_stay_within_nine_times_in_ten(terms):
    rng = np.random.default_rng(3)
    sums = sum(rng.laplace(0, scale, (count, 200_000)).sum(axis=0) for scale, count in terms)
    within = np.mean(np.abs(sums) <= half_width(terms))
    assert within == pytest.approx(0.9, abs=0.003)
    assert abs(np.mean(np.abs(sums) <= 0.95 * half_width(terms)) - 0.9) > 0.003


def test_all_scales_stretched_alike_stretch_the_width():
    terms = ((2.0, 7), (5.0, 11))
    stretched = tuple((scale * 1234.5, count) for scale, count in terms)
    assert half_width(stretched) == pytest.approx(1234.5 * half_width(terms), rel=1e-12)
