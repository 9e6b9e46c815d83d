"""Removing one unit of protection: every count and every utility moves within its bound."""

from functools import partial
from itertools import pairwise

import numpy as np
from hypothesis import given, settings, strategies as st

from engine import report
from engine.report import HISTOGRAMS, STOPS, USER_ANALYSES, Analysis
from engine.report.analyses import parts, quantile_sensitivity, sensitivity
from engine.report.measures import Measure
from engine.report.quantiles import of_noisy_bins, utilities
from tests.reference.report_people import random_trip, table_of

SEEDS = st.integers(0, 2**32 - 1)
LEVELS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0)
TRIPS_PER_PERSON = st.lists(st.integers(1, 14), min_size=1, max_size=4)


def people_of(seed, sizes):
    rng = np.random.default_rng(seed)
    return [[random_trip(rng) for _ in range(size)] for size in sizes]


def bounds_hold(before, after, params, *, exempt=()):
    for analysis in Analysis:
        if analysis in exempt:
            continue
        old = report.numbers(before, analysis, params, kept=True)
        new = report.numbers(after, analysis, params, kept=True)
        asked = parts(analysis, params.unit)
        each = len(old) // len(asked)
        for number, (_, counted) in enumerate(asked):
            part = slice(number * each, (number + 1) * each)
            change = np.abs(new[part] - old[part]).sum()
            assert change <= sensitivity(counted, params.unit, params.max_trips_per_user)
        if analysis in HISTOGRAMS:
            for level in LEVELS:
                scores = [utilities(x, level, discrete=False) for x in (old, new)]
                bound = quantile_sensitivity(
                    analysis.counted, params.unit, params.max_trips_per_user, level
                )
                assert np.abs(scores[1] - scores[0]).max() <= bound + 1e-9


@given(SEEDS, TRIPS_PER_PERSON, st.sampled_from(STOPS), st.sampled_from(("derived", "package")))
@settings(max_examples=50, deadline=None)
def test_removing_a_person_moves_nothing_beyond_its_bound(seed, sizes, kept, method):
    people = people_of(seed, sizes)
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=kept, method=method)
    bounds_hold(table_of(people), table_of(people[1:]), params)


@given(SEEDS, TRIPS_PER_PERSON, st.data())
@settings(max_examples=50, deadline=None)
def test_removing_a_trip_moves_nothing_beyond_its_bound_at_item_level(seed, sizes, data):
    people = people_of(seed, sizes)
    gone = data.draw(st.integers(0, len(people[0]) - 1))
    rest = [people[0][:gone] + people[0][gone + 1 :], *people[1:]]
    params = report.ReportParameters(epsilon=1.0, unit="item")
    bounds_hold(table_of(people), table_of(rest), params, exempt=USER_ANALYSES)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_the_bounds_are_reached(seed):
    """A person whose trips are all alike moves counts by exactly the sensitivity."""
    one = people_of(seed, [1])[0][0]
    params = report.ReportParameters(epsilon=1.0, max_trips_per_user=5)
    full, empty = table_of([[one] * 9, [one]]), table_of([[one]])
    windows = Analysis.ZONE_WINDOWS
    kept = partial(report.numbers, parameters=params, kept=True)
    days = kept(full, Analysis.DAYS) - kept(empty, Analysis.DAYS)
    assert np.abs(days).sum() == 5
    points = kept(full, windows) - kept(empty, windows)
    inside = kept(empty, Analysis.STATISTICS)[1]
    assert np.abs(points).sum() == 10 * inside


@given(SEEDS, TRIPS_PER_PERSON)
@settings(max_examples=20, deadline=None)
def test_all_trips_are_at_least_the_kept_ones(seed, sizes):
    table = table_of(people_of(seed, sizes))
    for measure in (Measure.DAY, Measure.ZONE_HOUR, Measure.JUMP_LENGTH):
        counts = [table.counts(measure, kept) for kept in (*STOPS, None)]
        assert all((more >= fewer).all() for fewer, more in pairwise(counts))


SHARES = st.floats(0.001, 0.3)
WEIGHTS = st.floats(0.01, 100)
NAMES = st.sampled_from([str(analysis) for analysis in Analysis])


@given(st.dictionaries(NAMES, WEIGHTS), st.dictionaries(NAMES, SHARES, max_size=3))
@settings(max_examples=100, deadline=None)
def test_shares_never_exceed_the_whole_and_locks_hold(weights, locked):
    budget = report.Budget.of(weights=weights, locked=locked)
    shares = budget.shares(list(Analysis))
    assert sum(shares.values()) <= 1 + 1e-12
    for name, share in locked.items():
        assert abs(shares[Analysis(name)] - share) <= 2e-6
    free = [a for a in Analysis if str(a) not in locked]
    total = sum(budget.weight(a) for a in free)
    left = 1 - sum(shares[Analysis(name)] for name in locked)
    for analysis in free:
        assert abs(shares[analysis] - left * budget.weight(analysis) / total) <= 2e-6


@given(st.lists(st.floats(-200, 1000), min_size=4, max_size=40), SEEDS)
@settings(max_examples=100, deadline=None)
def test_five_numbers_from_noisy_bins_are_monotone(noisy, seed):
    counts = np.array(noisy)
    edges = np.arange(len(noisy) - 1.0)
    for discrete in (False, True):
        numbers = of_noisy_bins(
            counts, edges, (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0), discrete=discrete
        )
        assert np.isnan(numbers).all() or (np.diff(numbers) >= 0).all()
        if not np.isnan(numbers).any():
            assert numbers.min() >= edges[0] - 1
            assert numbers.max() <= edges[-1]
