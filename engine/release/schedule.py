"""Plans of recurring releases as the ledger keeps them: which days each run has, and what was run.

A plan is an entry like any other: no file that could be changed, and no count in it. Its runs are
releases that name it. They have no day in common and go forward: a missed run stays missed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

from .. import validation
from ..errors import ParameterError
from .entries import NOTHING, Entry, ReleaseError, Sum, add_up, sum_of

_MOST_DAYS = 36_600
"""From the first day of a plan to its last: a hundred years."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Which days the runs of a plan release.

    Parameters
    ----------
    first : date
        The first day of the first run.
    runs : int
        How many, at least 1.
    days : int
        D, days that each run releases, at least 1.
    every : int
        Days from the first day of one run to that of the next, at least `days`.

    Raises
    ------
    ParameterError
        With rule, value and remedy.

    Examples
    --------
    >>> weekly = Schedule.until(date(2024, 1, 1), date(2024, 2, 1), days=7, every=7)
    >>> weekly.runs, weekly.dates(2)[0].isoformat(), weekly.last.isoformat(), weekly.words
    (4, '2024-01-08', '2024-01-28', '4 runs of 7 days, every 7 days, 2024-01-01 to 2024-01-28')
    """

    first: date
    runs: int
    days: int = 7
    every: int = 7

    def __post_init__(self) -> None:
        validation.whole_number("runs", self.runs, 1, remedy="a plan has at least one run")
        validation.whole_number("days", self.days, 1, remedy="a run releases at least one day")
        remedy = "no day is released twice under one plan"
        validation.whole_number("every", self.every, self.days, remedy=remedy)
        whole = (self.runs - 1) * self.every + self.days
        if min(whole, (date.max - self.first).days) != whole or whole > _MOST_DAYS:
            raise ParameterError(
                f"a plan must end within {_MOST_DAYS:,} days",
                value=f"{whole:,} days from {self.first}",
                remedy="plan fewer runs",
            )

    @classmethod
    def until(cls, first: date, until: date, *, days: int = 7, every: int = 7) -> "Schedule":
        """Return the schedule of all runs whose days end by `until`."""
        least = (until - first).days + 1 - validation.whole_number("days", days, 1, remedy="")
        return cls(first=first, runs=least // max(every, 1) + 1, days=days, every=every)

    def dates(self, number: int) -> tuple[date, ...]:
        """Return the days of a run, the first of which has number 1."""
        first = self.first + timedelta(days=(number - 1) * self.every)
        return tuple(first + timedelta(days=day) for day in range(self.days))

    def when(self, number: int) -> str:
        """Return the days of a run in words."""
        days = self.dates(number)
        return f"{days[0]} to {days[-1]}" if days[1:] else str(days[0])

    @property
    def last(self) -> date:
        """The last day of the last run."""
        return self.dates(self.runs)[-1]

    @property
    def refreshed(self) -> str:
        """How often, in words."""
        return "every day" if self.every == 1 else f"every {self.every} days"

    @property
    def words(self) -> str:
        """All of it, in words."""
        of = f"of {self.days} days" if self.days > 1 else "of one day"
        runs = f"{self.runs} run{'' if self.runs == 1 else 's'}"
        return f"{runs} {of}, {self.refreshed}, {self.first} to {self.last}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object that `from_json` reads back."""
        return {**asdict(self), "first": self.first.isoformat()}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Schedule":
        """Read what `to_json` wrote."""
        values: dict[str, Any] = {**document, "first": date.fromisoformat(document["first"])}
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Series:
    """A plan and what became of it so far.

    Attributes
    ----------
    entry : Entry
        The plan: product, settings, unit of protection, what all runs cost.
    schedule : Schedule
    runs : mapping of int to Entry
        The runs that were charged, by number.
    finished : frozenset of int
        Those whose bundle was finished; another one was interrupted, and stays spent.
    ended : bool
        Whether it was ended before its last run.
    """

    entry: Entry
    schedule: Schedule
    runs: Mapping[int, Entry]
    finished: frozenset[int]
    ended: bool

    @property
    def next(self) -> int | None:
        """The number of the next run; None where there is none."""
        following = max(self.runs, default=0) + 1
        return None if self.ended or following > self.schedule.runs else following

    @property
    def spent(self) -> Sum:
        """ε and δ of the runs so far: their sum, or what all cost together where that is less."""
        whole, costs = sum_of(self.entry), [sum_of(run) for run in self.runs.values()]
        added = add_up(costs)
        return added if added[0] <= whole[0] else whole

    @property
    def planned(self) -> Sum:
        """ε and δ that are kept for the runs to come."""
        whole, spent = (sum_of(self.entry), self.spent) if self.next else (NOTHING, NOTHING)
        return whole[0] - spent[0], whole[1] - spent[1]

    @property
    def state(self) -> str:
        """What was made, and what comes next, in words."""
        said = f"{len(self.finished)} of {self.schedule.runs} made"
        if lost := sorted(set(self.runs) - self.finished):
            said += f", interrupted and spent: {', '.join(map(str, lost))}"
        if missed := sorted(set(range(1, max(self.runs, default=0))) - set(self.runs)):
            said += f", missed: {', '.join(map(str, missed))}"
        if self.next is None:
            return f"{said}; {'ended' if self.ended else 'complete'}"
        return f"{said}; next is run {self.next}, {self.schedule.when(self.next)}"

    def require(self, number: int) -> None:
        """Raise `ReleaseError` unless a run can still be made; its order is that of its days."""
        if number in self.runs:
            rule, code = f"run {number} of '{self.entry.body['name']}' must be made once", "made"
            value = f"its days, released on {self.runs[number].time[:10]}"
        elif self.next is None or not self.next <= number <= self.schedule.runs:
            rule, code = f"a run of '{self.entry.body['name']}' must be one that is to come", "run"
            value = f"run {number}; {self.state}"
        else:
            return
        raise ReleaseError(
            rule,
            value=value,
            remedy="a missed run stays missed, and what is planned is changed by ending the plan "
            "and planning again; nothing was spent",
            code=code,
        )


def series(entries: Sequence[Entry]) -> dict[str, Series]:
    """Return every plan of a ledger by its name, oldest first."""
    done = {one.body["release"] for one in entries if one.kind == "done"}
    ended = {one.body["plan"] for one in entries if one.kind == "end"}
    plans: dict[str, Series] = {}
    for plan in (one for one in entries if one.kind == "plan"):
        runs = {
            int(one.body.get("run") or 0): one
            for one in entries
            if one.kind == "release" and one.body.get("plan") == plan.id
        }
        plans[plan.body["name"]] = Series(
            entry=plan,
            schedule=Schedule.from_json(plan.body["schedule"]),
            runs=runs,
            finished=frozenset(number for number, one in runs.items() if one.id in done),
            ended=plan.id in ended,
        )
    return plans


def series_of(entries: Sequence[Entry], release: Entry) -> Series | None:
    """Return the plan that a release is a run of; None where it is of none."""
    plan = release.body.get("plan")
    return next((one for one in series(entries).values() if one.entry.id == plan), None)


def known_series(entries: Sequence[Entry], name: str) -> Series:
    """Return the plan of that name; raise `ReleaseError` where there is none."""
    plans = series(entries)
    if name.strip() not in plans:
        raise ReleaseError(
            f"there must be a plan '{name}'",
            value=", ".join(plans) or "none planned",
            remedy="plan it first; nothing was spent",
            code="no_plan",
        )
    return plans[name.strip()]


def require_new(entries: Sequence[Entry], name: str) -> None:
    """Raise `ReleaseError` where a plan of that name is there."""
    if name in series(entries):
        raise ReleaseError(
            f"'{name}' must be planned once",
            value="a plan that is there already",
            remedy="choose another name; nothing was charged",
            code="declared",
        )


def require_run(entries: Sequence[Entry], plan: int, number: int, people: str) -> None:
    """Raise `ReleaseError` unless a run of the plan in entry `plan` is to come, of its people."""
    one = next(one for one in series(entries).values() if one.entry.id == plan)
    one.require(number)
    if one.entry.people != people:
        raise ReleaseError(
            f"a run of '{one.entry.body['name']}' must be of the plan's people",
            value=f"a dataset of '{people}'",
            remedy=f"join it to the budget of '{one.entry.people}' if they are the same; nothing "
            "was spent",
            code="people",
        )
