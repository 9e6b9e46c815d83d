"""Removing one unit of protection moves each thing that is measured by at most what it claims."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from engine.origin_destination import empirical_bayes
from tests.reference.od_people import Counted

ZONES, DAYS = 3, 2
TRIP = st.tuples(st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1))
PEOPLE = st.lists(st.lists(TRIP, max_size=60), min_size=1, max_size=4)


def measure(people, parameters):
    summed = parameters.unit == "person"
    noise = np.zeros((1 if summed else DAYS, ZONES, ZONES))
    dataset = Counted(people, ZONES, DAYS)
    return empirical_bayes.measure(dataset, parameters, noise=noise, sum_days=summed)


@pytest.mark.parametrize("unit", ["person-day", "person"])
@settings(max_examples=60, deadline=None)
@given(people=PEOPLE, limit=st.integers(1, 19), data=st.data())
def test_remove_one(unit, people, limit, data):
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=limit, unit=unit)
    gone = data.draw(st.integers(0, len(people) - 1))
    day = data.draw(st.integers(0, DAYS - 1))
    left = [trips for i, trips in enumerate(people) if i != gone]
    if unit == "person-day":  # only that day's trips go
        left.append([trip for trip in people[gone] if trip[0] != day])
    before, after = measure(people, parameters), measure(left, parameters)
    stages = before.cost.stages
    assert np.abs(before.cells - after.cells).sum() <= stages[0].sensitivity == limit
    if beyond := empirical_bayes.max_excess_count(parameters):
        moved = np.abs(before.excess_trips - after.excess_trips).sum()
        assert moved <= stages[1].sensitivity == beyond
        assert limit + beyond == {"person-day": 20, "person": 50}[unit]
    assert sum(s.sensitivity / s.noise_scale for s in stages) == pytest.approx(1.0)


@settings(max_examples=30, deadline=None)
@given(people=PEOPLE.filter(any), data=st.data())
def test_remove_one_trip_from_all_days_together(people, data):
    parameters = od.ODParameters(epsilon=1.0, unit="trip")
    gone = data.draw(st.sampled_from([i for i, trips in enumerate(people) if trips]))
    left = [list(trips) for trips in people]
    left[gone].pop(data.draw(st.integers(0, len(left[gone]) - 1)))
    before, after = measure(people, parameters), measure(left, parameters)
    (stage,) = before.cost.stages
    # a trip is of one day: daily matrices with ε each are ε-DP together
    assert before.cells.shape[0] == DAYS
    assert np.abs(before.cells - after.cells).sum() <= stage.sensitivity == 1
    assert stage.sensitivity / stage.noise_scale == pytest.approx(1.0)


def test_nothing_claims_less_than_a_heavy_traveller_moves():
    heavy = [[(0, 0, 1)] * 40]
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=7)
    with_them, without = measure(heavy, parameters), measure([[]], parameters)
    assert np.abs(with_them.cells - without.cells).sum() == 7
    assert with_them.excess_trips.tolist() == [13, 0]
    whole = od.ODParameters(epsilon=1.0, max_trips_per_user=30, unit="person")
    with_them, without = measure([[(0, 0, 1)] * 90], whole), measure([[]], whole)
    assert (np.abs(with_them.cells).sum(), with_them.excess_trips.tolist()) == (30, [20])


@pytest.mark.parametrize("unit", ["person-day", "person"])
@settings(max_examples=60, deadline=None)
@given(people=PEOPLE.filter(any), limit=st.integers(1, 33), data=st.data())
def test_one_trip_costs_at_most_two_parts_in_t(unit, people, limit, data):
    """Without one trip the ranks of the others move up: the price of a trip holds all the same."""
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=limit, unit=unit)
    gone = data.draw(st.sampled_from([i for i, trips in enumerate(people) if trips]))
    left = [list(trips) for trips in people]
    left[gone].pop(data.draw(st.integers(0, len(left[gone]) - 1)))
    before, after = measure(people, parameters), measure(left, parameters)
    stages = before.cost.stages
    lost = np.abs(before.cells - after.cells).sum() / stages[0].noise_scale
    if before.excess_trips is not None:
        lost += np.abs(before.excess_trips - after.excess_trips).sum() / stages[1].noise_scale
    assert lost <= 2 * parameters.epsilon / limit * (1 + 1e-9)


@pytest.mark.parametrize("unit", ["person-day", "person"])
def test_a_trip_of_a_heavy_traveller_costs_no_more_at_any_t(unit):
    """One trip leaves the first T, one moves up, and the count beyond T has one less."""
    for limit in range(1, 50):
        parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=limit, unit=unit)
        beyond = max({"person-day": 20, "person": 50}[unit] - limit, 1)
        trips = [(0, 0, 2), *[(0, 0, 1)] * (limit - 1), *[(0, 1, 0)] * beyond]
        before, after = measure([trips], parameters), measure([trips[1:]], parameters)
        cells, *count = before.cost.stages
        assert np.abs(before.cells - after.cells).sum() == 2
        lost = 2 / cells.noise_scale
        if count:
            assert np.abs(before.excess_trips - after.excess_trips).sum() == 1
            lost += 1 / count[0].noise_scale
        assert lost <= 2 / limit * (1 + 1e-9)
