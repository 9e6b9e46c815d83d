"""A private mobility report: what is in the data, under one budget (P3, made exact by R1 to R6).

When, where, how far, how often: eight analyses of a set of trips, each with bins fixed by public
numbers, its sensitivity and its share of ε. Everything is computed from the counts in
``report.parquet``, so that no setting needs a look at a person.
"""

from .aggregates import ReportTable, available, fitting, numbers, periods, truth
from .labels import labels
from .measures import STOPS
from .mechanism import (
    METHODS,
    ReportNoise,
    ReportRelease,
    Result,
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
    "ReportNoise",
    "ReportParameters",
    "ReportRelease",
    "ReportTable",
    "Result",
    "available",
    "draw_noise",
    "fitting",
    "labels",
    "ledger",
    "numbers",
    "periods",
    "plan",
    "release",
    "release_table",
    "scores",
    "truth",
]
