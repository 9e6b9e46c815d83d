"""What an attacker can learn of all that a setting releases, from public facts."""

from engine import privacy
from engine.contract import Seen
from engine.datasets import Metadata
from engine.parameters import DensityParameters, ODParameters
from engine.privacy import Risk
from pages._ui.cache import verbs


def risk_of_trips(parameters: ODParameters, about: Metadata) -> Risk:
    """Return what privacy is left once the matrices of all days are released."""
    return verbs.computed(privacy.risk_of_trips, parameters, privacy.days_by_matrix(about))


def risk_of_density(key: Seen, parameters: DensityParameters) -> Risk:
    """Return what privacy is left once the density is released."""
    return privacy.risk_of_ledger(verbs.ledger(key, parameters), parameters.epsilon)
