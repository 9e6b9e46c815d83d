"""How much an attacker learns about one person: exact tests and their limits.

Nothing here draws noise or needs data.

Examples
--------
>>> from engine import attack
>>> from engine.parameters import ODParameters
>>> there_and_back = [attack.Corridor(trips=1, rest=1000, cells=2)]
>>> result = attack.strongest(there_and_back, ODParameters(epsilon=0.5, unit="trip"))
>>> round(result.roc.best_guess, 3), round(result.limit.best_guess, 3)
(0.618, 0.731)
"""

from .cells import Corridor
from .roc import limit
from .strongest import Attack, laws, strongest
from .visits import Visitor, stage_losses, strongest_on_density
from .worth import Standing, level, standing, worth_of_density, worth_of_trips

__all__ = [
    "Attack",
    "Corridor",
    "Standing",
    "Visitor",
    "laws",
    "level",
    "limit",
    "stage_losses",
    "standing",
    "strongest",
    "strongest_on_density",
    "worth_of_density",
    "worth_of_trips",
]
