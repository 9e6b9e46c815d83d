# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""The aggregation: from visits and trips to counts by rank, as Ibis expressions only.

Every table here is made of whole numbers and md5 digests, so that each engine gives the same
bits. A filter on a rank never stands in the query that computes it: DuckDB 2.0 would rewrite it
and spill without end. Ranks are cut after counting, or grouped into a last bucket.
"""

import ibis
from ibis import _

from engine.datasets import RANK_BUCKET
from engine.ingest.clock import SECONDS_PER_HOUR
from engine.ingest.expressions import Table
from engine.ingest.keys import Purpose, keyed_hash
from engine.ingest.report import BINS, Reason
from engine.ingest.rows import Calendar
from engine.parameters import HOURS_PER_WEEK

PARTS = 128
"""Into how many parts people are divided, so that a few can be taken at a time."""
NIGHT_HOURS = (22, 23, 0, 1, 2, 3, 4, 5)
"""Local hours in which a person's commonest place is taken for home."""


def records(visits: Table, calendar: Calendar, *, by_person: bool = True) -> Table:
    """Return distinct (person, place, hour of the week) with the number of visits (``copies``).

    Visits that are not used are grouped by ``reason`` alone, the other columns null. With
    `by_person` off all are, and the week does not matter: nothing but the account of what gives
    trips is wanted, which needs a zone.
    """
    known = visits.location.notnull() if by_person else visits.zone.notnull()
    reason = ibis.cases(
        (~visits.readable, Reason.UNPARSABLE),
        (~calendar.covers(visits.at), Reason.OUTSIDE_PERIOD),
        (~known, Reason.OUTSIDE_AREA),
        else_=Reason.USED,
    ).cast("int8")
    if not by_person or calendar.week is None:
        return visits.select(reason=reason).group_by("reason").aggregate(copies=_.count())
    hour = (visits.at - calendar.week) // SECONDS_PER_HOUR
    in_week = (hour >= 0) & (hour < HOURS_PER_WEEK)
    other = (reason == Reason.USED) & ~in_week
    reason = other.ifelse(int(Reason.OTHER_WEEK), reason).cast("int8")
    used = reason == Reason.USED
    columns = visits.select(
        reason=reason,
        uid=used.ifelse(visits.uid, ibis.null("string")),
        location=used.ifelse(visits.location, ibis.null("int32")),
        hour=used.ifelse(hour.cast("int16"), ibis.null("int16")),
    )
    return columns.group_by(["reason", "uid", "location", "hour"]).aggregate(copies=_.count())


def divided(table: Table) -> Table:
    """Return `table` with the ``part`` (0 to 127) of each row's person.

    Engines hash differently, and may: whom one counts first changes no count.
    """
    return table.mutate(part=(table.uid.hash() % PARTS).abs().cast("int8"))


def share(table: Table, number: int, of: int) -> Table:
    """Return the rows of one of `of` shares of the people in a `divided` table."""
    if of == 1:
        return table
    return table.filter(table.part % of == number)


def added_up(counts: list[Table]) -> Table:
    """Return the sum of counts over shares of the people, in the order of a dataset's tables.

    Places are numbered in the order of their ids: sorting numbers here is cheaper than ids later.
    """
    keys = [name for name in counts[0].columns if name != "n"]
    if len(counts) == 1:
        return counts[0].order_by(keys)
    return ibis.union(*counts).group_by(keys).aggregate(n=_.n.sum()).order_by(keys)


def persons(used: Table, salt: str) -> Table:
    """Return (uid, n, single): a person's records and one of them, uniform over all of them."""
    digest = keyed_hash(salt, Purpose.SINGLE, used.uid, used.hour, used.location)
    return (
        used.mutate(digest=digest)
        .group_by("uid")
        .aggregate(n=_.count(), single=_.location.argmin(_.digest))
    )


def single_visit(people: Table) -> Table:
    """Return H̃: people by the place of their single visit."""
    return people.group_by(location="single").aggregate(n=_.count())


def truth(used: Table, people: Table, cap: int, salt: str, *, anyone_beyond: bool) -> Table:
    """Return X: records by place and hour, at most `cap` (K_max) of any person (erratum D5).

    Whose records go beyond the cap keeps a random `cap` of them. The window is computed for those
    people only, and not at all where there is none.
    """
    if not anyone_beyond:
        return used.group_by(["location", "hour"]).aggregate(n=_.count())
    heavy = people.filter(people.n > cap).select("uid")
    light = used.anti_join(heavy, "uid")
    own = used.semi_join(heavy, "uid")
    digest = keyed_hash(salt, Purpose.CAP, own.uid, own.hour, own.location)
    ranked = own.mutate(digest=digest)
    window = ibis.window(group_by="uid", order_by=["digest", "hour", "location"])
    numbered = ranked.mutate(rank=ibis.row_number().over(window))
    counted = numbered.group_by(["location", "hour"]).aggregate(
        n=(_.rank < cap).cast("int64").sum()
    )
    all_light = light.group_by(["location", "hour"]).aggregate(n=_.count())
    both = ibis.union(all_light, counted)
    return both.group_by(["location", "hour"]).aggregate(n=_.n.sum())


def beyond_cap(people: Table, cap: int) -> Table:
    """Return how many records lie beyond `cap`, over all people, in one row ``n``."""
    return people.aggregate(n=(people.n > cap).ifelse(people.n - cap, 0).sum())


def presampled(used: Table, salt: str) -> Table:
    """Return n by place, hour and rank: one record per person and hour, ranked at random.

    The sum over rank ≤ ℓ is X̄ for any ℓ. Removing one person takes at most one from each hour
    and at most one from each rank.
    """
    choice = keyed_hash(salt, Purpose.HOUR, used.uid, used.hour, used.location)
    hourly = (
        used.mutate(digest=choice)
        .group_by(["uid", "hour"])
        .aggregate(location=_.location.argmin(_.digest))
    )
    order = hourly.mutate(digest=keyed_hash(salt, Purpose.RANK, hourly.uid, hourly.hour))
    window = ibis.window(group_by="uid", order_by=["digest", "hour"])
    ranked = order.mutate(rank=(ibis.row_number().over(window) + 1).cast("int16"))
    return ranked.group_by(["location", "hour", "rank"]).aggregate(n=_.count())


def homes(used: Table, zones: Table) -> Table:
    """Return people by home zone: the zone of most records at night, the first one if tied.

    People without a record at night, or outside every zone, have none.
    """
    night = used.filter((used.hour % 24).isin(NIGHT_HOURS))
    placed = night.inner_join(zones, "location")
    by_zone = placed.group_by(["uid", "zone"]).aggregate(n=_.count())
    most = by_zone.n * 2**32 - by_zone.zone  # zones are numbered in 32 bits
    home = by_zone.mutate(most=most).group_by("uid").aggregate(zone=_.zone.argmax(_.most))
    return home.group_by("zone").aggregate(n=_.count())


def used_trips(trips: Table, calendar: Calendar) -> Table:
    """Return the trips to be ranked, one row each."""
    used = trips.filter(trips.reason == Reason.USED)
    return used.mutate(day=calendar.day(used.start))


def summed_flows(flows: Table) -> Table:
    """Return n by day, origin and destination, with rank 1: no person is known."""
    used = flows.filter((flows.reason == Reason.USED) & (flows.n > 0))
    rank = ibis.literal(1).cast("int16")
    return used.select("day", "origin_zone", "destination_zone", "n", rank=rank)


def ranked_trips(used: Table, salt: str, purpose: Purpose) -> Table:
    """Return n by day, origin, destination and rank within the person-day or the person.

    Ranks above 256 share the last bucket. Removing one person takes at most one from each rank
    below that bucket, in each person-day or in all.
    """
    digest = keyed_hash(
        salt,
        purpose,
        used.uid,
        used.start,
        used.finish.fill_null(-1),
        used.origin,
        used.destination,
    )
    group = ["uid", "day"] if purpose is Purpose.TRIP_DAY else ["uid"]
    order = ["digest", "start", "finish", "origin", "destination"]
    hashed = used.mutate(digest=digest)
    rank = ibis.row_number().over(ibis.window(group_by=group, order_by=order)) + 1
    ranked = hashed.mutate(rank=ibis.least(rank, RANK_BUCKET).cast("int16"))
    keys = ["day", "origin_zone", "destination_zone", "rank"]
    return ranked.group_by(keys).aggregate(n=_.count())


def per_person(people: Table) -> Table:
    """Return the number of people by public bin of their ``n``."""
    branches = [(people.n >= low, low) for low in reversed(BINS)]
    low = ibis.cases(*branches, else_=0).cast("int32")
    return people.mutate(bin=low).group_by("bin").aggregate(people=_.count())
