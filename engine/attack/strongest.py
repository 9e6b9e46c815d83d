"""The strongest attacker against origin–destination matrices: he knows all trips but the target's.

Only cells that the target travels in can betray him. Their losses add up, over the cells of a
matrix and over the matrices that are released, and the likelihood-ratio test on the sum is the best
test there is. Nothing is simulated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from .. import validation
from ..errors import ParameterError
from ..ledger import Noise
from ..losses import Losses, repeated, together
from ..origin_destination import LawName, ledger, suppresses
from ..parameters import ODParameters
from ..risk import Guarantee
from .cells import Corridor, cell_losses
from .roc import Roc, limit, roc

MOST_DAYS = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Attack:
    """What an attacker reaches, beside what the guarantee allows him.

    Attributes
    ----------
    roc : Roc
        Of the attack.
    limit : Roc
        Of the best attack on any mechanism with the same guarantee.
    guarantee : Guarantee
        Of one release, for all trips that the target has in it.
    releases : int
        Number of releases of which each keeps that guarantee.
    """

    roc: Roc
    limit: Roc
    guarantee: Guarantee
    releases: int


def strongest(
    target: Sequence[Corridor],
    parameters: ODParameters,
    *,
    days: int = 1,
    law: LawName = "rounded_laplace",
) -> Attack:
    """Return the best attack of one who knows all trips but the target's.

    Parameters
    ----------
    target : sequence of Corridor
        The target's trips in one matrix, after trimming, and all other trips in their cells.
    parameters : ODParameters
        ε, T, τ, the unit of protection and the method. At ``trip`` a target with n trips in a
        matrix has a guarantee of n·ε; at ``person-day`` and ``person`` it is ε, and n is at most T.
    days : int
        Daily matrices that hold such a target's trips, 1 to 10,000; 1 at ``person``.
    law : str
        Noise: ``rounded_laplace`` as published, ``discrete_laplace`` of a release.

    Returns
    -------
    Attack
        Exact where the distinct sums of losses are at most 2¹⁶; else at least as strong as the
        exact one, and stronger by less than 1e-5 of advantage for T = 1.

    Raises
    ------
    ParameterError
        If the target has no trip or more than T, or a number is outside its domain.

    Examples
    --------
    >>> one_trip = [Corridor(trips=1, rest=10**6)]
    >>> attack = strongest(one_trip, ODParameters(epsilon=0.5, unit="trip"))
    >>> f"{100 * attack.roc.best_guess:.0f} of 100, at most {100 * attack.limit.best_guess:.0f}"
    '61 of 100, at most 62'
    """
    releases = checked_days(days, parameters)
    trips = checked_trips(target, parameters)
    cells = exposed(parameters, law)
    parts = [
        repeated(
            cell_losses(
                corridor.trips, corridor.rest, rate=cells.rate, threshold=cells.threshold, law=law
            ),
            corridor.cells * releases * cells.times,
        )
        for corridor in target
    ]
    return against(together(parts), guarantee(parameters, trips), releases)


class Exposed(NamedTuple):
    """What an attacker is given of a method: everything that it measures, before it is read.

    Whoever sees only what is read from that can do no better. The noise of a number has a scale of
    1/`rate` trips; `threshold` is τ, None where nothing is suppressed and noisy numbers are handed
    on below 0, too; a trip is counted in so many (`times`) numbers of a matrix. Two routes of a
    target are taken to share none of them, as there and back do.
    """

    rate: float
    threshold: int | None
    times: int


def exposed(parameters: ODParameters, law: LawName) -> Exposed:
    """Return what an attacker is given, by the ledger of the method.

    Raises
    ------
    ParameterError
        If the method has no noise of this law (`laws`).

    Examples
    --------
    >>> exposed(ODParameters(epsilon=0.5, method="estimate"), "discrete_laplace").threshold is None
    True
    """
    stage = ledger(parameters).stages[0]
    if law not in laws(parameters):
        raise ParameterError(
            f"law must be 'discrete_laplace' for method={parameters.method!r}, got {law!r}; its "
            "noise is whole numbers from the start"
        )
    assert stage.noise_scale is not None
    threshold = parameters.suppression_threshold if suppresses(parameters) else None
    return Exposed(rate=1 / stage.noise_scale, threshold=threshold, times=1)


def laws(parameters: ODParameters) -> tuple[LawName, ...]:
    """Return the laws that the noise of a method may have, that of exploring first.

    Examples
    --------
    >>> [len(laws(ODParameters(epsilon=1.0, method=each))) for each in ("published", "estimate")]
    [2, 1]
    """
    whole = ledger(parameters).stages[0].noise is Noise.DISCRETE_LAPLACE
    return ("discrete_laplace",) if whole else get_args(LawName)


def against(losses: Losses, kept: Guarantee, releases: int) -> Attack:
    """Return the attack with these losses beside the limit of so many releases."""
    return Attack(roc=roc(losses), limit=limit(kept, releases), guarantee=kept, releases=releases)


def guarantee(parameters: ODParameters, trips: int) -> Guarantee:
    """Return what one release guarantees a target with so many trips in it.

    Trips are protected one by one at ``trip``: n of them cost n·ε (group privacy).

    Examples
    --------
    >>> guarantee(ODParameters(epsilon=0.1, unit="trip"), 14).epsilon
    1.4000000000000001
    """
    loss = parameters.epsilon * (trips if parameters.unit == "trip" else 1)
    return Guarantee(epsilon=loss)


def checked_days(days: int, parameters: ODParameters) -> int:
    """Return the number of releases that read the target."""
    count = validation.whole_number(
        "days", days, 1, MOST_DAYS, remedy="one matrix is released a day"
    )
    if parameters.unit == "person" and count != 1:
        raise ParameterError(
            f"days must be 1 at unit='person', got {days!r}; one matrix covers the whole period"
        )
    return count


def checked_trips(target: Sequence[Corridor], parameters: ODParameters) -> int:
    """Return all trips of the target in one matrix."""
    if not target:
        raise ParameterError(
            "target must have at least one Corridor, got none; without trips it leaves no trace"
        )
    trips = sum(corridor.total for corridor in target)
    if parameters.unit != "trip" and trips > parameters.max_trips_per_user:
        raise ParameterError(
            f"target must have at most max_trips_per_user = {parameters.max_trips_per_user} trips "
            f"at unit={parameters.unit!r}, got {trips}; trimming keeps no more of them"
        )
    return trips
