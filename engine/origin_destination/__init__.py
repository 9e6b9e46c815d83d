"""Private origin–destination matrices: mechanism, exact expectation and calculators (P2)."""

from engine.origin_destination import calculators
from engine.origin_destination.composition import PersonTotal, person_total
from engine.origin_destination.matrices import truth
from engine.origin_destination.mechanism import (
    UNIT_WORDS,
    ODRelease,
    ledger,
    release,
    release_matrix,
    standard_noise,
)
from engine.parameters import ODParameters

__all__ = [
    "UNIT_WORDS",
    "ODParameters",
    "ODRelease",
    "PersonTotal",
    "calculators",
    "ledger",
    "person_total",
    "release",
    "release_matrix",
    "standard_noise",
    "truth",
]
