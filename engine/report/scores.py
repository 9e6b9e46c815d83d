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


def error_measures(truth: Numbers, private: Numbers, analysis: Analysis) -> dict[str, float]:
    """Return the measures that fit one analysis, by name, between any two of its reports.

    SMAPE is the mean of |private − true| / ((|private| + |true|)/2), 0 to 2, where 0/0 counts as 0;
    the Jensen–Shannon divergence is in nats, 0 to ln 2; the earth mover's distance in the unit of
    the bins. Coverage is the share of the true first 10 places that are among the private first 10.
    """
    absolute_errors = np.abs(private - truth.astype(np.float64))
    relative = absolute_errors[truth > 0] / truth[truth > 0]
    together = (np.abs(truth) + np.abs(private)) / 2
    measures = {
        "relative_error": float(relative.mean()) if len(relative) else np.nan,
        "smape": float((absolute_errors / np.where(together > 0, together, 1.0)).mean()),
    }
    if analysis is Analysis.SIZE:
        return measures
    common = metrics.common_part(absolute_errors.sum(), private.sum(), truth.sum())
    measures["common_part"] = float(common)
    p, q = _shares(truth), _shares(private)
    middle = (p + q) / 2
    terms = [x * np.log(np.where(x > 0, x / np.where(middle > 0, middle, 1), 1)) for x in (p, q)]
    measures["js_divergence"] = float(sum(part.sum() for part in terms)) / 2
    if analysis.is_histogram:
        moved = float(np.abs(np.cumsum(p - q)).sum() * BINS[analysis].width)
        measures["earth_movers_distance"] = moved
    if analysis in (Analysis.VISITS, Analysis.FLOWS):
        first, shown_first = (metrics.largest_positions(counts, 10) for counts in (truth, private))
        coverage = len(np.intersect1d(first, shown_first)) / 10
        measures["top_10_coverage"] = coverage if len(truth) >= 10 else np.nan
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
