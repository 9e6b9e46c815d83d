import numpy as np
import pytest

from engine import density
from engine.errors import ParameterError


@pytest.mark.parametrize("mean", [6.0, 11.0, 40.0, 100.0])
def test_the_rule_keeps_the_visits_at_which_noise_matters_least(mean: float) -> None:
    """Against a search over whole ℓ, for exponential numbers of visits."""
    kept = np.arange(1, 169)
    noise = np.sqrt(kept) / -np.expm1(-kept / mean)
    best = kept[noise.argmin()]
    assert abs(density.suggested_max_visits(mean) - best) <= 1


def test_it_stays_within_a_week_and_refuses_what_is_no_number() -> None:
    assert (density.suggested_max_visits(0.01), density.suggested_max_visits(1e6)) == (1, 168)
    with pytest.raises(ParameterError, match="mean_visits"):
        density.suggested_max_visits(float("nan"))
