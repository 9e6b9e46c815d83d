"""Exact expectations: the grid over ε × τ, medians, totals and the curve over T."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine import origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination import laws
from engine.origin_destination.laws import NoiseLaw
from tests.reference.od_people import (
    Counted,
    expectation_of_matrix,
    histogram_of_matrix,
    random_people,
    release_matrix,
)

LAWS = ["rounded_laplace", "discrete_laplace"]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("trips", [1, 3])
@pytest.mark.parametrize("population", ["all", "travelled"])
def test_the_grid_equals_the_expectation_at_every_setting(law, trips, population):
    rng = np.random.default_rng(2)
    true = rng.poisson(rng.gamma(0.3, 40, (20, 20)))
    kept = true if trips == 1 else rng.binomial(true, 0.7)
    counted = histogram_of_matrix(true, kept)
    epsilons, thresholds = [0.03, 0.4, 9.0], [15, 0, 1, 17, 300, 18, 301, 17]
    grid = od.heat_map(counted, epsilons, thresholds, trips, law=law, population=population)
    for i, epsilon in enumerate(epsilons):
        for j, threshold in enumerate(thresholds):
            params = od.ODParameters(
                epsilon=epsilon, max_trips_per_user=trips, suppression_threshold=threshold
            )
            exact = expectation_of_matrix(true, params, kept=kept, law=law)
            part = exact.outcomes
            large = float(part.lost.cells + part.kept.cells)
            zeros = part.lost.cells + part.kept_suppressed.cells
            expected = {
                "mean_absolute": exact.mean_error(population),
                "mean_bounded_relative": exact.relative_error(population),
                "common_part": exact.common_part,
                "zero_share": zeros / counted.cells.sum(),
                "lost_share": part.lost.cells / large if large else np.nan,
                "revealed_flows": part.revealed.cells - part.phantom.cells,
                "phantom_flows": part.phantom.cells,
                "bias": float(exact.grand.bias),
            }
            for name, value in expected.items():
                got = getattr(grid, name)[i, j]
                assert got == pytest.approx(value, rel=1e-9, abs=1e-8, nan_ok=True), name


def test_wrong_settings_of_a_grid_are_refused():
    counted = histogram_of_matrix([[0, 1], [2, 0]])
    for options in ({"population": "large"}, {"law": "gaussian"}):
        with pytest.raises(ParameterError, match="must be one of"):
            od.heat_map(counted, [1.0], [15], **options)


def test_the_common_part_is_that_of_expectations():
    """Against 400 releases: the ratio of sums, and by hand where noise is nothing."""
    rng = np.random.default_rng(4)
    true = rng.poisson(rng.gamma(0.4, 30, (15, 15))) * (1 - np.eye(15, dtype=int))
    kept = rng.binomial(true, 0.8)
    params = od.ODParameters(epsilon=0.6, max_trips_per_user=2, suppression_threshold=10)
    drawn = np.array([release_matrix(kept, params, rng=rng) for _ in range(400)])
    ratio = 1 - np.abs(drawn - true).sum() / (400 * true.sum() + drawn.sum())
    exact = expectation_of_matrix(true, params, kept=kept)
    assert exact.common_part == pytest.approx(ratio, abs=0.003)
    sharp = od.ODParameters(epsilon=900.0, suppression_threshold=15, unit="trip")
    assert expectation_of_matrix([[0, 30], [10, 0]], sharp).common_part == 1 - 10 / 70


@settings(max_examples=25, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30)), min_size=6, max_size=6),
    rate=st.sampled_from([0.2, 0.5, 1.5]),
    threshold=st.integers(0, 20),
)
def test_medians_are_those_of_every_outcome(cells, rate, threshold):
    kept, true = np.zeros((2, 3, 3), dtype=np.int64)
    off = ~np.eye(3, dtype=bool)
    kept[off], true[off] = np.array([(m, m + d) for m, d in cells]).T
    params = od.ODParameters(epsilon=rate, suppression_threshold=threshold)
    exact = expectation_of_matrix(true, params, kept=kept)
    noise = np.arange(-200, 400)
    out = kept[off][:, None] + noise
    out = np.where(out >= max(threshold, 1), out, 0)
    chance, t = np.broadcast_to(NoiseLaw(rate).pmf(noise), out.shape), true[off][:, None]
    error = np.abs(out - t)
    median = exact.median_error()
    assert chance[error <= median].sum() >= 3 - 1e-9
    assert chance[error < median].sum() <= 3 + 1e-9


def test_theorem_4_holds_far_above_the_threshold():
    exact = expectation_of_matrix(
        [[0, 5000], [5000, 0]], od.ODParameters(epsilon=0.2853, unit="trip")
    )
    tail = od.calculators.cell_error_probability(10, 0.2853)
    assert 1 - exact.absolute_error_within(10) == pytest.approx(tail, rel=1e-12)
    assert tail == pytest.approx(0.05, abs=1e-4)


def test_trimming_curve_is_the_split_at_every_t():
    people = random_people(np.random.default_rng(9), 150, 5, 2, 5.0)
    dataset = Counted(people, 5, 2)
    params = od.ODParameters(epsilon=2.0, suppression_threshold=3)
    curve = od.trimming_curve(dataset, params, [8, 1, 2, 4, 2, 40])
    assert curve.limits.tolist() == [1, 2, 4, 8, 40]
    for i, limit in enumerate(curve.limits.tolist()):
        settings = od.ODParameters(epsilon=2.0, max_trips_per_user=limit, suppression_threshold=3)
        split = od.expected(dataset, settings).split
        assert (curve.trimmed[i], curve.total[i]) == (split.trimmed, split.total)
        assert curve.noise[i] + curve.suppression[i] == pytest.approx(split.total - split.trimmed)
    assert (np.diff(curve.trimmed) <= 0).all()
    assert curve.trimmed[-1] == 0
    assert curve.kept_share[-1] == 1
    assert curve.total[curve.limits.tolist().index(curve.best)] == curve.total.min()
    assert 1 < curve.best < 40


def test_trimming_curve_refuses_what_has_no_t():
    dataset = Counted([[(0, 0, 1)]], 2, 1)
    with pytest.raises(ParameterError, match="trip level trims nobody"):
        od.trimming_curve(dataset, od.ODParameters(epsilon=1.0, unit="trip"))
    with pytest.raises(ParameterError, match="limits must name a T"):
        od.trimming_curve(dataset, od.ODParameters(epsilon=1.0), [])
    with pytest.raises(ParameterError, match="max_trips_per_user must be a whole number"):
        od.trimming_curve(dataset, od.ODParameters(epsilon=1.0), [0])


@pytest.mark.parametrize("threshold", [0, 5, 15])
@pytest.mark.parametrize("count", [1, 5, 9, 30])
def test_share_below_counts_what_is_suppressed_too(threshold, count):
    settings = od.ODParameters(epsilon=0.4, suppression_threshold=threshold, unit="person-day")
    true = np.array([[0, 3, 40], [11, 0, 22], [0, 7, 0]])
    kept = np.array([[0, 2, 28], [11, 0, 15], [0, 0, 0]])
    exact = expectation_of_matrix(true, settings, kept=kept)
    noise = np.arange(-200, 201)
    chance = laws.NoiseLaw(0.4).pmf(noise)
    cells = ~np.eye(3, dtype=bool)
    out = kept[cells][:, None] + noise
    below = np.where(out >= max(threshold, 1), out, 0) < count
    expected = ((true[cells] < count).mean(), (below @ chance).mean())
    assert exact.share_below(count) == pytest.approx(expected, rel=1e-12)


def sum_of_cells(law, counts, threshold, reach=400):
    """Return P(S = 0), P(S = 1), … of the sum of independent released cells, by convolution."""
    noise = np.arange(-reach, reach + 1)
    whole = np.array([1.0])
    for count in counts:
        out = np.where(count + noise >= max(threshold, 1), count + noise, 0)
        whole = np.convolve(whole, np.bincount(out, weights=law.pmf(noise)))
    return whole


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(
    ("counts", "threshold", "epsilon"),
    [
        ([0] * 29, 15, 0.3),
        ([1] * 29, 15, 0.25),
        ([30] * 19, 15, 0.5),
        ([60, 61, 0, 4, 9, 12], 15, 0.1),
        ([3, 0, 12], 0, 0.2),
        ([500], 15, 1.0),
    ],
)
def test_intervals_of_totals_hold_about_95_of_100_releases(counts, threshold, epsilon, name):
    """By the law of the sum, convolved cell by cell; means and deviations are those of the law."""
    params = od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
    zones = len(counts) + 1
    matrix = np.zeros((zones, zones), dtype=int)
    matrix[0, 1:] = counts
    totals = expectation_of_matrix(matrix, params, law=name).outgoing
    chance = sum_of_cells(laws.NoiseLaw(epsilon, name), counts, threshold)
    values = np.arange(len(chance))
    mean = chance @ values
    assert totals.expected[0] == pytest.approx(mean, rel=1e-9)
    deviation = np.sqrt(chance @ (values - mean) ** 2)
    assert totals.standard_deviation[0] == pytest.approx(deviation, rel=1e-6)
    inside = (values >= totals.low[0]) & (values <= totals.high[0])
    assert 0.93 <= chance[inside].sum() <= 0.98


def test_totals_of_zones_are_those_of_their_cells():
    rng = np.random.default_rng(5)
    true = rng.poisson(3.0, (4, 6, 6)) * (1 - np.eye(6, dtype=np.int64))
    kept = rng.binomial(true, 0.7)
    sharp = od.ODParameters(epsilon=900.0, suppression_threshold=0, unit="person-day")
    exact = expectation_of_matrix(true, sharp, kept=kept)
    np.testing.assert_array_equal(exact.outgoing.true, true.sum(axis=(0, 2)))
    np.testing.assert_allclose(exact.incoming.expected, kept.sum(axis=(0, 1)))
    np.testing.assert_array_equal(exact.incoming.low, kept.sum(axis=(0, 1)))
    assert (exact.grand.true, exact.grand.expected) == (true.sum(), pytest.approx(kept.sum()))
