"""The law of one released cell against 700 digits, and value by value."""

import mpmath
import pytest

from engine.origin_destination import laws

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
    assert law.log_tail(1 - bound) == pytest.approx(float(mpmath.log(hidden)), rel=1e-9, abs=1e-15)
    assert laws.suppressed_probability(law, count, threshold) == pytest.approx(
        float(hidden), rel=1e-9, abs=1e-290
    )
    away = max(least, count) + 3 - count
    assert law.pmf(away) == pytest.approx(
        float(judge.tail(away) - judge.tail(away + 1)), rel=1e-9, abs=1e-290
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
