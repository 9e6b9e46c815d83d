"""A private mobility report: what is in the data, under one budget (P3, made exact by R1 to R6).

When, where, how far, how often: eight analyses of a set of trips, each with bins fixed by public
numbers, its sensitivity and its share of ε. Everything is computed from the counts in
``report.parquet``, so that no setting needs a look at a person.
"""

from .aggregates import ReportTable, count_analysis, fit_to_table, group_days, has_report, truth
from .labels import labels
from .measures import STOPS
from .mechanism import (
    METHODS,
    AnalysisResult,
    ReportNoise,
    ReportRelease,
    draw_noise,
    ledger,
    plan,
    release,
    release_table,
)
from .scores import scores
from .settings import BINS, Analysis, ReportParameters

__all__ = [
    "BINS",
    "METHODS",
    "STOPS",
    "Analysis",
    "AnalysisResult",
    "ReportNoise",
    "ReportParameters",
    "ReportRelease",
    "ReportTable",
    "count_analysis",
    "draw_noise",
    "fit_to_table",
    "group_days",
    "has_report",
    "labels",
    "ledger",
    "plan",
    "release",
    "release_table",
    "scores",
    "truth",
]
