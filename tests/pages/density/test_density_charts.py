"""Axes and legends of the Density page's charts: readable for every range of values."""

import pytest

from pages._ui.density import charts as density_charts


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.05, 2.0), (0.21, 0.3), (0.12, 0.13), (5.3, 9.1), (0.01, 3e4), (4e5, 9e7), (1.0, 1e10)],
)
def test_a_logarithmic_axis_has_a_few_ticks_inside_its_range(low, high):
    scale, axis = density_charts._log_axis(low, high)
    least, most = scale.domain
    assert (least, most) == (low, pytest.approx(high * 1.1))
    assert 2 <= len(axis.values) <= 7
    assert all(least <= tick <= most for tick in axis.values)
    assert list(axis.values) == sorted(set(axis.values))


def test_a_spread_that_rounds_to_nothing_is_not_written_as_nothing():
    assert density_charts.small(0.0002) == "<0.001"
    assert density_charts.small(0.0) == "0.000"
    assert density_charts.small(0.0123) == "0.012"
