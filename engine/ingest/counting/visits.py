"""Visits of the density week → the tables of a dataset, as Ibis expressions only.

Every table here is made of whole numbers and md5 digests, so that each engine gives the same
bits. A filter on a rank never stands in the query that computes it: DuckDB 2.0 would rewrite it
and spill without end. Ranks are cut after counting.
"""

from collections.abc import Mapping

import ibis
import pyarrow as pa
from ibis import _

from ...parameters import HOURS_PER_WEEK
from ..calendar import SECONDS_PER_HOUR, Calendar
from ..expressions import Table
from ..progress import Stage
from ..report import Reason
from . import tables
from .keys import Purpose, keyed_hash
from .run import Run, Step
from .shares import added_up
from .week import Records, by_hour, heavy_in_order, in_shared_hours
from .zoom import ZoomSums

NIGHT_HOURS = (20, 21, 22, 23, 0, 1, 2, 3, 4, 5)
"""Local hours in which a person's commonest place is taken for home: 20:00 to 06:00, as in P2."""


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
    light = used.anti_join(people.filter(people.n > cap).select("uid"), "uid")
    counted = (
        heavy_in_order(used, people, cap, salt)
        .group_by(["location", "hour"])
        .aggregate(n=(_.rank < cap).cast("int64").sum())
    )
    all_light = light.group_by(["location", "hour"]).aggregate(n=_.count())
    both = ibis.union(all_light, counted)
    return both.group_by(["location", "hour"]).aggregate(n=_.n.sum())


def beyond_cap(people: Table, cap: int) -> Table:
    """Return how many records lie beyond `cap`, over all people, in one row ``n``."""
    return people.aggregate(n=(people.n > cap).ifelse(people.n - cap, 0).sum())


def presampled(hours: Table, together: Table, salt: str) -> Table:
    """Return n by place, hour and rank: one record per person and hour, ranked at random.

    The sum over rank ≤ ℓ is X̄ for any ℓ. Removing one person takes at most one from each hour
    and at most one from each rank. Only hours with several records need a choice.
    """
    alone = hours.filter(hours.n == 1).select("uid", "hour", location="lowest")
    digest = keyed_hash(salt, Purpose.HOUR, together.uid, together.hour, together.location)
    several = together.mutate(digest=digest).group_by(["uid", "hour"])
    chosen = ibis.union(alone, several.aggregate(location=_.location.argmin(_.digest)))
    order = chosen.mutate(digest=keyed_hash(salt, Purpose.RANK, chosen.uid, chosen.hour))
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


def _totals(run: Run, records: Records) -> Mapping[str, pa.Table]:
    """Count ``truth`` and ``single_visit``."""
    exact = truth(
        records.used,
        records.people,
        run.options.max_visits_cap,
        run.salt,
        anyone_beyond=records.beyond_cap > 0,
    )
    single = run.engine.fetch(single_visit(records.people))
    return {
        "truth": tables.visit_table(run.places, run.engine.fetch(exact)),
        "single_visit": tables.visit_table(run.places, single),
    }


def _ranks_and_zoom(run: Run, records: Records) -> Mapping[str, pa.Table]:
    """Count ``presampled`` and the zoom tables: both begin with a person's hours."""
    sums = ZoomSums(run)
    kept: list[Table] = []
    of = len(records.shares)
    for number, own in enumerate(records.shares):
        run.monitor.step(2 * number, 2 * of)
        hours = run.engine.keep("hours", by_hour(own))
        together = run.engine.keep("together", in_shared_hours(own, hours))
        ranks = presampled(hours, together, run.salt)
        kept.append(run.engine.keep(f"ranked_{number}", ranks))
        run.monitor.step(2 * number + 1, 2 * of)
        sums.add(run, records, own, together)
        run.engine.drop("together")
        run.engine.drop("hours")
    ranked = run.engine.fetch(added_up(kept))
    for number in range(of):
        run.engine.drop(f"ranked_{number}")
    return {"presampled": tables.visit_table(run.places, ranked), **sums.tables(run, records)}


def _homes(run: Run, records: Records) -> Mapping[str, pa.Table]:
    """Count ``homes``; no table where nobody has one."""
    zones = run.engine.lookup("zone_of_location", run.places.zone_table())
    counted = run.engine.fetch(homes(records.used, zones))
    return {"homes": tables.home_table(run.places, counted)} if counted.num_rows else {}


STEPS: tuple[Step[Records], ...] = (
    Step(Stage("adding up visits", 8), _totals),
    Step(Stage("ranking visits", 33), _ranks_and_zoom),
    Step(Stage("finding homes", 4), _homes),
)
"""What is counted of the density week, in order. A further table is one more step."""
