"""What a release costs one unit of a budget: a few words, since a wrong one costs privacy."""

from engine import validation
from engine.release.entries import BudgetUnit, ReleaseError, exact


def cost(epsilon: float, unit: BudgetUnit, days: int, budget_unit: BudgetUnit) -> float:
    """Return ε per unit of the budget for a release of ε per `unit`.

    A person who travels on D released days pays D·ε of a person's budget for a release that
    protects person-days (basic composition; one noisy sum of the days costs the same by group
    privacy). A release that protects more than the budget's unit costs that unit at most ε. Trip
    level bounds nobody's trips, so that it cannot be charged to people at all.

    Parameters
    ----------
    epsilon : float
        Privacy loss per `unit`.
    unit : str
        What the release protects.
    days : int
        D, declared days that are released.
    budget_unit : str
        What the budget protects.

    Raises
    ------
    ReleaseError
        For a release at trip level that is charged to people.

    Examples
    --------
    >>> cost(0.1, "person-day", 7, "person")
    0.7
    >>> cost(0.5, "person", 7, "person-day")
    0.5
    """
    validation.whole_number("days", days, 1, remedy="a release covers at least one day")
    if unit == "trip" and budget_unit != "trip":
        raise ReleaseError(
            f"a release at trip level cannot be charged to a budget per {budget_unit}",
            value="unit 'trip'",
            remedy="it bounds nobody's trips, so no ε per person can be stated: release at unit "
            "'person-day' or 'person', or declare a budget per trip",
            code="unit",
        )
    if unit == "person-day" and budget_unit == "person":
        return float(exact(epsilon) * days)
    return float(epsilon)
