"""Private origin–destination matrices: P2's mechanism, exact laws, calculators; ours."""

from ..parameters import ODParameters
from . import calculators, estimate
from .exact import heat_map, trimming_curve
from .laws import LawName, NoiseLaw
from .matrices import histogram, kept, truth
from .methods import METHODS, draw_noise, expected, ledger, plan, release, scores, suppresses

__all__ = [
    "METHODS",
    "LawName",
    "NoiseLaw",
    "ODParameters",
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
    "scores",
    "suppresses",
    "trimming_curve",
    "truth",
]
