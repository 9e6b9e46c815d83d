"""What ε and δ mean for one person: the guarantee in words, losses composed, the best attack.

`risk_of_trips` and `risk_of_ledger` say of everything that is released what an attacker can guess
at most; `guesses` is how every page writes it. Nothing here reads data or draws noise.
"""

from .attack import Attack, Corridor, Visitor, strongest, strongest_on_density
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
    "Attack",
    "Corridor",
    "Guarantee",
    "Losses",
    "Risk",
    "Strength",
    "Visitor",
    "composed",
    "composed_epsilon",
    "epsilon_at",
    "guesses",
    "randomised_response",
    "risk_of_ledger",
    "risk_of_trips",
    "round_up_percent",
    "strongest",
    "strongest_on_density",
    "trips_of_people",
]
