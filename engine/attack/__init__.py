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

from ..losses import Losses, from_probabilities, repeated, repeated_losses, together
from .averages import TripAverages, over_trips
from .cells import (
    LARGEST_FLOW,
    MOST_TRIPS,
    Corridor,
    cell_losses,
    one_cell_advantage,
)
from .habits import UsualFlow, knowing_habits, without_noise
from .published import PUBLISHED_AREAS, RECORDED_CONTROL, ControlRow
from .roc import Roc, limit, roc
from .scenario import (
    Knowledge,
    Reached,
    Scenario,
    flows_to_show,
    over_days,
    over_epsilons,
    over_flows,
    suppression_alone,
)
from .strongest import MOST_DAYS, Attack, guarantee, laws, strongest
from .visits import (
    StageLoss,
    Visitor,
    bounded_range_delta,
    by_cluster,
    stage_losses,
    strongest_on_density,
)
from .worth import Standing, level, standing, worth_of_density, worth_of_trips

__all__ = [
    "LARGEST_FLOW",
    "MOST_DAYS",
    "MOST_TRIPS",
    "PUBLISHED_AREAS",
    "RECORDED_CONTROL",
    "Attack",
    "ControlRow",
    "Corridor",
    "Knowledge",
    "Losses",
    "Reached",
    "Roc",
    "Scenario",
    "StageLoss",
    "Standing",
    "TripAverages",
    "UsualFlow",
    "Visitor",
    "bounded_range_delta",
    "by_cluster",
    "cell_losses",
    "flows_to_show",
    "from_probabilities",
    "guarantee",
    "knowing_habits",
    "laws",
    "level",
    "limit",
    "one_cell_advantage",
    "over_days",
    "over_epsilons",
    "over_flows",
    "over_trips",
    "repeated",
    "repeated_losses",
    "roc",
    "stage_losses",
    "standing",
    "strongest",
    "strongest_on_density",
    "suppression_alone",
    "together",
    "without_noise",
    "worth_of_density",
    "worth_of_trips",
]
