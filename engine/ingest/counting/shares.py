"""Ranking people in shares that fit in memory; whom an engine counts first changes no count."""

import math
from collections.abc import Callable, Sequence

import ibis
import pyarrow as pa
from ibis import _

from ..backends.engine import PARTS
from ..expressions import Table
from ..report import BINS
from .run import Run

PILES = 8


def divided(table: Table) -> Table:
    """Return `table` with the ``part`` (0 to 127) of each row's person.

    Engines hash differently, and may: whom one counts first changes no count.
    """
    return table.mutate(part=(table.uid.hash() % PARTS).abs().cast("int8"))


def of_people(run: Run, name: str, table: Table, count: int) -> list[Table]:
    """Return `count` rows of a `divided` table in shares, as many people at once as fit in memory.

    Each share would read all of a large table: many shares read it once more in piles.
    """
    of = run.engine.shares(count)
    if of <= PILES:
        return [_share(table, number, of) for number in range(of)]
    piles = [run.engine.store(f"{name}_{n}", _share(table, n, PILES)) for n in range(PILES)]
    of = PILES * math.ceil(of / PILES)
    return [_share(piles[number % PILES], number, of) for number in range(of)]


def _share(table: Table, number: int, of: int) -> Table:
    return table if of == 1 else table.filter(table.part % of == number)


def added_up(counts: list[Table]) -> Table:
    """Return the sum of counts over shares of the people, in the order of a dataset's tables.

    Places are numbered in the order of their ids: sorting numbers here is cheaper than ids later.
    """
    keys = [name for name in counts[0].columns if name != "n"]
    if len(counts) == 1:
        return counts[0].order_by(keys)
    return ibis.union(*counts).group_by(keys).aggregate(n=_.n.sum()).order_by(keys)


def by_share(
    run: Run, name: str, people: Sequence[Table], compute: Callable[[Table], Table]
) -> list[Table]:
    """Compute something of every share and keep it in the engine as ``name_0``, ``name_1`` …."""
    kept: list[Table] = []
    for number, own in enumerate(people):
        run.monitor.step(number, len(people))
        kept.append(run.engine.keep(f"{name}_{number}", compute(own)))
    return kept


def summed(run: Run, table: Table, count: int, compute: Callable[[Table], Table]) -> pa.Table:
    """Return counts (``n`` by the other columns) of every share, added up and sorted.

    `table` is `divided`, of `count` rows; `compute` makes counts of the rows of some people.
    """
    kept = by_share(run, "ranked", of_people(run, "pile", table, count), compute)
    counted = run.engine.fetch(added_up(kept))
    for number in range(len(kept)):
        run.engine.drop(f"ranked_{number}")
    return counted


def people_by_bin(run: Run, people: Table) -> dict[int, int]:
    """Return the number of people by the lower end of the public bin of their ``n``, ascending."""
    branches = [(people.n >= low, low) for low in reversed(BINS)]
    low = ibis.cases(*branches, else_=0).cast("int32")
    counted = people.mutate(bin=low).group_by("bin").aggregate(people=_.count())
    lines = run.engine.fetch(counted).to_pylist()
    return {int(line["bin"]): int(line["people"]) for line in sorted(lines, key=lambda r: r["bin"])}
