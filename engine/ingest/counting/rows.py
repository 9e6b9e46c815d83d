"""From raw columns to persons, local seconds and places, each row with its reason for not."""

from collections.abc import Sequence
from itertools import groupby

import ibis
from ibis import _

from ..backends.engine import Engine
from ..calendar import Calendar
from ..expressions import Column, Table
from ..inputs.mapping import DEGREES, END_POINTS, NUMBERS, POINTS, Mappings
from ..report import Reason
from .reader import MILLION, Reader, identifier, joined_times, stripped

ENDS = ("origin", "destination", "origin_zone", "destination_zone")
_NEEDED = ("uid", "tid", "start", "at", *NUMBERS)
VISIT = ("readable", "uid", "tid", "at", "location", "zone")


def read_all(engine: Engine, mappings: Mappings) -> list[Table]:
    """Return one table for each group of files with the same columns; text without outer spaces.

    Tables have names in the engine: an expression would else stand in a statement as often as it is
    used.
    """
    ordered = sorted(mappings, key=lambda source: (str(source.signature), source.path))
    groups = [list(members) for _key, members in groupby(ordered, key=lambda s: s.signature)]
    raw = [engine.read(sources, mappings[sources[0]]) for sources in groups]
    bare = [engine.view(f"bare_{i}", stripped(table)) for i, table in enumerate(raw)]
    return [
        engine.view(f"timed_{i}", joined_times(table)) if "clock" in table.columns else table
        for i, table in enumerate(bare)
    ]


def parsed(engine: Engine, raw: Sequence[Table], kind: str, reader: Reader) -> Table:
    """Return the values of all rows, and whether each row is ``readable``."""
    values = {"trips": _trip_values, "visits": _visit_values, "flows": _flow_values}[kind]
    timed = with_moments(engine, raw, reader)
    named = [engine.view(f"values_{i}", values(table, reader)) for i, table in enumerate(timed)]
    return together([_judged(table) for table in named])


def with_moments(engine: Engine, raw: Sequence[Table], reader: Reader) -> list[Table]:
    """Return `raw` with what `Reader.time` needs of each time."""
    return [engine.view(f"moments_{i}", reader.moments(table)) for i, table in enumerate(raw)]


def trips(parsed: Table, places: Table, calendar: Calendar) -> Table:
    """Return distinct trips with their reason and the number of raw rows alike (``copies``).

    `places` holds either place ids or, for trips by coordinates, placed points.

    Columns: reason, uid, start, finish (local seconds, finish may be null), origin,
    destination (place numbers, null where unknown), origin_zone, destination_zone, copies.
    """
    joined = _at_both_ends(parsed, places)
    keys = ("uid", "start", "finish", *ENDS)
    kept = {key: joined.readable.ifelse(joined[key], ibis.null(joined[key].type())) for key in keys}
    trips = joined.select(reason=_trip_reason(joined, calendar), **kept)
    return trips.group_by(["reason", *keys]).aggregate(copies=_.count())


def visits_of_trips(trips_table: Table) -> Table:
    """Return the visits that trips give: the start, and the end where its time is known.

    Columns: readable, uid, at (local seconds), location, zone (place numbers, null if unknown).
    """
    readable = trips_table.filter(trips_table.reason != Reason.UNPARSABLE)
    ended = readable.filter(readable.finish.notnull())
    yes = ibis.literal(True)
    return ibis.union(
        readable.select("uid", at="start", location="origin", zone="origin_zone", readable=yes),
        ended.select(
            "uid", at="finish", location="destination", zone="destination_zone", readable=yes
        ),
    )


def visits(parsed: Table, places: Table) -> Table:
    """Return visits: readable, uid, tid (where it is told), at, location, zone.

    `places` is as for `trips`.
    """
    keys = ["lat", "lng"] if "lat" in parsed.columns else [("place_id", "place")]
    joined = parsed.left_join(places, keys)
    return joined.select(*(name for name in VISIT if name in joined.columns))


def distinct_points(raw: Sequence[Table], reader: Reader) -> Table:
    """Return the distinct coordinates (lat, lng in degrees) of all rows that have both."""
    both = together(
        [
            table.select(lat=reader.degrees(table, lat), lng=reader.degrees(table, lng))
            for table in raw
            for lat, lng in POINTS
            if lat in table.columns
        ]
    )
    return both.filter(both.lat.notnull() & both.lng.notnull()).distinct()


def trips_of_visits(visits_table: Table, calendar: Calendar) -> Table:
    """Return the trips in visits: a visit and the person's next one, in another zone, that day.

    Visits at unknown places are passed over. Columns as in `trips`.
    """
    placed = visits_table.filter(
        visits_table.readable & visits_table.zone.notnull() & calendar.covers(visits_table.at)
    )
    days = placed.mutate(day=calendar.day(placed.at))
    window = ibis.window(group_by=["uid", "day"], order_by=["at", "location", "zone"])
    moves = days.mutate(
        finish=days.at.lead().over(window),
        destination=days.location.lead().over(window),
        destination_zone=days.zone.lead().over(window),
    )
    moved = moves.filter(moves.destination_zone.notnull() & (moves.zone != moves.destination_zone))
    keys = {"start": "at", "origin": "location", "origin_zone": "zone"}
    trips = moved.select("uid", "finish", "destination", "destination_zone", **keys)
    unique = trips.group_by(["uid", "start", "finish", *ENDS]).aggregate(copies=_.count())
    return unique.mutate(reason=ibis.literal(int(Reason.USED)).cast("int8"))


def trips_of_points(visits_table: Table, calendar: Calendar) -> Table:
    """Return the trips that points with a ``tid`` make: from the first to the last of one trip.

    Of points at the same second the place of the lower number comes first. Columns as in `trips`.
    """
    points = visits_table.filter(visits_table.readable)
    places = [points[name].fill_null(-1) for name in ("location", "zone")]
    window = ibis.window(group_by=["uid", "tid"], order_by=["at", *places])
    first, last = points.at.lag().over(window), points.at.lead().over(window)
    marked = points.mutate(first=first.isnull(), last=last.isnull())
    ends = {
        f"{end}{part}": marked[name].max(where=marked[which])
        for end, which in (("origin", "first"), ("destination", "last"))
        for part, name in (("", "location"), ("_zone", "zone"))
    }
    trips = marked.group_by(["uid", "tid"]).aggregate(
        start=marked.at.min(), finish=marked.at.max(), **ends
    )
    readable = trips.mutate(readable=ibis.literal(True))
    keys = ("uid", "start", "finish", *ENDS)
    judged = readable.select(*keys, reason=_trip_reason(readable, calendar))
    return judged.group_by(["reason", *keys]).aggregate(copies=_.count())


def by_gaps(visits_table: Table, minutes: float) -> Table:
    """Return readable visits with a ``tid``: a person's rows up to a longer time without any."""
    points = visits_table.filter(visits_table.readable)
    window = ibis.window(group_by="uid", order_by="at")
    begins = points.mutate(begins=points["at"] - points["at"].lag().over(window) > 60 * minutes)
    # rows of one second are peers: each is counted with all of them, in whatever order they come
    peers = ibis.range_window(group_by="uid", order_by="at", preceding=None, following=0)
    count = begins.begins.fill_null(False).cast("int64").sum()
    return begins.mutate(tid=count.over(peers).cast("string")).drop("begins")


def flows(parsed: Table, places: Table, calendar: Calendar) -> Table:
    """Return summed flows by reason, day and zones: n millionths of a trip, ``copies`` rows."""
    joined = _at_both_ends(parsed, places)
    reason = _trip_reason(joined, calendar)
    used = reason == Reason.USED
    return (
        joined.select(
            reason=reason,
            day=used.ifelse(calendar.day(joined.start), ibis.null("int32")),
            origin_zone=used.ifelse(joined.origin_zone, ibis.null("int32")),
            destination_zone=used.ifelse(joined.destination_zone, ibis.null("int32")),
            flow=used.ifelse(joined.flow, 0),
        )
        .group_by(["reason", "day", "origin_zone", "destination_zone"])
        .aggregate(n=_.flow.sum(), copies=_.count())
    )


def together(tables: Sequence[Table]) -> Table:
    """Return one table of all rows."""
    return tables[0] if len(tables) == 1 else ibis.union(*tables)


def unreadable(raw: Table, kind: str, reader: Reader) -> dict[str, Column]:
    """Return, by canonical column, whether a row's value there makes the row unparsable.

    `raw` is one table `with_moments`.
    """
    has = set(raw.columns)
    checks: dict[str, Column] = {}
    if kind == "flows":
        for name in raw.columns:
            if name == "flow":
                checks[name] = reader.flow(raw.flow).isnull()
        if "date" in has:
            checks["date"] = reader.time(raw, "date").isnull()
        return checks
    checks["uid"] = reader.person(raw.uid).isnull()
    checks["datetime"] = reader.time(raw, "datetime").isnull()
    if "end_datetime" in has:
        given = reader.person(raw.end_datetime).notnull()
        checks["end_datetime"] = given & reader.time(raw, "end_datetime").isnull()
    if "tid" in has:
        checks["tid"] = identifier(raw.tid, bare=False).isnull()
    return checks | {n: reader.degrees(raw, n).isnull() for n in DEGREES if n in has}


def ends_before_start(trips_table: Table) -> Table:
    """Return how many used trips end before they start, in one row ``n``."""
    used = trips_table.filter(trips_table.reason == Reason.USED)
    return used.aggregate(n=(used.finish < used.start).cast("int64").sum())


def _trip_values(raw: Table, reader: Reader) -> Table:
    has_end = "end_datetime" in raw.columns
    where: dict[str, Column] = (
        {name: reader.degrees(raw, name) for pair in END_POINTS for name in pair}
        if "origin_lat" in raw.columns
        else {f"{end}_id": reader.place(raw[end]) for end in ("origin", "destination")}
    )
    return raw.select(
        uid=reader.person(raw.uid),
        start=reader.time(raw, "datetime"),
        finish=reader.time(raw, "end_datetime") if has_end else ibis.null("int64"),
        endless=reader.person(raw.end_datetime).isnull() if has_end else ibis.literal(True),
        **where,
    )


def _visit_values(raw: Table, reader: Reader) -> Table:
    where: dict[str, Column] = (
        {"lat": reader.degrees(raw, "lat"), "lng": reader.degrees(raw, "lng")}
        if "lat" in raw.columns
        else {"place_id": reader.place(raw.location_id)}
    )
    if "tid" in raw.columns:
        where["tid"] = identifier(raw.tid, bare=False)
    return raw.select(uid=reader.person(raw.uid), at=reader.time(raw, "datetime"), **where)


def _flow_values(raw: Table, reader: Reader) -> Table:
    """Return one row a count."""
    start = reader.calendar.start
    timed = reader.time(raw, "date") if "date" in raw.columns else ibis.literal(start)
    named = raw.mutate(
        start=timed,
        origin_id=reader.place(raw.origin),
        destination_id=reader.place(raw.destination),
    )
    keys = ("start", "origin_id", "destination_id")
    flow = reader.flow(raw.flow) if "flow" in raw.columns else ibis.literal(MILLION)
    return named.select(*keys, flow=flow.cast("int64"))


def _judged(values: Table) -> Table:
    """Add whether a row is ``readable``: whether it has what `unreadable` asks for."""
    readable = ibis.literal(True)
    for name in values.columns:
        if name == "finish":
            readable = readable & (values.endless | values.finish.notnull())
        elif name in _NEEDED:
            readable = readable & values[name].notnull()
    judged = values.mutate(readable=readable)
    return judged.drop("endless") if "endless" in values.columns else judged


def _at_both_ends(parsed: Table, places: Table) -> Table:
    """Add place and zone numbers of origin and destination."""
    by_points = "origin_lat" in parsed.columns
    keys = [("lat", "lat"), ("lng", "lng")] if by_points else [("id", "place")]
    origins = places.select(
        **{f"origin_{own}": other for own, other in keys}, origin="location", origin_zone="zone"
    )
    destinations = places.view().select(
        **{f"destination_{own}": other for own, other in keys},
        destination="location",
        destination_zone="zone",
    )
    joined = parsed.left_join(origins, [f"origin_{own}" for own, _other in keys])
    return joined.left_join(destinations, [f"destination_{own}" for own, _other in keys])


def _trip_reason(trips: Table, calendar: Calendar) -> Column:
    known = trips.origin_zone.notnull() & trips.destination_zone.notnull()
    return ibis.cases(
        (~trips.readable, Reason.UNPARSABLE),
        (~calendar.covers(trips.start), Reason.OUTSIDE_PERIOD),
        (~known, Reason.OUTSIDE_AREA),
        (trips.origin_zone == trips.destination_zone, Reason.SELF_TRIP),
        else_=Reason.USED,
    ).cast("int8")
