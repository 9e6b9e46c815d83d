"""A private mobility report: what is in the data, under one budget (P3, made exact by R1 to R6).

When, where, how far, how often: fifteen analyses of a set of trips, each with its own bins fixed
by public numbers, its sensitivity and its share of ε. Everything is computed from the counts in
``report.parquet``, so that no setting needs a look at a person.
"""

from .aggregates import ReportTable, available, extent_of, truth
from .analyses import HISTOGRAMS, USER_ANALYSES, Analysis
from .bins import Bins
from .budget import Budget
from .draws import ReportNoise
from .loss import scores
from .measures import STOPS
from .mechanism import METHODS, ReportRelease, draw_noise, ledger, plan, release, release_table
from .page import page
from .results import Result
from .settings import ReportParameters
from .side import Side
from .vectors import numbers, periods

__all__ = [
    "HISTOGRAMS",
    "METHODS",
    "STOPS",
    "USER_ANALYSES",
    "Analysis",
    "Bins",
    "Budget",
    "ReportNoise",
    "ReportParameters",
    "ReportRelease",
    "ReportTable",
    "Result",
    "Side",
    "available",
    "draw_noise",
    "extent_of",
    "ledger",
    "numbers",
    "page",
    "periods",
    "plan",
    "release",
    "release_table",
    "scores",
    "truth",
]
