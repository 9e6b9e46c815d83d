"""What a release costs one unit of a budget; ``docs/release.md`` proves every figure.

Costs are exact decimal fractions and are rounded up to the next float, never down.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from .. import validation
from .ledger import BudgetUnit, ReleaseError, exact
from .noise import zcdp_epsilon

_ROOM = 1 + Fraction(1, 10**9)  # for what floating point rounds in e^ε and in ε of ρ


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What a release promises to its own unit, and what its proof knows beyond that.

    `trimmed_to` is T where only trips are counted, the first T of each `unit` in a random order of
    their own, and ε is that of T trips. `rho` is ρ where all noise is Gaussian, on tables without
    negative numbers, in which each `unit` has at most a fixed L₂ norm.
    """

    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    days: int = 1
    trimmed_to: int | None = None
    rho: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a release costs one unit of a budget, each number at least what is proved."""

    epsilon: float
    delta: float = 0.0


def cost(loss: Loss, budget_unit: BudgetUnit) -> Cost:
    """Return what a release costs one unit of a budget; trip level cannot be charged to people.

    A person pays for each released day of a release that protects person-days. A unit finer than
    the release's is *not* covered by it: remove the person (ε), add her without that day (ε): 2ε
    and (1 + e^ε)δ, or less where the proof tells: 2ε/T, or ε of 2ρ.

    Examples
    --------
    >>> cost(Loss(unit="person-day", epsilon=0.1, days=7), "person")
    Cost(epsilon=0.7, delta=0.0)
    >>> cost(Loss(unit="person", epsilon=0.5), "person-day")
    Cost(epsilon=1.0, delta=0.0)
    >>> cost(Loss(unit="person-day", epsilon=0.5, days=7, trimmed_to=4), "trip")
    Cost(epsilon=0.25, delta=0.0)
    """
    validation.whole_number("days", loss.days, 1, remedy="a release covers at least one day")
    if loss.unit == budget_unit:
        return Cost(epsilon=float(loss.epsilon), delta=float(loss.delta))
    if loss.unit == "trip":
        raise ReleaseError(
            f"a release at trip level cannot be charged to a budget per {budget_unit}",
            value="unit 'trip'",
            remedy="it bounds nobody's trips, so no ε per person can be stated: release at unit "
            "'person-day' or 'person', or declare a budget per trip",
            code="unit",
        )
    epsilon, delta = exact(loss.epsilon), exact(loss.delta)
    if budget_unit == "person":
        return _rounded_up(epsilon * loss.days, delta * loss.days, budget_unit)
    if budget_unit == "trip" and loss.trimmed_to is not None and not delta:
        return _rounded_up(2 * epsilon / loss.trimmed_to, delta, budget_unit)
    if loss.rho is not None:
        of_twice_rho = Fraction(zcdp_epsilon(2 * loss.rho, loss.delta)) * _ROOM
        if of_twice_rho <= 2 * epsilon:
            return _rounded_up(of_twice_rho, delta, budget_unit)
    return _rounded_up(2 * epsilon, _twice(loss.epsilon, delta), budget_unit)


def _at_least(number: Fraction) -> float:
    """Return the least float that is not below a fraction, as floats are written."""
    nearest = float(number)
    while exact(nearest) < number:
        nearest = math.nextafter(nearest, math.inf)
    return nearest


def _twice(epsilon: float, delta: Fraction) -> Fraction:
    """Return at least (1 + e^ε)δ, or 1 where it is more: such a δ promises nothing."""
    if delta and epsilon >= -math.log(delta):
        return Fraction(1)
    return (1 + Fraction(math.exp(epsilon))) * _ROOM * delta if delta else delta


def _rounded_up(epsilon: Fraction, delta: Fraction, unit: BudgetUnit) -> Cost:
    if delta >= 1:
        raise ReleaseError(
            f"a release must cost a budget per {unit} a δ below 1",
            value=f"{float(delta):g}",
            remedy="choose a smaller δ, or a budget in the unit that the release protects",
            code="unit",
        )
    return Cost(epsilon=_at_least(epsilon), delta=_at_least(delta))
