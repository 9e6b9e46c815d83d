"""What ε and δ mean for one person: the guarantee in words, and losses composed.

`risk_of_trips` and `risk_of_ledger` say of everything that is released what an attacker can guess
at most; `guesses` is how every page writes it. Nothing here reads data or draws noise.
"""

from .guarantee import (
    GROUP,
    STRONG_GUESS,
    WEAK_GUESS,
    Guarantee,
    Risk,
    Strength,
    guesses,
    risk_of_ledger,
    risk_of_trips,
    round_up_percent,
)
from .losses import Losses, composed, composed_epsilon, epsilon_at, randomised_response
from .people import trips_of_people

__all__ = [
    "GROUP",
    "STRONG_GUESS",
    "WEAK_GUESS",
    "Guarantee",
    "Losses",
    "Risk",
    "Strength",
    "composed",
    "composed_epsilon",
    "epsilon_at",
    "guesses",
    "randomised_response",
    "risk_of_ledger",
    "risk_of_trips",
    "round_up_percent",
    "trips_of_people",
]
