"""Entries of the release ledger and what they add up to, replayed from the first one."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from engine.errors import ExplorerError

BudgetUnit = Literal["trip", "person-day", "person"]
"""What one unit of the budget protects; see `engine.release.cost`."""


class ReleaseError(ExplorerError):
    """A release or a ledger entry is refused; the message says rule, value and remedy."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the ledger.

    Attributes
    ----------
    id : int
        1, 2, …
    time : str
        UTC by the clock of the machine that wrote it; the order is that of the ids.
    kind : str
        ``budget``, ``raise``, ``join`` (one more dataset), ``release`` (cost and intent) or
        ``done``.
    people : str
        Whose budget.
    body : mapping
        What the kind holds.
    hash : str
    """

    id: int
    time: str
    kind: str
    people: str
    body: Mapping[str, Any]
    hash: str


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The state of one budget.

    Attributes
    ----------
    people : str
        Name of the underlying people and period.
    unit : str
        One of `BudgetUnit`.
    datasets : tuple of str
        Names of the datasets made of these people.
    epsilon, delta : float
        Declared totals, raises included.
    spent_epsilon, spent_delta : float
        Sums over all releases, finished or not (basic composition, which always holds).
    releases : int
        Number of releases.
    raised_by : tuple of str
        Who may raise it.
    """

    people: str
    unit: BudgetUnit
    datasets: tuple[str, ...]
    epsilon: float
    delta: float
    spent_epsilon: float
    spent_delta: float
    releases: int
    raised_by: tuple[str, ...]

    @property
    def left_epsilon(self) -> float:
        """ε that can still be spent."""
        return max(float(exact(self.epsilon) - exact(self.spent_epsilon)), 0.0)

    @property
    def left_delta(self) -> float:
        """δ that can still be spent."""
        return max(float(exact(self.delta) - exact(self.spent_delta)), 0.0)


def exact(number: float) -> Fraction:
    """Return the decimal fraction that a float is written as: ten times 0.1 is 1.

    Examples
    --------
    >>> sum([exact(0.1)] * 10) == 1
    True
    """
    return Fraction(repr(float(number)))


def exceeded(budget: Budget, epsilon: float, delta: float) -> ReleaseError:
    """Return the refusal of a cost that does not fit: by how much, and what would fit."""
    over = float(exact(budget.spent_epsilon) + exact(epsilon) - exact(budget.epsilon))
    over_delta = float(exact(budget.spent_delta) + exact(delta) - exact(budget.delta))
    by = [f"ε by {over:g}"] * (over > 0) + [f"δ by {over_delta:g}"] * (over_delta > 0)
    return ReleaseError(
        f"the budget of '{budget.people}' must not be exceeded",
        value=f"a cost of ε = {epsilon:g}, δ = {delta:g} that exceeds {' and '.join(by)}",
        remedy=f"at most ε = {budget.left_epsilon:g} and δ = {budget.left_delta:g} are left per "
        f"{budget.unit}; nothing was charged",
        code="exceeded",
    )


def row_hash(row: Sequence[Any]) -> str:
    """Return the SHA-256 of an entry's columns and the hash before it."""
    return hashlib.sha256(json.dumps(list(row), ensure_ascii=False).encode()).hexdigest()


def read_entries(connection: sqlite3.Connection) -> list[Entry]:
    """Return all entries of an open ledger, oldest first."""
    rows = connection.execute(
        "select id, time, kind, people, body, hash from entries order by id"
    ).fetchall()
    return [
        Entry(id=i, time=time, kind=kind, people=people, body=json.loads(body), hash=digest)
        for i, time, kind, people, body, digest in rows
    ]


def replay(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Replay the entries: totals declared and raised, costs added up exactly."""
    states: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry.kind == "budget":
            states[entry.people] = {
                **entry.body,
                "spent": (Fraction(0), Fraction(0)),
                "releases": 0,
            }
        state = states.get(entry.people)
        if state is None:
            continue
        if entry.kind == "raise":
            state.update(epsilon=entry.body["epsilon"], delta=entry.body["delta"])
        elif entry.kind == "join":
            state.update(datasets=[*state["datasets"], entry.body["dataset"]])
        elif entry.kind == "release":
            epsilon, delta = state["spent"]
            cost = exact(entry.body["epsilon"]), exact(entry.body["delta"])
            state.update(spent=(epsilon + cost[0], delta + cost[1]))
            state["releases"] += 1
    return {
        people: Budget(
            people=people,
            unit=state["unit"],
            datasets=tuple(state["datasets"]),
            epsilon=state["epsilon"],
            delta=state["delta"],
            spent_epsilon=float(state["spent"][0]),
            spent_delta=float(state["spent"][1]),
            releases=state["releases"],
            raised_by=tuple(state["raised_by"]),
        )
        for people, state in states.items()
    }


def known(budgets: Mapping[str, Budget], people: str) -> Budget:
    """Return the budget of `people`; raise `ReleaseError` where there is none."""
    if people not in budgets:
        raise ReleaseError(
            f"there must be a budget of '{people}'",
            value=", ".join(budgets) or "none declared",
            remedy="declare it first",
            code="no_budget",
        )
    return budgets[people]


def covering(budgets: Mapping[str, Budget], dataset: str) -> Budget:
    """Return the budget that pays for `dataset`; raise `ReleaseError` where none does."""
    for budget in budgets.values():
        if dataset in budget.datasets:
            return budget
    raise ReleaseError(
        f"a budget must be declared for the people of '{dataset}' before anything is released",
        value="none",
        remedy="the custodian declares unit, ε and δ once; nothing was charged",
        code="no_budget",
    )


def broken(number: int) -> ReleaseError:
    """Return the error of a chain that is broken at an entry."""
    return ReleaseError(
        f"entry {number} of the ledger does not fit the chain of hashes",
        remedy="it was changed, deleted or cut off: compare with a copy before anything else is "
        "released",
        code="broken",
    )
