"""Settings refuse what is outside their domain, with rule, value and remedy."""

import math

import pytest

from engine.errors import ParameterError
from engine.parameters import DensityParameters, ODParameters

DENSITY, FLOWS = DensityParameters, ODParameters
EPSILON = r"epsilon must be a number from 1e-06 to 1e\+06 \(given: .*\)\."
REFUSED = [
    *((kind, "epsilon", EPSILON, (0, -1, 9e-7, 1.1e6, math.nan, math.inf, "0.3", None, True))
      for kind in (DENSITY, FLOWS)),
    (DENSITY, "delta", "delta must be a number above 0 and below 1",
     (0, 1, -1e-9, math.nan, "1e-7", None, False)),
    (DENSITY, "max_visits_per_user", "whole number from 1 to 168", (0, 169, 2.5, math.nan, "30")),
    (FLOWS, "max_trips_per_user", "whole number from 1 to 256", (0, 257, 1.5, math.nan, None)),
    (FLOWS, "suppression_threshold", "whole number from 0 to 1000000",
     (-1, 1.5, math.nan, 10**6 + 1, None, "15")),
    (DENSITY, "cluster_minimum", "cluster_minimum must be a finite number of at least 0",
     (-1.0, math.nan, math.inf, "x")),
    (DENSITY, "method", r"method must be one of .*'efpag_joint'.* \(given: 'fft'\)", ("fft",)),
    (DENSITY, "gaussian", "gaussian must be one of 'classical', 'analytic'", ("exact",)),
    (FLOWS, "unit", "unit must be one of 'trip', 'person-day', 'person'", ("household",)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "rule", "values"), REFUSED)
def test_what_is_outside_its_domain_is_refused(kind, name, rule, values):
    for value in values:
        with pytest.raises(ParameterError, match=rule):
            kind(**{"epsilon": 0.3, name: value})


def test_trip_level_fixes_max_trips_to_one():
    with pytest.raises(ParameterError, match=r"must be 1 at unit='trip' \(given: 2"):
        ODParameters(epsilon=0.3, max_trips_per_user=2, unit="trip")
    assert ODParameters(epsilon=0.3, unit="trip").noise_scale == pytest.approx(1 / 0.3)


@pytest.mark.parametrize("method", ["efpag", "efpag_joint"])
def test_classical_gaussian_ends_at_a_total_of_four(method):
    assert DensityParameters(epsilon=4.0, method=method).epsilon == 4.0
    with pytest.raises(ParameterError, match=r"at most 4 with gaussian='classical' \(given: 4\.5"):
        DensityParameters(epsilon=4.5, method=method)
    assert DensityParameters(epsilon=4.5, method=method, gaussian="analytic").epsilon == 4.5
    assert DensityParameters(epsilon=4.5, method="lpa").epsilon == 4.5
