import math

import pytest

from engine import density
from engine.errors import ParameterError


def test_the_rule_grows_with_people_and_epsilon_within_its_ends() -> None:
    values = [density.suggested_max_visits(50_000, e) for e in (1e-3, 0.1, 0.3, 1.0, 100.0)]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (10, 60)
    assert density.suggested_max_visits(50_000, 0.5) == round(math.sqrt(25_000) / 7)
    assert density.suggested_max_visits(0, 1.0) == 10


def test_without_a_public_number_of_people_it_is_the_usual_one() -> None:
    assert density.suggested_max_visits(None, 0.1) == 30
    with pytest.raises(ParameterError, match="epsilon"):
        density.suggested_max_visits(100, float("nan"))
