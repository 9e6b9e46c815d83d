"""Private origin–destination matrices: mechanism, exact expectation and calculators (P2)."""

from engine.origin_destination import calculators
from engine.origin_destination.composition import PersonTotal, person_total
from engine.origin_destination.drawn import drawn_errors, drawn_fates
from engine.origin_destination.exact.expected import (
    POPULATIONS,
    Expectation,
    Population,
    Reading,
    expectation,
    expectation_of_matrix,
    reading,
)
from engine.origin_destination.exact.grid import HeatMap, heat_map
from engine.origin_destination.exact.histogram import CountHistogram, histogram, histogram_of_matrix
from engine.origin_destination.exact.outcomes import Errors, ErrorSplit, Fates, Share, Totals
from engine.origin_destination.exact.relative_rows import relative_error_rows
from engine.origin_destination.laws import LawName, NoiseLaw
from engine.origin_destination.matrices import Days, truth
from engine.origin_destination.mechanism import (
    UNIT_WORDS,
    ODRelease,
    ledger,
    release,
    release_matrix,
    standard_noise,
)
from engine.origin_destination.trimming import TrimmingCurve, trimming_curve
from engine.parameters import ODParameters

__all__ = [
    "POPULATIONS",
    "UNIT_WORDS",
    "CountHistogram",
    "Days",
    "ErrorSplit",
    "Errors",
    "Expectation",
    "Fates",
    "HeatMap",
    "LawName",
    "NoiseLaw",
    "ODParameters",
    "ODRelease",
    "PersonTotal",
    "Population",
    "Reading",
    "Share",
    "Totals",
    "TrimmingCurve",
    "calculators",
    "drawn_errors",
    "drawn_fates",
    "expectation",
    "expectation_of_matrix",
    "heat_map",
    "histogram",
    "histogram_of_matrix",
    "ledger",
    "person_total",
    "reading",
    "relative_error_rows",
    "release",
    "release_matrix",
    "standard_noise",
    "trimming_curve",
    "truth",
]
