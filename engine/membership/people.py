"""The daily matrices of raw tables, and the trips of people drawn at random among its regulars."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis import _

from ..arrays import Integers
from ..errors import InputError
from ..ingest.build import opened
from ..ingest.counting import stages
from ..ingest.counting.keys import Purpose, keyed_hash
from ..ingest.expressions import Table
from ..ingest.options import IngestOptions
from ..ingest.progress import Monitor
from .comparison import Target

LEAST_DAYS = 10
"""Days with trips, and days without, that a target needs in either half, as P2 asks."""
LEAST_PEOPLE = 10
"""Fewer targets make no mean that hides each of them."""
MOST_NUMBERS = 20_000_000
"""Days times pairs of zones: each classifier reads them all at once."""
_KEYS = ("day", "origin_zone", "destination_zone")


class Travel(NamedTuple):
    """Daily matrices, shape (days, zones, zones), and targets with trips in them."""

    counts: Integers
    targets: tuple[Target, ...]


def travel(options: IngestOptions, people: int, monitor: Monitor) -> Travel:
    """Read raw tables and draw `people` targets by keyed hashes of their ids.

    Raises
    ------
    InputError
        If the tables are flows, the period or the people are too few, or the matrices too large.
    """
    days = (options.last_day - options.first_day).days + 1
    if options.kind == "flows":
        raise _cannot("flows hold no people", "name a table of trips or visits", "inputs")
    if days < 4 * LEAST_DAYS:
        fault = f"the period has {days} days; the attack needs {4 * LEAST_DAYS}"
        raise _cannot(fault, "P2 used 305 days", "last_day")
    with opened(options, monitor) as (run, raw, accept, _mappings):
        zones = len(run.places.zones)
        if days * zones**2 > MOST_NUMBERS:
            fault = f"{days} days between {zones:,} zones are too many for the classifiers"
            raise _cannot(fault, "choose coarser zones or fewer days", "zoning", "last_day")
        used = stages.of_people(run, raw, accept)
        shape = (days, zones, zones)
        counts = _filled(run.engine.fetch(_counted(used, *_KEYS)), shape)
        regulars = _regulars(used, days)
        order = keyed_hash(run.salt, Purpose.TARGET, regulars.uid)
        first = regulars.order_by(order).limit(people).select("uid")
        chosen = run.engine.fetch(first)["uid"].to_pylist()
        if len(chosen) < LEAST_PEOPLE:
            fault = f"fewer than {LEAST_PEOPLE} people travel on at least {LEAST_DAYS} days"
            fault += f", and stay on as many, in either half of the {days} days"
            raise _cannot(fault, "name a longer period", "last_day")
        own = run.engine.fetch(_counted(used.filter(used.uid.isin(chosen)), "uid", *_KEYS))
    targets = [_target(own.filter(pc.equal(own["uid"], uid)), shape) for uid in chosen]
    return Travel(counts, tuple(targets))


def _counted(trips: Table, *keys: str) -> Table:
    return trips.group_by(list(keys)).aggregate(n=_.count())


def _regulars(trips: Table, days: int) -> Table:
    """Return who travels on enough days of either half, and stays on enough."""
    half = days // 2
    by_half = (
        trips.select("uid", "day", late=trips.day >= half)
        .distinct()
        .group_by("uid")
        .aggregate(early=(~_.late).cast("int64").sum(), late=_.late.cast("int64").sum())
    )
    early, late = by_half.early, by_half.late
    return by_half.filter(
        (early >= LEAST_DAYS)
        & (early <= half - LEAST_DAYS)
        & (late >= LEAST_DAYS)
        & (late <= days - half - LEAST_DAYS)
    )


def _filled(table: pa.Table, shape: tuple[int, int, int]) -> Integers:
    counts = np.zeros(shape, dtype=np.int64)
    counts[tuple(table[name].to_numpy() for name in _KEYS)] = table["n"].to_numpy()
    return counts


def _target(table: pa.Table, shape: tuple[int, int, int]) -> Target:
    whole = _filled(table, shape).reshape(shape[0], -1)
    cells = np.flatnonzero(whole.any(axis=0))
    return Target(cells=cells, trips=whole[:, cells])


def _cannot(fault: str, remedy: str, *settings: str) -> InputError:
    return InputError(fault, remedy=remedy, code="attack", settings=settings)
