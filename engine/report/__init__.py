"""A private mobility report: what is in the data, under one budget (P3, made exact by R1 to R6).

When, where, how far, how often: fifteen analyses of a set of trips, each with its own bins fixed
by public numbers, its sensitivity and its share of ε. Everything is computed from the counts in
``report.parquet``, so that no setting needs a look at a person.
"""

from .aggregates import ReportTable, available, extent_of, truth
from .analyses import (
    HISTOGRAMS,
    USER_ANALYSES,
    Analysis,
    Unit,
    parts,
    quantile_sensitivity,
    sensitivity,
)
from .bins import Bins, default_bins
from .bounding import (
    BoundingCurve,
    ErrorParts,
    TripsGuess,
    balance,
    bounding_curve,
    error_parts,
)
from .budget import Budget, ReportMethod
from .draws import DiscreteNoise, NoiseSource, ReportNoise
from .fivenumbers import FiveNumbers, compare_ways, true_five_numbers
from .loss import losses, scores, summarised
from .measures import STOPS, Extent, Measure
from .mechanism import (
    METHODS,
    ReportRelease,
    draw_noise,
    ledger,
    noisy_numbers,
    plan,
    release,
    release_table,
)
from .results import Result
from .settings import Plan, ReportParameters
from .vectors import Periods, numbers, periods

__all__ = [
    "HISTOGRAMS",
    "METHODS",
    "STOPS",
    "USER_ANALYSES",
    "Analysis",
    "Bins",
    "BoundingCurve",
    "Budget",
    "DiscreteNoise",
    "ErrorParts",
    "Extent",
    "FiveNumbers",
    "Measure",
    "NoiseSource",
    "Periods",
    "Plan",
    "ReportMethod",
    "ReportNoise",
    "ReportParameters",
    "ReportRelease",
    "ReportTable",
    "Result",
    "TripsGuess",
    "Unit",
    "available",
    "balance",
    "bounding_curve",
    "compare_ways",
    "default_bins",
    "draw_noise",
    "error_parts",
    "extent_of",
    "ledger",
    "losses",
    "noisy_numbers",
    "numbers",
    "parts",
    "periods",
    "plan",
    "quantile_sensitivity",
    "release",
    "release_table",
    "scores",
    "sensitivity",
    "summarised",
    "true_five_numbers",
    "truth",
]
