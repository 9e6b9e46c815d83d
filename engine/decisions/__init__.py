"""What noise does to decisions: an epidemic response, and aid after a shock (P2)."""

from .aid import AidDraws, Outflow, Shock, ShockTotals, outflow, private_aid, shock, shock_totals
from .epidemic import (
    EpidemicParameters,
    private_epidemics,
    scenario_origins,
    suppressed_epidemic,
    true_epidemic,
)
from .judge import judge_aid, judge_epidemic, own_question, strongest_privacy
from .rules import Comparison, compare

__all__ = [
    "AidDraws",
    "Comparison",
    "EpidemicParameters",
    "Outflow",
    "Shock",
    "ShockTotals",
    "compare",
    "judge_aid",
    "judge_epidemic",
    "outflow",
    "own_question",
    "private_aid",
    "private_epidemics",
    "scenario_origins",
    "shock",
    "shock_totals",
    "strongest_privacy",
    "suppressed_epidemic",
    "true_epidemic",
]
