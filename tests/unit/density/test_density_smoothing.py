import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import curve_fit

from engine.density.smoothing import fit_exponential, smooth_nights


def test_exact_exponentials_come_back() -> None:
    x = np.arange(5)
    rates = np.array([-3.0, -0.7, -1e-3, 0.0, 1e-3, 0.4, 2.5])
    values = 7.0 * np.exp(rates[:, None] * x)
    np.testing.assert_allclose(fit_exponential(values), values, rtol=1e-9)


def test_no_worse_than_levenberg_marquardt() -> None:
    rng = np.random.default_rng(2)
    x = np.arange(5.0)
    for y in rng.gamma(3.0, 1.0, (40, 5)):
        (a, b), _ = curve_fit(lambda x, a, b: a * np.exp(b * x), x, y, p0=(y.mean(), 0.0))
        ours = ((fit_exponential(y[None])[0] - y) ** 2).sum()
        theirs = ((a * np.exp(b * x) - y) ** 2).sum()
        assert ours <= theirs * (1 + 1e-9)
        assert ours == pytest.approx(theirs, rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.floats(0, 1e6), min_size=5, max_size=5), factor=st.floats(1e-3, 1e6))
def test_finite_positive_and_blind_to_scale(values: list[float], factor: float) -> None:
    row = np.array([values])
    fitted = fit_exponential(row)
    assert np.isfinite(fitted).all()
    assert (fitted >= 0).all()
    error = ((fitted - row) ** 2).sum()
    assert error <= ((row - row.mean()) ** 2).sum() * (1 + 1e-9) + 1e-12  # b = 0 is a candidate
    again = fit_exponential(factor * row) / factor
    assert ((again - row) ** 2).sum() == pytest.approx(error, rel=1e-6, abs=1e-9 * row.max() ** 2)


def test_only_the_night_changes_and_hour_four_is_the_mean_of_both() -> None:
    week = np.random.default_rng(0).gamma(2.0, 10.0, (3, 168))
    smooth = smooth_nights(week)
    days, raw = smooth.reshape(-1, 24), week.reshape(-1, 24)
    np.testing.assert_array_equal(days[:, 7:], raw[:, 7:])
    falling, rising = fit_exponential(raw[:, 0:5]), fit_exponential(raw[:, 4:7])
    np.testing.assert_allclose(days[:, 4], (falling[:, 4] + rising[:, 0]) / 2, rtol=1e-12)
    np.testing.assert_allclose(days[:, :4], falling[:, :4], rtol=1e-12)
    np.testing.assert_allclose(days[:, 5:7], rising[:, 1:], rtol=1e-12)
    assert week[0, 0] == raw[0, 0]  # the input is left alone


def test_zeros_and_constants_stay() -> None:
    week = np.zeros((2, 168))
    week[1] = 0.3
    np.testing.assert_allclose(smooth_nights(week), week, rtol=1e-12)


def test_shapes_scaled_afterwards_equal_cells_fitted_one_by_one() -> None:
    shape = np.random.default_rng(3).gamma(1.0, 1.0, (1, 168))
    cells = np.array([1e-6, 0.7, 3e5])[:, None] * shape
    together = np.array([1e-6, 0.7, 3e5])[:, None] * smooth_nights(shape)
    np.testing.assert_allclose(smooth_nights(cells), together, rtol=1e-9)
