import numpy as np
from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from tests.reference.od_people import Counted

ZONES, DAYS = 4, 3
TRIPS = st.tuples(
    st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1)
).filter(lambda trip: trip[1] != trip[2])
PEOPLE = st.lists(st.lists(TRIPS, min_size=1, max_size=12), min_size=1, max_size=6)


def kept_of(people, unit, limit, **options):
    params = od.ODParameters(epsilon=1.0, max_trips_per_user=limit, unit=unit)
    return od.kept(Counted(people, ZONES, DAYS), params, **options)


@given(PEOPLE, st.integers(1, 5), st.data())
@settings(max_examples=60, deadline=None)
def test_a_person_changes_the_matrices_by_at_most_t(people, limit, data):
    gone = data.draw(st.integers(0, len(people) - 1))
    rest = people[:gone] + people[gone + 1 :]
    daily = np.abs(kept_of(people, "person-day", limit) - kept_of(rest, "person-day", limit))
    assert (daily.sum(axis=(1, 2)) <= limit).all()
    whole = np.abs(kept_of(people, "person", limit) - kept_of(rest, "person", limit))
    assert whole.sum() <= limit
    summed = np.abs(
        kept_of(people, "person", limit, sum_days=True)
        - kept_of(rest, "person", limit, sum_days=True)
    )
    assert summed.sum() <= limit


@given(PEOPLE, st.integers(1, 5), st.data())
@settings(max_examples=30, deadline=None)
def test_a_person_day_changes_the_matrices_by_at_most_t(people, limit, data):
    who = data.draw(st.integers(0, len(people) - 1))
    day = data.draw(st.integers(0, DAYS - 1))
    rest = [list(trips) for trips in people]
    rest[who] = [trip for trip in rest[who] if trip[0] != day]
    change = np.abs(kept_of(people, "person-day", limit) - kept_of(rest, "person-day", limit))
    assert change.sum() <= limit


@given(PEOPLE, st.data())
@settings(max_examples=30, deadline=None)
def test_a_trip_changes_the_matrices_by_one(people, data):
    who = data.draw(st.integers(0, len(people) - 1))
    trip = data.draw(st.integers(0, len(people[who]) - 1))
    rest = [list(trips) for trips in people]
    del rest[who][trip]
    change = np.abs(kept_of(people, "trip", 1) - kept_of(rest, "trip", 1))
    assert change.sum() == 1
