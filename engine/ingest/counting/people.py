"""What a person's first M trips come to, for every stop M: a part of ``report.parquet``.

A person counts once at each stop up to the one that keeps all of the person's trips: into the bin
of that stop, and out of the bin of the stop before.
"""

from typing import Any, TypeAlias

import ibis
import pyarrow as pa
from ibis import _

from ...report.measures import EARTH_RADIUS_M, FINE_EDGES, FINE_KM, Measure
from ..expressions import Column, Table
from .run import Run

Counts: TypeAlias = Any
"""A table of measure (its number), block, bin, n."""

_NUMBER = {measure: number for number, measure in enumerate(Measure)}


def counts(
    table: Table, measure: Measure, block: Column, number: Column | int, n: Column | None = None
) -> Counts:
    """Return how many rows (or the sum of `n`) fall in each block and bin."""
    keyed = table.select(
        measure=ibis.literal(_NUMBER[measure]).cast("int32"),
        block=block.cast("int32"),
        bin=(ibis.literal(number) if isinstance(number, int) else number).cast("int64"),
        n=ibis.literal(1).cast("int64") if n is None else n.cast("int64"),
    )
    summed = keyed.group_by(["measure", "block", "bin"]).aggregate(n=_.n.sum())
    return summed.mutate(n=summed.n.cast("int64"))


def limited(measure: Measure, number: Column) -> Column:
    """Return bins with all below in −1 and all above in the one after the last."""
    return ibis.greatest(ibis.least(number, len(FINE_EDGES[measure]) - 1), -1)


def great_circle_m(squared_chord: Column) -> Column:
    """Return the great circle in metres."""
    half = squared_chord.cast("float64").sqrt() / (2.0 * EARTH_RADIUS_M)
    sine: Column = ibis.least(half, 1.0)
    return sine.asin() * (2.0 * EARTH_RADIUS_M)


def length_bin(metres: Column) -> Column:
    """Return the fine bin of a length."""
    fine = (metres / 100.0).floor().cast("int64")
    farther = ((metres - FINE_KM * 100.0) / 100_000.0).floor().cast("int64") + FINE_KM
    return (fine < FINE_KM).ifelse(fine, farther)


def count_people(run: Run, trips: Table, places: Table) -> list[pa.Table]:
    """Count radii of gyration, person by person.

    `trips` is kept in the engine (person, block, origin, destination); `places` has place, x, y, z:
    whole metres from a place in the middle.
    """
    ends = ibis.union(
        trips.select("person", "block", place="origin"),
        trips.select("person", "block", place="destination"),
    )
    points = ends.group_by(["person", "block", "place"]).aggregate(n=_.count())
    spread = _spread(points, places)
    window = ibis.cumulative_window(group_by="person", order_by="block")
    sums = {name: spread[name].sum().over(window).cast("int64") for name in spread.columns[2:]}
    stages = spread.select("person", "block", **sums)
    binned = stages.select("person", "block", gyration=_gyration(stages))
    by_person = ibis.window(group_by="person", order_by="block")
    moved = binned.mutate(before=binned.gyration.lag().over(by_person))
    left = moved.filter(moved.before.notnull())
    gone = ibis.literal(-1).cast("int64")
    return [
        run.engine.fetch(
            ibis.union(
                counts(binned, Measure.GYRATION, binned.block, binned.gyration),
                counts(left, Measure.GYRATION, left.block, left.before, gone),
            )
        )
    ]


def _spread(points: Table, places: Table) -> Table:
    """Return points at known places and sums of their coordinates by person and block."""
    at = points.inner_join(places, points.place == places.place)
    weighted = {f"s{axis}": at.n * at[axis] for axis in "xyz"}
    weighted["squares"] = at.n * (at.x * at.x + at.y * at.y + at.z * at.z)
    named = at.select("person", "block", placed=at.n, **weighted)
    sums = {name: named[name].sum().cast("int64") for name in ("placed", *weighted)}
    return named.group_by(["person", "block"]).aggregate(**sums)


def _gyration(stages: Table) -> Column:
    """Return the bin of √(Σ|r|²/N − |Σr/N|²)."""
    n = stages.placed.cast("float64")
    middle = [stages[name].cast("float64") / n for name in ("sx", "sy", "sz")]
    squared = stages.squares.cast("float64") / n
    for coordinate in middle:
        squared = squared - coordinate * coordinate
    positive: Column = ibis.greatest(squared, 0.0)
    return limited(Measure.GYRATION, length_bin(positive.sqrt()))
