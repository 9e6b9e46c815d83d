"""What everything released is worth to a person, and whether that and accuracy balance."""

from typing import Literal

from ..ledger import Ledger
from ..parameters import ODParameters
from ..risk import GROUP, Guarantee, Strength, Worth
from ..steps import Level
from .roc import limit
from .strongest import checked_days

Standing = Literal["balanced", "leaning_open", "too_open", "too_private", "neither"]
"""Where a setting stands between privacy and accuracy, by `standing`."""


def worth_of_trips(parameters: ODParameters, days: int, *, added_up: bool = False) -> Worth:
    """Return what privacy is left once the matrices of all days are released.

    Parameters
    ----------
    parameters : ODParameters
        ε of one release and the unit of protection.
    days : int
        Declared days. At ``person-day`` each has a release that reads the person; at ``person``
        one release covers them all; a trip lies on one day only.
    added_up : bool
        Whether days share a matrix and its one noise. At ``person-day`` the losses of the days
        then add up in full: what is known of several noises does not hold for one.

    Examples
    --------
    >>> worth = worth_of_trips(ODParameters(epsilon=0.5, unit="person-day"), 7)
    >>> worth.total_epsilon, round(worth.best_guess, 3), worth.strength
    (3.5, 0.752, 'moderate')
    """
    releases = checked_days(days, parameters) if parameters.unit == "person-day" else 1
    one = Guarantee(epsilon=parameters.epsilon)

    def best_guess(each: Guarantee) -> float:
        if added_up:
            return Guarantee(epsilon=releases * each.epsilon).best_guess
        return limit(each, releases).best_guess

    return Worth(
        best_guess=best_guess(one),
        group_guess=best_guess(one.together(GROUP)),
        total_epsilon=releases * parameters.epsilon,
        delta=0.0,
        releases=releases,
        covers_person=parameters.unit != "trip",
    )


def worth_of_density(ledger: Ledger, epsilon: float) -> Worth:
    """Return what privacy is left of a person's week once the density is released.

    Parameters
    ----------
    ledger : Ledger
        Of the release.
    epsilon : float
        As stated; what is proved counts instead where that is more.

    Examples
    --------
    >>> from engine import density
    >>> from engine.parameters import DensityParameters
    >>> ledger = density.ledger(DensityParameters(epsilon=1.0, delta=1e-7), cover_size=100,
    ...                         max_visits_cap=840)
    >>> round(worth_of_density(ledger, 1.0).best_guess, 3)
    0.731
    """
    loss = ledger.proved_epsilon if ledger.exceeds(epsilon) else epsilon
    guarantee = Guarantee(epsilon=loss, delta=ledger.delta)
    return Worth(
        best_guess=guarantee.best_guess,
        group_guess=guarantee.together(GROUP).best_guess,
        total_epsilon=loss,
        delta=ledger.delta,
        releases=1,
        covers_person=True,
    )


def standing(strength: Strength, usable: Level) -> Standing:
    """Return where a setting stands; weak privacy is never balanced, however accurate it is.

    Parameters
    ----------
    strength : str
        Of `Worth`.
    usable : str
        Level of `engine.usability`.

    Examples
    --------
    >>> standing("weak", "good"), standing("strong", "noisy"), standing("strong", "partly")
    ('too_open', 'too_private', 'balanced')
    """
    if usable == "noisy":
        return "too_private" if strength == "strong" else "neither"
    by_strength: dict[Strength, Standing] = {
        "strong": "balanced",
        "moderate": "leaning_open",
        "weak": "too_open",
    }
    return by_strength[strength]


def level(strength: Strength, usable: Level) -> Level:
    """Return the worse of both sides as one level.

    Examples
    --------
    >>> level("weak", "good"), level("strong", "good"), level("moderate", "good")
    ('noisy', 'good', 'partly')
    """
    private: dict[Strength, Level] = {"strong": "good", "moderate": "partly", "weak": "noisy"}
    sides = (private[strength], usable)
    return next(one for one in ("noisy", "partly", "good") if one in sides)
