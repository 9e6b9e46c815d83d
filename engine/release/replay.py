"""What the entries of a ledger add up to, replayed from the first one, exactly.

A plan keeps back what all its runs cost together. That is at most the sum of the runs, and less
where a theorem says so: then what was run costs no more than the whole.
"""

from collections.abc import Sequence

from .entries import Budget, Entry, add_up, sum_of
from .schedule import series


def replay(entries: Sequence[Entry]) -> dict[str, Budget]:
    """Return the state of every budget: totals declared and raised, costs added up exactly."""
    budgets: dict[str, Budget] = {}
    plans = series(entries).values()
    for people in dict.fromkeys(entry.people for entry in entries if entry.kind == "budget"):
        theirs = [entry for entry in entries if entry.people == people]
        # older ledgers told 'town ' from 'town': these share the first one's totals
        first = next(entry for entry in theirs if entry.kind == "budget")
        *_, last = (entry for entry in theirs if entry is first or entry.kind == "raise")
        releases = [entry for entry in theirs if entry.kind == "release"]
        own = [one for one in plans if one.entry.people == people]
        runs = {run.id for one in own for run in one.runs.values()}
        single = [sum_of(one) for one in releases if one.id not in runs]
        spent = add_up([*single, *(one.spent for one in own)])
        planned = add_up(one.planned for one in own)
        budgets[people] = Budget(
            people=people,
            unit=first.body["unit"],
            datasets=tuple(dict.fromkeys(name.strip() for one in theirs for name in _names(one))),
            epsilon=last.body["epsilon"],
            delta=last.body["delta"],
            spent_epsilon=float(spent[0]),
            spent_delta=float(spent[1]),
            releases=len(releases),
            raised_by=tuple(first.body["raised_by"]),
            planned_epsilon=float(planned[0]),
            planned_delta=float(planned[1]),
        )
    return budgets


def _names(entry: Entry) -> list[str]:
    if entry.kind == "budget":
        return entry.body["datasets"]
    return [entry.body["dataset"]] if entry.kind == "join" else []
