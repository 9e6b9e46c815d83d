"""What noise does to decisions: an epidemic, aid after a shock (P2), zones to act in."""

from .aid import Outflow, ShockTotals, outflow, shock, shock_totals
from .choice import AidTarget, EpidemicTarget, PrivacyChoice, ZonesTarget, strongest_privacy
from .drawn import private_aid, private_epidemics
from .epidemic import true_epidemic
from .judgement import judge_aid, judge_epidemic
from .model import EpidemicParameters
from .populations import Populations, home_populations
from .scoring import compare
from .selection import Selection, selection_probability
from .zones import AboveLimit, MostZones, decide_zones, judge_zones

__all__ = [
    "AboveLimit",
    "AidTarget",
    "EpidemicParameters",
    "EpidemicTarget",
    "MostZones",
    "Outflow",
    "Populations",
    "PrivacyChoice",
    "Selection",
    "ShockTotals",
    "ZonesTarget",
    "compare",
    "decide_zones",
    "home_populations",
    "judge_aid",
    "judge_epidemic",
    "judge_zones",
    "outflow",
    "private_aid",
    "private_epidemics",
    "selection_probability",
    "shock",
    "shock_totals",
    "strongest_privacy",
    "true_epidemic",
]
