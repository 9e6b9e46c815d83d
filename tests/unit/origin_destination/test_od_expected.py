import math

import mpmath
import numpy as np
import pytest

from engine import origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination import laws
from engine.origin_destination.exact import relative
from engine.origin_destination.exact.expected import expectation_of_matrix
from engine.origin_destination.exact.histogram import histogram_of_matrix
from tests.reference.od_people import Counted, random_people

LAWS = ["rounded_laplace", "discrete_laplace"]
RATES = [1e-3, 0.01, 0.5, 3.0, 50.0]
PLACES = [(0, 0), (0, 15), (14, 15), (15, 15), (900, 15), (10**6, 15), (10**6, 10**6), (0, 10**6)]


class Judge:
    """The law of one cell in 700 digits, from its definition and plain geometric series."""

    def __init__(self, rate, law):
        a = mpmath.mpf(rate)
        self.q = mpmath.exp(-a)
        self.h = mpmath.exp(-a / 2) / 2 if law == "rounded_laplace" else self.q / (1 + self.q)

    def tail(self, j):
        return self.h * self.q ** (j - 1) if j >= 1 else 1 - self.h * self.q ** (-j)

    def geometric(self, start, power):
        """Σ_{z ≥ start} P(Z = z)·z^power for start ≥ 1, by differentiating the series."""
        moments = {0: mpmath.mpf(1)}
        for p in range(1, power + 1):  # E[G^p] of a geometric variate, by its recurrence
            moments[p] = (
                self.q
                / (1 - self.q)
                * mpmath.fsum(mpmath.binomial(p, i) * moments[i] for i in range(p))
            )
        total = mpmath.fsum(
            mpmath.binomial(power, i) * mpmath.mpf(start) ** (power - i) * moments[i]
            for i in range(power + 1)
        )
        return self.h * self.q ** (start - 1) * total

    def moment(self, bound, power):
        """E[Z^power·1{Z ≥ bound}]."""
        if bound >= 1:
            return self.geometric(bound, power)
        below = (-1) ** power * self.geometric(1 - bound, power)
        whole = (1 + (-1) ** power) * self.geometric(1, power) if power else mpmath.mpf(1)
        return whole - below


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(700):
        yield


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("count", "threshold"), PLACES)
def test_law_agrees_with_700_digits(name, rate, count, threshold):
    law, judge = laws.NoiseLaw(rate, name), Judge(rate, name)
    least = max(threshold, 1)
    bound = least - count
    hidden = judge.tail(1 - bound)
    assert float(laws.log_released_probability(law, 0, count, threshold)) == pytest.approx(
        float(mpmath.log(hidden)), rel=1e-9, abs=1e-15
    )
    value = max(least, count) + 3
    log_pmf = mpmath.log(judge.tail(value - count) - judge.tail(value - count + 1))
    assert float(laws.log_released_probability(law, value, count, threshold)) == pytest.approx(
        float(log_pmf), rel=1e-9
    )

    mean = judge.moment(bound, 1) + count * judge.tail(bound)
    square = (
        judge.moment(bound, 2)
        + 2 * count * judge.moment(bound, 1)
        + mpmath.mpf(count) ** 2 * judge.tail(bound)
    )
    bias, variance = laws.bias_and_variance(law, count, threshold)
    assert bias == pytest.approx(float(mean - count), rel=1e-9, abs=1e-290)
    assert variance == pytest.approx(float(square - mean**2), rel=1e-9, abs=1e-290)

    for true in (count, count + 7):
        trimmed = true - count
        if bound >= trimmed:
            shown = judge.moment(bound, 1) - trimmed * judge.tail(bound)
        else:
            above = judge.moment(trimmed, 1) - trimmed * judge.tail(trimmed)
            shown = 2 * above - (judge.moment(bound, 1) - trimmed * judge.tail(bound))
        error = shown + true * hidden
        assert laws.absolute_error(law, count, true, threshold) == pytest.approx(
            float(error), rel=1e-9, abs=1e-290
        )


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("rate", [1e-3, 0.02, 1.0, 50.0])
@pytest.mark.parametrize(("count", "threshold"), [(0, 0), (3, 15), (15, 15), (10**6, 10**6)])
def test_law_sums_to_one(name, rate, count, threshold):
    law = laws.NoiseLaw(rate, name)
    least = max(threshold, 1)
    last = max(least, count) + math.ceil(40 / rate)
    values = np.arange(least, last + 1)
    shown = np.exp(laws.log_released_probability(law, values, count, threshold))
    zero = np.exp(laws.log_released_probability(law, 0, count, threshold))
    assert math.fsum([*shown, float(zero)]) == pytest.approx(1, abs=1e-12)
    assert not np.isfinite(laws.log_released_probability(law, least - 1, count, threshold)) or (
        least == 1
    )


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.05, 0.49, 0.5, 3.0, 50.0])
def test_reciprocal_sums_agree_with_integrals(rate):
    sums = relative.ReciprocalSums(rate, 3e4)
    a = mpmath.mpf(rate)
    for v in (1, 2, 70, 30000, 3_000_000, 2**52):
        corners = sorted({0, *(mpmath.mpf(x) / v for x in (0.01, 1, 10, 150)), a / 10, a, 9 * a})
        with mpmath.workdps(25):
            exact = mpmath.quad(
                lambda t, v=v: mpmath.exp(-v * t) / (1 - mpmath.exp(-a - t)), corners
            )
        assert sums.upper(np.array([float(v)]))[0] == pytest.approx(float(exact), rel=1e-10)


@pytest.mark.parametrize("rate", [1e-4, 0.1, 0.3, 0.499])
def test_a_short_table_is_as_right_as_a_long_one(rate):
    short, long = relative.ReciprocalSums(rate, 64), relative.ReciprocalSums(rate, 2**12)
    arguments = np.array([1.0, 50.0, 64.0, 65.0, 66.0, 90.0, 1000.0])
    np.testing.assert_allclose(short.upper(arguments), long.upper(arguments), rtol=1e-12)
    np.testing.assert_allclose(short.lower(arguments), long.lower(arguments), rtol=1e-12)


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.3, 0.5, 4.0])
def test_sums_beyond_the_table_continue_it(rate):
    last = 2**21
    table = relative.ReciprocalSums(rate, last)
    lower = table.lower(np.array([float(last)]))[0]
    for n in range(last + 1, last + 40):
        lower = math.exp(-rate) * lower + 1 / n
        assert table.lower(np.array([float(n)]))[0] == pytest.approx(lower, rel=1e-12)
    upper = table.upper(np.array([last + 5.0]))[0]
    for v in range(last + 4, last - 1, -1):
        upper = 1 / v + math.exp(-rate) * upper
        assert table.upper(np.array([float(v)]))[0] == pytest.approx(upper, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("trips", [1, 3])
@pytest.mark.parametrize("population", ["all", "travelled"])
def test_grids_equal_the_expectation_at_every_setting(law, trips, population):
    rng = np.random.default_rng(2)
    true = rng.poisson(rng.gamma(0.3, 40, (20, 20)))
    kept = true if trips == 1 else rng.binomial(true, 0.7)
    counted = histogram_of_matrix(true, kept)
    epsilons, thresholds = [0.03, 0.4, 9.0], [15, 0, 1, 17, 300, 18, 301, 17]
    grid = od.heat_map(counted, epsilons, thresholds, trips, law=law, population=population)
    rows = dict(
        od.relative_error_rows(counted, epsilons, thresholds, trips, law=law, population=population)
    )
    assert list(rows) == [0, 1, 2]
    for i, epsilon in enumerate(epsilons):
        for j, threshold in enumerate(thresholds):
            params = od.ODParameters(
                epsilon=epsilon, max_trips_per_user=trips, suppression_threshold=threshold
            )
            exact = expectation_of_matrix(true, params, kept=kept, law=law)
            for outcome, share in vars(exact.outcomes).items():
                for measure in ("cells", "trips"):
                    value = getattr(getattr(grid.outcomes, outcome), measure)[i, j]
                    assert value == pytest.approx(getattr(share, measure), rel=1e-9, abs=1e-8)
            errors = exact.errors[population]
            assert grid.bias[i, j] == pytest.approx(exact.grand.bias, rel=1e-9, abs=1e-6)
            assert grid.mean_absolute[i, j] == pytest.approx(errors.mean_absolute, rel=1e-9)
            assert grid.mean_bounded_relative[i, j] == pytest.approx(
                errors.mean_bounded_relative, rel=1e-9
            )
            assert rows[i][j] == pytest.approx(errors.mean_relative, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilons": [0.0, 1.0]}, "epsilon must be a finite number above 0"),
        ({"thresholds": [1.5]}, "suppression_threshold must be a whole number"),
        ({"thresholds": [10**7]}, "suppression_threshold must be at most 1000000"),
        ({"thresholds": []}, "epsilons and thresholds must be two lists"),
        ({"epsilons": [[1.0], [2.0]]}, "epsilons and thresholds must be two lists"),
        ({"population": "large"}, "population must be one of"),
        ({"law": "gaussian"}, "law must be one of"),
    ],
)
def test_wrong_grid_settings_are_refused(options, message):
    counted = histogram_of_matrix([[0, 1], [2, 0]])
    with pytest.raises(ParameterError, match=message):
        od.heat_map(counted, **{"epsilons": [1.0], "thresholds": [15], **options})


def test_kept_counts_above_the_true_ones_are_refused():
    with pytest.raises(ParameterError, match="exceed it nowhere"):
        histogram_of_matrix([[0, 1], [2, 0]], [[0, 2], [2, 0]])
    with pytest.raises(ParameterError, match="alpha must be a whole number"):
        expectation_of_matrix([[0, 1], [2, 0]], od.ODParameters(epsilon=1.0)).error_above(1.5)


def test_error_above_is_theorem_4_far_above_the_threshold():
    exact = expectation_of_matrix(
        [[0, 5000], [5000, 0]], od.ODParameters(epsilon=0.2853, unit="trip")
    )
    assert exact.error_above(10)[1] == pytest.approx(0.05, abs=1e-4)
    assert exact.error_above(10)[1] == pytest.approx(
        od.calculators.cell_error_probability(10, 0.2853), rel=1e-12
    )


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
    with pytest.raises(ParameterError, match="limits must name at least one T"):
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


@pytest.mark.parametrize("name", ["rounded_laplace", "discrete_laplace"])
@pytest.mark.parametrize(
    ("counts", "threshold", "epsilon"),
    [
        ([0] * 29, 15, 0.3),
        ([1] * 29, 15, 0.25),
        ([30] * 19, 15, 0.5),
        ([90, 0, 0, 0, 2], 90, 1.0),  # one large flow near τ: there or not
        ([88, 93, 0, 0, 1, 3], 90, 2.0),
        ([60, 61, 0, 4], 60, 0.4),
        ([100, 7, 0, 0], 100, 0.2),
        ([3, 0, 12], 0, 1.0),
        ([500], 15, 5.0),
        ([0, 0], 15, 9.0),
    ],
)
def test_intervals_of_totals_hold_exactly_and_are_no_wider(counts, threshold, epsilon, name):
    """The law of the sum, convolved cell by cell, leaves at most 0.025 on either side."""
    settings = od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
    zones = len(counts) + 1
    matrix = np.zeros((zones, zones), dtype=int)
    matrix[0, 1:] = counts
    totals = expectation_of_matrix(matrix, settings, law=name).outgoing
    law = sum_of_cells(laws.NoiseLaw(epsilon, name), counts, threshold).cumsum()
    low, high = int(totals.low[0]), int(totals.high[0])
    below = law[low - 1] if low else 0.0
    assert below <= 0.025
    assert law[low] > 0.025 - 1e-6
    assert law[high] >= 0.975
    assert high == 0 or law[high - 1] < 0.975 + 1e-6


def test_an_interval_that_is_too_long_to_compute_holds_all_the_same():
    settings = od.ODParameters(epsilon=9.0, suppression_threshold=900_000, unit="trip")
    matrix = np.zeros((6, 6), dtype=int)
    matrix[0, 1:] = [900_000, 900_001, 899_999, 950_000, 5]
    totals = expectation_of_matrix(matrix, settings).outgoing
    private = np.array(
        [
            od.release_matrix(matrix, settings, rng=np.random.default_rng(seed))[0].sum()
            for seed in range(400)
        ]
    )
    assert ((private >= totals.low[0]) & (private <= totals.high[0])).mean() > 0.96
