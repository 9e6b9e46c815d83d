"""How much an attacker learns about one person: exact tests, their limits, realistic attackers.

Nothing here draws noise or needs data, but for the averages over a dataset's trips.

Examples
--------
>>> from engine import attack
>>> from engine.parameters import ODParameters
>>> there_and_back = [attack.Corridor(trips=1, rest=1000, cells=2)]
>>> result = attack.strongest(there_and_back, ODParameters(epsilon=0.5, unit="trip"))
>>> round(result.roc.best_guess, 3), round(result.limit.best_guess, 3)
(0.618, 0.731)
"""

from .averages import TripAverages, over_trips
from .cells import Corridor
from .habits import UsualFlow, knowing_habits, without_noise
from .roc import limit
from .scenario import (
    Reached,
    Scenario,
    flows_to_show,
    over_days,
    over_epsilons,
    over_flows,
    suppression_alone,
)
from .strongest import Attack, laws, strongest
from .visits import Visitor, stage_losses, strongest_on_density
from .worth import Standing, level, standing, worth_of_density, worth_of_trips

__all__ = [
    "Attack",
    "Corridor",
    "Reached",
    "Scenario",
    "Standing",
    "TripAverages",
    "UsualFlow",
    "Visitor",
    "flows_to_show",
    "knowing_habits",
    "laws",
    "level",
    "limit",
    "over_days",
    "over_epsilons",
    "over_flows",
    "over_trips",
    "stage_losses",
    "standing",
    "strongest",
    "strongest_on_density",
    "suppression_alone",
    "without_noise",
    "worth_of_density",
    "worth_of_trips",
]
