"""Five numbers of a histogram, by the exponential mechanism or from its noisy bins (P3).

Candidates are the edges of public bins, never values of the data (R2): P3 draws from the data's own
values, so that every result is some person's.
"""

import numpy as np

from ..arrays import Floats, Integers
from .aggregates import ReportTable
from .measures import FINE_EDGES
from .settings import BINS, QUANTILE_LEVELS, Analysis, ReportParameters


def quantile_utilities(counts: Integers, quantile: float) -> Floats:
    """Return −|C(x) − q·n| of each edge x, C the items below it; counts below, in bins, above.

    >>> quantile_utilities(np.array([0, 3, 1, 0]), 0.25).tolist()
    [-1.0, -2.0, -3.0]
    """
    return -np.abs(np.cumsum(counts)[:-1] - quantile * counts.sum())


def exponential_mechanism(
    scores: Floats, epsilon: float, sensitivity: float, gumbel: Floats
) -> int:
    """Return the position that the exponential mechanism draws with standard Gumbel variates.

    The largest of ε·u/(2Δ) + Gumbel is x with P(x) ∝ exp(ε·u(x) / (2Δ)), exactly.
    """
    return int(np.argmax(epsilon * scores / (2 * sensitivity) + gumbel))


def draw_five_numbers(
    truncated_counts: Integers, analysis: Analysis, parameters: ReportParameters, gumbels: Floats
) -> Floats:
    """Return five drawn quantiles of truncated items, a fifth of their share each (R5), sorted."""
    edges = BINS[analysis].edges
    quantile_epsilon = parameters.five_numbers_epsilon(analysis) / len(QUANTILE_LEVELS)
    chosen = [
        exponential_mechanism(
            quantile_utilities(truncated_counts, level),
            quantile_epsilon,
            parameters.quantile_sensitivity(analysis.counted_item, level),
            variates,
        )
        for level, variates in zip(QUANTILE_LEVELS, gumbels, strict=True)
    ]
    return np.sort(edges[chosen])


def quantiles_from_bins(noisy: Integers, edges: Floats) -> Floats:
    """Return the quantiles of a released noisy histogram, at no further cost.

    Running sums of the noisy bins are made monotone by least squares; a quantile is where they
    cross its share of their end, in proportion within a bin; NaN where the end is 0.

    >>> quantiles_from_bins(np.array([0, 50, 50, 0]), np.array([0.0, 10.0, 20.0]))[1:3].tolist()
    [5.0, 10.0]
    """
    from scipy.optimize import isotonic_regression

    running = isotonic_regression(np.cumsum(noisy.astype(np.float64))).x
    return _quantile_crossings(np.maximum(running, 0.0), edges)


def true_five_numbers(
    table: ReportTable,
    analysis: Analysis,
    parameters: ReportParameters,
    *,
    is_truncated: bool = False,
) -> Floats:
    """Return the five numbers of a histogram's fine bins, all or truncated trips (confidential)."""
    measure = BINS[analysis].measure
    counts = table.counts(measure, parameters.trip_limit if is_truncated else None)
    return _quantile_crossings(np.cumsum(counts.astype(np.float64)), FINE_EDGES[measure])


def _quantile_crossings(running: Floats, edges: Floats) -> Floats:
    """Return where sums (below, each bin, above) reach shares of their end; NaN if it is 0."""
    if running[-1] <= 0:
        return np.full(len(QUANTILE_LEVELS), np.nan)
    targets = np.array(QUANTILE_LEVELS) * running[-1]
    bin_at = np.searchsorted(running, targets, side="left")
    inside = np.clip(bin_at, 1, len(edges) - 1)  # index of a bin between the edges, from 1
    start, end = running[inside - 1], running[inside]
    share = np.divide(targets - start, end - start, out=np.zeros(len(start)), where=end > start)
    values = edges[inside - 1] + np.clip(share, 0, 1) * (edges[inside] - edges[inside - 1])
    return np.where(bin_at == 0, edges[0], np.where(bin_at >= len(edges), edges[-1], values))
