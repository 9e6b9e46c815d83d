"""What the attack reads of a dataset: its trips for their averages, else public facts alone."""

from engine import attack, origin_destination as od
from engine.attack import TripAverages
from engine.parameters import DensityParameters, ODParameters
from engine.resolution import Key
from engine.risk import Worth
from pages._ui.cache import scope as cached_scope, verbs
from pages._ui.cache.datasets import dataset


@cached_scope.data(max_entries=64, show_spinner="Reading the trips …")
def averages(key: Key, parameters: ODParameters, law: od.LawName) -> TripAverages:
    """Return the exposure of the dataset's trips: of each day, or at ``person`` of all together."""
    counted = od.histogram(
        dataset(key),
        parameters.unit,
        parameters.max_trips_per_user,
        sum_days=parameters.unit == "person",
    )
    return attack.over_trips(counted, parameters, law=law)


def worth_of_trips(parameters: ODParameters, days: int, *, added_up: bool = False) -> Worth:
    """Return what privacy is left once the matrices of all days are released."""
    return verbs.computed(attack.worth_of_trips, parameters, days, added_up=added_up)


def worth_of_density(key: Key, parameters: DensityParameters) -> Worth:
    """Return what privacy is left once the density is released."""
    return attack.worth_of_density(verbs.ledger(key, parameters), parameters.epsilon)


def public(key: Key) -> dict[str, int]:
    """Return what an attack on a density takes of the dataset: public facts, by keyword."""
    places = dataset(key)
    return {
        "cover_size": places.tessellation.cover_size,
        "max_visits_cap": places.metadata.max_visits_cap,
    }
