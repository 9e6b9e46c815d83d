"""Which settings to choose: all of them, by what they risk and what can be used of them.

The two axes are those of every page: how often an attacker guesses right at most, over everything
that is released, and the common part (`engine.use`).
"""

from .candidate import USE_STEP, Candidate, best, undominated
from .judge import Frontier, Part, WayOut, frontier, judged, parts
from .need import Need, check

__all__ = [
    "USE_STEP",
    "Candidate",
    "Frontier",
    "Need",
    "Part",
    "WayOut",
    "best",
    "check",
    "frontier",
    "judged",
    "parts",
    "undominated",
]
