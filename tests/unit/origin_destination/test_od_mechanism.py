import itertools
import math

import numpy as np
import pytest

from engine import origin_destination as od
from engine.errors import DatasetError, ParameterError
from engine.origin_destination import matrices
from engine.origin_destination.scores import classify_outcomes, score_draw, total_error
from engine.privacy_cost import PrivacyUnit, Query
from tests.reference.od_people import (
    Counted,
    expectation_of_matrix,
    histogram_of_matrix,
    random_people,
    release_matrix,
)

TRIP = od.ODParameters(epsilon=0.5, unit="trip")
ZONES, DAYS = 5, 4
PEOPLE = random_people(np.random.default_rng(1), 60, ZONES, DAYS, 3.0)


def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="module")
def counted():
    return Counted(PEOPLE, ZONES, DAYS)


def test_algorithm_1_and_its_law_do_not_answer_for_another_method():
    ours = od.ODParameters(epsilon=0.5, method="empirical_bayes")
    for ask in (
        lambda: release_matrix([[0, 20], [3, 0]], ours, rng=rng()),
        lambda: expectation_of_matrix([[0, 20], [3, 0]], ours),
    ):
        with pytest.raises(ParameterError, match="method must be 'laplace_suppression'"):
            ask()
    with pytest.raises(ParameterError, match="'laplace_suppression' is the method of"):
        od.ODParameters(epsilon=0.5, method="ours")


def test_the_largest_counts_and_noise_lose_no_digit_and_overflow_nothing():
    counts = [[0, 2**53], [2**53 - 1, 0]]
    noise = np.array([[0.0, 0.6], [-0.6, 0.0]])
    private = release_matrix(counts, TRIP, noise=noise)
    assert private.tolist() == [[0, 2**53 + 1], [2**53 - 2, 0]]
    exact = expectation_of_matrix(counts, TRIP)
    assert exact.median_error() == 1.0
    assert exact.mean_error() == pytest.approx(2.0, rel=0.02)
    assert exact.outcomes.rightly_released.cells == 2
    params = od.ODParameters(epsilon=1e-6, unit="trip")
    noise = np.where(np.arange(900).reshape(30, 30) % 2, 1e300, -1e300)
    private = release_matrix(np.full((30, 30), 2**53), params, noise=noise)
    assert private.min() == 0
    assert private.max() > 2**60


def test_rounding_is_half_up_also_below_zero():
    noise = np.zeros((3, 3))
    noise[0, 1], noise[0, 2], noise[1, 0], noise[1, 2] = 0.25, -0.25, 0.75, -0.75
    params = od.ODParameters(epsilon=0.5, suppression_threshold=0, unit="trip")
    private = release_matrix(np.full((3, 3), 4), params, noise=noise)
    assert private.tolist() == [[0, 5, 4], [6, 0, 3], [4, 4, 0]]


def test_one_zone_has_nothing_to_release():
    assert release_matrix([[5]], TRIP, rng=rng()).tolist() == [[0]]
    exact = expectation_of_matrix([[5]], TRIP)
    assert exact.histogram.cell_counts.tolist() == [0]
    assert exact.released_trips == 0
    assert [ends.tolist() for ends in exact.interval_of_totals("outgoing", [0])] == [[0], [0]]
    assert math.isnan(exact.mean_error())
    assert math.isnan(exact.median_error())
    assert math.isnan(exact.common_part)
    assert all(math.isnan(share) for share in exact.share_below())
    assert np.isnan(exact.absolute_error_within([0, 1])).all()
    assert np.isnan(od.compute_error_grid(exact.histogram, [1.0], [15]).mean_absolute).all()


@pytest.mark.parametrize(
    ("days", "expected"),
    [(None, (0, 1, 2, 3)), (2, (2,)), (np.int64(1), (1,)), (slice(1, 3), (1, 2)), ([3, 0], (3, 0))],
)
def test_days_are_chosen_in_the_order_given(counted, days, expected):
    everything = od.truth(counted)
    assert (od.truth(counted, days=days) == everything[list(expected)]).all()
    assert matrices.day_indices(counted, days) == expected
    assert len(od.release(counted, TRIP, rng=rng(), days=days).counts) == len(expected)


def test_days_outside_the_period_and_noise_that_does_not_fit_are_refused(counted):
    for days in (4, -1, 1.5, [0, 0], [], slice(4, 9), [0, True], "first"):
        with pytest.raises(ParameterError, match="days must"):
            od.truth(counted, days=days)
    for noise in (np.zeros((1, 3, 3)), np.full((1, ZONES, ZONES), np.nan)):
        with pytest.raises(ParameterError, match="noise must hold one finite variate"):
            od.release(counted, TRIP, noise=noise, days=0)


def test_an_empty_day_is_a_day_of_zeros():
    quiet = Counted([[(0, 1, 2), (2, 0, 1)]], 3, 3)
    assert not od.truth(quiet, days=1).any()
    exact = od.expected(quiet, TRIP, days=1)
    assert exact.histogram.total_trips == 0
    assert exact.histogram.cell_counts.tolist() == [6]
    assert od.release(quiet, TRIP, rng=rng(), days=1).counts.shape == (1, 3, 3)


def test_what_would_not_fit_is_refused_and_counted_sparsely(counted, monkeypatch):
    monkeypatch.setattr(matrices, "MAX_DENSE_CELLS", 60)
    for call in (lambda: od.truth(counted), lambda: od.release(counted, TRIP, rng=rng())):
        with pytest.raises(ParameterError, match=r"days must fit in memory.*at most 2 days"):
            call()
    assert od.truth(counted, days=[0, 1]).shape == (2, ZONES, ZONES)
    assert od.compute_histogram(counted).cell_counts.sum() == DAYS * ZONES * (ZONES - 1)


def test_what_a_unit_needs_of_the_data_is_said():
    flows = Counted(PEOPLE, ZONES, DAYS, have_people=False)
    assert od.release(flows, TRIP, rng=rng()).counts.any()
    for unit in ("person-day", "person"):
        with pytest.raises(DatasetError, match="flows without people"):
            od.release(flows, od.ODParameters(epsilon=1.0, unit=unit), rng=rng())
    daily = Counted(PEOPLE, ZONES, DAYS)
    daily.has_person_ranks = False
    with pytest.raises(DatasetError, match="Choose unit='person-day'"):
        od.expected(daily, od.ODParameters(epsilon=1.0, unit="person"))


def test_ledger_says_what_one_unit_pays():
    params = od.ODParameters(epsilon=0.5, max_trips_per_user=4)
    ledger = od.METHODS[params.method].cost(params)
    (stage,) = ledger.stages
    assert (stage.sensitivity, stage.norm, stage.noise_scale) == (4.0, "L1", 8.0)
    assert ledger.paper_epsilon == ledger.composed_epsilon == ledger.proved_epsilon == 0.5
    assert stage.query is Query.FLOWS
    assert ledger.unit is PrivacyUnit.PERSON_DAY
    assert od.METHODS[TRIP.method].cost(TRIP).unit is PrivacyUnit.TRIP
    whole = od.ODParameters(epsilon=0.5, max_trips_per_user=4, unit="person")
    person = od.METHODS[whole.method].cost(whole)
    assert person.unit is PrivacyUnit.PERSON_TRIPS


def test_drawn_records_add_up(counted):
    params = od.ODParameters(epsilon=0.2, max_trips_per_user=2, suppression_threshold=5)
    truth = od.truth(counted)
    released = od.release(counted, params, rng=rng()).counts
    outcomes = classify_outcomes(truth, released, 5)
    names = ("rightly_suppressed", "revealed", "lost", "rightly_released")
    four = [getattr(outcomes, name) for name in names]
    assert sum(outcome.cells for outcome in four) == DAYS * ZONES * (ZONES - 1)
    assert sum(outcome.trips for outcome in four) == truth.sum()
    assert outcomes.phantom.trips == released[truth == 0].sum()
    assert outcomes.lost.cells == ((truth >= 5) & (released == 0)).sum()
    off = ~np.eye(ZONES, dtype=bool)
    scores = score_draw(truth, released)
    assert scores.mean_error == np.abs(released - truth)[:, off].mean()
    busy = truth >= 15
    assert busy.any()
    assert scores.large_flows == busy.sum()
    assert scores.lost_flows == (busy & (released == 0)).sum()
    assert scores.phantom_flows == ((truth == 0) & (released > 0)).sum()
    bounded = np.abs(released - truth)[busy] / truth[busy]
    assert scores.relative_error == pytest.approx(bounded.mean())
    hiding = [score_draw(truth, released * (released >= tau)) for tau in (15, 30, 60)]
    assert hiding[0].relative_error < hiding[1].relative_error < hiding[2].relative_error
    assert hiding[0].lost_flows < hiding[1].lost_flows < hiding[2].lost_flows
    common = 2 * np.minimum(released, truth).sum() / (released + truth).sum()
    assert scores.common_part == pytest.approx(common)
    assert scores.zero_share == (released == 0)[:, off].mean()
    seen = score_draw(truth, released, released > 20)
    assert seen.lost_flows == (busy & (released <= 20)).sum()
    assert seen.mean_error == scores.mean_error
    assert math.isnan(score_draw(np.zeros((2, 2)), np.zeros((2, 2))).relative_error)
    assert total_error(truth.sum(axis=(0, 2)), released.sum(axis=(0, 2))) > 0
    with pytest.raises(ParameterError, match="same shape"):
        classify_outcomes(truth, released[:1], 5)


@pytest.mark.parametrize("unit", ["person-day", "person"])
@pytest.mark.parametrize("limit", [1, 255, 256])
def test_the_largest_t_keeps_no_trip_of_the_bucket_beyond_it(unit, limit):
    heavy = [[(0, 0, 1)] * 300]
    (kept,) = matrices.truncated_counts(Counted(heavy, 2, 1), unit, limit, (0,))
    assert kept.sum() == limit


def pairs(counted):
    rows = zip(counted.truncated_counts, counted.true_counts, counted.cell_counts, strict=True)
    return sorted(row for row in rows if row[2])


def dense(dataset, unit, limit, days, sum_days):
    """Return the histogram by way of the dense matrices that a release perturbs."""
    true = od.truth(dataset, days=days, sum_days=sum_days)
    settings = od.ODParameters(epsilon=1.0, unit=unit, max_trips_per_user=limit)
    kept = od.truncated_matrices(dataset, settings, days=days, sum_days=sum_days)
    return histogram_of_matrix(true, kept)


def test_no_two_questions_share_an_answer():
    dataset = Counted(PEOPLE, ZONES, DAYS)
    questions = [
        (unit, limit, days, sum_days)
        for unit, limit in (("trip", 1), ("person-day", 1), ("person", 1), ("person-day", 2))
        for days, sum_days in itertools.product((None, 0, [1, 2]), (False, True))
    ]
    for _ in range(2):  # the second time from what is kept
        for unit, limit, days, sum_days in questions:
            counted = od.compute_histogram(dataset, unit, limit, days=days, sum_days=sum_days)
            assert pairs(counted) == pairs(dense(dataset, unit, limit, days, sum_days))


def test_trips_within_a_zone_are_no_part_of_anything():
    inside = [[(0, 2, 2), (1, 3, 3), (1, 0, 0)]] * 7
    with_them, without = Counted(PEOPLE + inside, ZONES, DAYS), Counted(PEOPLE, ZONES, DAYS)
    for sum_days in (False, True):
        true = od.truth(with_them, sum_days=sum_days)
        np.testing.assert_array_equal(true, od.truth(without, sum_days=sum_days))
        for unit in ("trip", "person-day", "person"):
            counted = od.compute_histogram(with_them, unit, 1, sum_days=sum_days)
            expected = od.compute_histogram(without, unit, 1, sum_days=sum_days)
            assert pairs(counted) == pairs(expected)


def test_the_largest_counts_are_told_apart():
    true = np.zeros((3, 3), dtype=np.int64)
    true[0, 1], true[1, 0], true[2, 0], true[0, 2] = 2**53, 2**53, 2**40, 7
    kept = true.copy()
    kept[1, 0] = 3
    counted = histogram_of_matrix(true, kept)
    large = 2.0**53
    wanted = [(0, 0, 2), (7, 7, 1), (2.0**40, 2.0**40, 1), (3, large, 1), (large, large, 1)]
    assert pairs(counted) == sorted(wanted)
    assert counted.by_origin.toarray()[2].sum() == 2
    arriving = counted.by_destination @ counted.true_counts
    assert arriving.tolist() == [large + 2**40, large, 7]
