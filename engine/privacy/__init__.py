"""Privacy loss ε and δ for one person: guarantees, attackers' guesses and composition.

`flow_release_risk` and `cost_risk` bound an attacker's guesses over everything released;
`format_guess_rate` writes the bound. Nothing here reads data or draws noise.
"""

from .guarantee import (
    GROUP_SIZE,
    STRONG_GUESS,
    WEAK_GUESS,
    Guarantee,
    Risk,
    cost_risk,
    flow_release_risk,
    format_guess_limit,
    format_guess_rate,
    round_up_percent,
)
from .privacy_loss import compose_epsilon

__all__ = [
    "GROUP_SIZE",
    "STRONG_GUESS",
    "WEAK_GUESS",
    "Guarantee",
    "Risk",
    "compose_epsilon",
    "cost_risk",
    "flow_release_risk",
    "format_guess_limit",
    "format_guess_rate",
    "round_up_percent",
]
