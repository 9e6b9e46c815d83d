"""Errors of a report: the benchmark measures of P3's package, and the common part.

All compare private numbers as shown (whole, at least 0) with the truth over all trips; those of
distributions normalise both. A measure that does not exist is NaN.
"""

import numpy as np

from .. import metrics
from ..arrays import Floats, Numbers
from .aggregates import ReportTable, count_analysis
from .mechanism import ReportRelease
from .settings import BINS, Analysis


def smape(truth: Numbers, private: Numbers) -> float:
    """Return the mean of |private − true| / ((|private| + |true|)/2), 0 to 2; 0/0 counts as 0."""
    together = (np.abs(truth) + np.abs(private)) / 2
    return float((np.abs(private - truth) / np.where(together > 0, together, 1.0)).mean())


def js_divergence(truth: Numbers, private: Numbers) -> float:
    """Return the Jensen–Shannon divergence in nats, 0 to ln 2.

    >>> round(js_divergence(np.array([1, 0]), np.array([0, 1])), 4)
    0.6931
    """
    p, q = _shares(truth), _shares(private)
    middle = (p + q) / 2
    terms = [x * np.log(np.where(x > 0, x / np.where(middle > 0, middle, 1), 1)) for x in (p, q)]
    return float(sum(part.sum() for part in terms)) / 2


def earth_movers_distance(truth: Numbers, private: Numbers, width: float) -> float:
    """Return the earth mover's distance between bins of equal `width`, in the width's unit.

    >>> earth_movers_distance(np.array([1, 0, 0]), np.array([0, 0, 1]), 5.0)
    10.0
    """
    return float(np.abs(np.cumsum(_shares(truth) - _shares(private))).sum() * width)


def top_n_coverage(truth: Numbers, private: Numbers, n: int) -> float:
    """Return the share of the true first `n` places that are among the private first `n`.

    >>> top_n_coverage(np.array([5, 4, 1]), np.array([9, 0, 8]), 2)
    0.5
    """
    if n > len(truth):
        return float("nan")
    first, private_first = (metrics.largest_positions(counts, n) for counts in (truth, private))
    return len(np.intersect1d(first, private_first)) / n


def error_measures(truth: Numbers, private: Numbers, analysis: Analysis) -> dict[str, float]:
    """Return the measures that fit one analysis, by name, between any two of its reports."""
    absolute_errors = np.abs(private - truth.astype(np.float64))
    relative = absolute_errors[truth > 0] / truth[truth > 0]
    measures = {
        "relative_error": float(relative.mean()) if len(relative) else np.nan,
        "smape": smape(truth, private),
    }
    if analysis is Analysis.SIZE:
        return measures
    common = metrics.common_part(absolute_errors.sum(), private.sum(), truth.sum())
    measures["common_part"] = float(common)
    measures["js_divergence"] = js_divergence(truth, private)
    if analysis.is_histogram:
        width = BINS[analysis].width
        measures["earth_movers_distance"] = earth_movers_distance(truth, private, width)
    if analysis in (Analysis.VISITS, Analysis.FLOWS):
        measures["top_10_coverage"] = top_n_coverage(truth, private, 10)
    return measures


def scores(truth: ReportTable, release: ReportRelease) -> dict[Analysis, dict[str, float]]:
    """Return the `error_measures` of each analysis of a report against all trips."""
    measures: dict[Analysis, dict[str, float]] = {}
    for analysis, private in release.counts.items():
        true = count_analysis(truth, analysis, release.parameters)
        measures[analysis] = error_measures(true, private, analysis)
    return measures


def _shares(counts: Numbers) -> Floats:
    total = counts.sum()
    return counts / total if total > 0 else np.full(len(counts), np.nan)
