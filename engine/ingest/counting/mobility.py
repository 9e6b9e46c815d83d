"""Trips → ``trips_person`` and ``report``, which is behind a mobility report: Ibis alone.

Every trip of a person has a random rank, in the order of ``trips_person``; trips that start and
end in one zone count here. Trips between two stops of M form a *block*: what a person's first M
trips give is a running sum over blocks. Whole numbers throughout, so that no sum depends on its
order; the few divisions at the end have one value on every engine. See `engine.report.measures`.
"""

from collections.abc import Mapping

import ibis
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from ibis import _

from ...datasets import RANK_BUCKET
from ...report.counting import places_table
from ...report.measures import BEYOND, STOPS, Measure
from ..calendar import SECONDS_PER_DAY, SECONDS_PER_HOUR
from ..expressions import Column, Table
from ..report import Reason
from . import people, shares, tables
from .keys import Purpose, keyed_hash
from .people import Counts
from .rows import ENDS
from .run import Run

_COUNTED = (Reason.USED, Reason.SELF_TRIP, Reason.OUTSIDE_AREA)
TRIP_KEYS = ("start", "finish", "origin", "destination")
"""What tells the trips of a person apart."""
_RANK_KEYS = ("day", "origin_zone", "destination_zone", "rank")
_MINUTE = 60
_CAPS = (*STOPS, BEYOND)
_HOURS = 24
_FIRST_MONDAY = 4  # days from 1970-01-01 to a Monday
_FARTHEST_RANK = 2**40
_TIMES = str(Measure.TRAVEL_TIME)


def count_by_person(
    run: Run, every: Table, count: int, *, measured: bool
) -> Mapping[str, pa.Table]:
    """Count the trips of all people for every M at once, and by rank within the person.

    Both come from one ranking: the trips of ``trips_person`` are those between two zones, in the
    same random order. `every` holds about `count` distinct trips of any ``reason``, with ``part``;
    they are `measured` where ``finish`` is when they end.

    Returns
    -------
    mapping
        ``report`` (measure, cap, bin, n) and ``trips_person`` (date, origin, destination, rank, n).
    """
    coordinates = shapely.get_coordinates(run.places.towers.geometry.to_numpy())
    places = run.engine.lookup("report_places", places_table(coordinates[:, 0], coordinates[:, 1]))
    inside = every.filter(every.reason.isin([int(reason) for reason in _COUNTED]))
    fetched = _outside_period(run, every, inside)
    ranks: list[pa.Table] = []
    people_of = shares.of_people(run, "pile", inside, count)
    for number, own in enumerate(people_of):
        run.monitor.step(number, len(people_of))
        numbers = run.engine.keep("report_people", _numbered(own))
        trips = run.engine.keep("report_trips", _ranked(own, numbers, run.salt))
        ranks.append(run.engine.fetch(_by_rank(run, trips)))
        counts = [*_of_trips(run, trips, places, measured=measured), *_of_points(run, trips)]
        fetched.append(run.engine.fetch(ibis.union(*counts)))
        fetched += people.count_people(run, trips, places)
        run.engine.drop("report_trips")
        run.engine.drop("report_people")
    by_rank = tables.trip_table(run.options, run.places, _added_up(ranks))
    return {"trips_person": by_rank, "report": _table(fetched, measured=measured)}


def _numbered(inside: Table) -> Table:
    """Return people with a number: sorting numbers is cheaper than sorting ids.

    Engines number differently, and may: whom one counts first changes no count.
    """
    distinct = inside.select("uid").distinct()
    number = ibis.row_number().over(ibis.window(order_by=ibis.literal(1)))
    return distinct.mutate(person=number.cast("int64"))


def _ranked(inside: Table, numbers: Table, salt: str) -> Table:
    """Return trips by person with the block of their random rank within the person.

    Columns: person, start, finish, origin, destination, their zones, block; used_rank, the rank
    among the person's trips between two zones, null for others.
    """
    known = [inside[name].fill_null(-1) for name in TRIP_KEYS[1:]]
    digest = keyed_hash(salt, Purpose.TRIP_PERSON, inside.uid, inside.start, *known)
    order = ["digest", *TRIP_KEYS]
    hashed = inside.mutate(digest=digest).inner_join(numbers, "uid")
    rank: Column = ibis.row_number().over(ibis.window(group_by="person", order_by=order)) + 1
    branches = [(rank <= stop, number) for number, stop in enumerate(STOPS)]
    used = hashed.reason == int(Reason.USED)
    so_far = ibis.cumulative_window(group_by="person", order_by=order)
    used_rank = ibis.least(used.ifelse(1, 0).sum().over(so_far), RANK_BUCKET)
    return hashed.select(
        "person",
        "start",
        "finish",
        *ENDS,
        block=ibis.cases(*branches, else_=len(STOPS)).cast("int8"),
        used_rank=used.ifelse(used_rank, ibis.null("int64")).cast("int16"),
    )


def _by_rank(run: Run, trips: Table) -> Table:
    """Return n by day, zones and rank among the person's trips between two zones."""
    used = trips.filter(trips.used_rank.notnull())
    keyed = used.select(
        "origin_zone", "destination_zone", day=run.calendar.day(used.start), rank="used_rank"
    )
    return keyed.group_by(list(_RANK_KEYS)).aggregate(n=_.count())


def _added_up(parts: list[pa.Table]) -> pa.Table:
    """Return the sum of counts over shares of the people, sorted."""
    rows = pa.concat_tables(parts).group_by(list(_RANK_KEYS)).aggregate([("n", "sum")])
    rows = rows.rename_columns([*_RANK_KEYS, "n"])
    return rows.sort_by([(name, "ascending") for name in _RANK_KEYS])


def _of_trips(run: Run, trips: Table, places: Table, *, measured: bool) -> list[Counts]:
    zones = len(run.places.zones)
    day = (trips.start - run.calendar.start) // SECONDS_PER_DAY
    counts = [people.counts(trips, Measure.DAY, trips.block, day)]
    flows = trips.filter(trips.origin_zone.notnull() & trips.destination_zone.notnull())
    pair = flows.origin_zone.cast("int64") * zones + flows.destination_zone
    counts.append(people.counts(flows, Measure.FLOW, flows.block, pair))
    if measured:
        ended = trips.filter(trips.finish.notnull())
        minutes = (ended.finish - ended.start) // _MINUTE
        limited = people.limited(Measure.TRAVEL_TIME, minutes)
        counts.append(people.counts(ended, Measure.TRAVEL_TIME, ended.block, limited))
    return [*counts, _jumps(trips, places)]


def _jumps(trips: Table, places: Table) -> Counts:
    """Count great circles, once for each pair of places."""
    placed = trips.filter(trips.origin.notnull() & trips.destination.notnull())
    pairs = placed.group_by(["block", "origin", "destination"]).aggregate(n=_.count())
    origins = places.select(origin="place", x1="x", y1="y", z1="z")
    destinations = places.view().select(destination="place", x2="x", y2="y", z2="z")
    both = pairs.inner_join(origins, "origin").inner_join(destinations, "destination")
    steps = [both[f"{axis}1"] - both[f"{axis}2"] for axis in "xyz"]
    squared = steps[0] * steps[0] + steps[1] * steps[1] + steps[2] * steps[2]
    length = people.length_bin(people.great_circle_m(squared))
    limited = people.limited(Measure.JUMP_LENGTH, length)
    return people.counts(both, Measure.JUMP_LENGTH, both.block, limited, both.n)


def _of_points(run: Run, trips: Table) -> list[Counts]:
    outside = len(run.places.zones)
    ends: list[Table] = []
    for end, moment, zone in ((0, "start", "origin_zone"), (1, "finish", "destination_zone")):
        at = trips[moment]
        days = at // SECONDS_PER_DAY
        weekend = ((days - _FIRST_MONDAY) % 7 >= 5).ifelse(1, 0)
        hour = (at % SECONDS_PER_DAY) // SECONDS_PER_HOUR
        slot = at.isnull().ifelse(-1, (end * 2 + weekend) * _HOURS + hour).cast("int32")
        zoned = trips[zone].fill_null(outside).cast("int64")
        keyed = trips.select(block=trips.block, zone=zoned, slot=slot)
        ends.append(keyed.group_by(["block", "zone", "slot"]).aggregate(n=_.count()))
    points: Table = ibis.union(*ends)
    timed = points.filter(points.slot >= 0)
    return [
        people.counts(timed, Measure.HOUR, timed.block, timed.slot, timed.n),
        people.counts(points, Measure.ZONE, points.block, points.zone, points.n),
    ]


def _outside_period(run: Run, every: Table, inside: Table) -> list[pa.Table]:
    """Count trips before and after the period; they take ranks after a person's others."""
    outside = every.filter(every.reason == int(Reason.OUTSIDE_PERIOD))
    if not tables.total(run.engine.fetch(outside.aggregate(n=_.count())), "n"):
        return []
    later = outside.group_by("uid").aggregate(more=_.count())
    own = inside.group_by("uid").aggregate(own=_.count())
    both = later.left_join(own, "uid").select(
        first=_.own.fill_null(0), last=_.own.fill_null(0) + _.more
    )
    people_alike = both.group_by(["first", "last"]).aggregate(people=_.count())
    parts: list[Counts] = []
    for block, low in enumerate((0, *STOPS)):
        high = STOPS[block] if block < len(STOPS) else _FARTHEST_RANK
        start: Column = ibis.greatest(people_alike["first"], low)
        within = ibis.greatest(ibis.least(people_alike["last"], high) - start, 0)
        n = people_alike.people * within
        parts.append(people.counts(people_alike, Measure.DAY, ibis.literal(block), -1, n))
    return [run.engine.fetch(ibis.union(*parts))]


def _table(fetched: list[pa.Table], *, measured: bool) -> pa.Table:
    """Add up what the shares of people gave; one row marks that travel times are measured."""
    parts = [_as_rows(part) for part in fetched]
    if measured:
        marker = {"measure": [_TIMES], "cap": [1], "bin": [-1], "n": [0]}
        parts.append(pa.table(marker, schema=parts[0].schema))
    rows = pa.concat_tables(parts)
    rows = rows.group_by(["measure", "cap", "bin"]).aggregate([("n", "sum")])
    rows = rows.rename_columns(["measure", "cap", "bin", "n"])
    rows = rows.filter(pc.or_(pc.not_equal(rows["n"], 0), pc.equal(rows["measure"], _TIMES)))
    return rows.sort_by([(name, "ascending") for name in ("measure", "cap", "bin")])


def _as_rows(part: pa.Table) -> pa.Table:
    names, caps = pa.array([str(m) for m in Measure]), pa.array(_CAPS, pa.int16())
    return pa.table(
        {
            "measure": pc.take(names, part["measure"].combine_chunks()),
            "cap": pc.take(caps, part["block"].combine_chunks()),
            "bin": part["bin"].combine_chunks().cast(pa.int32()),
            "n": part["n"].combine_chunks().cast(pa.int64()),
        }
    )
