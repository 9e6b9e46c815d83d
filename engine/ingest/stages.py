# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""The stages of an ingest: each computes tables of the dataset and accounts for its rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
from ibis import _

from engine.ingest import checks, counting, keys, rows, tables
from engine.ingest.engines import Engine
from engine.ingest.expressions import Table
from engine.ingest.options import IngestOptions
from engine.ingest.places import Places
from engine.ingest.points import place_points
from engine.ingest.progress import Monitor
from engine.ingest.report import Account, Reason
from engine.ingest.rows import Calendar

READING = "reading rows"


@dataclass
class Job:
    """One ingest under way: what it works with, and what it has found so far."""

    options: IngestOptions
    monitor: Monitor
    engine: Engine
    places: Places
    calendar: Calendar
    salt: str
    mappings: rows.Mappings
    tables: dict[str, pa.Table] = field(default_factory=dict[str, pa.Table])
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def wants_density(self) -> bool:
        """Whether a density is asked for and the period has a week for it."""
        return "density" in self.options.parts and self.calendar.week is not None

    @property
    def wants_trips(self) -> bool:
        """Whether origin–destination counts are asked for."""
        return "trips" in self.options.parts

    def accept(self, account: Account) -> None:
        """Take the account of the raw rows, or refuse the input."""
        unparsable = account.unused.get(Reason.UNPARSABLE, 0)
        checks.unparsable(self.options, self.mappings, unparsable, self.calendar, self.monitor)
        checks.anything_used(account, self.options)
        self.facts["rows"] = account


def plan(options: IngestOptions, *, by_points: bool) -> list[str]:
    """Return the stages of an ingest in order."""
    density = "density" in options.parts and options.density_week and options.kind != "flows"
    trips = "trips" in options.parts and options.kind != "flows"
    return [
        "checking the files",
        "reading locations and zones",
        *(["placing coordinates"] if by_points else []),
        READING,
        *(["counting visits", "ranking visits", "finding homes"] if density else []),
        *(["finding trips"] if trips and options.kind == "visits" else []),
        *(["ranking trips"] if trips else []),
        "writing the dataset",
    ]


def from_trips(job: Job, raw: Sequence[Table]) -> None:
    """Count a table of trips, and the visits that they give."""
    job.monitor.start(READING)
    lookup = job.engine.lookup("places", job.places.table())
    found = counting.divided(rows.trips(raw, lookup, job.calendar))
    trips = job.engine.keep("trips", found)
    account = trip_account(by_reason(job.engine, trips))
    job.accept(account)
    if job.wants_density:
        job.monitor.start("counting visits")
        visits = rows.visits_of_trips(trips)
        distinct = counting.divided(counting.records(visits, job.calendar))
        records = job.engine.keep("records", distinct)
        job.facts["visits"] = _count_visits(job, records, by_reason(job.engine, records))
    if job.wants_trips:
        _count_trips(job, trips, account.used)


def from_visits(job: Job, raw: Sequence[Table]) -> None:
    """Count a table of visits, and the trips between them."""
    visits = _placed_visits(job, raw)
    if job.wants_density:
        job.monitor.start(READING)
        distinct = counting.divided(counting.records(visits, job.calendar))
        records = job.engine.keep("records", distinct)
        counts = by_reason(job.engine, records)
        job.accept(record_account(counts, trimmed=0))
        job.facts["rows"] = _count_visits(job, records, counts)
    else:
        job.monitor.start(READING)
        reasons = counting.records(visits, job.calendar, by_person=False)
        job.accept(record_account(by_reason(job.engine, reasons), trimmed=0, distinct=False))
    if job.wants_trips:
        job.monitor.start("finding trips")
        found = counting.divided(rows.trips_of_visits(visits, job.calendar))
        trips = job.engine.keep("trips", found)
        account = job.facts["trips"] = trip_account(by_reason(job.engine, trips))
        _count_trips(job, trips, account.used)


def from_flows(job: Job, raw: Sequence[Table]) -> None:
    """Sum aggregate flows: trip level only, every trip of rank 1."""
    job.monitor.start(READING)
    lookup = job.engine.lookup("places", job.places.table())
    flows = job.engine.keep("flows", rows.flows(raw, lookup, job.calendar))
    counts = [
        {**line, "kinds": line["rows"]} for line in by_reason(job.engine, flows)
    ]  # flows of one pair in several rows add up, none is a duplicate
    job.accept(trip_account(counts))
    used = job.engine.fetch(counting.summed_flows(flows))
    job.tables["trips"] = tables.trip_table(job.options, job.places, used)


def by_reason(engine: Engine, table: Table) -> list[dict[str, int]]:
    """Return, for each reason, the raw rows and the rows that differ."""
    counts = table.group_by("reason").aggregate(rows=_.copies.sum(), kinds=_.count())
    lines = engine.fetch(counts).to_pylist()
    return [{name: int(value) for name, value in line.items()} for line in lines]


def trip_account(counts: list[dict[str, int]]) -> Account:
    """Account for rows of trips; equal rows are duplicates of the first."""
    unused = {Reason.DUPLICATE: 0}
    used = 0
    for line in counts:
        reason = Reason(line["reason"])
        if reason in (Reason.USED, Reason.SELF_TRIP):
            unused[Reason.DUPLICATE] += line["rows"] - line["kinds"]
        if reason is Reason.USED:
            used = line["kinds"]
        elif reason is Reason.SELF_TRIP:
            unused[reason] = line["kinds"]
        else:
            unused[reason] = line["rows"]
    return Account(used + sum(unused.values()), used, unused)


def record_account(counts: list[dict[str, int]], *, trimmed: int, distinct: bool = True) -> Account:
    """Account for visits; further ones at the same place in the same hour are not used."""
    unused = {Reason.TRIMMED: trimmed}
    used = 0
    for line in counts:
        reason = Reason(line["reason"])
        if reason is not Reason.USED:
            unused[reason] = line["rows"]
        elif distinct:
            used = line["kinds"] - trimmed
            unused[Reason.REPEATED] = line["rows"] - line["kinds"]
        else:
            used = line["rows"]
    return Account(used + sum(unused.values()), used, unused)


def _placed_visits(job: Job, raw: Sequence[Table]) -> Table:
    if "lat" not in raw[0].columns:
        lookup = job.engine.lookup("places", job.places.table())
        return rows.visits(raw, lookup, job.calendar)
    job.monitor.start("placing coordinates")
    distinct = job.engine.fetch(rows.distinct_points(raw))
    placed = place_points(distinct, job.places, job.options.max_distance_m, job.monitor.update)
    return rows.visits_at_points(raw, job.engine.lookup("points", placed), job.calendar)


def _by_share(
    job: Job, name: str, table: Table, count: int, compute: Callable[[Table], Table]
) -> list[Table]:
    """Compute something of `count` rows of a divided table, as many people at once as fit."""
    of = job.engine.shares(count)
    kept: list[Table] = []
    for number in range(of):
        job.monitor.step(number, of)
        share = counting.share(table, number, of)
        kept.append(job.engine.keep(f"{name}_{number}", compute(share)))
    return kept


def _ranked(job: Job, table: Table, count: int, rank: Callable[[Table], Table]) -> pa.Table:
    """Count by rank: `rank` of every share, added up."""
    kept = _by_share(job, "ranked", table, count, rank)
    counted = job.engine.fetch(counting.added_up(kept))
    for number in range(len(kept)):
        job.engine.drop(f"ranked_{number}")
    return counted


def _count_trips(job: Job, trips: Table, count: int) -> None:
    job.monitor.start("ranking trips")
    used = counting.used_trips(trips, job.calendar)
    for name, purpose in (
        ("trips", keys.Purpose.TRIP_DAY),
        ("trips_person", keys.Purpose.TRIP_PERSON),
    ):
        rank = partial(counting.ranked_trips, salt=job.salt, purpose=purpose)
        counted = _ranked(job, used, count, rank)
        job.tables[name] = tables.trip_table(job.options, job.places, counted)
    people = used.group_by("uid").aggregate(n=_.count())
    bins = tables.bins(job.engine.fetch(counting.per_person(people)))
    job.facts.update(people_with_trips=sum(bins.values()), trips_per_person=bins)


def _count_visits(job: Job, records: Table, counts: list[dict[str, int]]) -> Account:
    engine, monitor, cap = job.engine, job.monitor, job.options.max_visits_cap
    used = records.filter(records.reason == Reason.USED)
    count = sum(line["kinds"] for line in counts if line["reason"] == Reason.USED)
    kept = _by_share(job, "people", used, count, partial(counting.persons, salt=job.salt))
    people = rows.together(kept)
    single = engine.fetch(counting.single_visit(people))
    bins = tables.bins(engine.fetch(counting.per_person(people)))
    trimmed = tables.total(engine.fetch(counting.beyond_cap(people, cap)), "n")
    account = record_account(counts, trimmed=trimmed)
    if account.used == 0:
        checks.no_visits(job.options, account)
    truth = counting.truth(used, people, cap, job.salt, anyone_beyond=trimmed > 0)
    job.tables["truth"] = tables.visit_table(job.places, engine.fetch(truth))
    job.tables["single_visit"] = tables.visit_table(job.places, single)
    monitor.start("ranking visits")
    ranked = _ranked(job, used, count, partial(counting.presampled, salt=job.salt))
    job.tables["presampled"] = tables.visit_table(job.places, ranked)
    monitor.start("finding homes")
    zones = engine.lookup("zone_of_location", job.places.zone_table())
    homes = engine.fetch(counting.homes(used, zones))
    if homes.num_rows:
        job.tables["homes"] = tables.home_table(job.places, homes)
    job.facts.update(people_with_visits=sum(bins.values()), visits_per_person=bins)
    for number in range(len(kept)):
        engine.drop(f"people_{number}")
    engine.drop("records")
    return account
