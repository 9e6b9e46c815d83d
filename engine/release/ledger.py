"""The ledger of releases: what was declared, spent and made, in a file that survives crashes.

A budget belongs to people, not to a file: two datasets made of the same raw table share it. Every
entry holds the hash of the entry before it, and the last hash is kept apart, so that a changed, a
missing and a cut-off entry are all found whenever the ledger is read, and before anything is
written to it. A release writes its cost before any
noise is drawn; nothing is ever given back. No setting that was only looked at, no seed and no true
count is written here.
"""

import json
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from .. import datasets, validation
from ..errors import ParameterError
from .copies import fingerprint_by_name, refuse_copies
from .cost import balances
from .entries import (
    FIRST_HASH,
    Budget,
    BudgetUnit,
    Entry,
    ReleaseError,
    covering,
    known,
    printable,
    read_entries,
    require_left,
    row_hash,
)
from .replay import replay
from .schedule import known_series, require_new, require_run
from .store import exists, opened


class BudgetLedger:
    """A ledger in one SQLite file, readable by its owner only.

    Parameters
    ----------
    path : Path or None
        The file; None takes ``ledger.sqlite`` in the folder of all datasets. It is made when
        the first entry is written.

    Examples
    --------
    >>> import tempfile
    >>> kept = BudgetLedger(Path(tempfile.mkdtemp()) / "ledger.sqlite")
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
            If the people or one of the datasets have a budget already, or one is a copy of a
            dataset that another budget pays for.
        ParameterError
            If a number is outside its domain, or a name is empty or cannot be shown.
        """
        people, by = named("people", people), named("by", by)
        validation.one_of("unit", unit, ("trip", "person-day", "person"), "'person' is strongest")
        _checked_totals(epsilon, delta)
        if not datasets:
            raise ParameterError(
                "datasets must name at least one dataset", remedy="name those made of these people"
            )
        names = sorted({named("datasets", one) for one in datasets})
        made_of = _fingerprints(names)
        body = {
            "unit": unit,
            "datasets": names,
            "epsilon": float(epsilon),
            "delta": float(delta),
            "raised_by": sorted({by, *(named("raised_by", one) for one in raised_by)}),
            "made_of": made_of,
        }
        with self._writing() as (connection, entries):
            budgets = replay(entries)
            for budget in budgets.values():
                if budget.people == people:
                    raise ReleaseError(
                        f"'{people}' must be declared once",
                        value=f"a budget of ε = {budget.epsilon:g} that is there already",
                        remedy="raise it instead",
                        code="declared",
                    )
            _free(budgets, names)
            refuse_copies(entries, people, made_of)
            _append(connection, "budget", people, body)

    def join(self, people: str, *, dataset: str, by: str) -> None:
        """Name one more dataset that was made of the same people: it shares their budget.

        Raises
        ------
        ReleaseError
            If there is no such budget, `by` may not change it, or the dataset has a budget or is a
            copy of one that has.
        """
        people, dataset, by = people.strip(), named("dataset", dataset), by.strip()
        made_of = _fingerprints([dataset])
        with self._writing() as (connection, entries):
            budgets = replay(entries)
            _allowed(known(budgets, people), by)
            _free(budgets, [dataset])
            refuse_copies(entries, people, made_of)
            body = {"dataset": dataset, "by": by, "made_of": made_of}
            _append(connection, "join", people, body)

    def raise_to(self, people: str, *, epsilon: float, by: str, reason: str, delta: float) -> None:
        """Raise the totals of a budget; the raise is an entry like any other.

        Raises
        ------
        ReleaseError
            If there is no such budget, `by` may not raise it, or a total would fall.
        """
        people, by, reason = people.strip(), by.strip(), named("reason", reason)
        _checked_totals(epsilon, delta)
        with self._writing() as (connection, entries):
            budget = known(replay(entries), people)
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
        made_of: Mapping[str, Any] | None = None,
        rehearsal: bool = False,
        kind: Literal["release", "plan"] = "release",
    ) -> Entry:
        """Charge a release before its noise is drawn; it is never given back.

        One transaction reads what is left and writes the cost, so of many that ask at once for
        the last share exactly one gets it. A plan is charged in the same way, with what all its
        runs cost; its runs name it and take from what was kept for them.

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
        made_of : mapping or None
            The dataset's `engine.release.copies.fingerprint`.
        rehearsal : bool
            Do all but keep the entry: it comes back as it would be, and nothing is charged.
        kind : str
            ``plan`` for all runs of a recurring release; `what` then holds its name and schedule.

        Raises
        ------
        ReleaseError
            If no budget covers the dataset, too little is left, it is a copy of a dataset that
            another budget pays for, a plan of that name is there already, or a run is none that
            is to come; nothing is charged then.
        """
        dataset = named("dataset", dataset)
        validation.finite_above("epsilon", epsilon, 0, "every release costs something")
        _checked_delta(delta)
        with self._writing(keep=not rehearsal) as (connection, entries):
            budget = covering(balances(entries), dataset)
            if unit != budget.unit:
                raise ReleaseError(
                    f"the cost must be in the budget's unit, {budget.unit}",
                    value=unit,
                    remedy="a release protects what its budget counts",
                    code="unit",
                )
            if "plan" in what:  # its cost was kept when it was planned
                require_run(entries, what["plan"], what["run"], budget.people)
                require_left(budget, 0.0, 0.0)
            else:
                require_left(budget, epsilon, delta)
            if kind == "plan":
                require_new(entries, what["name"])
            body = {**what, "dataset": dataset, "epsilon": float(epsilon), "delta": float(delta)}
            if made_of is not None:
                body["made_of"] = {dataset: dict(made_of)}
                refuse_copies(entries, budget.people, body["made_of"])
            return _append(connection, kind, budget.people, body)

    def end(self, name: str, *, by: str) -> None:
        """End a plan before its last run: what was kept for runs to come is free again.

        Raises
        ------
        ReleaseError
            If there is no such plan, no run of it is to come, or `by` may not change the budget.
        """
        with self._writing() as (connection, entries):
            plan = known_series(entries, name)
            _allowed(known(replay(entries), plan.entry.people), by.strip())
            plan.require(plan.next or 0)
            body = {"plan": plan.entry.id, "by": by.strip()}
            _append(connection, "end", plan.entry.people, body)

    def finish(self, intent: Entry, digest: str) -> None:
        """Mark a release as made; `digest` is the SHA-256 of its bundle's list of files."""
        with self._writing() as (connection, _):
            _append(connection, "done", intent.people, {"release": intent.id, "digest": digest})

    def entries(self) -> list[Entry]:
        """Return every entry, oldest first; none where no ledger has been written yet.

        Raises
        ------
        ReleaseError
            Naming the first entry that was changed, is missing or was cut off.
        """
        if not exists(self.path):
            return []
        with opened(self.path, writing=False) as connection:
            connection.execute("begin")  # rows and head of one moment, though others may write
            return read_entries(connection)

    def budgets(self) -> dict[str, Budget]:
        """Return the state of every budget by its people."""
        return balances(self.entries())

    def budget(self, people: str) -> Budget:
        """Return the state of one budget; raise `ReleaseError` where it was not declared."""
        return known(self.budgets(), people)

    def covering(self, dataset: str) -> Budget:
        """Return the budget that pays for a dataset; raise `ReleaseError` where none does."""
        return covering(self.budgets(), dataset)

    def verify(self, head: str | None = None) -> int:
        """Check the chain of hashes and return the number of entries.

        Parameters
        ----------
        head : str or None
            A hash that was noted earlier, such as that in a release's statement. An older copy of
            the file is a whole chain by itself, but lacks it.

        Raises
        ------
        ReleaseError
            Naming the first entry that was changed, is missing or was cut off; or if no entry has
            the hash `head`.
        """
        entries = self.entries()
        if head is not None and head.strip().lower() not in {entry.hash for entry in entries}:
            raise ReleaseError(
                "the ledger must hold the entry whose hash was noted",
                value=f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'} without it",
                remedy="this file is another ledger, or an older copy that lacks what was spent "
                "since; the whole hash has 64 digits",
                code="anchor",
            )
        return len(entries)

    @contextmanager
    def _writing(self, *, keep: bool = True) -> Generator[tuple[sqlite3.Connection, list[Entry]]]:
        """Yield a transaction and the entries, their chain checked within it."""
        with opened(self.path, writing=True) as connection:
            connection.execute("begin immediate")
            try:
                yield connection, read_entries(connection)
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit" if keep else "rollback")


def named(name: str, text: str, longest: int = 200) -> str:
    """Return a name without the spaces around it; refuse one that cannot be shown on one line."""
    text = text.strip()
    if not 1 <= len(text) <= longest:
        raise ParameterError(f"{name} must be 1 to {longest} characters", value=f"{len(text)}")
    if printable(text) != text:
        raise ParameterError(
            f"{name} must be text on one line, without control characters",
            value=ascii(text),
            remedy="write it without them",
        )
    return text


def _fingerprints(names: Sequence[str]) -> dict[str, Any]:
    """Return what the datasets that can be opened by these names were made of."""
    prints = {name: fingerprint_by_name(name) for name in names}
    return {name: one for name, one in prints.items() if one is not None}


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


def _checked_totals(epsilon: float, delta: float) -> None:
    validation.finite_above("epsilon", epsilon, 0, "the total that may ever be spent")
    _checked_delta(delta)


def _checked_delta(delta: float) -> None:
    number = validation.as_real(delta)
    if number is None or not 0 <= number < 1:
        raise ParameterError(
            "delta must be at least 0 and below 1", value=repr(delta), remedy="0 allows pure ε only"
        )
