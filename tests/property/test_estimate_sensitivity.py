"""Removing one unit of protection moves each thing that is measured by at most what it claims."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from engine.origin_destination import estimate
from tests.reference.od_people import Counted

ZONES, DAYS = 3, 2
TRIP = st.tuples(st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1))
NOTHING = od.ODNoise(cells=np.zeros((DAYS, ZONES, ZONES)))
PEOPLE = st.lists(st.lists(TRIP, max_size=60), min_size=1, max_size=4)


def measure(people, parameters):
    dataset = Counted(people, ZONES, DAYS)
    dataset.metadata = SimpleNamespace(**vars(dataset.metadata), people_public=10**12)
    return estimate.measure(dataset, parameters, noise=NOTHING)


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
    stages = before.ledger.stages
    assert np.abs(before.cells - after.cells).sum() <= stages[0].sensitivity == limit
    if unit == "person-day":
        assert before.capped_trips is not None
        moved = np.abs(before.capped_trips - after.capped_trips).sum()
        assert moved <= stages[1].sensitivity == 20
    else:
        assert before.capped_trips is None
    assert sum(s.sensitivity / s.noise_scale for s in stages) == pytest.approx(1.0)


@settings(max_examples=30, deadline=None)
@given(people=PEOPLE.filter(any), data=st.data())
def test_remove_one_trip_from_all_days_together(people, data):
    parameters = od.ODParameters(epsilon=1.0, unit="trip")
    gone = data.draw(st.sampled_from([i for i, trips in enumerate(people) if trips]))
    left = [list(trips) for trips in people]
    left[gone].pop(data.draw(st.integers(0, len(left[gone]) - 1)))
    before, after = measure(people, parameters), measure(left, parameters)
    (stage,) = before.ledger.stages
    # a trip is of one day: daily matrices with ε each are ε-DP together
    assert before.cells.shape[0] == DAYS
    assert np.abs(before.cells - after.cells).sum() <= stage.sensitivity == 1
    assert stage.sensitivity / stage.noise_scale == pytest.approx(1.0)


def test_nothing_claims_less_than_a_heavy_traveller_moves():
    heavy = [[(0, 0, 1)] * 40]
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=7)
    with_them, without = measure(heavy, parameters), measure([[]], parameters)
    assert np.abs(with_them.cells - without.cells).sum() == 7
    assert with_them.capped_trips.tolist() == [20, 0]
