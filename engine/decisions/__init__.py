"""Decisions with private data: an epidemic response, and aid after a shock (P2)."""

from .aid import (
    AidDraws,
    Outflow,
    Shock,
    ShockTotals,
    compute_shock_totals,
    count_outflow,
    load_shock,
    score_each_zone,
    simulate_private_aid,
)
from .decision_evaluation import (
    default_question,
    evaluate_aid,
    evaluate_epidemic,
    strongest_privacy,
)
from .epidemic import (
    EpidemicParameters,
    seed_zones,
    simulate_private_epidemics,
    simulate_true_epidemic,
)
from .rules import Comparison, compare_decisions

__all__ = [
    "AidDraws",
    "Comparison",
    "EpidemicParameters",
    "Outflow",
    "Shock",
    "ShockTotals",
    "compare_decisions",
    "compute_shock_totals",
    "count_outflow",
    "default_question",
    "evaluate_aid",
    "evaluate_epidemic",
    "load_shock",
    "score_each_zone",
    "seed_zones",
    "simulate_private_aid",
    "simulate_private_epidemics",
    "simulate_true_epidemic",
    "strongest_privacy",
]
