"""What a person's first M trips come to, for every stop M: a part of ``report.parquet``.

A person counts once at each stop up to the one that keeps all of the person's trips: into the bin
of that stop, and out of the bin of the stop before.
"""

from typing import Any, TypeAlias

import ibis
import pyarrow as pa
from ibis import _

from ...report.measures import FINE_EDGES, FINE_KM, STOPS, Measure
from ...report.places import EARTH_RADIUS_M, logarithm_table
from ..expressions import Column, Table
from .run import Run

Counts: TypeAlias = Any
"""A table of measure (its number), block, bin, n."""

_NUMBER = {measure: number for number, measure in enumerate(Measure)}
_QUARTER_HOUR = 900


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
    """Return the great circle in metres, as `engine.report.places.great_circle_m` does."""
    half = squared_chord.cast("float64").sqrt() / (2.0 * EARTH_RADIUS_M)
    sine: Column = ibis.least(half, 1.0)
    return sine.asin() * (2.0 * EARTH_RADIUS_M)


def length_bin(metres: Column) -> Column:
    """Return the fine bin of a length, as `engine.report.places.length_bin` does."""
    fine = (metres / 100.0).floor().cast("int64")
    farther = ((metres - FINE_KM * 100.0) / 100_000.0).floor().cast("int64") + FINE_KM
    return (fine < FINE_KM).ifelse(fine, farther)


def count_people(run: Run, trips: Table, places: Table) -> list[pa.Table]:
    """Count what the trips of some people come to, person by person.

    `trips` is kept in the engine (person, block, start, finish, origin, destination and their
    zones); `places` has place, x, y, z: whole metres from a place in the middle.
    """
    engine = run.engine
    largest = trips.group_by("person").aggregate(n=_.count()).aggregate(n=_.n.max())
    most = int(engine.fetch(largest)["n"][0].as_py() or 0)
    values = logarithm_table(2 * most)
    numbers = pa.array(range(len(values)), pa.int64())
    logarithms = engine.lookup(
        "report_logarithms", pa.table({"of": numbers, "value": pa.array(values)})
    )
    points = engine.keep("report_points", _points(trips))
    stages = engine.keep("report_stages", _stages(trips, points, places, logarithms))
    last = stages.group_by("person").aggregate(last=_.block.max(), trips=_.number.max())
    counts_of = (_of_stages(stages, logarithms), _gaps(run, trips, last))
    counted = [engine.fetch(ibis.union(*parts)) for parts in counts_of]
    engine.drop("report_stages")
    engine.drop("report_points")
    return counted


def _points(trips: Table) -> Table:
    """Return points by person, block, place and zone."""
    ends = ibis.union(
        trips.select("person", "block", place="origin", zone="origin_zone"),
        trips.select("person", "block", place="destination", zone="destination_zone"),
    )
    return ends.group_by(["person", "block", "place", "zone"]).aggregate(n=_.count())


def _stages(trips: Table, points: Table, places: Table, logarithms: Table) -> Table:
    """Return, for each person and block, running sums over the blocks so far.

    Columns: person, block, number (trips); placed, sx, sy, sz, squares (points at known places,
    sums of their coordinates and squares, in metres); zoned, zones, logs (points in zones,
    distinct zones, Σ n·ln n in fixed point).
    """
    own = trips.group_by(["person", "block"]).aggregate(number=_.count())
    spread = _spread(points, places)
    zoned = _zoned(points, logarithms)
    joined = own.left_join(spread, ["person", "block"]).drop("person_right", "block_right")
    joined = joined.left_join(zoned, ["person", "block"]).drop("person_right", "block_right")
    window = ibis.cumulative_window(group_by="person", order_by="block")
    names = [name for name in joined.columns if name not in ("person", "block")]
    running = {name: joined[name].fill_null(0).sum().over(window).cast("int64") for name in names}
    return joined.select("person", "block", **running)


def _spread(points: Table, places: Table) -> Table:
    """Return points and sums of their coordinates by person and block."""
    at = points.inner_join(places, points.place == places.place)
    weighted = {f"s{axis}": at.n * at[axis] for axis in "xyz"}
    weighted["squares"] = at.n * (at.x * at.x + at.y * at.y + at.z * at.z)
    named = at.select("person", "block", placed=at.n, **weighted)
    sums = {name: named[name].sum().cast("int64") for name in ("placed", *weighted)}
    return named.group_by(["person", "block"]).aggregate(**sums)


def _zoned(points: Table, logarithms: Table) -> Table:
    """Return points in zones, newly seen zones and the growth of Σ n·ln n by person and block."""
    known = points.filter(points.zone.notnull())
    by_zone = known.group_by(["person", "zone", "block"]).aggregate(n=_.n.sum().cast("int64"))
    window = ibis.cumulative_window(group_by=["person", "zone"], order_by="block")
    running = by_zone.mutate(after=by_zone.n.sum().over(window).cast("int64"))
    running = running.mutate(before=running.after - running.n)
    new = logarithms.select(after="of", new="value")
    joined = running.inner_join(new, "after")
    one_by_one = ibis.window(group_by=["person", "zone"], order_by="block")
    valued = joined.mutate(old=joined.new.lag().over(one_by_one).fill_null(0))
    return valued.group_by(["person", "block"]).aggregate(
        zoned=_.n.sum().cast("int64"),
        zones=(_.before == 0).ifelse(1, 0).sum().cast("int64"),
        logs=(_.new - _.old).sum().cast("int64"),
    )


def _of_stages(stages: Table, logarithms: Table) -> list[Counts]:
    """Count people into the bin of each of their stops and out of the one before."""
    whole = logarithms.select(zoned="of", whole="value")
    most = logarithms.view().select(zones="of", most="value")
    joined = stages.inner_join(whole, "zoned").inner_join(most, "zones")
    binned = joined.select(
        "person",
        "block",
        number=limited(Measure.TRIPS_PER_USER, joined.number),
        gyration=_gyration(joined),
        zones=limited(Measure.ZONES_PER_USER, joined.zones),
        entropy=_entropy(joined),
    )
    window = ibis.window(group_by="person", order_by="block")
    before = {f"old_{name}": binned[name].lag().over(window) for name in binned.columns[2:]}
    # kept apart: whether there is a stop before, for a value may be null there
    moved = binned.mutate(first=ibis.row_number().over(window) == 0, **before)
    parts: list[Counts] = []
    for measure, name in (
        (Measure.TRIPS_PER_USER, "number"),
        (Measure.GYRATION, "gyration"),
        (Measure.ZONES_PER_USER, "zones"),
        (Measure.ENTROPY, "entropy"),
    ):
        there = moved.filter(moved[name].notnull())
        parts.append(counts(there, measure, there.block, there[name]))
        left = moved.filter(~moved["first"] & moved[f"old_{name}"].notnull())
        gone = ibis.literal(-1).cast("int64")
        parts.append(counts(left, measure, left.block, left[f"old_{name}"], gone))
    return parts


def _gyration(stages: Table) -> Column:
    """Return the bin of √(Σ|r|²/N − |Σr/N|²); null where no place is known."""
    n = ibis.greatest(stages.placed, 1).cast("float64")
    middle = [stages[name].cast("float64") / n for name in ("sx", "sy", "sz")]
    squared = stages.squares.cast("float64") / n
    for coordinate in middle:
        squared = squared - coordinate * coordinate
    positive: Column = ibis.greatest(squared, 0.0)
    length = length_bin(positive.sqrt())
    return (stages.placed > 0).ifelse(length, ibis.null("int64"))


def _entropy(stages: Table) -> Column:
    """Return the bin of (N·ln N − Σ n·ln n)/N / ln Z; null where no zone is known."""
    above = (stages.whole - stages.logs).cast("float64") * stages.zones.cast("float64")
    below = stages.zoned.cast("float64") * ibis.greatest(stages.most, 1).cast("float64")
    share = above / ibis.greatest(below, 1.0)
    number = ibis.greatest(ibis.least((share * 100.0).floor().cast("int64"), 99), 0)
    many = (stages.zones > 1).ifelse(number, 0)
    return (stages.zoned > 0).ifelse(many, ibis.null("int64"))


def _gaps(run: Run, trips: Table, last: Table) -> list[Counts]:
    """Count the hours between the trips that each stop keeps: a trip stands once for each stop."""
    several = last.filter(last.trips > 1).select("person", "last")
    numbers = pa.array(range(len(STOPS) + 1), pa.int32())
    stops = run.engine.lookup("report_stops", pa.table({"stop": numbers}))
    joined = trips.inner_join(several, "person")
    kept = joined.inner_join(stops, [stops.stop >= joined.block, stops.stop <= joined["last"]])
    unknown = [kept[name].fill_null(-1) for name in ("finish", "origin", "destination")]
    order = ["start", *unknown]  # engines differ in where nothing stands
    window = ibis.window(group_by=kept.person * (len(STOPS) + 1) + kept.stop, order_by=order)
    ended = ibis.coalesce(kept.finish, kept.start)
    gap = (kept.start.lead().over(window) - ended) // _QUARTER_HOUR
    gaps = kept.select("stop", "last", gap=gap)
    gaps = gaps.filter(gaps.gap.notnull())
    number = limited(Measure.TIME_BETWEEN, gaps.gap)
    goes_on = gaps.filter(gaps.stop < gaps["last"])
    later = limited(Measure.TIME_BETWEEN, goes_on.gap)
    gone = ibis.literal(-1).cast("int64")
    return [
        counts(gaps, Measure.TIME_BETWEEN, gaps.stop, number),
        counts(goes_on, Measure.TIME_BETWEEN, goes_on.stop + 1, later, gone),
    ]
