"""Smoothing of the night hours by exponential fits (P1 §5.4.2).

a·exp(b·x) is fitted by least squares to local hours 0–4 and 4–6 of every day: counts y at x = 0, 1,
… from the first hour. With q = exp(b) the model is a·q^x. For a given q the best a is N/D, N = Σ y
q^x and D = Σ q^(2x), and leaves Σ y² − N²/D. Its optimum is a sign change of N′·D − N·D′/2, both
derivatives by q. Falling fits have q in [0, 1], rising ones reverse the hours; q = 0 is the limit b
→ −∞. A grid of q finds the global optimum and bisection refines it.
"""

import numpy as np
from numpy.polynomial.polynomial import polyval

from ..arrays import Floats


def smooth_nights(series: Floats) -> Floats:
    """Return `series` with the hours 0 to 6 of each day replaced by two fitted exponentials.

    Hours 0–3 take the fit of hours 0–4, hours 5 and 6 that of hours 4–6, hour 4 their mean. Fitting
    commutes with scaling, so one normalised series serves all cells of its cluster. Rows are 168
    hours from Monday 00:00 local time, at least 0 and already private: this is post-processing.
    """
    days = series.reshape(-1, 24).copy()
    falling, rising = fit_exponential(days[:, 0:5]), fit_exponential(days[:, 4:7])
    days[:, 0:4] = falling[:, :4]
    days[:, 4] = (falling[:, 4] + rising[:, 0]) / 2
    days[:, 5:7] = rising[:, 1:]
    return days.reshape(series.shape)


def fit_exponential(values: Floats) -> Floats:
    """Return the least-squares fits a·exp(b·x), x = 0, 1, …, to rows of values of at least 0."""
    rows, points = values.shape
    values_both_ways = np.concatenate([values, values[:, ::-1]])
    ratio = _best_ratio(values_both_ways)
    powers = np.power(ratio[:, None], np.arange(points))
    projection: Floats = np.einsum("rp,rp->r", values_both_ways, powers)
    squared_norm: Floats = np.einsum("rp,rp->r", powers, powers)
    explained = projection * projection / squared_norm  # reduction of Σ y² by the fit
    # q = 1 is the bound: the best fit without it would rise
    falls = (ratio[:rows] < 1) & (explained[:rows] >= explained[rows:] * (1 - 1e-12))  # or a tie
    fitted: Floats = (projection / squared_norm)[:, None] * powers
    return np.where(falls[:, None], fitted[:rows], fitted[rows:, ::-1])


def _best_ratio(values: Floats) -> Floats:
    """Return the best q in [0, 1]: the best grid point, refined between its neighbours."""
    grid = np.linspace(0.0, 1.0, 129)
    powers = np.power(grid, np.arange(values.shape[1])[:, None])
    explained: Floats = (values @ powers) ** 2 / (powers * powers).sum(axis=0)
    best_point = explained.argmax(axis=1)
    slope = _slope_coefficients(values)
    low: Floats = grid[np.maximum(best_point - 1, 0)]
    high: Floats = grid[np.minimum(best_point + 1, len(grid) - 1)]
    for _ in range(46):  # bisections of a grid step, to the last digit
        middle = 0.5 * (low + high)
        rises = polyval(middle, slope, tensor=False) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return high


def _slope_coefficients(values: Floats) -> Floats:
    """Return the coefficients of N′·D − N·D′/2 in q, lowest power first, shape (powers, rows).

    N′ = Σ x y q^(x−1) and D′/2 = Σ z q^(2z−1), so the term of y_x and z has the factor x − z and
    the power x + 2z − 1.
    """
    points = values.shape[1]
    coefficients = np.zeros((3 * points - 4, len(values)))
    for x in range(points):
        for z in range(points):
            if x != z:
                coefficients[x + 2 * z - 1] += (x - z) * values[:, x]
    return coefficients
