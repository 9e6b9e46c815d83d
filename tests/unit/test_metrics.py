import numpy as np
import ot
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from engine import metrics
from engine.errors import ParameterError

RNG = np.random.default_rng(5)
TRUTH = RNG.poisson(RNG.gamma(0.5, 20, (12, 1)), (12, 168)).astype(float)
PRIVATE = np.maximum(0, TRUTH + RNG.laplace(0, 5, TRUTH.shape))


def test_mean_relative_error_is_the_papers_formula_in_loops():
    for zone, value in enumerate(metrics.mean_relative_error(TRUTH, PRIVATE)):
        gamma = 0.001 * sum(TRUTH[zone])
        terms = [
            abs(b - a) / max(gamma, a) for a, b in zip(TRUTH[zone], PRIVATE[zone], strict=True)
        ]
        assert value == pytest.approx(sum(terms) / 168, rel=1e-12)


def test_pearson_equals_scipy_and_has_no_value_for_constant_series():
    truth, private = TRUTH.copy(), PRIVATE.copy()
    truth[3], private[4] = 0.1, 0.3  # sums of 0.1 round, so means differ from 0.1
    values = metrics.pearson_correlation(truth, private)
    assert np.flatnonzero(np.isnan(values)).tolist() == [3, 4]
    for zone in (0, 1, 2, 5):
        expected = stats.pearsonr(truth[zone], private[zone]).statistic
        assert values[zone] == pytest.approx(expected, rel=1e-12)


def test_empty_truth_has_no_figures_and_wrong_arguments_are_refused():
    nothing = np.zeros((2, 3))
    assert np.isnan(metrics.mean_relative_error(nothing, nothing)).all()
    assert np.isnan(metrics.pearson_correlation(nothing, nothing)).all()
    assert np.isnan(metrics.total_error(nothing, nothing))
    assert np.isnan(metrics.earth_movers_distance(nothing, nothing, np.zeros((2, 2)))).all()
    with pytest.raises(ParameterError, match=r"same shape.*Compare a release"):
        metrics.pearson_correlation(TRUTH, PRIVATE[:3])
    with pytest.raises(ParameterError, match="centre_distances_m"):
        metrics.earth_movers_distance(TRUTH, PRIVATE, np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="Clip"):
        metrics.earth_movers_distance(TRUTH, PRIVATE - 100, np.zeros((12, 12)))


def test_earth_movers_distance_equals_the_full_transport_problem():
    places = RNG.uniform(0, 5000, (12, 2))
    distances_m = cdist(places, places)
    truth, private = TRUTH[:, :24], PRIVATE[:, :24]
    values = metrics.earth_movers_distance(truth, private, distances_m)
    for hour in range(24):
        p, q = truth[:, hour] / truth[:, hour].sum(), private[:, hour] / private[:, hour].sum()
        assert values[hour] == pytest.approx(ot.emd2(p, q, distances_m), rel=1e-9)


@pytest.mark.parametrize("size", [1, 7, 640, 20_000])
@pytest.mark.parametrize("most", [2, 10**6])
def test_the_largest_are_those_of_a_stable_sort(size, most):
    values = np.random.default_rng(size).integers(0, most, size)
    for n in (0, 1, 10, 100, size):
        expected = np.argsort(-values, kind="stable")[:n]
        np.testing.assert_array_equal(metrics.largest_positions(values, n), expected)
