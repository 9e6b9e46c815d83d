# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""From raw columns to persons, local seconds and places, each row with its reason for not."""

from collections.abc import Sequence
from itertools import groupby

import ibis
from ibis import _

from engine.ingest.backends.engine import Engine
from engine.ingest.calendar import Calendar
from engine.ingest.counting.clock import floored, local_seconds
from engine.ingest.expressions import Column, Table, trimmed
from engine.ingest.inputs.mapping import Mappings
from engine.ingest.report import Reason

ENDS = ("origin", "destination", "origin_zone", "destination_zone")
VISIT = ("readable", "uid", "at", "location", "zone")


def read_all(engine: Engine, mappings: Mappings) -> list[Table]:
    """Return one table for each group of files with the same columns."""
    ordered = sorted(mappings, key=lambda source: (str(source.signature), source.path))
    groups = [list(members) for _key, members in groupby(ordered, key=lambda s: s.signature)]
    return [engine.read(sources, mappings[sources[0]]) for sources in groups]


def trips(raw: Sequence[Table], places: Table, calendar: Calendar) -> Table:
    """Return distinct trips with their reason and the number of raw rows alike (``copies``).

    Columns: reason, uid, start, finish (local seconds, finish may be null), origin,
    destination (place numbers, null where unknown), origin_zone, destination_zone, copies.
    """
    joined = _at_both_ends(together([_parsed_trips(table, calendar) for table in raw]), places)
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


def visits(raw: Sequence[Table], places: Table, calendar: Calendar) -> Table:
    """Return visits by location id: readable, uid, at, location, zone."""
    parsed = together([_parsed_visits(table, calendar) for table in raw])
    return parsed.left_join(places, parsed.place_id == places.place).select(*VISIT)


def visits_at_points(raw: Sequence[Table], points: Table, calendar: Calendar) -> Table:
    """Return visits by coordinates: readable, uid, at, location, zone."""
    parsed = together([_parsed_visits(table, calendar) for table in raw])
    match = [parsed.lat == points.lat, parsed.lng == points.lng]
    return parsed.left_join(points, match).select(*VISIT)


def distinct_points(raw: Sequence[Table]) -> Table:
    """Return the distinct coordinates (lat, lng in degrees) of all rows that have both."""
    both = together(
        [table.select(lat=degrees(table, "lat"), lng=degrees(table, "lng")) for table in raw]
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


def flows(raw: Sequence[Table], places: Table, calendar: Calendar) -> Table:
    """Return summed flows by reason, day and zones: n trips in ``copies`` raw rows."""
    joined = _at_both_ends(together([_parsed_flows(table, calendar) for table in raw]), places)
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


def degrees(raw: Table, name: str) -> Column:
    """Return a coordinate in degrees; null where it is no number or out of range."""
    column = raw[name]
    number = column.strip().try_cast("float64") if column.type().is_string() else column
    number = number.cast("float64")
    limit = 90.0 if name == "lat" else 180.0
    # by way of a whole number, exactly: what is none, such as NaN, is null from here on
    whole = number.try_cast("int64").cast("float64")
    number = whole + (number - whole)
    return ((number >= -limit) & (number <= limit)).ifelse(number, ibis.null("float64"))


def person_id(column: Column) -> Column:
    """Return an id as text without spaces around it; null where it is empty.

    Whole numbers kept as decimals (a column with gaps, written by pandas) lose their ``.0``.
    """
    kind = column.type()
    if kind.is_floating() or kind.is_decimal():
        column = column.cast("float64")
        number = floored(column)
        return ibis.cases(
            (number.isnull(), ibis.null("string")),
            (number.cast("float64") == column, number.cast("string")),
            else_=column.cast("string"),
        )
    if not kind.is_string():
        return column.cast("string")
    return trimmed(column).nullif("")


def unreadable(raw: Table, kind: str, calendar: Calendar) -> dict[str, Column]:
    """Return, by canonical column, whether a row's value there makes the row unparsable."""
    has = set(raw.columns)
    checks: dict[str, Column] = {}
    if kind == "flows":
        checks["flow"] = _whole(raw.flow).isnull()
        if "date" in has:
            checks["date"] = local_seconds(raw.date, calendar.rules).isnull()
        return checks
    checks["uid"] = person_id(raw.uid).isnull()
    checks["datetime"] = local_seconds(raw.datetime, calendar.rules).isnull()
    if "end_datetime" in has:
        finish = local_seconds(raw.end_datetime, calendar.rules)
        checks["end_datetime"] = person_id(raw.end_datetime).notnull() & finish.isnull()
    if "lat" in has:
        checks["lat"] = degrees(raw, "lat").isnull()
        checks["lng"] = degrees(raw, "lng").isnull()
    return checks


def _readable(raw: Table, kind: str, calendar: Calendar) -> Column:
    result = ibis.literal(True)
    for wrong in unreadable(raw, kind, calendar).values():
        result = result & ~wrong
    return result


def _parsed_trips(raw: Table, calendar: Calendar) -> Table:
    no_end = ibis.null("int64")
    has_end = "end_datetime" in raw.columns
    return raw.select(
        readable=_readable(raw, "trips", calendar),
        uid=person_id(raw.uid),
        start=local_seconds(raw.datetime, calendar.rules),
        finish=local_seconds(raw.end_datetime, calendar.rules) if has_end else no_end,
        origin_id=person_id(raw.origin),
        destination_id=person_id(raw.destination),
    )


def _parsed_visits(raw: Table, calendar: Calendar) -> Table:
    where: dict[str, Column] = (
        {"lat": degrees(raw, "lat"), "lng": degrees(raw, "lng")}
        if "lat" in raw.columns
        else {"place_id": person_id(raw.location_id)}
    )
    return raw.select(
        readable=_readable(raw, "visits", calendar),
        uid=person_id(raw.uid),
        at=local_seconds(raw.datetime, calendar.rules),
        **where,
    )


def _parsed_flows(raw: Table, calendar: Calendar) -> Table:
    dated = "date" in raw.columns
    return raw.select(
        readable=_readable(raw, "flows", calendar),
        start=local_seconds(raw.date, calendar.rules) if dated else ibis.literal(calendar.start),
        flow=_whole(raw.flow),
        origin_id=person_id(raw.origin),
        destination_id=person_id(raw.destination),
    )


def _whole(column: Column) -> Column:
    """Return a count as a whole number of at least 0; null where it is none."""
    kind = column.type()
    number = column.strip().try_cast("float64") if kind.is_string() else column.cast("float64")
    fine = (number >= 0) & (number < 2.0**53) & (floored(number).cast("float64") == number)
    return fine.ifelse(number, ibis.null("float64")).cast("int64")


def _at_both_ends(parsed: Table, places: Table) -> Table:
    """Add place and zone numbers of origin and destination."""
    here = places.select(origin_id="place", origin="location", origin_zone="zone")
    there = places.view().select(
        destination_id="place", destination="location", destination_zone="zone"
    )
    return parsed.left_join(here, "origin_id").left_join(there, "destination_id")


def _trip_reason(trips: Table, calendar: Calendar) -> Column:
    known = trips.origin_zone.notnull() & trips.destination_zone.notnull()
    return ibis.cases(
        (~trips.readable, Reason.UNPARSABLE),
        (~calendar.covers(trips.start), Reason.OUTSIDE_PERIOD),
        (~known, Reason.OUTSIDE_AREA),
        (trips.origin_zone == trips.destination_zone, Reason.SELF_TRIP),
        else_=Reason.USED,
    ).cast("int8")
