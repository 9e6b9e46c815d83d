"""Which settings to choose: all of them, by what they risk and what can be used of them.

The two axes are those of every page: the best guess of membership over everything declared to be
released (`engine.privacy.Risk`), and the share of trips in usable flows, or of usable zones
(`engine.usability`).
"""

from .candidate import USE_STEP, Candidate, Neighbours, Step, best, undominated
from .flows import LIMITS, THRESHOLDS
from .need import Need, Protected, Read
from .search import Frontier, Lever, Progress, WayOut, candidates, frontier
from .spread import quantiles, trips_per_person

__all__ = [
    "LIMITS",
    "THRESHOLDS",
    "USE_STEP",
    "Candidate",
    "Frontier",
    "Lever",
    "Need",
    "Neighbours",
    "Progress",
    "Protected",
    "Read",
    "Step",
    "WayOut",
    "best",
    "candidates",
    "frontier",
    "quantiles",
    "trips_per_person",
    "undominated",
]
