"""Histograms of a dataset: one for every unit, T and choice of days, without the diagonal."""

import itertools

import numpy as np

from engine import origin_destination as od
from tests.reference.od_people import Counted, histogram_of_matrix, random_people

ZONES, DAYS = 5, 4
PEOPLE = random_people(np.random.default_rng(1), 60, ZONES, DAYS, 3.0)


def pairs(counted):
    rows = zip(counted.kept, counted.true, counted.cells, strict=True)
    return sorted(row for row in rows if row[2])


def dense(dataset, unit, limit, days, sum_days):
    """Return the histogram by way of the dense matrices that a release perturbs."""
    true = od.truth(dataset, days=days, sum_days=sum_days)
    settings = od.ODParameters(epsilon=1.0, unit=unit, max_trips_per_user=limit)
    return histogram_of_matrix(true, od.kept(dataset, settings, days=days, sum_days=sum_days))


def test_no_two_questions_share_an_answer():
    dataset = Counted(PEOPLE, ZONES, DAYS)
    questions = [
        (unit, limit, days, sum_days)
        for unit, limit in (("trip", 1), ("person-day", 1), ("person", 1), ("person-day", 2))
        for days, sum_days in itertools.product((None, 0, [1, 2]), (False, True))
    ]
    for _ in range(2):  # the second time from what is kept
        for unit, limit, days, sum_days in questions:
            counted = od.histogram(dataset, unit, limit, days=days, sum_days=sum_days)
            assert pairs(counted) == pairs(dense(dataset, unit, limit, days, sum_days))


def test_trips_within_a_zone_are_no_part_of_anything():
    inside = [[(0, 2, 2), (1, 3, 3), (1, 0, 0)]] * 7
    with_them, without = Counted(PEOPLE + inside, ZONES, DAYS), Counted(PEOPLE, ZONES, DAYS)
    for sum_days in (False, True):
        true = od.truth(with_them, sum_days=sum_days)
        np.testing.assert_array_equal(true, od.truth(without, sum_days=sum_days))
        for unit in ("trip", "person-day", "person"):
            counted, expected = (
                od.histogram(dataset, unit, 1, sum_days=sum_days)
                for dataset in (with_them, without)
            )
            assert pairs(counted) == pairs(expected)


def test_the_largest_counts_are_told_apart():
    true = np.zeros((3, 3), dtype=np.int64)
    true[0, 1], true[1, 0], true[2, 0], true[0, 2] = 2**53, 2**53, 2**40, 7
    kept = true.copy()
    kept[1, 0] = 3
    counted = histogram_of_matrix(true, kept)
    pairs = list(zip(counted.kept, counted.true, counted.cells, strict=True))
    large = 2.0**53
    assert sorted(pairs) == sorted(
        [(0, 0, 2), (7, 7, 1), (2.0**40, 2.0**40, 1), (3, large, 1), (large, large, 1)]
    )
    assert counted.by_origin.toarray()[2].sum() == 2
    np.testing.assert_array_equal(counted.by_destination @ counted.true, [large + 2**40, large, 7])
