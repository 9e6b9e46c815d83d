"""Private origin–destination matrices: P2's mechanism, exact laws, calculators; ours."""

from ..parameters import ODParameters
from . import calculators, estimate
from .exact import heat_map
from .laws import LawName, NoiseLaw
from .matrices import by_zone, histogram, kept, truth
from .mechanism import ODNoise, release_matrix
from .methods import METHODS, draw_noise, expected, ledger, plan, release, scores, suppresses
from .trimming import trimming_curve

__all__ = [
    "METHODS",
    "LawName",
    "NoiseLaw",
    "ODNoise",
    "ODParameters",
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
    "release",
    "release_matrix",
    "scores",
    "suppresses",
    "trimming_curve",
    "truth",
]
