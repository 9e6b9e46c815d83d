"""What an attacker can learn of all that a setting releases, from public facts."""

from engine import attack
from engine.parameters import DensityParameters, ODParameters
from engine.resolution import Key
from engine.risk import Worth
from pages._ui.cache import verbs


def worth_of_trips(parameters: ODParameters, days: int, *, added_up: bool = False) -> Worth:
    """Return what privacy is left once the matrices of all days are released."""
    return verbs.computed(attack.worth_of_trips, parameters, days, added_up=added_up)


def worth_of_density(key: Key, parameters: DensityParameters) -> Worth:
    """Return what privacy is left once the density is released."""
    return attack.worth_of_density(verbs.ledger(key, parameters), parameters.epsilon)
