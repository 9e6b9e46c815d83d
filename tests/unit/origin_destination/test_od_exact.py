"""Exact: a cell against 700 digits, the grid over ε × τ, totals, T; calculators by brute force."""

import math
from functools import partial

import mpmath
import numpy as np
import pytest
from scipy.stats import laplace

from engine import origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination import calculators, noise_distribution
from engine.origin_destination.noise_distribution import NoiseDistribution, suppressed_probability
from engine.origin_destination.scores import score_expectation
from tests.reference import od_reference as plain
from tests.reference.od_people import (
    Counted,
    expectation_of_matrix,
    histogram_of_matrix,
    random_people,
)

LAWS = ["rounded_laplace", "discrete_laplace"]


@pytest.mark.parametrize("trips", [1, 3])
def test_the_grid_equals_the_expectation_at_every_setting(trips):
    rng = np.random.default_rng(2)
    true = rng.poisson(rng.gamma(0.3, 40, (20, 20)))
    kept = true if trips == 1 else rng.binomial(true, 0.7)
    counted = histogram_of_matrix(true, kept)
    epsilons, thresholds = [0.03, 0.4, 9.0], [15, 0, 1, 17, 300, 18, 301, 17]
    grid = od.compute_error_grid(counted, epsilons, thresholds, trips)
    for i, epsilon in enumerate(epsilons):
        for j, threshold in enumerate(thresholds):
            params = od.ODParameters(
                epsilon=epsilon, max_trips_per_user=trips, suppression_threshold=threshold
            )
            exact = expectation_of_matrix(true, params, kept=kept)
            part, scores = exact.outcomes, score_expectation(exact)
            large = float(part.lost.cells + part.rightly_released.cells)
            zeros = part.lost.cells + part.rightly_suppressed.cells
            expected = {
                "mean_absolute": exact.mean_error("travelled"),
                "mean_bounded_relative": exact.relative_error("travelled"),
                "retained": scores.retained,
                "genuine": scores.genuine,
                "zero_share": zeros / counted.cell_counts.sum(),
                "lost_share": part.lost.cells / large if large else np.nan,
                "revealed_flows": part.revealed.cells - part.phantom.cells,
                "phantom_flows": part.phantom.cells,
                "bias": exact.released_trips - counted.total_trips,
            }
            for name, value in expected.items():
                got = getattr(grid, name)[i, j]
                assert got == pytest.approx(value, rel=1e-9, abs=1e-8, nan_ok=True), name
            figures = exact.mean_error(), exact.relative_error(15)
            large_cells = counted.cell_counts * (counted.true_counts >= 15)
            below = max(threshold, 1) - 0.5 - counted.truncated_counts
            lost = large_cells @ laplace.cdf(below, scale=trips / epsilon)
            assert scores.large_flows == pytest.approx(large_cells.sum())
            figures += (zeros / counted.cell_counts.sum(), lost, part.phantom.cells)
            names = "mean_error", "relative_error", "zero_share", "lost_flows", "phantom_flows"
            assert [getattr(scores, name) for name in names] == pytest.approx(figures, nan_ok=True)


def test_trimming_curve_is_the_split_at_every_t():
    people = random_people(np.random.default_rng(9), 150, 5, 2, 5.0)
    dataset = Counted(people, 5, 2)
    params = od.ODParameters(epsilon=2.0, suppression_threshold=3)
    curve = od.compute_truncation_curve(dataset, params)
    for i, limit in enumerate(curve.trip_limits.tolist()):
        settings = od.ODParameters(epsilon=2.0, max_trips_per_user=limit, suppression_threshold=3)
        split = od.expected(dataset, settings).error_decomposition
        truncation, total = split.truncation_error, split.total
        assert (curve.truncation_error[i], curve.total_error[i]) == (truncation, total)
        rest = curve.noise_error[i] + curve.suppression_error[i]
        assert rest == pytest.approx(total - truncation)
    assert (np.diff(curve.truncation_error) <= 0).all()
    assert curve.truncation_error[-1] == 0
    assert curve.share_within_limit[-1] == 1
    assert curve.best_limit == curve.trip_limits[curve.total_error.argmin()]
    assert 1 < curve.best_limit < 50


def test_trimming_curve_refuses_what_has_no_t():
    dataset = Counted([[(0, 0, 1)]], 2, 1)
    with pytest.raises(ParameterError, match="must be 1 at unit='trip'"):
        od.compute_truncation_curve(dataset, od.ODParameters(epsilon=1.0, unit="trip"))


def sum_of_cells(law, counts, threshold, reach=400):
    """Return P(S = 0), P(S = 1), … of the sum of independent released cells, by convolution."""
    noise = np.arange(-reach, reach + 1)
    whole = np.array([1.0])
    for count in counts:
        out = np.where(count + noise >= max(threshold, 1), count + noise, 0)
        whole = np.convolve(whole, np.bincount(out, weights=law.pmf(noise)))
    return whole


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("side", ["outgoing", "incoming"])
@pytest.mark.parametrize(
    ("counts", "threshold", "epsilon"),
    [
        ([0] * 29, 15, 0.3),
        ([1] * 29, 15, 0.25),
        ([30] * 19, 15, 0.5),
        ([60, 61, 0, 4, 9, 12], 15, 0.1),
        ([3, 0, 12], 0, 0.2),
        ([500], 15, 1.0),
        ([100, 99, 98, 3, 3], 100, 2.0),  # 0, 100 or 200: by mean and variance 0.78
        ([100, 101, 300, 40, 0], 100, 0.02),
    ],
)
def test_intervals_of_totals_hold_95_of_100_releases(counts, threshold, epsilon, side, name):
    """By the law of the sum, convolved cell by cell."""
    params = od.ODParameters(epsilon=epsilon, suppression_threshold=threshold, unit="trip")
    zones = len(counts) + 1
    matrix = np.zeros((zones, zones), dtype=int)
    matrix[0, 1:] = counts
    exact = expectation_of_matrix(matrix if side == "outgoing" else matrix.T, params, law=name)
    noise = noise_distribution.NoiseDistribution(epsilon, name)
    chance = sum_of_cells(noise, counts, threshold, int(400 + 25 / epsilon))
    low, high = (int(ends[0]) for ends in exact.interval_of_totals(side, [0]))
    assert chance[low : high + 1].sum() >= 0.95
    # the exact quantiles, but for the step of the lattice
    step = max(1, int(params.noise_scale // 8))
    reached = np.cumsum(chance)
    wanted = (reached > 0.025).argmax(), (1 - reached <= 0.025).argmax()
    assert abs(low - wanted[0]) <= 2 * (step - 1)
    assert abs(high - wanted[1]) <= 2 * (step - 1)


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
        """Σ_{z ≥ start} P(Z = z)·z^power for start ≥ 1, of a geometric variate beyond it."""
        mean, variance = start + self.q / (1 - self.q), self.q / (1 - self.q) ** 2
        return self.tail(start) * (1, mean, mean**2 + variance)[power]

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


def near(number):
    return pytest.approx(float(number), rel=1e-9, abs=1e-290)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("count", "threshold"), PLACES)
def test_law_agrees_with_700_digits(name, rate, count, threshold):
    law, judge = noise_distribution.NoiseDistribution(rate, name), Judge(rate, name)
    least = max(threshold, 1)
    bound = least - count
    hidden = judge.tail(1 - bound)
    logarithm = pytest.approx(float(mpmath.log(hidden)), rel=1e-9, abs=1e-15)
    assert law.log_upper_tail(1 - bound) == logarithm
    assert noise_distribution.suppressed_probability(law, count, threshold) == near(hidden)
    away = max(least, count) + 3 - count
    assert law.pmf(away) == near(judge.tail(away) - judge.tail(away + 1))

    mean = judge.moment(bound, 1) + count * judge.tail(bound)
    square = judge.moment(bound, 2) + 2 * count * judge.moment(bound, 1)
    square += mpmath.mpf(count) ** 2 * judge.tail(bound)
    bias, variance = noise_distribution.bias_and_variance(law, count, threshold)
    assert (bias, variance) == (near(mean - count), near(square - mean**2))

    for true in (count, count + 7):
        trimmed = true - count
        if bound >= trimmed:
            shown = judge.moment(bound, 1) - trimmed * judge.tail(bound)
        else:
            above = judge.moment(trimmed, 1) - trimmed * judge.tail(trimmed)
            shown = 2 * above - (judge.moment(bound, 1) - trimmed * judge.tail(bound))
        error = shown + true * hidden
        assert noise_distribution.absolute_error(law, count, true, threshold) == near(error)


# α, ε by Theorem 7, the confidence it really gives, exact ε for 95% (β = 0.05, T = 1)
CHANGE_TABLE = [
    (0, 4.113, 0.768, 7.339),
    (1, 2.057, 0.875, 2.854),
    (2, 1.371, 0.908, 1.676),
    (5, 0.6855, 0.933, 0.7511),
    (10, 0.3739, 0.941, 0.3922),
    (50, 0.08065, 0.9483, 0.08145),
]


def shown(value, like):
    digits = len(str(like).split(".")[1])
    return round(float(value), digits)


def test_theorem_3_is_printed_with_the_wrong_sign_of_a_half():
    exact = calculators.stays_released_probability(15, 15, 0.5)
    printed = calculators.stays_released_probability(15, 15, 0.5, method="published")
    assert shown(exact, 0.611) == 0.611
    assert shown(printed, 0.358) == 0.358
    law = plain.released_pmf(15, 0.5, 15, "rounded_laplace", 200)
    assert exact == pytest.approx(1 - law[0], abs=1e-12)


@pytest.mark.parametrize(("alpha", "published", "confidence", "exact"), CHANGE_TABLE)
def test_table_of_theorem_7(alpha, published, confidence, exact):
    by_theorem = calculators.epsilon_for_change(alpha, 0.05, method="published")
    assert float(f"{by_theorem:.4g}") == pytest.approx(published, abs=1e-12)
    really = 1 - calculators.change_error_probability(alpha, by_theorem)
    assert shown(really, confidence) == confidence
    assert float(f"{calculators.epsilon_for_change(alpha, 0.05):.4g}") == exact


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rate", [0.1, 0.5, 1.7, 4.0])
@pytest.mark.parametrize("alpha", [0, 1, 2, 7, 30])
def test_tails_equal_brute_force_convolution(law, rate, alpha):
    reach = math.ceil(45 / rate) + 2 * alpha
    pmf = plain.noise_pmf(rate, law, reach)
    cell = math.fsum(p for z, p in pmf.items() if abs(z) > alpha)
    exact = calculators.cell_error_probability(alpha, rate, law=law)
    assert exact == pytest.approx(cell, rel=1e-9, abs=1e-15)
    noise = np.array([pmf[z] for z in sorted(pmf)])
    change = np.convolve(noise, noise)
    middle = len(change) // 2
    tail = change[: middle - alpha].sum() + change[middle + alpha + 1 :].sum()
    exact = calculators.change_error_probability(alpha, rate, law=law)
    assert exact == pytest.approx(tail, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("count", "threshold"), [(15, 15), (18, 15), (40, 15), (5, 15), (1, 0), (3, 1)]
)
@pytest.mark.parametrize("alpha", [0, 2, 10])
def test_conditional_tails_equal_brute_force(law, count, threshold, alpha):
    rate, noise = 0.4, plain.noise_pmf(0.4, law, 120)
    released = {z: p for z, p in noise.items() if count + z >= max(threshold, 1)}
    wrong = math.fsum(p for z, p in released.items() if abs(z) > alpha)
    expected = wrong / math.fsum(released.values())
    tail = partial(calculators.released_error_probability, alpha, law=law)
    assert tail(rate, count, threshold) == pytest.approx(expected, rel=1e-9)
    by_epsilon = tail(np.geomspace(1e-3, 20, 100), count, threshold)
    assert (np.diff(by_epsilon) <= 0).all()  # where the error is sure, it stays 1
    assert (by_epsilon[-1] < by_epsilon[0]) == (alpha >= threshold - count)


BETAS = np.array([1e-200, 1e-6, 0.05, 0.3, 0.7, 0.999])


@pytest.mark.parametrize("how", [*({"law": law} for law in LAWS), {"method": "published"}])
@pytest.mark.parametrize("alpha", [0, 1, 10, 1000])
def test_epsilon_and_probability_are_inverse(how, alpha):
    pairs = [
        (calculators.epsilon_for_change, calculators.change_error_probability),
        (calculators.epsilon_for_cell_error, calculators.cell_error_probability),
    ]
    for epsilon_for, probability in pairs[: 1 if "method" in how else 2]:
        epsilon = epsilon_for(alpha, BETAS, 3, **how)
        assert (np.diff(epsilon) < 0).all()
        assert probability(alpha, epsilon, 3, **how) == pytest.approx(BETAS, rel=1e-8)


for_cell, for_change = calculators.epsilon_for_cell_error, calculators.epsilon_for_change


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: for_cell(1.5, 0.05), "alpha must be a whole number"),
        (lambda: for_change(1, 0), "beta must be a number above 0 and below 1"),
        (lambda: for_change([1, 2], [0.1, 1.2]), "given: 1.2"),
        (lambda: for_change(1, 0.1, 0), "max_trips_per_user must be a whole"),
        (lambda: calculators.cell_error_probability(1, 0), "epsilon must be a finite number above"),
        (lambda: calculators.stays_suppressed_probability(15, 15, 1), "count must be below"),
        (lambda: calculators.stays_released_probability(14, 15, 1), "count must be at least"),
        (lambda: for_change(1, 0.1, method="printed"), "method must be one of"),
        (lambda: for_change(1, 0.1, method="published", law=LAWS[1]), "law must be one of"),
        (lambda: for_change(1, 0.1, law="gaussian"), "law must be one of"),
        (lambda: for_change([1, 2], [0.1, 0.2, 0.3]), "shapes that broadcast"),
    ],
)
def test_wrong_arguments_are_refused_with_rule_value_and_remedy(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("count", "threshold"), [(0, 0), (5, 0), (5, 5), (6, 1), (20, 5)])
def test_released_and_suppressed_are_each_others_complement(law, count, threshold):
    """Also at τ = 0, where a released 0 reads as suppressed."""
    shown = calculators.stays_released_probability(count, threshold, 0.5, law=law)
    hidden = suppressed_probability(NoiseDistribution(0.5, law), count, threshold)
    assert float(shown) == pytest.approx(1 - float(hidden), rel=1e-12)
    assert (count == 0) == (float(shown) < 0.5)
