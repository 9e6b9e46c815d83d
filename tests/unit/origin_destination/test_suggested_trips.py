import itertools

import numpy as np
import pytest

from engine import origin_destination as od
from engine.errors import ParameterError


def test_the_rule_is_where_one_more_trip_costs_the_noise_it_brings() -> None:
    """By a plain search over T, for people whose numbers of trips have the rule's own tail."""
    limits = np.arange(1, 101)
    for people, zones, epsilon in itertools.product((10**5, 10**7), (10, 40), (0.3, 2.0)):
        flows = zones * (zones - 1)
        beyond = people * (limits / 0.35) ** -2.5
        lost = np.cumsum(beyond[::-1])[::-1]  # trips dropped at each T
        best = limits[np.argmin(lost + flows * limits / epsilon)]
        assert abs(od.suggested_max_trips(people, zones, epsilon) - best) <= 1


def test_it_grows_with_people_epsilon_and_days_and_falls_with_zones() -> None:
    def at(people: int = 10**6, zones: int = 50, epsilon: float = 1.0, days: int = 1) -> int:
        return od.suggested_max_trips(people, zones, epsilon, days=days)

    assert at(10**5) < at() < at(10**8)
    assert at(epsilon=0.1) < at() < at(epsilon=10)
    assert at() < at(days=7) < at(days=90)
    assert at(zones=20) > at() > at(zones=300)
    assert (at(0), at(10**12)) == (1, 100)


def test_without_public_people_or_flows_nothing_is_suggested() -> None:
    assert od.suggested_max_trips(None, 30, 1.0) is None
    assert od.suggested_max_trips(100, 1, 1.0) is None
    with pytest.raises(ParameterError, match="epsilon"):
        od.suggested_max_trips(100, 30, float("nan"))
