"""The stages of an ingest for each kind of table, from raw rows to everything that is counted."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import pyarrow as pa
from ibis import _

from ..backends.engine import Engine
from ..expressions import Table
from ..inputs import mapping
from ..inputs.points import check_order, place_points
from ..options import IngestOptions
from ..progress import Stage
from ..report import Account, Reason, record_account, trip_account
from . import checks, rows, shares, tables, trips, visits
from .run import Counted, Run, Step

CHECKING = Stage("checking the files", 1)
PLACES = Stage("reading locations and zones", 2)
POINTS = Stage("placing coordinates", 30)
READING = Stage("reading rows", 40)
VISITS = Stage("counting visits", 12)
DERIVING = Stage("finding trips", 30)
WRITING = Stage("writing the dataset", 3)
Work = TypeVar("Work")


def plan(options: IngestOptions, *, by_points: bool) -> list[Stage]:
    """Return the stages of an ingest in order."""
    density = "density" in options.parts and options.density_week and options.kind != "flows"
    moves = "trips" in options.parts and options.kind != "flows"
    return [
        CHECKING,
        PLACES,
        *([POINTS] if by_points else []),
        READING,
        *([VISITS, *(step.stage for step in visits.STEPS)] if density else []),
        *([DERIVING] if moves and options.kind == "visits" else []),
        *([step.stage for step in trips.STEPS] if moves else []),
        WRITING,
    ]


class _Part(NamedTuple):
    """What was counted of visits, or of trips."""

    tables: dict[str, pa.Table]
    account: Account | None
    per_person: dict[int, int]


_NOTHING = _Part({}, None, {})


def of_people(run: Run, raw: Sequence[Table], accept: checks.Accept) -> Table:
    """Return the trips that count, with ``uid``, ``day`` and zones: they never leave the engine."""
    if run.options.kind == "trips":
        every, _account = _trips(run, raw, accept)
    else:
        placed = _placed_visits(run, raw)
        run.monitor.start(READING)
        every = run.engine.store("trips", _between(run, placed)[0])
        accept(trip_account(_by_reason(run.engine, every)))
    return trips.used_trips(every, run.calendar)


def from_trips(run: Run, raw: Sequence[Table], accept: checks.Accept) -> Counted:
    """Count a table of trips, and the visits that they give."""
    every, account = _trips(run, raw, accept)
    density = moves = _NOTHING
    if run.wants_density:
        run.monitor.start(VISITS)
        given = rows.visits_of_trips(every)
        kept = run.engine.store("records", shares.divided(visits.records(given, run.calendar)))
        density = _count_visits(run, kept, _by_reason(run.engine, kept))
    if run.wants_trips:
        moves = _count_trips(run, every, account, measured=True)
    return Counted(
        density.tables | moves.tables,
        account,
        visits=density.account,
        backwards=tables.total(run.engine.fetch(rows.ends_before_start(every)), "n"),
        visits_per_person=density.per_person,
        trips_per_person=moves.per_person,
    )


def from_visits(run: Run, raw: Sequence[Table], accept: checks.Accept) -> Counted:
    """Count a table of visits, and the trips between them."""
    placed = _placed_visits(run, raw)
    run.monitor.start(READING)
    density = moves = _NOTHING
    if run.wants_density:
        kept = run.engine.store("records", shares.divided(visits.records(placed, run.calendar)))
        counts = _by_reason(run.engine, kept)
        accept(record_account(counts, trimmed=0))
        run.monitor.start(VISITS)
        density = _count_visits(run, kept, counts)
        account = density.account
    else:
        reasons = visits.records(placed, run.calendar, by_person=False)
        account = record_account(_by_reason(run.engine, reasons), trimmed=0, distinct=False)
        accept(account)
    if run.wants_trips:
        run.monitor.start(DERIVING)
        moves_between, by_trip = _between(run, placed)
        every = run.engine.store("trips", moves_between)
        between = trip_account(_by_reason(run.engine, every))
        moves = _count_trips(run, every, between, measured=by_trip)
    assert account is not None
    return Counted(
        density.tables | moves.tables,
        account,
        trips=moves.account,
        visits_per_person=density.per_person,
        trips_per_person=moves.per_person,
    )


def from_flows(run: Run, raw: Sequence[Table], accept: checks.Accept) -> Counted:
    """Sum aggregate flows: trip level only, every trip of rank 1."""
    run.monitor.start(READING)
    lookup = run.engine.lookup("places", run.places.table())
    parsed = rows.parsed(run.engine, raw, "flows", run.reader)
    flows = run.engine.keep("flows", rows.flows(parsed, lookup, run.calendar))
    # flows of one pair in several rows add up, none is a duplicate
    counts = [{**line, "kinds": line["rows"]} for line in _by_reason(run.engine, flows)]
    account = trip_account(counts)
    accept(account)
    used, fractions = trips.rounded(run.engine.fetch(trips.summed_flows(flows)))
    table = tables.trip_table(run.options, run.places, used)
    return Counted({"trips": table}, account, fractions=fractions)


def _trips(run: Run, raw: Sequence[Table], accept: checks.Accept) -> tuple[Table, Account]:
    lookup = _places(run, raw)
    run.monitor.start(READING)
    parsed = rows.parsed(run.engine, raw, "trips", run.reader)
    every = run.engine.store("trips", shares.divided(rows.trips(parsed, lookup, run.calendar)))
    account = trip_account(_by_reason(run.engine, every))
    accept(account)
    return every, account


def _between(run: Run, placed: Table) -> tuple[Table, bool]:
    """Return the trips in visits, and whether they end at a time that is known."""
    if (minutes := run.options.gap_minutes) is not None:
        placed = run.engine.view("tracks", rows.by_gaps(placed, minutes))
    by_trip = "tid" in placed.columns
    derive = rows.trips_of_points if by_trip else rows.trips_of_visits
    return shares.divided(derive(placed, run.calendar)), by_trip


def _placed_visits(run: Run, raw: Sequence[Table]) -> Table:
    lookup = _places(run, raw)
    return rows.visits(rows.parsed(run.engine, raw, "visits", run.reader), lookup)


def _places(run: Run, raw: Sequence[Table]) -> Table:
    """Return place and zone numbers by id, or by the coordinates that the rows hold."""
    if not any(lat in raw[0].columns for lat, _lng in mapping.POINTS):
        return run.engine.lookup("places", run.places.table())
    run.monitor.start(POINTS)
    places, most = run.places, run.options.max_distance_m
    return run.engine.placed(
        "points",
        rows.distinct_points(raw, run.reader),
        partial(place_points, places=places, max_distance_m=most),
        partial(check_order, places=places),
    )


def _take(run: Run, steps: Sequence[Step[Work]], work: Work) -> dict[str, pa.Table]:
    result: dict[str, pa.Table] = {}
    for step in steps:
        run.monitor.start(step.stage)
        result |= step.tables(run, work)
    return result


def _count_trips(run: Run, every: Table, account: Account, *, measured: bool) -> _Part:
    used = trips.used_trips(every, run.calendar)
    counted = _take(run, trips.STEPS, trips.Trips(every, used, account.used, measured))
    people = used.group_by("uid").aggregate(n=_.count())
    return _Part(counted, account, shares.people_by_bin(run, people))


def _count_visits(run: Run, records: Table, counts: list[dict[str, int]]) -> _Part:
    used = records.filter(records.reason == Reason.USED)
    count = sum(line["kinds"] for line in counts if line["reason"] == Reason.USED)
    divided = shares.of_people(run, "records", used, count)
    kept = shares.by_share(run, "people", divided, partial(visits.persons, salt=run.salt))
    people = rows.together(kept)
    bins = shares.people_by_bin(run, people)
    beyond = visits.beyond_cap(people, run.options.max_visits_cap)
    trimmed = tables.total(run.engine.fetch(beyond), "n")
    account = record_account(counts, trimmed=trimmed)
    if account.used == 0:
        checks.no_visits(run.options, account)
    counted = _take(run, visits.STEPS, visits.Records(used, people, divided, trimmed))
    for number in range(len(kept)):
        run.engine.drop(f"people_{number}")
    run.engine.drop("records")
    return _Part(counted, account, bins)


def _by_reason(engine: Engine, table: Table) -> list[dict[str, int]]:
    """Return, for each reason, the raw rows and the rows that differ."""
    counts = table.group_by("reason").aggregate(rows=_.copies.sum(), kinds=_.count())
    lines = engine.fetch(counts).to_pylist()
    return [{name: int(value) for name, value in line.items()} for line in lines]
