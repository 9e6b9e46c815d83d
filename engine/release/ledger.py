"""The ledger of releases: what was declared, spent and made, in a file that survives crashes.

A budget belongs to people, not to a file: two datasets made of the same raw table share it. Every
entry holds the hash of the entry before it, and the last hash is kept apart, so that a changed, a
missing and a cut-off entry are all found by `Ledger.verify`. A release writes its cost before any
noise is drawn; nothing is ever given back. No setting that was only looked at, no seed and no true
count is written here.
"""

import json
import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine import datasets, validation
from engine.errors import ParameterError
from engine.release.entries import (
    Budget,
    BudgetUnit,
    Entry,
    ReleaseError,
    broken,
    covering,
    exact,
    exceeded,
    known,
    read_entries,
    replay,
    row_hash,
)

FIRST_HASH = "0" * 64
_WAIT_S = 60.0
_SCHEMA = """
create table if not exists entries (
  id integer primary key,
  time text not null, kind text not null, people text not null, body text not null,
  previous text not null, hash text not null unique
);
create table if not exists head (one integer primary key check (one = 1), id integer, hash text);
"""


class Ledger:
    """A ledger in one SQLite file, readable by its owner only.

    Parameters
    ----------
    path : Path or None
        The file; None takes ``ledger.sqlite`` in the folder of all datasets. It is made when
        the first entry is written.

    Examples
    --------
    >>> import tempfile
    >>> kept = Ledger(Path(tempfile.mkdtemp()) / "ledger.sqlite")
    >>> kept.declare("town 2015-09", datasets=["town"], unit="person", epsilon=2.0, by="custodian")
    >>> first = kept.intend("town", unit="person", epsilon=0.5, delta=0.0, what={"product": "od"})
    >>> kept.budget("town 2015-09").left_epsilon
    1.5
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = datasets.data_root() / "ledger.sqlite" if path is None else path

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
        """Declare the budget of people whose data `datasets` were made of.

        Parameters
        ----------
        people : str
            A name of the people and the period.
        datasets : sequence of str
            Names of their datasets; a dataset belongs to one budget.
        unit : str
            What ε and δ protect.
        epsilon, delta : float
            Totals that may ever be spent; δ may be 0.
        by : str
            Who declares it, and may raise it.
        raised_by : sequence of str
            Who else may raise it.

        Raises
        ------
        ReleaseError
            If the people or one of the datasets have a budget already.
        ParameterError
            If a number is outside its domain, or a name is empty.
        """
        _named("people", people)
        _named("by", by)
        validation.one_of("unit", unit, ("trip", "person-day", "person"), "'person' is strongest")
        _checked_totals(epsilon, delta)
        if not datasets:
            raise ParameterError(
                "datasets must name at least one dataset", remedy="name those made of these people"
            )
        body = {
            "unit": unit,
            "datasets": sorted(set(datasets)),
            "epsilon": float(epsilon),
            "delta": float(delta),
            "raised_by": sorted({by, *raised_by}),
        }
        with self._writing() as connection:
            budgets = replay(read_entries(connection))
            for budget in budgets.values():
                if budget.people == people:
                    raise ReleaseError(
                        f"'{people}' must be declared once",
                        value=f"a budget of ε = {budget.epsilon:g} that is there already",
                        remedy="raise it instead",
                        code="declared",
                    )
            _free(budgets, datasets)
            _append(connection, "budget", people, body)

    def join(self, people: str, *, dataset: str, by: str) -> None:
        """Name one more dataset that was made of the same people: it shares their budget.

        Raises
        ------
        ReleaseError
            If there is no such budget, `by` may not change it, or the dataset has a budget.
        """
        _named("dataset", dataset)
        with self._writing() as connection:
            budgets = replay(read_entries(connection))
            _allowed(known(budgets, people), by)
            _free(budgets, [dataset])
            _append(connection, "join", people, {"dataset": dataset, "by": by})

    def raise_to(self, people: str, *, epsilon: float, by: str, reason: str, delta: float) -> None:
        """Raise the totals of a budget; the raise is an entry like any other.

        Raises
        ------
        ReleaseError
            If there is no such budget, `by` may not raise it, or a total would fall.
        """
        _named("reason", reason)
        _checked_totals(epsilon, delta)
        with self._writing() as connection:
            budget = known(replay(read_entries(connection)), people)
            _allowed(budget, by)
            if epsilon < budget.epsilon or delta < budget.delta:
                raise ReleaseError(
                    "a budget can only be raised",
                    value=f"ε = {epsilon:g}, δ = {delta:g} after ε = {budget.epsilon:g}, "
                    f"δ = {budget.delta:g}",
                    remedy="what was declared stays declared",
                    code="lowered",
                )
            body = {"epsilon": float(epsilon), "delta": float(delta), "by": by, "reason": reason}
            _append(connection, "raise", people, body)

    def intend(
        self,
        dataset: str,
        *,
        unit: BudgetUnit,
        epsilon: float,
        delta: float,
        what: Mapping[str, Any],
    ) -> Entry:
        """Charge a release before its noise is drawn; it is never given back.

        One transaction reads what is left and writes the cost, so of many that ask at once for
        the last share exactly one gets it.

        Parameters
        ----------
        dataset : str
            Whose budget is charged.
        unit : str
            Must be the budget's unit: `engine.release.cost` converts.
        epsilon, delta : float
            What it costs one unit.
        what : mapping
            What is released and how, without any count.

        Raises
        ------
        ReleaseError
            If no budget covers the dataset, or too little is left; nothing is charged then.
        """
        validation.finite_above("epsilon", epsilon, 0, "every release costs something")
        _checked_delta(delta)
        with self._writing() as connection:
            budget = covering(replay(read_entries(connection)), dataset)
            if unit != budget.unit:
                raise ReleaseError(
                    f"the cost must be in the budget's unit, {budget.unit}",
                    value=unit,
                    remedy="a release protects what its budget counts",
                    code="unit",
                )
            over = exact(budget.spent_epsilon) + exact(epsilon) - exact(budget.epsilon)
            over_delta = exact(budget.spent_delta) + exact(delta) - exact(budget.delta)
            if over > 0 or over_delta > 0:
                raise exceeded(budget, epsilon, delta)
            body = {**what, "dataset": dataset, "epsilon": float(epsilon), "delta": float(delta)}
            return _append(connection, "release", budget.people, body)

    def finish(self, intent: Entry, digest: str) -> None:
        """Mark a release as made; `digest` is the SHA-256 of its bundle's list of files."""
        with self._writing() as connection:
            _append(connection, "done", intent.people, {"release": intent.id, "digest": digest})

    def entries(self) -> list[Entry]:
        """Return every entry, oldest first; none where no ledger has been written yet."""
        if not self.path.is_file():
            return []
        with self._open(writing=False) as connection:
            return read_entries(connection)

    def budgets(self) -> dict[str, Budget]:
        """Return the state of every budget by its people."""
        return replay(self.entries())

    def budget(self, people: str) -> Budget:
        """Return the state of one budget; raise `ReleaseError` where it was not declared."""
        return known(self.budgets(), people)

    def covering(self, dataset: str) -> Budget:
        """Return the budget that pays for a dataset; raise `ReleaseError` where none does."""
        return covering(self.budgets(), dataset)

    def verify(self) -> int:
        """Check the chain of hashes and return the number of entries.

        Raises
        ------
        ReleaseError
            Naming the first entry that was changed, is missing or was cut off.
        """
        if not self.path.is_file():
            return 0
        with self._open(writing=False) as connection:
            connection.execute("begin")  # rows and head of one moment, though others may write
            rows = connection.execute("select * from entries order by id").fetchall()
            head = connection.execute("select id, hash from head").fetchone()
        previous = FIRST_HASH
        for number, row in enumerate(rows, start=1):
            if row[0] != number or row[5] != previous or row[6] != row_hash(row[:6]):
                raise broken(number)
            previous = row[6]
        if (head or (0, FIRST_HASH)) != (len(rows), previous):
            raise broken(len(rows) + 1)
        return len(rows)

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._open(writing=True) as connection:
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")

    @contextmanager
    def _open(self, *, writing: bool) -> Generator[sqlite3.Connection]:
        try:
            if writing and not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(self.path, timeout=_WAIT_S, isolation_level=None)
            try:
                connection.execute("pragma synchronous=full")
                if writing:
                    connection.executescript(_SCHEMA)
                yield connection
            finally:
                connection.close()
        except (sqlite3.Error, OSError) as error:
            raise ReleaseError(
                f"the ledger '{self.path.name}' cannot be {'written' if writing else 'read'} "
                f"({type(error).__name__})",
                remedy="nothing was charged and nothing drawn: make its folder writable, with "
                "space left, or name another ledger",
                code="ledger",
            ) from error


def _append(
    connection: sqlite3.Connection, kind: str, people: str, body: Mapping[str, Any]
) -> Entry:
    last = connection.execute("select id, hash from entries order by id desc limit 1").fetchone()
    number, previous = (last[0] + 1, last[1]) if last else (1, FIRST_HASH)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    text = json.dumps(dict(body), sort_keys=True, ensure_ascii=False, allow_nan=False)
    digest = row_hash((number, time, kind, people, text, previous))
    connection.execute(
        "insert into entries values (?, ?, ?, ?, ?, ?, ?)",
        (number, time, kind, people, text, previous, digest),
    )
    connection.execute("insert or replace into head values (1, ?, ?)", (number, digest))
    return Entry(id=number, time=time, kind=kind, people=people, body=dict(body), hash=digest)


def _allowed(budget: Budget, by: str) -> None:
    if by not in budget.raised_by:
        raise ReleaseError(
            f"a change of a budget must come from {' or '.join(budget.raised_by)}",
            value=repr(by),
            remedy="ask one of them",
            code="not_allowed",
        )


def _free(budgets: Mapping[str, Budget], datasets: Sequence[str]) -> None:
    for budget in budgets.values():
        if taken := sorted(set(datasets) & set(budget.datasets)):
            raise ReleaseError(
                "a dataset belongs to one budget",
                value=f"{', '.join(taken)}, which belongs to '{budget.people}'",
                remedy="use that budget",
                code="declared",
            )


def _named(name: str, text: str) -> None:
    if not text.strip() or len(text) > 200:
        raise ParameterError(f"{name} must be 1 to 200 characters", value=f"{len(text)}")


def _checked_totals(epsilon: float, delta: float) -> None:
    validation.finite_above("epsilon", epsilon, 0, "the total that may ever be spent")
    _checked_delta(delta)


def _checked_delta(delta: float) -> None:
    number = validation.as_real(delta)
    if number is None or not 0 <= number < 1:
        raise ParameterError(
            "delta must be at least 0 and below 1", value=repr(delta), remedy="0 allows pure ε only"
        )
