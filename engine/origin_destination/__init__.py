"""Private origin–destination matrices: P2's mechanism, exact laws, calculators; ours."""

from ..parameters import ODParameters
from . import calculators, estimate
from .agreement import Agreement, agreement
from .composition import PersonTotal, person_total
from .drawn import drawn_cells, drawn_errors, drawn_outcomes
from .exact.expected import (
    POPULATIONS,
    Expectation,
    Population,
    Reading,
    expectation_of_matrix,
    reading,
)
from .exact.grid import HeatMap, heat_map
from .exact.histogram import CountHistogram, histogram, histogram_of_matrix
from .exact.outcomes import Errors, ErrorSplit, Outcomes, Share
from .exact.relative_rows import relative_error_rows
from .exact.totals import Totals
from .laws import LawName, NoiseLaw
from .matrices import Days, by_zone, kept, truth
from .mechanism import (
    UNITS,
    ODNoise,
    ODRelease,
    release_matrix,
    standard_noise,
)
from .methods import (
    METHODS,
    draw_noise,
    expected,
    ledger,
    plan,
    release,
    scores,
    suppresses,
)
from .scoring import (
    TripAccount,
    TripScores,
    ZeroAccount,
    drawn_scores,
    expected_scores,
    sampled_scores,
    trip_account,
    zero_account,
)
from .trimming import (
    TrimmingCurve,
    joined_curves,
    suggested_max_trips,
    trimming_curve,
)

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
    "by_zone",
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
    "sampled_scores",
    "scores",
    "standard_noise",
    "suggested_max_trips",
    "suppresses",
    "trimming_curve",
    "trip_account",
    "truth",
    "zero_account",
]
