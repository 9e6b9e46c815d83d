"""What a release costs one unit of a budget; ``docs/budget.md`` proves every figure.

Costs are exact decimal fractions and are rounded up to the next float, never down. Until rule 2 a
release was taken to cover every unit finer than its own: the ledger keeps what was charged, and
what is missing counts as spent wherever a budget is judged or stated.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .. import validation
from ..errors import ParameterError
from .entries import Budget, BudgetUnit, Entry, ReleaseError, exact
from .replay import replay
from .schedule import Series

SLACK = 1e-6
"""What the δ of several releases together is above the sum of theirs."""

RULE = 2
"""Of `cost`, kept in every release entry; entries without one are of rule 1."""

_ROOM = 1 + Fraction(1, 10**9)  # for what floating point rounds in e^ε and in ε of ρ


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What a release promises to its own unit, and what its proof knows beyond that.

    Attributes
    ----------
    unit : str
        What the release protects.
    epsilon, delta : float
        Privacy loss per `unit`.
    days : int
        D, declared days that are released.
    trimmed_to : int or None
        T where the release is of trips alone, the first T of each `unit` in a random order that
        belongs to the trips themselves, and ε is that of T trips added or removed. None elsewhere.
    rho : float or None
        ρ where all noise is Gaussian, on tables without negative numbers of which each `unit` has
        at most a fixed L₂ norm. None elsewhere.
    """

    unit: BudgetUnit
    epsilon: float
    delta: float = 0.0
    days: int = 1
    trimmed_to: int | None = None
    rho: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a release costs one unit of a budget.

    Attributes
    ----------
    epsilon, delta : float
        Each at least what is proved.
    """

    epsilon: float
    delta: float = 0.0


def cost(loss: Loss, budget_unit: BudgetUnit) -> Cost:
    """Return what a release costs one unit of a budget.

    A person who travels on D released days pays a person's budget D times for a release that
    protects person-days (basic composition; one noisy sum of the days costs the same by group
    privacy). Trip level bounds nobody's trips, so that it cannot be charged to people at all.

    A unit finer than the release's is *not* covered by it. Without one day of hers a person is
    still there, and other trips of hers move into the freed places: remove the person (ε), add her
    without that day (ε). That is 2ε and (1 + e^ε)δ, or less where the proof of the release tells:
    without one trip one leaves the first T and one moves up, 2ε/T; two tables without negative
    numbers of norm at most c lie at most √2·c apart, 2ρ.

    Parameters
    ----------
    loss : Loss
        What the release promises.
    budget_unit : str
        What the budget protects.

    Raises
    ------
    ReleaseError
        For a release at trip level that is charged to people, or a δ that would reach 1.

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
        from .noise import zcdp_epsilon  # OpenDP is slow: only where needed

        of_twice_rho = Fraction(zcdp_epsilon(2 * loss.rho, loss.delta)) * _ROOM
        if of_twice_rho <= 2 * epsilon:
            return _rounded_up(of_twice_rho, delta, budget_unit)
    return _rounded_up(2 * epsilon, _twice(loss.epsilon, delta), budget_unit)


def whole_cost(loss: Loss, budget_unit: BudgetUnit, runs: int, delta: float = 0.0) -> Cost:
    """Return what all runs of a plan cost one unit of a budget; no two have a day in common.

    Any one day, and any trip, lies in one run at most, whose noisy numbers are the only ones that
    change with it: a budget per person-day or per trip pays for one run. A person may be in every
    run and pays for all: their sum, or at `delta` the least ε of them together, since a plan fixes
    every setting before the first number is drawn (`engine.composition`; ρ adds up).

    Parameters
    ----------
    loss : Loss
        What one run promises.
    budget_unit : str
    runs : int
    delta : float
        δ of all runs together in a budget per person; 0 adds the runs up.

    Raises
    ------
    ReleaseError
        As `cost`.
    ParameterError
        If `delta` is given for another unit, or below what the runs' own δ add up to.

    Examples
    --------
    >>> weekly = Loss(unit="person-day", epsilon=0.1, days=7)
    >>> whole_cost(weekly, "person-day", 52), whole_cost(weekly, "person", 52)
    (Cost(epsilon=0.1, delta=0.0), Cost(epsilon=36.4, delta=0.0))
    >>> round(whole_cost(weekly, "person", 52, 1e-6).epsilon, 2)
    10.31
    """
    one = cost(loss, budget_unit)
    if budget_unit != "person":
        if delta:
            raise ParameterError(
                "delta of all runs together is for a budget per person",
                value=f"{delta:g} of a budget per {budget_unit}",
                remedy=f"leave it out: a {budget_unit} is in one run alone",
            )
        return one
    added = _rounded_up(exact(one.epsilon) * runs, exact(one.delta) * runs, budget_unit)
    if not delta:
        return added
    if not added.delta <= delta < 1:
        raise ParameterError(
            "delta of all runs together must be at least the sum of theirs and below 1",
            value=f"{delta:g} for {added.delta:g}",
            remedy="give more, or leave it out to add the runs up",
        )
    from ..composition import composed_epsilon  # NumPy is slow: only where needed

    parts = runs * (loss.days if loss.unit == "person-day" else 1)
    together = composed_epsilon([(loss.epsilon, loss.delta)] * parts, delta)
    if loss.rho is not None:
        from .noise import zcdp_epsilon

        together = min(together, zcdp_epsilon(runs * loss.rho, delta))
    least = at_least(Fraction(together) * _ROOM)
    return Cost(epsilon=least, delta=delta) if least < added.epsilon else added


def whole_words(one: Series, unit: BudgetUnit) -> str:
    """Say what all runs of a plan cost one unit of the budget, and exactly where they add up."""
    body, runs = one.entry.body, one.schedule.runs
    delta = f" and δ = {body['delta']:.3g}" if body["delta"] else ""
    said = f"ε = {body['epsilon']:.6g}{delta} of one {unit} in all {runs} runs together"
    if unit != "person":
        return f"{said}, each {unit} being in one of them"
    if body["at_delta"]:
        return f"{said}, composed exactly"
    exact = whole_cost(Loss(**body["loss"]), unit, runs, body["delta"] + SLACK)
    if exact.epsilon >= body["epsilon"]:
        return f"{said}, added up"
    return f"{said}, added up; at δ = {exact.delta:.3g} exactly ε = {exact.epsilon:.4g}"


def _twice(epsilon: float, delta: Fraction) -> Fraction:
    """Return at least (1 + e^ε)δ, or 1 where it is more: such a δ promises nothing."""
    if not delta:
        return delta
    if epsilon >= -math.log(delta):
        return Fraction(1)
    return (1 + Fraction(math.exp(epsilon))) * _ROOM * delta


def _rounded_up(epsilon: Fraction, delta: Fraction, unit: BudgetUnit) -> Cost:
    if delta >= 1:
        raise ReleaseError(
            f"a release must cost a budget per {unit} a δ below 1",
            value=f"{float(delta):g}",
            remedy="choose a smaller δ, or a budget in the unit that the release protects",
            code="unit",
        )
    return Cost(epsilon=at_least(epsilon), delta=at_least(delta))


def at_least(number: Fraction) -> float:
    """Return the least float that is not below a fraction, as floats are written.

    Examples
    --------
    >>> at_least(Fraction(7, 10)), exact(at_least(Fraction(2, 30))) >= Fraction(2, 30)
    (0.7, True)
    """
    nearest = float(number)
    while exact(nearest) < number:
        nearest = math.nextafter(nearest, math.inf)
    return nearest


@dataclass(frozen=True, kw_only=True)
class Undercharged:
    """A release whose entry holds less than it cost.

    Attributes
    ----------
    entry : Entry
    unit : str
        What its budget protects.
    due : Cost or None
        What it should have cost; None where the entry does not say enough, or where no cost can
        be stated in that unit at all.
    """

    entry: Entry
    unit: BudgetUnit
    due: Cost | None

    @property
    def words(self) -> str:
        """Say which entry it is, what was charged and what is due."""
        body = self.entry.body
        charged = f"ε = {body['epsilon']:g}, δ = {body['delta']:g}"
        what = f"{body.get('product', 'release')} at unit {body.get('unit', 'unknown')}"
        if self.due is None:
            due = "its cost cannot be told from the entry"
        else:
            due = f"it cost ε = {self.due.epsilon:.6g}, δ = {self.due.delta:.3g}"
        return (
            f"entry {self.entry.id} ({self.entry.time[:10]}, {what}) was charged {charged} per "
            f"{self.unit}; {due}"
        )


def undercharged(entries: Sequence[Entry]) -> tuple[Undercharged, ...]:
    """Return every release that was charged less than `cost` says today, oldest first."""
    units: dict[str, BudgetUnit] = {
        entry.people: entry.body["unit"] for entry in entries if entry.kind == "budget"
    }
    too_cheap: list[Undercharged] = []
    for entry in entries:
        if entry.kind not in ("release", "plan") or entry.people not in units:
            continue
        unit, body = units[entry.people], entry.body
        due = _due(entry, unit)
        if due is None or (
            exact(due.epsilon) > exact(body["epsilon"]) or exact(due.delta) > exact(body["delta"])
        ):
            too_cheap.append(Undercharged(entry=entry, unit=unit, due=due))
    return tuple(too_cheap)


def corrected(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with what releases cost by today's rule, never less than was charged.

    What is kept in the ledger stays as it was written; `replay` of these says what is truly spent.
    """
    due = {one.entry.id: one.due for one in undercharged(entries) if one.due is not None}
    return [
        entry
        if entry.id not in due
        else replace(
            entry,
            body={
                **entry.body,
                "epsilon": max(due[entry.id].epsilon, entry.body["epsilon"]),
                "delta": max(due[entry.id].delta, entry.body["delta"]),
            },
        )
        for entry in entries
    ]


def balances(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Return the state of every budget by its people, with what was charged too little as spent."""
    charged = replay(entries)
    return {
        people: replace(
            one,
            uncharged_epsilon=float(
                exact(one.spent_epsilon) - exact(charged[people].spent_epsilon)
            ),
            uncharged_delta=float(exact(one.spent_delta) - exact(charged[people].spent_delta)),
        )
        for people, one in replay(corrected(entries)).items()
    }


def _due(entry: Entry, unit: BudgetUnit) -> Cost | None:
    body = entry.body
    try:
        if entry.kind == "release":
            return cost(_loss(body), unit)
        due = whole_cost(_loss(body), unit, body["schedule"]["runs"], body["at_delta"])
    except (KeyError, TypeError, ReleaseError, ParameterError):
        return None
    if exact(due.epsilon) <= exact(body["epsilon"]) * _ROOM:  # another machine rounds otherwise
        return replace(due, epsilon=body["epsilon"])
    return due


def _loss(body: Mapping[str, Any]) -> Loss:
    """Return what an entry says was promised; before rule 2 its settings said so."""
    if "loss" in body:
        return Loss(**body["loss"])
    settings = body["settings"]
    flows = body["product"] in ("od", "od-estimate") and body["unit"] != "trip"
    return Loss(
        unit=body["unit"],
        epsilon=body["epsilon_per_unit"],
        delta=settings.get("delta", 0.0),
        days=settings.get("matrices", 1),  # one a day at unit person-day, where days count
        trimmed_to=settings["max_trips_per_user"] if flows else None,
        rho=settings.get("rho"),
    )
