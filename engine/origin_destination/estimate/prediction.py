"""What linear sums of noisy cells say about every cell: a gravity model fitted to a measurement.

Reads noisy cells and public distances only; nothing here can see a count.
"""

import math

import numpy as np

from engine.arrays import Floats, Integers

BANDS = 12
"""Public bands of distance, at quantiles of the distances of pairs."""

FITTING_STEPS = 12
MIXING_LIMITS = (0.005, 0.2)
"""Least and largest share of the prediction that ignores distance."""

UNIFORM_SHARE = 0.002
BALANCE_FACTOR = 6.0
"""Out and in of a zone differ only where the square of their difference exceeds this many times
the noise variance of a total."""

TOTAL_STEPS = 61
_SMALLEST_RATIO = 0.02
_TINY = 1e-30


def predict(cells: Integers, cell_variance: float, distances_m: Floats) -> Floats:
    """Return the expected trips of every cell, above 0 off the diagonal.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy trips.
    cell_variance : float
        Variance of their noise.
    distances_m : array, shape (zones, zones)
        Metres between the centres of zones, public.

    Examples
    --------
    >>> flat = predict(np.full((3, 3), 5), 0.5, np.ones((3, 3)))
    >>> float(flat[0, 1].round(2)), float(flat[0, 0])
    (5.0, 0.0)
    """
    zones = len(cells)
    off = 1.0 - np.eye(zones)
    noisy = cells * off
    out, into = _zone_totals(noisy, cell_variance)
    product = _fit(off, out, into)
    bands = distance_bands(distances_m)
    gravity = _fit(off, out, into, bands, _deterrence(noisy, product, bands))
    # share of the distance-free product: regression of y − gravity on product − gravity
    apart = product - gravity
    explained = float((apart * (noisy - gravity)).sum())
    share = np.clip(explained / max(float((apart**2).sum()), _TINY), *MIXING_LIMITS)
    mixed = gravity + share * apart
    uniform = mixed.sum() / max(zones * (zones - 1), 1) * off
    return (1 - UNIFORM_SHARE) * mixed + UNIFORM_SHARE * uniform


def distance_bands(distances_m: Floats) -> Integers:
    """Return the band of every pair, 0 for the nearest; pairs of equal distance share one.

    Examples
    --------
    >>> distance_bands(np.array([[0.0, 9.0], [9.0, 0.0]]))
    array([[0, 0],
           [0, 0]])
    """
    zones = len(distances_m)
    pairs = distances_m[~np.eye(zones, dtype=bool)]
    if not len(pairs):
        return np.zeros((zones, zones), dtype=np.int64)
    edges = np.unique(np.quantile(pairs, np.arange(1, BANDS) / BANDS))
    return np.searchsorted(edges[edges < pairs.max()], distances_m, side="left").astype(np.int64)


def positive_totals(totals: Floats, variance: float) -> Floats:
    """Return totals made positive by empirical Bayes, each within one noise deviation.

    The law of the true totals is learnt on a log grid by expectation–maximisation.
    """
    deviation = math.sqrt(variance)
    least = max(0.01 * deviation, 1e-3)
    most = max(float(totals.max(initial=0.0)) + 3 * deviation, 10 * least)
    grid = np.exp(np.linspace(math.log(least), math.log(most), TOTAL_STEPS))
    squares = ((totals[:, None] - grid) / max(deviation, 1e-9)) ** 2 / 2
    likelihood = np.exp(-np.minimum(squares - squares.min(axis=1, keepdims=True), 700.0))
    weights = np.full(len(grid), 1 / len(grid))
    posterior = likelihood * weights
    for _ in range(TOTAL_STEPS):
        posterior = likelihood * weights
        posterior = posterior / posterior.sum(axis=1, keepdims=True)
        weights = posterior.mean(axis=0)
    # a total that is known more finely than the grid's step stays as it is
    fine = totals * (grid[1] / grid[0] - 1) > deviation
    mean = np.where(fine, totals, posterior @ grid)
    low, high = np.maximum(totals, 0) - deviation, np.maximum(totals, 0) + deviation
    return np.maximum(np.clip(mean, low, high), least)


def _zone_totals(noisy: Floats, cell_variance: float) -> tuple[Floats, Floats]:
    """Out- and in-totals, positive, held equal unless they differ beyond the noise."""
    variance = cell_variance * max(len(noisy) - 1, 1)
    out, into = noisy.sum(axis=1), noisy.sum(axis=0)
    apart = out - into
    believed = np.maximum(0.0, 1 - BALANCE_FACTOR * variance / np.maximum(apart**2, 1.0))
    both = positive_totals((out + into) / 2, variance / 2)
    tilt = np.clip(believed * apart / (2 * both), -0.95, 0.95)
    return both * (1 + tilt), both * (1 - tilt)


def _deterrence(noisy: Floats, product: Floats, bands: Integers) -> Floats:
    """Trips to fit in each band: positive, and non-increasing beyond the peak per expected trip."""
    expected = _band_sums(bands, product)
    ratio = _band_sums(bands, noisy) / np.maximum(expected, _TINY)
    peak = int(np.argmax(ratio))
    ratio[peak:] = _non_increasing(ratio[peak:], expected[peak:])
    overall = max(float(noisy.sum() / max(product.sum(), _TINY)), 1e-9)
    return np.maximum(ratio, _SMALLEST_RATIO * overall) * expected


def _non_increasing(values: Floats, weights: Floats) -> Floats:
    """Pool adjacent violators: the closest non-increasing values under the weights."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, max(weight, _TINY), 1)
        while blocks and blocks[-1][0] < block[0]:
            before = blocks.pop()
            weight_sum = before[1] + block[1]
            mean = (before[0] * before[1] + block[0] * block[1]) / weight_sum
            block = (mean, weight_sum, before[2] + block[2])
        blocks.append(block)
    return np.concatenate([np.full(length, value) for value, _, length in blocks])


def _band_sums(bands: Integers, values: Floats) -> Floats:
    return np.bincount(bands.ravel(), values.ravel()).astype(np.float64)


def _fit(
    start: Floats,
    out: Floats,
    into: Floats,
    bands: Integers | None = None,
    band_trips: Floats | None = None,
) -> Floats:
    """Fit `start` to the totals of zones and of bands by iterative proportional fitting."""
    into = into * (out.sum() / into.sum())
    rows, columns = np.ones(len(start)), np.ones(len(start))
    by_distance = start
    for _ in range(FITTING_STEPS):
        if bands is not None and band_trips is not None:
            fitted = rows[:, None] * by_distance * columns
            sums = _band_sums(bands, fitted)
            factor = band_trips * (out.sum() / band_trips.sum()) / np.maximum(sums, _TINY)
            by_distance = by_distance * factor[bands]
        rows = out / np.maximum(by_distance @ columns, _TINY)
        columns = into / np.maximum(rows @ by_distance, _TINY)
    return rows[:, None] * by_distance * columns
