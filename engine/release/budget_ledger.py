"""Ledger of budgets and releases, in one SQLite file that only the owner may read.

A budget belongs to people, not to a file. Each entry holds the hash of the entry before it, and the
last hash is stored apart, so every read detects a changed, missing or cut-off entry. A release is
charged before any noise is drawn; nothing is ever given back.
"""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from .. import validation
from ..datasets import data_root, has_people
from ..errors import ExplorerError, ParameterError

BudgetUnit = Literal["trip", "person-day", "person"]
"""Unit of privacy of a budget; see `engine.release.plan.budget_cost`."""

FIRST_HASH = "0" * 64
_SCHEMA = f"""
create table entries (id integer primary key, time text, kind text, people text, body text,
  previous text, hash text);
create table head (one integer primary key check (one = 1), id integer, hash text);
insert into head values (1, 0, '{FIRST_HASH}');
"""  # every ledger has a head from the start: one without it was cut
_SCRATCH = ".ledger-"
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # Persian and Indic words need them
_OLDER_COPY = "an older copy lacks what was spent since it was made, which would be spent twice"
_UNREADABLE = "cannot be read: it does not hold what its kind holds"
_UNEXPECTED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
_CAUSES = {
    "SQLITE_FULL": ("the disk is full", "make space"),
    "SQLITE_BUSY": ("another program holds it", "try again when that has ended"),
    "SQLITE_READONLY": ("it or its folder may not be written", "make both writable"),
    "SQLITE_CANTOPEN": ("it cannot be opened", "make its folder readable and writable"),
    "SQLITE_IOERR": ("the disk fails", "look at the disk, and at the space left on it"),
}


class ReleaseError(ExplorerError):
    """A refused release or ledger entry; the message states rule, value and remedy."""


def release_error(rule: str, value: str, remedy: str, code: str = "") -> ReleaseError:
    """Return a `ReleaseError` with its rule, value and remedy."""
    return ReleaseError(rule, value=value, remedy=remedy, code=code)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry: ``budget``, ``raise``, ``join``, ``withdraw``, ``release`` (cost) or ``done``."""

    id: int
    time: str
    kind: str
    people: str
    body: Mapping[str, Any]
    chain_hash: str


@dataclass(kw_only=True)
class Budget:
    """State of one budget: declared and raised totals, and exact sums of what was spent."""

    people: str
    unit: BudgetUnit
    datasets: list[str]
    epsilon: float
    delta: float
    managers: list[str]
    spent_costs: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    release_count: int = 0
    tables: set[str] = field(default_factory=set[str])

    @property
    def spent_epsilon(self) -> float:
        """ε of all releases, finished or not."""
        return float(self.spent_costs[0])

    @property
    def spent_delta(self) -> float:
        """δ of all releases."""
        return float(self.spent_costs[1])

    @property
    def remaining(self) -> tuple[Fraction, Fraction]:
        """Exact ε and δ that remain."""
        return to_decimal_fraction(self.epsilon) - self.spent_costs[0], to_decimal_fraction(
            self.delta
        ) - self.spent_costs[1]

    @property
    def remaining_epsilon(self) -> float:
        """ε that remains."""
        return float(self.remaining[0])

    def require_remaining(self, epsilon: float, delta: float) -> None:
        """Raise `ReleaseError` if a cost exceeds the remaining budget."""
        due = zip("εδ", (epsilon, delta), self.remaining, strict=True)
        over = [(name, to_decimal_fraction(cost) - available) for name, cost, available in due]
        if excesses := [f"{name} by {float(much):g}" for name, much in over if much > 0]:
            available, left_delta = map(float, self.remaining)
            raise release_error(
                f"the budget of '{self.people}' must not be exceeded",
                f"a cost of ε = {epsilon:g}, δ = {delta:g} that exceeds {' and '.join(excesses)}",
                f"at most ε = {available:g} and δ = {left_delta:g} are left per {self.unit}; "
                "nothing was charged",
                "exceeded",
            )

    def require_manager(self, by: str) -> None:
        """Raise `ReleaseError` unless `by` may change this budget."""
        if by not in self.managers:
            rule = f"a change of a budget must come from {' or '.join(self.managers)}"
            raise release_error(rule, repr(by), "ask one of them")


class BudgetLedger:
    """A ledger in one SQLite file; its first entry creates the file.

    Parameters
    ----------
    path : Path or None
        The file; None means ``ledger.sqlite`` in the folder of all datasets.

    Examples
    --------
    >>> ledger = BudgetLedger(Path(tempfile.mkdtemp()) / "ledger.sqlite")
    >>> ledger.declare("town 2015-09", datasets=["town"], unit="person", epsilon=2.0, by="owner")
    >>> entry = ledger.charge("town", unit="person", epsilon=0.5, delta=0.0, what={"product": "od"})
    >>> ledger.budget("town 2015-09").remaining_epsilon
    1.5
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_root() / "ledger.sqlite" if path is None else path

    def declare(
        self,
        people: str,
        *,
        datasets: Sequence[str],
        unit: BudgetUnit,
        epsilon: float,
        by: str,
        delta: float = 0.0,
        raised_by: Sequence[str] = (),
    ) -> None:
        """Declare, once, the budget of the people in `datasets`."""
        people = check_name("people", people)
        validation.check_one_of("unit", unit, get_args(BudgetUnit), "'person' is strongest")
        names = sorted({check_name("datasets", name) for name in datasets})
        allowed = sorted({check_name("raised_by", name) for name in (by, *raised_by)})
        body = {"unit": unit, "datasets": names, "raised_by": allowed, **_cost(epsilon, delta)}
        _require_people(names, unit)
        with self._writing() as (append, budgets):
            if people in budgets:
                there = f"a budget of ε = {budgets[people].epsilon:g} that is there already"
                rule = f"'{people}' must be declared once"
                raise release_error(rule, there, "raise it instead", "declared")
            _require_no_budget(budgets, names)
            append("budget", people, body)

    def join(self, people: str, *, dataset: str, by: str) -> None:
        """Add another dataset of the same people to their budget."""
        dataset, by = check_name("dataset", dataset), by.strip()
        with self._writing() as (append, budgets):
            budget = _require_budget(budgets, people)
            budget.require_manager(by)
            _require_no_budget(budgets, [dataset])
            _require_people([dataset], budget.unit)
            append("join", budget.people, {"dataset": dataset, "by": by})

    def withdraw(self, people: str, *, by: str) -> None:
        """Take back a budget of which nothing is spent, so that it can be declared anew."""
        by = by.strip()
        with self._writing() as (append, budgets):
            budget = _require_budget(budgets, people)
            budget.require_manager(by)
            if budget.release_count:
                rule = "a budget can be withdrawn only while nothing of it is spent"
                spent = f"{budget.release_count} charged to '{budget.people}'"
                raise release_error(rule, spent, "what is spent stays spent")
            append("withdraw", budget.people, {"by": by})

    def raise_to(self, people: str, *, epsilon: float, delta: float, by: str, reason: str) -> None:
        """Raise the totals of a budget; they never fall."""
        by = by.strip()
        body = {**_cost(epsilon, delta), "by": by, "reason": check_name("reason", reason)}
        with self._writing() as (append, budgets):
            budget = _require_budget(budgets, people)
            budget.require_manager(by)
            if epsilon < budget.epsilon or delta < budget.delta:
                less = f"ε = {epsilon:g}, δ = {delta:g}"
                raise release_error("a budget can only be raised", less, "it stays as it is")
            append("raise", budget.people, body)

    def charge(
        self,
        dataset: str,
        *,
        unit: BudgetUnit,
        epsilon: float,
        delta: float,
        what: Mapping[str, Any],
        rehearsal: bool = False,
    ) -> Entry:
        """Charge a release before its noise is drawn, and return the entry.

        One transaction reads the remaining budget and writes the cost: of concurrent requests for
        the last share exactly one succeeds. A rehearsal does not keep the entry. Raises
        `ReleaseError` if a table in `what` belongs to other people's budget.
        """
        dataset, cost = check_name("dataset", dataset), _cost(epsilon, delta)
        with self._writing(keep=not rehearsal) as (append, budgets):
            budget = _find_budget(budgets, dataset)
            if unit != budget.unit:
                rule = f"the cost must be in the budget's unit, {budget.unit}"
                raise release_error(rule, unit, "a release protects what its budget counts", "unit")
            for candidate in budgets.values():
                if candidate is not budget and candidate.tables & set(what.get("tables", ())):
                    rule = "a dataset of the same people must be charged to their budget"
                    value = (
                        f"'{dataset}' for '{budget.people}', with a table of '{candidate.people}'"
                    )
                    remedy = f"join it to the budget of '{candidate.people}'; nothing was charged"
                    raise release_error(rule, value, remedy)
            budget.require_remaining(epsilon, delta)
            return append("release", budget.people, {**what, "dataset": dataset, **cost})

    def find_charge(self, secret: str) -> Entry | None:
        """Return the entry of the release that was charged with this secret, or None."""
        return next((entry for entry in self.entries() if entry.body.get("secret") == secret), None)

    def finish(self, intent: Entry, digest: str) -> None:
        """Mark a release as complete; `digest` is the SHA-256 of its bundle's list of files."""
        with self._writing() as (append, _):
            append("done", intent.people, {"release": intent.id, "digest": digest})

    def entries(self) -> list[Entry]:
        """Return all entries, oldest first, after a check of the chain; cached by file version."""
        with _explain_file_error(self.path, "read"):
            version = _file_version(self.path)
            if version is None:
                return []
            if version not in _checked:
                with self._open() as connection:
                    connection.execute("begin")  # consistent rows and head
                    entries = _read(connection)
                compute_budgets(entries)  # raises if an entry lacks a field of its kind
                _checked.clear()
                _checked[version] = entries
            return list(_checked[version])

    def budgets(self) -> dict[str, Budget]:
        """Return all budgets by their people."""
        return compute_budgets(self.entries())

    def budget(self, people: str) -> Budget:
        """Return the budget of people; raise `ReleaseError` if none was declared."""
        return _require_budget(self.budgets(), people)

    def find_budget(self, dataset: str) -> Budget:
        """Return the budget of a dataset; raise `ReleaseError` if it has none."""
        return _find_budget(self.budgets(), dataset)

    def verify(self, head: str | None = None) -> int:
        """Check the chain, and that an entry has the hash `head` of an earlier statement."""
        _checked.clear()
        entries = self.entries()
        if head is not None and head.strip().lower() not in {entry.chain_hash for entry in entries}:
            rule = "the ledger must hold the entry whose hash was noted"
            remedy = "this file is another ledger, or an older copy that lacks what was spent since"
            raise release_error(rule, f"{len(entries)} without it", remedy)
        return len(entries)

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        uri = f"{self.path.absolute().as_uri()}?mode=rw"  # falls back to read-only
        with closing(sqlite3.connect(uri, timeout=60, isolation_level=None, uri=True)) as opened:
            opened.execute("pragma synchronous=full")
            yield opened

    @contextmanager
    def _writing(
        self, *, keep: bool = True
    ) -> Generator[tuple[Callable[[str, str, Mapping[str, Any]], Entry], dict[str, Budget]]]:
        """Yield a function that appends an entry, and the budgets, within one transaction."""
        with _explain_file_error(self.path, "written"):
            if _file_version(self.path) is None or any(self.path.parent.glob(f"{_SCRATCH}*")):
                _create(self.path)
            with self._open() as connection:  # rolls back unless committed
                connection.execute("begin immediate")
                entries = _read(connection)
                yield partial(_append, connection, entries), compute_budgets(entries)
                if keep:
                    connection.execute("commit")


_checked: dict[Any, list[Entry]] = {}


def to_decimal_fraction(number: float) -> Fraction:
    """Return the decimal fraction of a float as written: ten times 0.1 is 1."""
    return Fraction(repr(float(number)))


def printable(text: str) -> str:
    """Return text on one line, with ``?`` for each control or line-break character."""
    return "".join(
        character if character.isprintable() or character in _JOINERS else "?" for character in text
    )


def check_name(name: str, text: str, longest: int = 200) -> str:
    """Return a name without outer spaces; raise `ParameterError` unless it fits on one line."""
    text = text.strip()
    if not 1 <= len(text) <= longest or printable(text) != text:
        raise ParameterError(
            f"{name} must be text on one line, 1 to {longest} characters",
            value=ascii(text[:longest]),
            remedy="write it shorter, without control characters",
        )
    return text


def row_hash(row: Sequence[Any]) -> str:
    """Return the SHA-256 of an entry's columns and the hash before it."""
    return hashlib.sha256(json.dumps(list(row), ensure_ascii=False).encode()).hexdigest()


def compute_budgets(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Return all budgets by their people, with exact sums of costs."""
    budgets: dict[str, Budget] = {}
    for entry in entries:
        try:
            _apply_entry(budgets, entry.kind, entry.people, entry.body)
        except _UNEXPECTED:
            raise _corruption_error(entry.id, _UNREADABLE) from None
    return budgets


def _append(
    connection: Any, entries: list[Entry], kind: str, people: str, body: Mapping[str, Any]
) -> Entry:
    text = json.dumps(dict(body), sort_keys=True, ensure_ascii=False, allow_nan=False)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    previous = entries[-1].chain_hash if entries else FIRST_HASH
    row = (len(entries) + 1, now, kind, people, text, previous)
    digest = row_hash(row)
    connection.execute("insert into entries values (?, ?, ?, ?, ?, ?, ?)", (*row, digest))
    connection.execute("insert or replace into head values (1, ?, ?)", (row[0], digest))
    entries.append(_entry((*row, digest)))
    return entries[-1]


def _read(connection: sqlite3.Connection) -> list[Entry]:
    rows = connection.execute("select * from entries order by id").fetchall()
    head = connection.execute("select id, hash from head").fetchone()
    previous = FIRST_HASH
    for number, row in enumerate(rows, start=1):
        typed = [type(value) for value in row] == [int, *[str] * 6]
        if not typed or row[5] != previous or row[6] != row_hash(row[:6]):
            raise _corruption_error(number)
        previous = row[6]
    if head != (len(rows), previous):
        raise _corruption_error(len(rows) + 1)
    return [_entry(row) for row in rows]


def _entry(row: Sequence[Any]) -> Entry:
    number, time, kind, people, text, _, digest = row
    try:
        body: dict[str, Any] = dict(json.loads(text))
    except _UNEXPECTED:
        raise _corruption_error(number, _UNREADABLE) from None
    return Entry(id=number, time=time, kind=kind, people=people, body=body, chain_hash=digest)


def _apply_entry(
    budgets: dict[str, Budget], kind: str, people: str, body: Mapping[str, Any]
) -> None:
    """Apply one entry to the budgets; raise if it lacks a field of its kind."""
    costs = kind in ("budget", "raise", "release")
    cost = _cost(body["epsilon"], body["delta"]) if costs else {}
    if kind == "budget":
        who = {"managers": body["raised_by"], "datasets": [*body["datasets"]]}
        budgets[people] = Budget(people=people, unit=body["unit"], **who, **cost)
        return
    budget = budgets[people]
    if kind == "withdraw":
        del budgets[people]
    elif kind == "join":
        budget.datasets.append(body["dataset"])
    elif kind == "raise":
        budget.epsilon, budget.delta = cost["epsilon"], cost["delta"]
    elif kind == "release":
        epsilon, delta = budget.spent_costs
        budget.spent_costs = (
            epsilon + to_decimal_fraction(cost["epsilon"]),
            delta + to_decimal_fraction(cost["delta"]),
        )
        budget.release_count += 1
        budget.tables |= {*body.get("tables", ())}
    elif kind != "done":
        raise ValueError(kind)


def _cost(epsilon: float, delta: float) -> dict[str, Any]:
    validation.check_above("epsilon", epsilon, 0, "every release costs something")
    number = validation.to_real(delta)
    if number is None or not 0 <= number < 1:
        rule = "delta must be at least 0 and below 1"
        raise ParameterError(rule, value=repr(delta), remedy="0 allows pure ε only")
    return {"epsilon": float(epsilon), "delta": float(delta)}


def _require_budget(budgets: dict[str, Budget], people: str) -> Budget:
    if (people := people.strip()) not in budgets:
        there = ", ".join(budgets) or "none declared"
        raise release_error(f"there must be a budget of '{people}'", there, "declare it")
    return budgets[people]


def _find_budget(budgets: dict[str, Budget], dataset: str) -> Budget:
    for budget in budgets.values():
        if dataset.strip() in budget.datasets:
            return budget
    names = ", ".join(name for budget in budgets.values() for name in budget.datasets)
    raise release_error(
        f"this ledger does not know the dataset '{dataset}': a budget must be declared for its "
        "people before anything is released",
        f"a ledger of {names or 'no dataset'}",
        "declare one, join it to the budget of the same people, or name the ledger that knows it; "
        "nothing was charged",
    )


def _require_no_budget(budgets: dict[str, Budget], names: Sequence[str]) -> None:
    for budget in budgets.values():
        if taken := sorted(set(names) & set(budget.datasets)):
            value = f"{', '.join(taken)}, which belongs to '{budget.people}'"
            raise release_error("a dataset belongs to one budget", value, "use that budget")


def _require_people(names: Sequence[str], unit: str) -> None:
    """Raise `ReleaseError` for a budget of people if an installed dataset tells no people apart."""
    if unit != "trip" and (rides := [name for name in names if not has_people(name)]):
        rule = "a budget of data that tell no people apart must be per trip"
        value = f"{', '.join(rides)} per {unit}"
        raise release_error(rule, value, "declare one per trip", "unit")


def _corruption_error(number: int, how: str = "does not fit the chain of hashes") -> ReleaseError:
    remedy = "it was changed, deleted or cut off, so nothing more is written to this ledger: find "
    remedy += f"out what happened before anything else is released; {_OLDER_COPY}"
    return release_error(f"entry {number} of the ledger {how}", "", remedy, "broken")


def _file_version(path: Path) -> tuple[Any, ...] | None:
    """Return the times, size and SQLite change counter of a file; None without a file."""
    if path.is_symlink() and not path.exists():
        raise _kind_error(path, "a link that leads nowhere")
    if path.exists() and not path.is_file():  # a pipe would never end
        raise _kind_error(path, "no file but a folder, pipe or device")
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            return str(path), about.st_ino, about.st_mtime_ns, about.st_size, file.read(100)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _kind_error(path: Path, kind: str) -> ReleaseError:
    rule, remedy = "a ledger must be a file", "name another; nothing was charged and nothing drawn"
    return release_error(rule, f"'{path.name[-100:]}', {kind}", remedy, "ledger")


def _create(path: Path) -> None:
    """Create an empty ledger atomically, unless another process did; remove what a kill left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock_folder(path.parent) as folder:
        for leftover in path.parent.glob(f"{_SCRATCH}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if _file_version(path) is not None:
            return
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=path.parent) as scratch_folder:
            new = Path(scratch_folder) / "ledger"
            new.touch(0o600)
            with closing(sqlite3.connect(new)) as connection:
                connection.executescript(_SCHEMA)
            os.replace(new, path)
        os.fsync(folder)


@contextmanager
def lock_folder(folder: Path) -> Generator[int]:
    """Wait for the exclusive lock of a folder; yield its descriptor."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _explain_file_error(path: Path, how: str) -> Generator[None]:
    """Raise an explained error if a file cannot be read or written; nothing is spent."""
    try:
        yield
    except ExplorerError:
        raise
    except (sqlite3.Error, OSError, ValueError) as error:
        name = getattr(error, "sqlite_errorname", "")
        explanations = (words for cause, words in _CAUSES.items() if name.startswith(cause))
        why, remedy = next(explanations, ("it is no ledger, or was cut or damaged", _OLDER_COPY))
        if isinstance(error, OSError):
            why = (error.strerror or type(error).__name__).lower()
            remedy = "make it and its folder readable and writable, with space left"
        elif isinstance(error, ValueError):
            why, remedy = "no name for a file", "name its file"
        rule = f"the ledger '{path.name[-100:]}' cannot be {how}: {why}"
        remedy = f"{remedy}; nothing was charged and nothing drawn"
        raise release_error(rule, "", remedy, "ledger") from error
