"""Settings refuse what is outside their domain, with rule, value and remedy."""

import math

import pytest

from engine.errors import ParameterError
from engine.parameters import DensityParameters, ODParameters

BAD_EPSILON = [0, -1, -1.0, math.nan, math.inf, -math.inf, "0.3", None, True]
BAD_DELTA = [0, 1, -1e-9, 1.5, math.nan, math.inf, "1e-7", None, False]
BAD_MAX_VISITS = [0, 169, -3, 2.5, math.nan, math.inf, "30", None, True]
BAD_MAX_TRIPS = [0, 257, -1, 1.5, math.nan, None, True]
BAD_THRESHOLD = [-1, 1.5, math.nan, math.inf, 10**6 + 1, None, "15"]


@pytest.mark.parametrize("epsilon", BAD_EPSILON)
def test_epsilon_is_refused_by_both_mechanisms(epsilon):
    for settings in (DensityParameters, ODParameters):
        with pytest.raises(
            ParameterError, match=r"epsilon must be a finite number above 0, got .*;"
        ):
            settings(epsilon=epsilon)


@pytest.mark.parametrize("epsilon", [1e-300, 9e-7, 1.1e6, 1e308])
def test_an_epsilon_beyond_all_use_is_refused(epsilon):
    for settings in (DensityParameters, ODParameters):
        with pytest.raises(ParameterError, match=r"epsilon must be from 1e-06 to 1e\+06, got .*;"):
            settings(epsilon=epsilon)


@pytest.mark.parametrize("delta", BAD_DELTA)
def test_delta_is_refused(delta):
    with pytest.raises(ParameterError, match=r"delta must be a number above 0 and below 1, got"):
        DensityParameters(epsilon=0.3, delta=delta)


@pytest.mark.parametrize("visits", BAD_MAX_VISITS)
def test_max_visits_is_refused(visits):
    with pytest.raises(ParameterError, match="whole number from 1 to 168"):
        DensityParameters(epsilon=0.3, max_visits_per_user=visits)


@pytest.mark.parametrize("trips", BAD_MAX_TRIPS)
def test_max_trips_is_refused(trips):
    with pytest.raises(ParameterError, match="whole number from 1 to 256"):
        ODParameters(epsilon=0.3, max_trips_per_user=trips)


@pytest.mark.parametrize("threshold", BAD_THRESHOLD)
def test_suppression_threshold_is_refused(threshold):
    with pytest.raises(ParameterError, match="whole number from 0 to 1000000"):
        ODParameters(epsilon=0.3, suppression_threshold=threshold)


def test_trip_level_fixes_max_trips_to_one():
    with pytest.raises(ParameterError, match="must be 1 at unit='trip', got 2"):
        ODParameters(epsilon=0.3, max_trips_per_user=2, unit="trip")
    assert ODParameters(epsilon=0.3, unit="trip").noise_scale == pytest.approx(1 / 0.3)


@pytest.mark.parametrize("minimum", [-1.0, math.nan, math.inf, "x"])
def test_cluster_minimum_is_refused(minimum):
    with pytest.raises(ParameterError, match="cluster_minimum must be None or a finite number"):
        DensityParameters(epsilon=0.3, cluster_minimum=minimum)


def test_unknown_choices_list_the_known_ones():
    with pytest.raises(ParameterError, match=r"method must be one of .*'efpag_joint'.*, got 'fft'"):
        DensityParameters(epsilon=0.3, method="fft")
    with pytest.raises(ParameterError, match=r"gaussian must be one of 'classical', 'analytic'"):
        DensityParameters(epsilon=0.3, gaussian="exact")
    with pytest.raises(ParameterError, match=r"unit must be one of 'trip', 'person-day', 'person'"):
        ODParameters(epsilon=0.3, unit="household")


@pytest.mark.parametrize("method", ["efpag", "efpag_joint"])
def test_classical_gaussian_ends_at_a_total_of_four(method):
    assert DensityParameters(epsilon=4.0, method=method).epsilon == 4.0
    with pytest.raises(ParameterError, match=r"at most 4 with gaussian='classical', got 4\.5"):
        DensityParameters(epsilon=4.5, method=method)
    assert DensityParameters(epsilon=4.5, method=method, gaussian="analytic").epsilon == 4.5
    assert DensityParameters(epsilon=4.5, method="lpa").epsilon == 4.5
