"""A private mobility report: eight analyses under one budget (P3, made exact by R1 to R6).

Each analysis has bins from public numbers, a sensitivity and a share of ε. Everything follows from
the counts in ``report.parquet``, so no setting needs individual records.
"""

from .aggregates import (
    ReportTable,
    count_analysis,
    fit_to_table,
    group_days,
    has_report,
    labels,
    truth,
)
from .measures import STOPS
from .mechanism import (
    METHODS,
    ReportNoise,
    ReportRelease,
    compute_cost,
    draw_noise,
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
    "ReportNoise",
    "ReportParameters",
    "ReportRelease",
    "ReportTable",
    "compute_cost",
    "count_analysis",
    "draw_noise",
    "fit_to_table",
    "group_days",
    "has_report",
    "labels",
    "release",
    "release_table",
    "scores",
    "truth",
]
