"""What linear sums of noisy cells say about every cell: a gravity model fitted to a measurement.

Reads noisy cells and public distances only; nothing here can see a count.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from ...arrays import Booleans, Floats, Integers

BANDS = 12
"""Public bands of distance, at quantiles of the distances of pairs."""

FITTING_STEPS = 12
TOTAL_STEPS = 61
_SMALLEST_RATIO = 0.02
_TINY = 1e-30
_CELLS_AT_ONCE = 2**17


def predict(
    cells: Integers, cell_variance: float, distances_m: Floats, taught: Booleans | None = None
) -> Floats:
    """Return the expected trips of every cell, above 0 off the diagonal.

    Parameters
    ----------
    cells : array of int64, shape (zones, zones)
        Noisy trips.
    cell_variance : float
        Variance of their noise.
    distances_m : array, shape (zones, zones)
        Metres between the centres of zones, public.
    taught : bool array, optional
        Cells that are read, symmetric, none on the diagonal; what is expected of the others does
        not depend on their noisy counts. All where None.

    Examples
    --------
    >>> flat = predict(np.full((3, 3), 5), 0.5, np.ones((3, 3)))
    >>> float(flat[0, 1].round(2)), float(flat[0, 0])
    (5.0, 0.0)
    """
    if len(cells) == 1:
        return np.zeros((1, 1))
    off = ~np.eye(len(cells), dtype=np.bool_)
    pairs = off if taught is None else taught
    noisy = cells * pairs
    out, into = _zone_totals(noisy, cell_variance * float(pairs.sum()) / len(cells))
    bands = distance_bands(distances_m)
    trips = _band_trips(noisy, pairs, out, into / into.sum(), bands)
    rows, columns, by_band = _fit(out, into, pairs, bands, trips)
    return off * (rows[:, None] * columns) * by_band[bands]


def distance_bands(distances_m: Floats) -> NDArray[np.uint8]:
    """Return the band of every pair, 0 for the nearest; pairs of equal distance share one."""
    pairs = distances_m[~np.eye(len(distances_m), dtype=bool)]
    edges = np.unique(np.quantile(pairs, np.arange(1, BANDS) / BANDS))
    return np.searchsorted(edges[edges < pairs.max()], distances_m, side="left").astype(np.uint8)


def positive_totals(totals: Floats, variance: float) -> Floats:
    """Return totals made positive by empirical Bayes.

    The law of the true totals is learnt on a log grid by expectation–maximisation.
    """
    deviation = math.sqrt(variance)
    least = max(0.01 * deviation, 1e-3)
    most = max(float(totals.max(initial=0.0)) + 3 * deviation, 10 * least)
    grid = np.exp(np.linspace(math.log(least), math.log(most), TOTAL_STEPS))
    squares = ((totals[:, None] - grid) / max(deviation, 1e-9)) ** 2 / 2
    likelihood = np.exp(-np.minimum(squares - squares.min(axis=1, keepdims=True), 700.0))
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(TOTAL_STEPS - 1):
        posterior = likelihood * posterior.mean(axis=0)
        posterior /= posterior.sum(axis=1, keepdims=True)
    # a total that is known more finely than the grid's step stays as it is
    fine = totals * (grid[1] / grid[0] - 1) > deviation
    return np.where(fine, totals, posterior @ grid)


def _zone_totals(noisy: Integers, variance: float) -> tuple[Floats, Floats]:
    """Out- and in-totals, positive, held equal unless they differ beyond the noise.

    Beyond what n noises reach at most, √(2 log n) deviations of out − in (Donoho and Johnstone
    1994, universal threshold), a difference is believed more and more.
    """
    out, into = noisy.sum(axis=1), noisy.sum(axis=0)
    apart = out - into
    threshold = 2 * math.log(len(noisy)) * 2 * variance
    believed = np.maximum(0.0, 1 - threshold / np.maximum(apart**2, 1.0))
    both = positive_totals((out + into) / 2, variance / 2)
    tilt = np.clip(believed * apart / (2 * both), -0.95, 0.95)
    return both * (1 + tilt), both * (1 - tilt)


def _band_trips(
    noisy: Integers, pairs: Booleans, out: Floats, into_shares: Floats, bands: NDArray[np.uint8]
) -> Floats:
    """Trips to fit in each band: positive, and non-increasing beyond the peak per expected trip."""
    expected = _band_sums(bands, pairs, out, into_shares)
    ratio = np.bincount(bands.ravel(), noisy.ravel(), len(expected))
    total = ratio.sum()
    ratio /= np.maximum(expected, _TINY)
    peak = int(np.argmax(ratio))
    weights = np.maximum(expected[peak:], _TINY)
    ratio[peak:] = optimize.isotonic_regression(ratio[peak:], weights=weights, increasing=False).x
    overall = max(float(total / max(expected.sum(), _TINY)), 1e-9)
    return np.maximum(ratio, _SMALLEST_RATIO * overall) * expected


def _parts(zones: int) -> Iterator[slice]:
    """Yield rows in parts that a processor's cache holds."""
    most = max(1, _CELLS_AT_ONCE // zones)
    return (slice(start, start + most) for start in range(0, zones, most))


def _band_sums(bands: NDArray[np.uint8], pairs: Booleans, rows: Floats, columns: Floats) -> Floats:
    """Return the sums over bands of the products of a row and a column, where a pair counts."""
    sums = np.zeros(int(bands.max()) + 1)
    for part in _parts(len(bands)):
        products = rows[part, None] * columns * pairs[part]
        sums += np.bincount(bands[part].ravel(), products.ravel(), len(sums))
    return sums


def _fit(
    out: Floats, into: Floats, pairs: Booleans, bands: NDArray[np.uint8], trips: Floats
) -> tuple[Floats, Floats, Floats]:
    """Fit factors of rows, columns and bands to the totals by iterative proportional fitting."""
    into = into * (out.sum() / into.sum())
    trips = trips * (out.sum() / trips.sum())
    rows, columns, by_band = np.ones(len(out)), np.ones(len(out)), np.ones(len(trips))
    for _ in range(FITTING_STEPS):
        sums = by_band * _band_sums(bands, pairs, rows, columns)
        by_band = by_band * (trips / np.maximum(sums, _TINY))
        arrived = np.zeros(len(out))
        for part in _parts(len(out)):
            by_distance = by_band[bands[part]] * pairs[part]
            rows[part] = out[part] / np.maximum(by_distance @ columns, _TINY)
            arrived += rows[part] @ by_distance
        columns = into / np.maximum(arrived, _TINY)
    return rows, columns, by_band
