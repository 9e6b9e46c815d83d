"""The records of the density week, and which of a heavy person's are kept."""

from collections.abc import Sequence
from dataclasses import dataclass

import ibis
from ibis import _

from ..expressions import Table
from .keys import Purpose, keyed_hash


@dataclass(frozen=True)
class Records:
    """The density week, kept in the engine.

    Attributes
    ----------
    used : Table
        Distinct (``uid``, ``location``, ``hour``) of the week, with ``part`` (a person's share):
        ``location`` is a place's number, ``hour`` 0 to 167.
    people : Table
        ``uid``, ``n`` (the person's records) and ``single`` (the place of one of them).
    shares : sequence of Table
        Rows of `used`, by people.
    beyond_cap : int
        Records of people beyond ``max_visits_cap``.
    """

    used: Table
    people: Table
    shares: Sequence[Table]
    beyond_cap: int


def heavy_in_order(used: Table, people: Table, cap: int, salt: str) -> Table:
    """Return the records of people beyond `cap` with a random ``rank`` from 0 within the person."""
    own = used.semi_join(people.filter(people.n > cap).select("uid"), "uid")
    digest = keyed_hash(salt, Purpose.CAP, own.uid, own.hour, own.location)
    window = ibis.window(group_by="uid", order_by=["digest", "hour", "location"])
    return own.mutate(digest=digest).mutate(rank=ibis.row_number().over(window))


def by_hour(used: Table) -> Table:
    """Return by ``uid`` and ``hour`` the number ``n`` of records and the ``lowest`` place."""
    return used.group_by(["uid", "hour"]).aggregate(n=_.count(), lowest=_.location.min())


def in_shared_hours(used: Table, hours: Table) -> Table:
    """Return the records of a person's hours that hold several of them; most hold one."""
    several = hours.filter(hours.n > 1).select("uid", "hour")
    return used.select("uid", "location", "hour").semi_join(several, ["uid", "hour"])
