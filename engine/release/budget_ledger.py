"""Ledger of privacy budgets and releases: one SQLite file that only its owner may read.

A *budget* is the ε and δ that all releases about the same people may cost together; it lists the
datasets made of these people. Entries form a *hash chain*: each holds the hash of the entry before
it. The last hash, the *head*, is also stored in a table of its own, so that every read detects an
accidental change or loss of entries. Whoever can write the file can forge all of it: only `verify`
with a hash that is kept elsewhere detects that. A release is charged before its noise is drawn,
and a charge is never given back.
"""

import errno
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
from ..datasets import data_root, dataset_name, find_same_people, has_people
from ..errors import ExplorerError, ParameterError

BudgetUnit = Literal["trip", "person-day", "person"]
"""Unit of privacy of a budget; `engine.release.plan.budget_cost` converts between units."""

FIRST_HASH = "0" * 64  # stands for the hash before the first entry
_SCHEMA = f"""
create table entries (id integer primary key, time text, kind text, people text, body text,
  previous text, hash text);
create table head (one integer primary key check (one = 1), id integer, hash text);
insert into head values (1, 0, '{FIRST_HASH}');
"""  # `one` allows a single head; a ledger has it from the start, so one without it was cut
_SCRATCH = ".ledger-"
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # Persian and Indic words need them
_COPY_WARNING = "an older copy lacks what was spent since: going back to it would spend that twice"
_MISSING_FIELD = "cannot be read: it lacks a field that every entry of its kind has"
_PARSE_ERRORS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
_SQLITE_CAUSES = {
    "SQLITE_FULL": ("the disk is full", "make space"),
    "SQLITE_BUSY": ("another program has locked it", "try again when that has ended"),
    "SQLITE_READONLY": ("it or its folder may not be written", "make both writable"),
    "SQLITE_CANTOPEN": ("it cannot be opened", "make its folder readable and writable"),
    "SQLITE_IOERR": ("the disk fails", "check the disk and its free space"),
}
"""Cause and remedy in words, by the start of SQLite's name of an error."""


class ReleaseError(ExplorerError):
    """A refused release or ledger entry, or a failed release: its message states what was spent."""


def release_error(rule: str, value: str, remedy: str, code: str = "") -> ReleaseError:
    """Return a `ReleaseError` with rule, value, remedy and a short `code` that callers compare."""
    return ReleaseError(rule, value=value, remedy=remedy, code=code)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Entry of the ledger, about the budget of the people named `people`.

    `kind` is ``budget`` (declared), ``raise`` (of its totals), ``join`` (another dataset of the
    people), ``withdraw`` (declared anew, with nothing spent), ``release`` (charged before its noise
    is drawn) or ``done`` (its bundle is complete).
    `body` holds the fields of the kind, `chain_hash` the hash of this entry and the hash before.
    """

    id: int
    time: str
    kind: str
    people: str
    body: Mapping[str, Any]
    chain_hash: str


@dataclass(kw_only=True)
class Budget:
    """State of one budget: its totals ε and δ, and exact sums of what its releases cost.

    `people` names the people and the period, `managers` those who may change the budget. `tables`
    holds the SHA-256 checksums of the tables of people that were released from.
    """

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
        epsilon, delta = self.spent_costs
        return to_decimal_fraction(self.epsilon) - epsilon, to_decimal_fraction(self.delta) - delta

    @property
    def remaining_epsilon(self) -> float:
        """ε that remains."""
        return float(self.remaining[0])

    def require_remaining(self, epsilon: float, delta: float) -> None:
        """Raise `ReleaseError` if a cost exceeds the remaining budget."""
        costs = zip("εδ", (epsilon, delta), self.remaining, strict=True)
        excesses = [(name, to_decimal_fraction(cost) - limit) for name, cost, limit in costs]
        if phrases := [f"{name} by {float(excess):g}" for name, excess in excesses if excess > 0]:
            left_epsilon, left_delta = map(float, self.remaining)
            raise release_error(
                f"a release must not exceed the budget of '{self.people}'",
                f"a cost of ε = {epsilon:g}, δ = {delta:g} that exceeds {' and '.join(phrases)}",
                f"at most ε = {left_epsilon:g} and δ = {left_delta:g} are left per {self.unit}; "
                "nothing was charged",
                "exceeded",
            )


class BudgetLedger:
    """A ledger in the file `path`, by default ``ledger.sqlite`` in the folder of all datasets."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = data_root() / "ledger.sqlite" if path is None else path

    def declare(
        self,
        people: str,
        *,
        datasets: Sequence[str],
        unit: BudgetUnit,
        epsilon: float,
        manager: str,
        delta: float = 0.0,
        other_managers: Sequence[str] = (),
    ) -> None:
        """Declare, once, the budget of the people in `datasets`.

        `people` is a name of these people and the period. `datasets` are names or paths; a dataset
        that is not on this computer is taken to have people. `manager` and `other_managers` are the
        names of those who may raise the budget or add datasets to it.
        """
        people = check_one_line("people", people)
        validation.check_one_of("unit", unit, get_args(BudgetUnit), "'person' is strongest")
        names = sorted({check_one_line("datasets", dataset_name(name)) for name in datasets})
        managers = sorted({check_one_line("managers", name) for name in (manager, *other_managers)})
        cost = _check_cost(epsilon, delta)
        body = {"unit": unit, "datasets": names, "raised_by": managers, **cost}  # who may raise it
        _require_people(datasets, unit)
        with self._transaction() as (append, budgets):
            if people in budgets:
                value = f"a second declaration; its budget is ε = {budgets[people].epsilon:g}"
                rule = f"the budget of '{people}' must be declared once"
                raise release_error(rule, value, _advise("raise", budgets[people]), "declared")
            _require_no_budget(budgets, names)
            for name in names:
                _require_shared_budget(budgets, people, find_same_people(name))
            append("budget", people, body)

    def join(self, people: str, *, dataset: str, manager: str) -> None:
        """Add another dataset of the same people to their budget."""
        name, manager = check_one_line("dataset", dataset_name(dataset)), manager.strip()
        with self._transaction() as (append, budgets):
            budget = _require_budget(budgets, people, manager)
            _require_no_budget(budgets, [name])
            _require_people([dataset], budget.unit)
            _require_shared_budget(budgets, budget.people, find_same_people(name))
            append("join", budget.people, {"dataset": name, "by": manager})

    def withdraw(self, people: str, *, manager: str) -> None:
        """Take back a budget of which nothing is spent, so that it can be declared anew."""
        manager = manager.strip()
        with self._transaction() as (append, budgets):
            budget = _require_budget(budgets, people, manager)
            if budget.release_count:
                rule = "a budget can be withdrawn only while nothing of it is spent"
                value = f"{budget.release_count} charged to '{budget.people}'"
                raise release_error(rule, value, "raise it, or declare one of other people")
            append("withdraw", budget.people, {"by": manager})

    def raise_to(
        self, people: str, *, epsilon: float, delta: float, manager: str, reason: str
    ) -> None:
        """Raise the totals of a budget to `epsilon` and `delta`; they never fall."""
        cost, manager = _check_cost(epsilon, delta), manager.strip()
        body = {**cost, "by": manager, "reason": check_one_line("reason", reason)}
        with self._transaction() as (append, budgets):
            budget = _require_budget(budgets, people, manager)
            if epsilon < budget.epsilon or delta < budget.delta:
                rule = f"the budget of '{people}' can only be raised"
                remedy = f"choose at least ε = {budget.epsilon:g}, δ = {budget.delta:g}"
                raise release_error(rule, f"ε = {epsilon:g}, δ = {delta:g}", remedy)
            append("raise", budget.people, body)

    def charge(
        self,
        dataset: str,
        *,
        unit: BudgetUnit,
        epsilon: float,
        delta: float,
        record: Mapping[str, Any],
        same_people_as: str | None = None,
        dry_run: bool = False,
    ) -> Entry:
        """Return the entry that charges a release, before its noise is drawn.

        `epsilon` and `delta` are its cost per `unit`, which must be the budget's; `record` holds
        the other fields of the entry. One transaction reads the remaining budget and writes the
        cost: of concurrent requests for the last share exactly one succeeds. A dry run discards the
        entry. Raises `ReleaseError` if the budget is exceeded, or if another budget has been
        charged for one of the record's ``tables`` (checksums), or has a dataset of the same people
        (`same_people_as` names one, `find_same_people` all).
        """
        dataset, cost = check_one_line("dataset", dataset), _check_cost(epsilon, delta)
        with self._transaction(commit=not dry_run) as (append, budgets):
            budget = _find_budget(budgets, dataset)
            if unit != budget.unit:
                rule = f"the cost must be in the budget's unit, {budget.unit}"
                raise release_error(rule, unit, "convert the cost by `budget_cost`", "unit")
            for candidate in budgets.values():
                if candidate is not budget and candidate.tables & set(record.get("tables", ())):
                    rule = "a dataset of the same people must use their budget"
                    value = f"'{dataset}' of '{budget.people}' with a table of '{candidate.people}'"
                    remedy = f"join it to the budget of '{candidate.people}'; nothing was charged"
                    raise release_error(rule, value, remedy)
            same_people = find_same_people(dataset, same_people_as)
            _require_shared_budget(budgets, budget.people, same_people)
            budget.require_remaining(epsilon, delta)
            return append("release", budget.people, {**record, "dataset": dataset, **cost})

    def find_charge(self, secret: str) -> Entry | None:
        """Return the entry of the release whose record holds this secret number, or None."""
        return next((entry for entry in self.entries() if entry.body.get("secret") == secret), None)

    def finish(self, entry: Entry, digest: str) -> None:
        """Mark the release of `entry` as complete; `digest` is the hash of its ``SHA256SUMS``."""
        with self._transaction(consequence="the charge stays spent") as (append, _):
            append("done", entry.people, {"release": entry.id, "digest": digest})

    def entries(self) -> list[Entry]:
        """Return all entries, oldest first, of a verified chain; cached by version of the file."""
        with _explain_file_error(self.path, "read", "what was spent is unknown until it is read"):
            version = _file_version(self.path)
            if version is None:
                return []
            if version not in _verified_entries:
                with self._open() as connection:
                    connection.execute("begin")  # consistent rows and head
                    entries = _read_entries(connection)
                compute_budgets(entries)  # raises if an entry lacks a field of its kind
                _verified_entries.clear()
                _verified_entries[version] = entries
            return list(_verified_entries[version])

    def budgets(self) -> dict[str, Budget]:
        """Return all budgets by the name of their people."""
        return compute_budgets(self.entries())

    def budget(self, people: str) -> Budget:
        """Return the budget of the people named so; raise `ReleaseError` if none was declared."""
        return _require_budget(self.budgets(), people)

    def find_budget(self, dataset: str) -> Budget:
        """Return the budget of a dataset; raise `ReleaseError` if it has none."""
        return _find_budget(self.budgets(), dataset)

    def verify(self, head: str | None = None, digest: str | None = None) -> int:
        """Return the number of entries after a check of the chain.

        `head` is the hash of an entry, as an earlier statement or ``budget show`` printed it, and
        `digest` that of a bundle's ``SHA256SUMS``; the chain must hold both.
        """
        _verified_entries.clear()
        entries = self.entries()
        heads = {None, *(entry.chain_hash for entry in entries)}
        digests = {None, *(entry.body.get("digest") for entry in entries)}
        if (head and head.strip().lower()) not in heads or digest not in digests:
            rule = "the ledger must hold the entry whose hash was given"
            remedy = "this file is another ledger, or an older copy that lacks what was spent since"
            raise release_error(rule, f"{len(entries)} entries without it", remedy)
        return len(entries)

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        uri = f"{self.path.absolute().as_uri()}?mode=rw"  # SQLite falls back to read-only
        with closing(sqlite3.connect(uri, timeout=60, isolation_level=None, uri=True)) as database:
            database.execute("pragma synchronous=full")
            yield database

    @contextmanager
    def _transaction(
        self, *, commit: bool = True, consequence: str = "nothing was charged and nothing drawn"
    ) -> Generator[tuple[Callable[[str, str, Mapping[str, Any]], Entry], dict[str, Budget]]]:
        """Yield a function that appends an entry, and the budgets, within one transaction."""
        with _explain_file_error(self.path, "written", consequence):
            if _file_version(self.path) is None or any(self.path.parent.glob(f"{_SCRATCH}*")):
                _create_ledger(self.path)
            with self._open() as connection:  # rolls back unless committed
                connection.execute("begin immediate")
                entries = _read_entries(connection)
                yield partial(_append_entry, connection, entries), compute_budgets(entries)
                if commit:
                    connection.execute("commit")


_verified_entries: dict[Any, list[Entry]] = {}


def to_decimal_fraction(number: float) -> Fraction:
    """Return the exact decimal that a float is written as, so that ten times 0.1 is 1."""
    return Fraction(repr(float(number)))


def to_printable(text: str) -> str:
    """Return text on one line, with ``?`` for each control or line-break character."""
    return "".join(c if c.isprintable() or c in _JOINERS else "?" for c in text)


def check_one_line(setting_name: str, text: str, max_length: int = 200) -> str:
    """Return a name or note without outer spaces; raise `ParameterError` unless it is one line."""
    text = text.strip()
    if not 1 <= len(text) <= max_length or to_printable(text) != text:
        rule = f"{setting_name} must be text on one line, 1 to {max_length} characters"
        remedy = "write it shorter, without control characters"
        raise ParameterError(rule, value=ascii(text[:max_length]), remedy=remedy)
    return text


def row_hash(row: Sequence[Any]) -> str:
    """Return the SHA-256 of an entry's columns and the hash before it."""
    return hashlib.sha256(json.dumps(list(row), ensure_ascii=False).encode()).hexdigest()


def compute_budgets(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Return all budgets by the name of their people, with exact sums of costs."""
    budgets: dict[str, Budget] = {}
    for entry in entries:
        try:
            _apply_entry(budgets, entry.kind, entry.people, entry.body)
        except _PARSE_ERRORS:
            raise _corruption_error(entry.id, _MISSING_FIELD) from None
    return budgets


def _append_entry(
    connection: Any, entries: list[Entry], kind: str, people: str, body: Mapping[str, Any]
) -> Entry:
    """Write an entry and the new head, add the entry to `entries` and return it."""
    text = json.dumps(dict(body), sort_keys=True, ensure_ascii=False, allow_nan=False)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    previous = entries[-1].chain_hash if entries else FIRST_HASH
    row = (len(entries) + 1, now, kind, people, text, previous)
    digest = row_hash(row)
    connection.execute("insert into entries values (?, ?, ?, ?, ?, ?, ?)", (*row, digest))
    connection.execute("insert or replace into head values (1, ?, ?)", (row[0], digest))
    entries.append(_parse_entry((*row, digest)))
    return entries[-1]


def _read_entries(connection: sqlite3.Connection) -> list[Entry]:
    """Return all entries of a ledger; raise unless their hashes form a chain up to the head."""
    rows = connection.execute("select * from entries order by id").fetchall()
    head = connection.execute("select id, hash from head").fetchone()
    previous = FIRST_HASH
    for number, row in enumerate(rows, start=1):
        has_types = [type(value) for value in row] == [int, *[str] * 6]
        if not has_types or row[5] != previous or row[6] != row_hash(row[:6]):
            raise _corruption_error(number)
        previous = row[6]
    if head != (len(rows), previous):
        raise _corruption_error(len(rows) + 1)
    return [_parse_entry(row) for row in rows]


def _parse_entry(row: Sequence[Any]) -> Entry:
    number, time, kind, people, text, _, chain_hash = row
    try:
        body: dict[str, Any] = dict(json.loads(text))
    except _PARSE_ERRORS:
        raise _corruption_error(number, _MISSING_FIELD) from None
    return Entry(id=number, time=time, kind=kind, people=people, body=body, chain_hash=chain_hash)


def _apply_entry(
    budgets: dict[str, Budget], kind: str, people: str, body: Mapping[str, Any]
) -> None:
    """Apply one entry to the budgets; raise if it lacks a field of its kind."""
    has_cost = kind in ("budget", "raise", "release")
    cost = _check_cost(body["epsilon"], body["delta"]) if has_cost else {}
    if kind == "budget":
        names = {"managers": body["raised_by"], "datasets": [*body["datasets"]]}
        budgets[people] = Budget(people=people, unit=body["unit"], **names, **cost)
        return
    budget = budgets[people]
    if kind == "withdraw":
        del budgets[people]
    elif kind == "join":
        budget.datasets.append(body["dataset"])
    elif kind == "raise":
        budget.epsilon, budget.delta = cost["epsilon"], cost["delta"]
    elif kind == "release":
        spent_epsilon, spent_delta = budget.spent_costs
        epsilon, delta = (to_decimal_fraction(cost[name]) for name in ("epsilon", "delta"))
        budget.spent_costs = spent_epsilon + epsilon, spent_delta + delta
        budget.release_count += 1
        budget.tables |= {*body.get("tables", ())}
    elif kind != "done":
        raise ValueError(kind)


def _check_cost(epsilon: float, delta: float) -> dict[str, Any]:
    """Return a cost as fields of an entry; raise unless ε > 0 and 0 ≤ δ < 1."""
    validation.check_above("epsilon", epsilon, 0, "every release has a cost above 0")
    real_delta = validation.to_real(delta)
    if real_delta is None or not 0 <= real_delta < 1:
        rule = "delta must be at least 0 and below 1"
        raise ParameterError(rule, value=repr(delta), remedy="choose 0 for pure ε")
    return {"epsilon": float(epsilon), "delta": float(delta)}


def _require_budget(budgets: dict[str, Budget], people: str, manager: str | None = None) -> Budget:
    if (people := people.strip()) not in budgets:
        value = ", ".join(budgets) or "none declared"
        raise release_error(f"there must be a budget of '{people}'", value, "declare it")
    managers = budgets[people].managers
    if manager is not None and manager not in managers:
        rule = f"a budget may be changed only by {' or '.join(managers)}"
        raise release_error(rule, repr(manager), "ask one of its managers to make the change")
    return budgets[people]


def _find_budget(budgets: dict[str, Budget], dataset: str) -> Budget:
    for budget in budgets.values():
        if dataset.strip() in budget.datasets:
            return budget
    names = ", ".join(name for budget in budgets.values() for name in budget.datasets)
    raise release_error(
        f"a budget must be declared for the people in '{dataset}' before anything is released",
        f"a ledger with budgets for {names or 'no dataset'}",
        "declare a budget, join the dataset to the budget of the same people, or name the ledger "
        "that has it; nothing was charged",
    )


def _require_no_budget(budgets: dict[str, Budget], datasets: Sequence[str]) -> None:
    for budget in budgets.values():
        if listed_datasets := sorted(set(datasets) & set(budget.datasets)):
            value = f"{', '.join(listed_datasets)}, which belongs to '{budget.people}'"
            rule = "a dataset must belong to one budget"
            raise release_error(rule, value, _advise("use", budget))


def _advise(verb: str, budget: Budget) -> str:
    """Return what to do with a budget that exists; it can go while nothing of it is spent."""
    withdraw = ", or withdraw it, as nothing of it is spent (command: release budget withdraw)"
    return f"{verb} that budget instead{'' if budget.release_count else withdraw}"


def _require_shared_budget(budgets: dict[str, Budget], people: str, same_people: set[str]) -> None:
    """Raise `ReleaseError` if a budget of other `people` has a dataset of the same people."""
    for budget in budgets.values():
        if budget.people != people and (names := sorted(same_people & set(budget.datasets))):
            raise release_error(
                "datasets of the same people must share one budget",
                f"'{people}' beside '{budget.people}', which has {', '.join(names)}",
                f"join the dataset to the budget of '{budget.people}'; nothing was charged",
            )


def _require_people(datasets: Sequence[str], unit: str) -> None:
    """Raise `ReleaseError` for a budget of people if a known dataset tells no people apart."""
    if unit != "trip" and (rides := [name for name in datasets if not has_people(name)]):
        rule = "a budget of data that tell no people apart must be per trip"
        value = f"{', '.join(rides)} per {unit}"
        raise release_error(rule, value, "declare one per trip", "unit")


def _corruption_error(number: int, defect: str = "does not fit the hash chain") -> ReleaseError:
    remedy = (
        "it was changed, deleted or truncated, and nothing more is written to this ledger. Find "
    )
    remedy += f"out what happened before anything else is released; {_COPY_WARNING}"
    return release_error(f"entry {number} of the ledger {defect}", "", remedy, "broken")


def _file_version(path: Path) -> tuple[Any, ...] | None:
    """Return what changes with a file: inode, time, size and SQLite's header; None without it."""
    if path.is_symlink() and not path.exists():
        raise OSError(errno.ENOENT, "it is a link that leads nowhere")
    if path.exists() and not path.is_file():  # a pipe would never end
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device")
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            return str(path), status.st_ino, status.st_mtime_ns, status.st_size, file.read(100)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _create_ledger(path: Path) -> None:
    """Create an empty ledger atomically, unless another process did; remove what a kill left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock_folder(path.parent) as folder:
        for leftover in path.parent.glob(f"{_SCRATCH}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if _file_version(path) is not None:
            return
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=path.parent) as temporary_folder:
            new_ledger = Path(temporary_folder) / "ledger"
            new_ledger.touch(0o600)
            with closing(sqlite3.connect(new_ledger)) as connection:
                connection.executescript(_SCHEMA)
            os.replace(new_ledger, path)
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
def _explain_file_error(path: Path, action: str, consequence: str) -> Generator[None]:
    """Raise `ReleaseError` with cause and remedy if the ledger cannot be read or written."""
    try:
        yield
    except ExplorerError:
        raise
    except (sqlite3.Error, OSError, ValueError) as error:
        name = getattr(error, "sqlite_errorname", "")
        explanations = (words for start, words in _SQLITE_CAUSES.items() if name.startswith(start))
        default = "it is no ledger, or was cut or damaged", _COPY_WARNING
        cause, remedy = next(explanations, default)
        if isinstance(error, OSError):
            cause = (error.strerror or type(error).__name__).lower()
            remedy = "make it and its folder readable and writable, with space left"
        elif isinstance(error, ValueError):
            cause, remedy = "this cannot be the name of a file", "name its file"
        rule = f"the ledger '{path.name[-100:]}' cannot be {action}: {cause}"
        raise release_error(rule, "", f"{remedy}; {consequence}", "ledger") from error
