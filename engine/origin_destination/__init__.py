"""Private origin–destination matrices: P2's mechanism, exact laws, calculators; ours."""

from engine.origin_destination import calculators, estimate
from engine.origin_destination.agreement import Agreement, agreement
from engine.origin_destination.composition import PersonTotal, person_total
from engine.origin_destination.drawn import drawn_cells, drawn_errors, drawn_outcomes
from engine.origin_destination.exact.expected import (
    POPULATIONS,
    Expectation,
    Population,
    Reading,
    expectation_of_matrix,
    reading,
)
from engine.origin_destination.exact.grid import HeatMap, heat_map
from engine.origin_destination.exact.histogram import CountHistogram, histogram, histogram_of_matrix
from engine.origin_destination.exact.outcomes import Errors, ErrorSplit, Outcomes, Share
from engine.origin_destination.exact.relative_rows import relative_error_rows
from engine.origin_destination.exact.totals import Totals
from engine.origin_destination.laws import LawName, NoiseLaw
from engine.origin_destination.matrices import Days, kept, truth
from engine.origin_destination.mechanism import (
    UNITS,
    ODNoise,
    ODRelease,
    release_matrix,
    standard_noise,
)
from engine.origin_destination.methods import (
    METHODS,
    draw_noise,
    expected,
    ledger,
    plan,
    release,
    scores,
    suppresses,
)
from engine.origin_destination.scores import (
    TripAccount,
    TripScores,
    ZeroAccount,
    drawn_scores,
    expected_scores,
    trip_account,
    zero_account,
)
from engine.origin_destination.trimming import (
    TrimmingCurve,
    joined_curves,
    suggested_max_trips,
    trimming_curve,
)
from engine.parameters import ODParameters

__all__ = [
    "METHODS",
    "POPULATIONS",
    "UNITS",
    "Agreement",
    "CountHistogram",
    "Days",
    "ErrorSplit",
    "Errors",
    "Expectation",
    "HeatMap",
    "LawName",
    "NoiseLaw",
    "ODNoise",
    "ODParameters",
    "ODRelease",
    "Outcomes",
    "PersonTotal",
    "Population",
    "Reading",
    "Share",
    "Totals",
    "TrimmingCurve",
    "TripAccount",
    "TripScores",
    "ZeroAccount",
    "agreement",
    "calculators",
    "draw_noise",
    "drawn_cells",
    "drawn_errors",
    "drawn_outcomes",
    "drawn_scores",
    "estimate",
    "expectation_of_matrix",
    "expected",
    "expected_scores",
    "heat_map",
    "histogram",
    "histogram_of_matrix",
    "joined_curves",
    "kept",
    "ledger",
    "person_total",
    "plan",
    "reading",
    "relative_error_rows",
    "release",
    "release_matrix",
    "scores",
    "standard_noise",
    "suggested_max_trips",
    "suppresses",
    "trimming_curve",
    "trip_account",
    "truth",
    "zero_account",
]
