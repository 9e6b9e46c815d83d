import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from engine.noise import laplace
from engine.origin_destination import laws
from tests.reference.od_people import Counted, expectation_of_matrix, release_matrix

ZONES, DAYS = 4, 3
TRIPS = st.tuples(
    st.integers(0, DAYS - 1), st.integers(0, ZONES - 1), st.integers(0, ZONES - 1)
).filter(lambda trip: trip[1] != trip[2])
PEOPLE = st.lists(st.lists(TRIPS, min_size=1, max_size=12), min_size=1, max_size=6)
EPSILONS = st.floats(0.01, 20)


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


@given(PEOPLE, st.integers(1, 11))
@settings(max_examples=30, deadline=None)
def test_a_larger_t_keeps_more(people, limit):
    for unit in ("person-day", "person"):
        fewer, more = kept_of(people, unit, limit), kept_of(people, unit, limit + 1)
        assert (fewer <= more).all()
        assert (more <= kept_of(people, "trip", 1)).all()


MATRICES = st.lists(st.lists(st.integers(0, 60), min_size=4, max_size=4), min_size=4, max_size=4)


@given(MATRICES, EPSILONS, st.integers(0, 40), st.permutations(range(4)), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_order_of_zones_is_irrelevant(counts, epsilon, threshold, order, seed):
    params = od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
    matrix = np.array(counts)
    noise = laplace(np.random.default_rng(seed), 1.0, (4, 4))
    turned = np.ix_(order, order)
    there = release_matrix(matrix, params, noise=noise)
    assert (release_matrix(matrix[turned], params, noise=noise[turned]) == there[turned]).all()
    assert there.min() == 0
    assert ((there == 0) | (there >= threshold)).all()
    before, after = (expectation_of_matrix(m, params) for m in (matrix, matrix[turned]))
    assert before.split.total == pytest.approx(after.split.total, rel=1e-12)
    assert after.outgoing.expected == pytest.approx(before.outgoing.expected[list(order)])


@given(MATRICES, EPSILONS, st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_outcomes_and_error_parts_add_up(counts, epsilon, threshold):
    params = od.ODParameters(epsilon=epsilon, max_trips_per_user=2, suppression_threshold=threshold)
    exact = expectation_of_matrix(counts, params, kept=np.array(counts) // 2)
    outcomes = exact.outcomes
    four = (outcomes.kept_suppressed, outcomes.revealed, outcomes.lost, outcomes.kept)
    assert sum(f.cells for f in four) == pytest.approx(12)
    assert sum(f.trips for f in four) == pytest.approx(exact.histogram.true_trips)
    split = exact.split
    assert split.trimmed + split.noise + split.suppression == pytest.approx(split.total)
    assert split.trimmed >= 0
    assert split.noise >= -1e-9
    for totals in (exact.outgoing, exact.incoming):
        assert totals.expected.sum() == pytest.approx(exact.grand.expected)


@given(
    st.integers(0, 300),
    st.integers(0, 100),
    st.floats(1e-3, 50),
    st.sampled_from(["rounded_laplace", "discrete_laplace"]),
)
@settings(max_examples=150, deadline=None)
def test_monotone_in_epsilon_count_and_threshold(count, threshold, rate, name):
    law, tighter = laws.NoiseLaw(rate, name), laws.NoiseLaw(rate * 1.5, name)
    hidden = laws.suppressed_probability(law, count, threshold)
    assert laws.suppressed_probability(law, count + 1, threshold) <= hidden
    assert laws.suppressed_probability(law, count, threshold + 1) >= hidden
    shown_at_first = count >= max(threshold, 1)
    tight = laws.suppressed_probability(tighter, count, threshold)
    assert tight <= hidden if shown_at_first else tight >= hidden
    for x in (0, 5):
        assert laws.unsuppressed_error(tighter, count, count + x) <= laws.unsuppressed_error(
            law, count, count + x
        )
