"""Ways out of a refusal: what else fits a budget, found by asking what it would cost.

No rule of its own: every way is tried with `charge`, the one place that asks
`engine.release.cost`, and compared with what is left as the ledger does, in decimal fractions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .cost import Cost, cost
from .entries import Budget, BudgetUnit, ReleaseError, over
from .plan import Plan

_FLOWS = ("od", "od-estimate")
_PER_POWER = 90  # numbers with two digits: 10 … 99 times a power of ten
_SMALLEST_POWER = -13
_LARGEST_EPSILON = 100.0


@dataclass(frozen=True, kw_only=True)
class WayOut:
    """Settings with which a release fits its budget, everything else unchanged.

    Attributes
    ----------
    change : str
        What differs: ``epsilon``, ``delta``, ``days`` or ``unit`` (then ε may be smaller, too).
    epsilon, delta : float
        The largest of two digits that fit.
    days : int
        Released days.
    unit : str
        What is protected.
    """

    change: str
    epsilon: float
    delta: float
    days: int
    unit: BudgetUnit


def charge(plan: Plan, budget: Budget) -> Cost:
    """Return what a release costs one unit of a budget.

    Raises
    ------
    ReleaseError
        Where it cannot be charged to that budget at all.
    """
    return cost(plan.loss, budget.unit)


def fits(plan: Plan, budget: Budget) -> bool:
    """Whether a budget holds what a release costs."""
    try:
        due = charge(plan, budget)
    except ReleaseError:
        return False
    return max(over(budget, due.epsilon, due.delta)) <= 0


def fitting_epsilon(plan: Plan, budget: Budget) -> float | None:
    """Return the largest ε of two digits with which a release fits; None where none does."""
    low, high = plan.epsilons
    most = min(high, _LARGEST_EPSILON)
    epsilon = _largest(lambda one: fits(_with(plan, epsilon=one), budget), most)
    return epsilon if epsilon is not None and epsilon >= low else None


def ways_out(plan: Plan, budget: Budget) -> tuple[WayOut, ...]:
    """Return what would fit in place of a release that does not: less ε or δ, fewer days, a unit.

    Parameters
    ----------
    plan : Plan
    budget : Budget
        That would pay for it.

    Returns
    -------
    tuple of WayOut
        Empty where the release fits as it is, or nothing does.
    """
    if fits(plan, budget):
        return ()
    ways: list[WayOut] = []
    epsilon = fitting_epsilon(plan, budget)
    if epsilon is not None:
        ways.append(_way("epsilon", _with(plan, epsilon=epsilon)))
    if plan.delta:
        delta = _largest(lambda one: fits(_with(plan, delta=one), budget), plan.delta)
        if delta is not None:
            ways.append(_way("delta", _with(plan, delta=delta)))
    if plan.unit == "person-day":
        days = range(plan.days - 1, 0, -1)
        fewer = (replace(plan, days=one) for one in days)
        ways += [_way("days", one) for one in fewer if fits(one, budget)][:1]
    units: tuple[BudgetUnit, ...] = ("person-day", "person")
    for unit in units if plan.product in _FLOWS else ():
        other = replace(plan, unit=unit)
        most = None if unit == plan.unit else fitting_epsilon(other, budget)
        if most is not None and most > (epsilon or 0):
            ways.append(_way("unit", replace(other, epsilon=min(most, plan.epsilon))))
    return tuple(ways)


def _with(plan: Plan, **changes: float) -> Plan:
    """Return a plan at another ε or δ, with ρ as it would be then."""
    other = replace(plan, rho=None, **changes)
    if plan.rho is None:
        return other
    from .noise import zcdp_strength  # OpenDP is slow: only where needed

    try:
        return replace(other, rho=zcdp_strength(other.epsilon, other.delta) ** 2 / 2)
    except ValueError:  # beyond what can be converted: group privacy holds, and costs more
        return other


def _way(change: str, plan: Plan) -> WayOut:
    return WayOut(
        change=change, epsilon=plan.epsilon, delta=plan.delta, days=plan.days, unit=plan.unit
    )


def _largest(enough: Callable[[float], bool], most: float) -> float | None:
    """Return the largest number of two digits up to `most` that holds; a cost never falls in it."""
    low, high = -1, _PER_POWER * 16
    while high - low > 1:
        middle = (low + high) // 2
        number = _two_digits(middle)
        low, high = (middle, high) if number <= most and enough(number) else (low, middle)
    return None if low < 0 else _two_digits(low)


def _two_digits(place: int) -> float:
    power, digits = divmod(place, _PER_POWER)
    return float(f"{10 + digits}e{power + _SMALLEST_POWER}")
