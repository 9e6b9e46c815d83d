"""Entries of the release ledger, read and checked, and the budgets that they add up to."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Literal, NoReturn, get_args

from ..errors import ExplorerError
from ..validation import as_real

FIRST_HASH = "0" * 64
"""What the first entry holds in place of a hash before it."""

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
        ``budget``, ``raise``, ``join`` (one more dataset), ``release`` (cost and intent), ``done``,
        ``plan`` (of a recurring release: what all its runs cost) or ``end`` (of a plan).
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
    uncharged_epsilon, uncharged_delta : float
        What of that no entry was charged, see `engine.release.cost`.
    planned_epsilon, planned_delta : float
        What is kept for the runs to come of recurring releases.
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
    uncharged_epsilon: float = 0.0
    uncharged_delta: float = 0.0
    planned_epsilon: float = 0.0
    planned_delta: float = 0.0

    @property
    def left_epsilon(self) -> float:
        """ε that is neither spent nor planned."""
        return max(float(-over(self, 0.0, 0.0)[0]), 0.0)

    @property
    def left_delta(self) -> float:
        """δ that is neither spent nor planned."""
        return max(float(-over(self, 0.0, 0.0)[1]), 0.0)

    @property
    def planned_words(self) -> str:
        """Say what is kept for runs to come; empty where nothing is."""
        if not self.planned_epsilon and not self.planned_delta:
            return ""
        delta = f" and δ = {self.planned_delta:.3g}" if self.planned_delta else ""
        return f", and ε = {self.planned_epsilon:g}{delta} planned for runs to come"

    @property
    def uncharged_words(self) -> str:
        """Say how much of what is spent no entry was charged; empty where all of it was."""
        if not self.uncharged_epsilon and not self.uncharged_delta:
            return ""
        delta = f" and δ = {self.uncharged_delta:.3g}" if self.uncharged_delta else ""
        return (
            f", of which ε = {self.uncharged_epsilon:g}{delta} was not charged when they were made"
        )


_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # Persian and Indic words need them


def printable(text: str) -> str:
    r"""Return text on one line: what moves a cursor or breaks a line is written as ``?``.

    Examples
    --------
    >>> printable("town\x1b[2J")
    'town?[2J'
    """
    return "".join(one if one.isprintable() or one in _JOINERS else "?" for one in text)


def exact(number: float) -> Fraction:
    """Return the decimal fraction that a float is written as: ten times 0.1 is 1.

    Examples
    --------
    >>> sum([exact(0.1)] * 10) == 1
    True
    """
    return Fraction(repr(float(number)))


Sum = tuple[Fraction, Fraction]
"""ε and δ, added up exactly."""
NOTHING: Sum = (Fraction(0), Fraction(0))


def sum_of(entry: Entry) -> Sum:
    """Return what an entry was charged."""
    return exact(entry.body["epsilon"]), exact(entry.body["delta"])


def add_up(costs: Iterable[Sum]) -> Sum:
    """Return the sum of costs."""
    epsilon, delta = NOTHING
    for one in costs:
        epsilon, delta = epsilon + one[0], delta + one[1]
    return epsilon, delta


def over(budget: Budget, epsilon: float, delta: float) -> tuple[Fraction, Fraction]:
    """Return by how much ε and δ of a cost exceed what is left, exactly; 0 or less where not."""
    return (
        exact(budget.spent_epsilon)
        + exact(budget.planned_epsilon)
        + exact(epsilon)
        - exact(budget.epsilon),
        exact(budget.spent_delta)
        + exact(budget.planned_delta)
        + exact(delta)
        - exact(budget.delta),
    )


def require_left(budget: Budget, epsilon: float, delta: float) -> None:
    """Refuse a cost that a budget does not hold: by how much, and what would fit."""
    excess = dict(zip("εδ", over(budget, epsilon, delta), strict=True))
    by = [f"{name} by {float(much):g}" for name, much in excess.items() if much > 0]
    if not by:
        return
    raise ReleaseError(
        f"the budget of '{budget.people}' must not be exceeded",
        value=(
            f"a cost of ε = {epsilon:g}, δ = {delta:g} that exceeds "
            if epsilon
            else "what is spent and planned already, which exceeds "
        )
        + " and ".join(by),
        remedy=f"at most ε = {budget.left_epsilon:g} and δ = {budget.left_delta:g} are left per "
        f"{budget.unit}; nothing was charged",
        code="exceeded",
    )


def row_hash(row: Sequence[Any]) -> str:
    """Return the SHA-256 of an entry's columns and the hash before it."""
    return hashlib.sha256(json.dumps(list(row), ensure_ascii=False).encode()).hexdigest()


def read_entries(connection: sqlite3.Connection) -> list[Entry]:
    """Return all entries of an open ledger, oldest first, their chain of hashes checked.

    Raises
    ------
    ReleaseError
        Naming the first entry that was changed, is missing, was cut off or cannot be read.
    """
    rows = connection.execute(
        "select id, time, kind, people, body, previous, hash from entries order by id"
    ).fetchall()
    head = connection.execute("select id, hash from head").fetchone()
    previous = FIRST_HASH
    for number, row in enumerate(rows, start=1):
        typed = [type(value) for value in row] == [int, *[str] * 6]
        if not typed or row[0] != number or row[5] != previous or row[6] != row_hash(row[:6]):
            raise broken(number)
        previous = row[6]
    if head != (len(rows), previous):
        raise broken(len(rows) + 1)
    return [
        Entry(id=i, time=t, kind=kind, people=who.strip(), body=_body(i, kind, text), hash=digest)
        for i, t, kind, who, text, _, digest in rows
    ]


def _body(number: int, kind: str, text: str) -> dict[str, Any]:
    """Return what an entry holds; refuse what this program never writes."""
    try:
        body: Any = json.loads(text, parse_constant=_no_number)
        if isinstance(body, dict) and all(
            check(body.get(name)) for name, check in _FIELDS.get(kind, {}).items()
        ):
            return body
    except (ValueError, RecursionError):
        pass
    raise ReleaseError(
        f"entry {number} of the ledger cannot be read: it does not hold what a '{kind}' holds",
        remedy="compare with a copy before anything else is released; nothing was charged",
        code="broken",
    )


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _positive(value: object) -> bool:
    return 0 < (as_real(value) or 0) < float("inf")


def _share(value: object) -> bool:
    number = as_real(value)
    return number is not None and 0 <= number < 1


def _whole(value: object) -> bool:
    return isinstance(value, int) and value > 0


def _schedule(value: object) -> bool:
    """Whether it is what `engine.release.schedule` wrote, as far as it is read blindly."""
    if not isinstance(value, dict) or set(value) != {"first", "runs", "days", "every"}:
        return False
    numbers = all(_whole(value[name]) for name in ("runs", "days", "every"))
    try:
        return numbers and bool(date.fromisoformat(value["first"]))
    except (TypeError, ValueError):
        return False


_COST = {"epsilon": _positive, "delta": _share}
_FIELDS: dict[str, dict[str, Callable[[object], bool]]] = {
    "budget": {
        **_COST,
        "unit": get_args(BudgetUnit).__contains__,
        "datasets": _texts,
        "raised_by": _texts,
    },
    "raise": _COST,
    "join": {"dataset": _text},
    "release": {
        **_COST,
        "dataset": _text,
        "plan": lambda value: value is None or _whole(value),
        "run": lambda value: value is None or _whole(value),
    },
    "done": {"release": _whole},
    "plan": {**_COST, "dataset": _text, "name": _text, "schedule": _schedule},
    "end": {"plan": _whole},
}


def known(budgets: Mapping[str, Budget], people: str) -> Budget:
    """Return the budget of `people`; raise `ReleaseError` where there is none."""
    people = people.strip()
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
        if dataset.strip() in budget.datasets:
            return budget
    names = ", ".join(name for budget in budgets.values() for name in budget.datasets)
    raise ReleaseError(
        f"this ledger does not know the dataset '{dataset}': a budget must be declared for its "
        "people before anything is released",
        value=f"a ledger of {names or 'no dataset'}",
        remedy="declare one, join it to the budget of the same people, or name the ledger that "
        "knows it; nothing was charged",
        code="no_budget",
    )


def broken(number: int) -> ReleaseError:
    """Return the error of a chain that is broken at an entry."""
    return ReleaseError(
        f"entry {number} of the ledger does not fit the chain of hashes",
        remedy="it was changed, deleted or cut off, so nothing more is written to this ledger: "
        "restore a copy of it before anything else is released",
        code="broken",
    )
