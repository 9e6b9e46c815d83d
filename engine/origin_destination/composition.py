"""What one person pays when several daily matrices are released."""

from dataclasses import dataclass

from .. import validation
from ..composition import composed_epsilon
from ..parameters import ODParameters


@dataclass(frozen=True, kw_only=True)
class PersonTotal:
    """Privacy loss of one person over all released days.

    Attributes
    ----------
    days : int
        Released daily matrices that can hold the person's trips.
    plain_epsilon : float or None
        Sum of the daily losses, pure ε-DP; None at trip level, which does not protect a person.
    tight_epsilon : float or None
        The least ε that holds with `delta` for any ε-DP daily releases: never above the sum.
    delta : float
        δ of `tight_epsilon`.
    """

    days: int
    plain_epsilon: float | None
    tight_epsilon: float | None
    delta: float


def person_total(parameters: ODParameters, days: int, *, delta: float = 1e-7) -> PersonTotal:
    """Return what `days` daily matrices cost one person.

    At ``person`` all days together cost ε. At ``person-day`` the losses of the days add up to
    D·ε; allowing a small δ, the optimal composition of D ε-DP releases (Kairouz, Oh and Viswanath
    2015) is smaller when ε is small.

    Parameters
    ----------
    parameters : ODParameters
        ε and the unit of protection.
    days : int
        Number of daily matrices, at least 1.
    delta : float
        In (0, 1).

    Examples
    --------
    >>> total = person_total(ODParameters(epsilon=0.1), 305, delta=1e-6)
    >>> round(total.plain_epsilon, 6), total.tight_epsilon < 10
    (30.5, True)
    """
    count = validation.whole_number("days", days, 1, remedy="one matrix is released a day")
    validation.inside_open_interval("delta", delta, 0, 1, "1e-7 is usual")
    if parameters.unit == "trip":
        return PersonTotal(days=count, plain_epsilon=None, tight_epsilon=None, delta=delta)
    releases = count if parameters.unit == "person-day" else 1
    plain = releases * parameters.epsilon
    one = (parameters.epsilon, 0.0)
    tight = plain if releases == 1 else composed_epsilon([one] * releases, delta)
    return PersonTotal(days=count, plain_epsilon=plain, tight_epsilon=tight, delta=delta)
