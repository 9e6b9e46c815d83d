"""From counts by reason to the accounts of the report."""

from ibis import _

from engine.ingest.backends.engine import Engine
from engine.ingest.expressions import Table
from engine.ingest.report import Account, Reason


def by_reason(engine: Engine, table: Table) -> list[dict[str, int]]:
    """Return, for each reason, the raw rows and the rows that differ."""
    counts = table.group_by("reason").aggregate(rows=_.copies.sum(), kinds=_.count())
    lines = engine.fetch(counts).to_pylist()
    return [{name: int(value) for name, value in line.items()} for line in lines]


def trip_account(counts: list[dict[str, int]]) -> Account:
    """Account for rows of trips; equal rows are duplicates of the first."""
    unused = {Reason.DUPLICATE: 0}
    used = 0
    for line in counts:
        reason = Reason(line["reason"])
        if reason in (Reason.USED, Reason.SELF_TRIP):
            unused[Reason.DUPLICATE] += line["rows"] - line["kinds"]
        if reason is Reason.USED:
            used = line["kinds"]
        elif reason is Reason.SELF_TRIP:
            unused[reason] = line["kinds"]
        else:
            unused[reason] = line["rows"]
    return Account(used + sum(unused.values()), used, unused)


def record_account(counts: list[dict[str, int]], *, trimmed: int, distinct: bool = True) -> Account:
    """Account for visits; further ones at the same place in the same hour are not used."""
    unused = {Reason.TRIMMED: trimmed}
    used = 0
    for line in counts:
        reason = Reason(line["reason"])
        if reason is not Reason.USED:
            unused[reason] = line["rows"]
        elif distinct:
            used = line["kinds"] - trimmed
            unused[Reason.REPEATED] = line["rows"] - line["kinds"]
        else:
            used = line["rows"]
    return Account(used + sum(unused.values()), used, unused)
