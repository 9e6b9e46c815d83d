"""Trips of the declared period → the tables of a dataset, as Ibis expressions only.

As in `counting.visits`: whole numbers and md5 digests alone, and no filter on a rank in the query
that computes it; ranks above 256 are grouped into a last bucket.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import ibis
import numpy as np
import pyarrow as pa
from ibis import _

from ...datasets import RANK_BUCKET
from ..calendar import Calendar
from ..expressions import Table
from ..progress import Stage
from ..report import Reason
from . import mobility, tables
from .keys import Purpose, keyed_hash
from .reader import MILLION
from .run import Run, Step
from .shares import summed


@dataclass(frozen=True)
class Trips:
    """The trips of a table, kept in the engine.

    Attributes
    ----------
    every : Table
        Distinct trips with ``reason`` (used or why not; null columns where they say nothing),
        ``uid``, ``start``, ``finish`` (local seconds; finish may be null), ``origin``,
        ``destination`` (place numbers), ``origin_zone``, ``destination_zone``, ``copies`` and
        ``part`` (a person's share).
    used : Table
        Those that count, with ``day`` (since the first of the period).
    count : int
        Rows of `used`.
    measured : bool
        Whether trips end when ``finish`` says, and not when the person is next seen.
    """

    every: Table
    used: Table
    count: int
    measured: bool


def used_trips(trips: Table, calendar: Calendar) -> Table:
    """Return the trips to be ranked, one row each."""
    used = trips.filter(trips.reason == Reason.USED)
    return used.mutate(day=calendar.day(used.start))


def summed_flows(flows: Table) -> Table:
    """Return n by day, origin and destination, with rank 1: no person is known."""
    used = flows.filter((flows.reason == Reason.USED) & (flows.n > 0))
    rank = ibis.literal(1).cast("int16")
    return used.select("day", "origin_zone", "destination_zone", "n", rank=rank)


def rounded(counted: pa.Table) -> tuple[pa.Table, int]:
    """Round flows in millionths to whole trips, once; return them and how many were fractions.

    No chance is in it: in the order of origins and destinations a flow gets what the rounded
    running sum of its day grows by. Each day's total is kept to half a trip, and every flow and
    every run of flows to less than one.

    Examples
    --------
    >>> flows = {"day": [0, 0, 0], "origin_zone": [0, 0, 1], "destination_zone": [1, 2, 0]}
    >>> whole, fractions = rounded(pa.table({**flows, "n": [400_000, 700_000, 2_900_000]}))
    >>> whole["n"].to_pylist(), fractions
    ([1, 3], 3)
    """
    keys = ("day", "origin_zone", "destination_zone")
    ordered = counted.sort_by([(name, "ascending") for name in keys])
    n = ordered["n"].to_numpy().astype(np.int64)
    day = ordered["day"].to_numpy()
    sums = np.concatenate([[0], np.cumsum(n)])
    first = np.searchsorted(day, day)  # where each row's day begins
    ends, starts = sums[1:] - sums[first], sums[:-1] - sums[first]
    half = MILLION // 2
    whole = (ends + half) // MILLION - (starts + half) // MILLION
    column = ordered.schema.get_field_index("n")
    table = ordered.set_column(column, "n", pa.array(whole))
    return table.filter(pa.array(whole > 0)), int(np.count_nonzero(n % MILLION))


def ranked_trips(used: Table, salt: str) -> Table:
    """Return n by day, origin, destination and rank within the person-day.

    Ranks above 256 share the last bucket. Removing one person takes at most one from each rank
    below that bucket in each person-day.
    """
    ends = (used.finish.fill_null(-1), used.origin, used.destination)
    digest = keyed_hash(salt, Purpose.TRIP_DAY, used.uid, used.start, *ends)
    order = ["digest", *mobility.TRIP_KEYS]
    hashed = used.mutate(digest=digest)
    rank = ibis.row_number().over(ibis.window(group_by=["uid", "day"], order_by=order)) + 1
    ranked = hashed.mutate(rank=ibis.least(rank, RANK_BUCKET).cast("int16"))
    keys = ["day", "origin_zone", "destination_zone", "rank"]
    return ranked.group_by(keys).aggregate(n=_.count())


def _by_day(run: Run, trips: Trips) -> Mapping[str, pa.Table]:
    """Count ``trips``, ranked within the person-day."""
    rank = partial(ranked_trips, salt=run.salt)
    counted = summed(run, trips.used, trips.count, rank)
    return {"trips": tables.trip_table(run.options, run.places, counted)}


def _by_person(run: Run, trips: Trips) -> Mapping[str, pa.Table]:
    """Count ``trips_person``, ranked within the person, and ``report``, the mobility report's."""
    return mobility.count_by_person(run, trips.every, trips.count, measured=trips.measured)


_BY_DAY = Step(Stage("ranking trips", 8), _by_day)
_BY_PERSON = Step(Stage("counting trips by person", 15), _by_person)


STEPS: tuple[Step[Trips], ...] = (_BY_DAY, _BY_PERSON)
"""What is counted of trips, in order."""
