"""Private origin–destination matrices: P2's mechanism, exact laws, calculators; ours."""

from ..parameters import ODParameters
from . import calculators, estimate
from .agreement import agreement
from .exact.grid import heat_map
from .exact.histogram import histogram
from .exact.relative_rows import relative_error_rows
from .laws import LawName, NoiseLaw
from .matrices import by_zone, kept, truth
from .mechanism import ODNoise, release_matrix
from .methods import METHODS, draw_noise, expected, ledger, plan, release, scores, suppresses
from .trimming import suggested_max_trips, trimming_curve

__all__ = [
    "METHODS",
    "LawName",
    "NoiseLaw",
    "ODNoise",
    "ODParameters",
    "agreement",
    "by_zone",
    "calculators",
    "draw_noise",
    "estimate",
    "expected",
    "heat_map",
    "histogram",
    "kept",
    "ledger",
    "plan",
    "relative_error_rows",
    "release",
    "release_matrix",
    "scores",
    "suggested_max_trips",
    "suppresses",
    "trimming_curve",
    "truth",
]
