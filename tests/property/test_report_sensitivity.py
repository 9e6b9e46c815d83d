"""Removing one unit of protection: every count and every utility moves within its bound."""

from functools import partial

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import report
from engine.report import BINS, STOPS, Analysis
from engine.report.quantiles import quantile_utilities, quantiles_from_bins
from tests.reference.report_people import random_trip, table_of

SEEDS = st.integers(0, 2**32 - 1)
LEVELS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0)
TRIPS_PER_PERSON = st.lists(st.integers(1, 14), min_size=1, max_size=4)


def people_of(seed, sizes):
    rng = np.random.default_rng(seed)
    return [[random_trip(rng) for _ in range(size)] for size in sizes]


def bounds_hold(before, after, params):
    for analysis in params.analyses:
        old = report.count_analysis(before, analysis, params, is_truncated=True)
        new = report.count_analysis(after, analysis, params, is_truncated=True)
        asked = params.queries(analysis)
        each = len(old) if analysis is not Analysis.SIZE else 1
        for number, (_, counted) in enumerate(asked):
            part = slice(number * each, (number + 1) * each)
            change = np.abs(new[part] - old[part]).sum()
            assert change <= params.sensitivity(counted)
        if analysis in BINS:
            for level in LEVELS:
                apart = np.abs(
                    quantile_utilities(new, level) - quantile_utilities(old, level)
                ).max()
                bound = params.quantile_sensitivity(analysis.counted_item, level)
                assert apart <= bound + 1e-9


@given(SEEDS, TRIPS_PER_PERSON, st.sampled_from(STOPS), st.sampled_from(("derived", "package")))
@settings(max_examples=15, deadline=None)
def test_removing_a_person_moves_nothing_beyond_its_bound(seed, sizes, kept, method):
    people = people_of(seed, sizes)
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=kept, method=method)
    bounds_hold(table_of(people), table_of(people[1:]), params)


@given(SEEDS, TRIPS_PER_PERSON, st.data())
@settings(max_examples=15, deadline=None)
def test_removing_a_trip_moves_nothing_beyond_its_bound_at_item_level(seed, sizes, data):
    people = people_of(seed, sizes)
    gone = data.draw(st.integers(0, len(people[0]) - 1))
    rest = [people[0][:gone] + people[0][gone + 1 :], *people[1:]]
    params = report.ReportParameters(epsilon=1.0, unit="item", method="package")
    bounds_hold(table_of(people), table_of(rest), params)


@given(SEEDS)
@settings(max_examples=8, deadline=None)
def test_the_bounds_are_reached(seed):
    """A person whose trips are all alike moves counts by exactly the sensitivity."""
    one = people_of(seed, [1])[0][0]
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=5)
    full, empty = table_of([[one] * 9, [one]]), table_of([[one]])
    kept = partial(report.count_analysis, parameters=params, is_truncated=True)
    assert np.abs(kept(full, Analysis.DAYS) - kept(empty, Analysis.DAYS)).sum() == 5
    people, inside = kept(empty, Analysis.SIZE)
    assert people == inside
    assert kept(full, Analysis.SIZE)[0] == 2 * people
    points = kept(full, Analysis.VISITS) - kept(empty, Analysis.VISITS)
    assert np.abs(points).sum() == 10 * inside


@given(st.sets(st.sampled_from([str(one) for one in Analysis]), min_size=1), st.floats(0.01, 10))
@settings(max_examples=60, deadline=None)
def test_shares_never_exceed_the_whole(names, epsilon):
    if names == {"size"}:
        names = {"size", "days"}
    others = set(map(str, Analysis)) - names
    params = report.ReportParameters(epsilon=epsilon).without(others)
    assert sum(params.charged_shares.values()) <= 1
    stages = report.METHODS[params.method].cost(params).stages
    assert sum(stage.epsilon for stage in stages) <= epsilon * (1 + 1e-12)


@given(st.lists(st.integers(-200, 1000), min_size=4, max_size=40))
@settings(max_examples=60, deadline=None)
def test_five_numbers_from_noisy_bins_are_monotone(noisy):
    edges = np.arange(len(noisy) - 1.0)
    numbers = quantiles_from_bins(np.array(noisy), edges)
    assert np.isnan(numbers).all() or (np.diff(numbers) >= 0).all()
    if not np.isnan(numbers).any():
        assert edges[0] <= numbers.min() <= numbers.max() <= edges[-1]
