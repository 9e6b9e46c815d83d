"""Five numbers of a histogram: by the exponential mechanism, or read off its noisy bins (P3).

Candidates are the edges of the public bins, never a value of the data (R2): P3 draws from the
data's own values, so that whatever is returned is some person's.
"""

from typing import Literal

import numpy as np

from ..arrays import Floats, Integers
from ..errors import ParameterError

Ends = Literal["percentiles", "extremes"]

QUANTILES: dict[Ends, tuple[float, ...]] = {
    "percentiles": (0.01, 0.25, 0.5, 0.75, 0.99),
    "extremes": (0.0, 0.25, 0.5, 0.75, 1.0),
}
"""Which five numbers: the 1% and 99% points at the ends, or minimum and maximum.

The utility of a minimum is the same for every candidate below the data, and that of a maximum
above it: a draw lands anywhere in the empty part of the public range (R4).
"""


def candidates(edges: Floats, *, discrete: bool) -> Floats:
    """Return the numbers that a quantile can be: edges of bins, or the last whole number of each.

    Examples
    --------
    >>> candidates(np.array([1.0, 2.0, 3.0]), discrete=True).tolist()
    [1.0, 2.0]
    """
    return edges[1:] - 1 if discrete else edges


def utilities(counts: Integers, quantile: float, *, discrete: bool) -> Floats:
    """Return −|C(x) − q·n| for every candidate x, from items below, in each bin and above.

    C(x) are the items at most x. Quantities that are measured, not counted, are cut to their bins
    first: C then holds the items below the edge.

    Examples
    --------
    >>> utilities(np.array([0, 3, 1, 0]), 0.5, discrete=False).tolist()
    [-2.0, -1.0, -2.0]
    """
    below = np.cumsum(counts)
    at_most = below[1:-1] if discrete else below[:-1]
    return -np.abs(at_most - quantile * counts.sum())


def choose(scores: Floats, epsilon: float, sensitivity: float, gumbel: Floats) -> int:
    """Draw one candidate by the exponential mechanism; standard Gumbel variates decide.

    The largest of ε·u/(2Δ) + Gumbel is x with P(x) ∝ exp(ε·u(x) / (2Δ)), exactly; u are the
    utilities (`scores`), Δ is by how much one unit of protection can change any of them
    (`sensitivity`), ε the privacy loss of this one draw. The same variates let a draw follow a
    slider.

    Raises
    ------
    ParameterError
        If the variates do not fit the candidates.
    """
    if gumbel.shape != scores.shape:
        raise ParameterError(
            f"there must be one variate for each of {len(scores)} candidates, got "
            f"{gumbel.shape}; draw as many"
        )
    return int(np.argmax(epsilon * scores / (2 * sensitivity) + gumbel))


def of_noisy_bins(
    noisy: Floats | Integers, edges: Floats, levels: tuple[float, ...], *, discrete: bool
) -> Floats:
    """Read quantiles off a released noisy histogram, at no further cost.

    The running sums of the noisy bins are made monotone by least squares; a quantile is where
    they cross its share of their end, within a bin in proportion.

    Parameters
    ----------
    noisy : array, shape (bins + 2,)
        Noisy counts below, in each bin and above; they may be negative.
    edges : array, shape (bins + 1,)
        Edges of the bins.
    levels : tuple of float
        Quantiles, ascending.

    Returns
    -------
    array, shape (levels,)
        Not decreasing; NaN where no count is left above 0.

    Examples
    --------
    >>> of_noisy_bins(np.array([0, 50, 50, 0]), np.array([0.0, 10.0, 20.0]), (0.25, 0.5),
    ...               discrete=False)
    array([ 5., 10.])
    """
    from scipy.optimize import isotonic_regression  # slow to load; an ingest needs none

    running = np.maximum(isotonic_regression(np.cumsum(noisy.astype(np.float64))).x, 0.0)
    return _crossings(running, edges, levels, discrete=discrete)


def of_counts(
    counts: Integers, edges: Floats, levels: tuple[float, ...], *, discrete: bool
) -> Floats:
    """Return quantiles of exact counts in fine bins; NaN where there are none.

    Examples
    --------
    >>> of_counts(np.array([0, 1, 3, 0]), np.array([1.0, 2.0, 3.0]), (0.0, 0.5, 1.0),
    ...           discrete=True)
    array([1., 2., 2.])
    """
    running = np.cumsum(counts.astype(np.float64))
    return _crossings(running, edges, levels, discrete=discrete)


def _crossings(
    running: Floats, edges: Floats, levels: tuple[float, ...], *, discrete: bool
) -> Floats:
    """Return where sums (below, each bin, above) reach shares of their end; NaN if it is 0."""
    if running[-1] <= 0:
        return np.full(len(levels), np.nan)
    targets = np.array(levels) * running[-1]
    smallest = np.finfo(np.float64).tiny  # a target of 0 is reached where the first item is
    bin_at = np.searchsorted(running, np.maximum(targets, smallest), side="left")
    inside = np.clip(bin_at, 1, len(edges) - 1)  # number of a bin between the edges, from 1
    if discrete:
        values = edges[inside] - 1
    else:
        start, end = running[inside - 1], running[inside]
        share = np.divide(
            targets - start, end - start, where=end - start > smallest, out=np.zeros(len(start))
        )
        values = edges[inside - 1] + np.clip(share, 0, 1) * (edges[inside] - edges[inside - 1])
    values = np.where(bin_at == 0, edges[0], values)
    beyond = edges[-1] - 1 if discrete else edges[-1]
    return np.where(bin_at >= len(edges), beyond, values)
