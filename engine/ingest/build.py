"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from .. import datasets
from ..datasets import Dataset, Metadata, storage
from ..datasets.zoomtables import ZoomClips
from ..errors import InputError
from . import counting, keys, look, rows, scratch, tables
from .counting import Engine
from .door import door
from .engines import DuckDB
from .inputs import cells, coarse, guess, mapping, parents, sources
from .inputs.mapping import Mappings
from .inputs.places import Places, from_zones, read_places
from .inputs.points import check_order, place_points
from .inputs.sources import Source, shown
from .options import IngestOptions
from .progress import Monitor, ProgressCallback, Stage
from .report import Account, IngestReport, Reason, record_account, row_account, trip_account
from .rows import MILLION, Reader, Table
from .spark import Spark, select

REPORT_FILE = "ingest.json"
CHECKING = Stage("checking the files", 1)
PLACES = Stage("reading locations and zones", 2)
POINTS = Stage("placing coordinates", 30)
READING = Stage("reading rows", 40)
DERIVING = Stage("finding trips", 30)
WRITING = Stage("writing the dataset", 3)
_BYTES_A_LINE = 40
_TRIPS_BY_ID = "trips lead from the first to the last point of each trip that the rows name (tid)"
_TRIPS_BY_GAPS = (
    "a trip leads from a person's first row to the last one before {:g} minutes without any"
)
_TRIPS_BY_VISITS = (
    "the rows name no trips (tid): a trip is a visit and the person's next one in another zone on "
    "the same day"
)
_ROWS_ARE_TRIPS = (
    "no column tells people apart: each row is one trip, and trips alone are protected"
)


@dataclass(frozen=True)
class Counted:
    """Tables of a dataset by name, and what became of every raw row, visit and derived trip."""

    tables: Mapping[str, pa.Table]
    rows: Account
    visits: Account | None = None
    trips: Account | None = None
    visits_per_person: Mapping[int, int] = field(default_factory=dict[int, int])
    trips_per_person: Mapping[int, int] = field(default_factory=dict[int, int])
    backwards: int = 0
    fractions: int = 0


@dataclass(frozen=True)
class Result:
    """Everything that is known before a dataset is written."""

    counted: Counted
    places: Places
    mappings: Mappings
    reader: Reader
    salt: str
    places_public: bool | None


def ingest(
    options: IngestOptions,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
) -> tuple[Dataset, IngestReport]:
    """Read raw tables, count them by rank and save the counts as a dataset.

    Parameters
    ----------
    options : IngestOptions
        What to read and how.
    progress : callable or None
        Called several times a second with a `Progress`, in the calling thread.
    cancel : threading.Event or None
        Set it from another thread to stop; `Cancelled` is raised and nothing is written.

    Returns
    -------
    Dataset, IngestReport
        The dataset as saved, and what became of every row (also kept as ``ingest.json``).

    Raises
    ------
    InputError
        Naming file, column, row count and remedy; nothing is written.
    Cancelled
        If `cancel` was set.
    """
    started = time.monotonic()
    monitor = Monitor(progress, cancel)
    with door(), storage.only_writer(options.out):
        result = count(options, monitor)
        monitor.start(WRITING)
        report = report_of(options, result, time.monotonic() - started)
        monitor.check()
        dataset = _save(options, result, report)
    monitor.finish()
    return dataset, report


@dataclass(frozen=True)
class _Work:
    """One ingest under way."""

    options: IngestOptions
    run: counting.Run
    tables: Sequence[Table]
    reader: Reader
    by_points: bool
    accept: Callable[[Account], None]


def count(options: IngestOptions, monitor: Monitor) -> Result:
    """Do everything but write."""
    with scratch.folder(options.spill) as folder:
        monitor.plan(_stages(options, by_points=False))
        monitor.start(CHECKING)
        _check_parts(options)
        if options.engine == "spark":
            return _count_on_spark(options, monitor, folder)
        paths = sources.find(options.inputs)
        beside = {p.resolve() for p in (options.locations, options.zones) if p is not None}
        paths = [path for path in paths if path not in beside] or paths
        files = [sources.inspect(path, options.reading) for path in paths]
        mappings = mapping.of_files(options, files)
        known = [source.rows for source in files if source.rows is not None]
        size = sum(source.size_bytes for source in files)
        total = sum(known) if len(known) == len(files) else None
        monitor.expect(size, total)
        reading = guess.complete(mappings, options.reading)
        readable = tables.readable(files, folder)
        engine = DuckDB(
            monitor,
            folder,
            time_zone=options.time_zone,
            paths={path: source.name for source, path in readable.items()},
            rows=total or size // _BYTES_A_LINE,
            memory=options.memory,
            threads=options.threads,
            spill_limit=options.spill_limit,
        )
        try:
            views = tables.views(engine, mappings, readable)
            return _counted(options, monitor, engine, views, mappings, Reader(reading), partial(
                tables.refuse_flaws, options, mappings, readable, folder=folder
            ))  # fmt: skip
        finally:
            engine.close()


def _count_on_spark(options: IngestOptions, monitor: Monitor, folder: Path) -> Result:
    engine = Spark(options, monitor, folder)
    try:
        files = [engine.source(name, number) for number, name in enumerate(options.inputs)]
        mappings = mapping.of_files(options, files)
        views: list[Table] = []
        for number, (source, names) in enumerate(mappings.items()):
            for name in mapping.TIMES:
                kind = source.kinds[source.columns.index(names[name])] if name in names else "date"
                if not kind.startswith(("timestamp", "date")):
                    raise InputError(
                        f"{source.name}: column '{shown(names[name])}' (for {name}) is of type "
                        f"{kind[:40]}; on Spark times are timestamps or dates",
                        remedy="write them so, or use the embedded engine",
                        code="spark-text",
                        settings=("engine",),
                    )
            engine.view(f"input_{number}", select(number, names, source.columns))
            views.append(Table(f"input_{number}", engine.types(f"SELECT * FROM input_{number}")))
        reader = Reader(replace(options.reading, decimal=options.reading.decimal or "."))
        refuse = partial(tables.refuse_any_flaw, options)
        return _counted(options, monitor, engine, views, mappings, reader, refuse)
    finally:
        engine.close()


def _counted(
    options: IngestOptions,
    monitor: Monitor,
    engine: Engine,
    views: Sequence[Table],
    mappings: Mappings,
    reader: Reader,
    refuse_flaws: Callable[..., None],
) -> Result:
    by_points = any(lat in t.kinds for t in views for lat, _lng in mapping.POINTS)
    monitor.plan(_stages(options, by_points=by_points))
    monitor.start(PLACES)
    reader = replace(reader, bare_people=mapping.bare(mappings, ("uid",)))
    places, public = _places(options, engine, views, reader, by_points=by_points)
    reader = replace(
        reader, bare_places=places.bare, id_length=places.id_length if options.id_prefix else None
    )
    salt = keys.salt_of(options.out, options.salt)

    def accept(account: Account) -> None:
        refuse_flaws(account=account, reader=reader)
        tables.refuse_useless(options, mappings, account, places)

    run = counting.Run(
        engine,
        monitor,
        places,
        options.first_day,
        options.last_day,
        salt,
        options.max_visits_cap,
        ZoomClips.of(options.mean_visits_public, options.max_visits_cap),
    )
    work = _Work(options, run, views, reader, by_points, accept)
    _put_places(work)
    monitor.start(READING)
    engine.view("raw", rows.values(views, options, reader))
    kinds = {"trips": _trips, "rides": _rides, "visits": _visits, "flows": _flows}
    return Result(kinds[options.kind](work), places, mappings, reader, salt, public)


def _places(
    options: IngestOptions,
    engine: Engine,
    views: Sequence[Table],
    reader: Reader,
    *,
    by_points: bool,
) -> tuple[Places, bool | None]:
    """Return places and zones, and whether they are public: not where they were read from rows."""
    how, public = options.coarseness, options.places_public
    if options.locations is not None or options.zones is not None:
        places = coarse.coarsen(read_places(options), how)
    elif how.area is not None:
        places = coarse.grid_places(how)
    elif how.area_from_data and by_points:
        area = look.area_of(engine.table(rows.distinct_points(views, reader)))
        zoning = how.zoning if how.zoning in ("square", "hexagon") else "hexagon"
        places = coarse.grid_places(replace(how, zoning=zoning, area=area))
        note = "the area was read from the data: it tells where people were"
        places, public = replace(places, notes=(*places.notes, note)), False
    elif by_points:
        raise InputError(
            "the rows hold coordinates, and no places, zones or area of a grid are given",
            remedy="name a file of zones or places, or a grid's area (or read it from the data)",
            code="no-places",
            settings=("zones", "locations", "area"),
        )
    else:
        ids = engine.table(rows.distinct_ids(views, reader))["id"].to_pylist()
        kind = options.cells or cells.kind_of(ids)
        if kind is None:
            raise InputError(
                "locations or zones must be given, got neither",
                remedy="name the table of stations or towers, or a file of zones; ids that are H3, "
                "quadkey or geohash cells need none",
                code="no-places",
                settings=("locations", "zones", "cells"),
            )
        places = coarse.coarsen(from_zones(cells.zones_of(ids, kind)), how)
        note = f"zones are the {kind} cells that the rows name, read from the data"
        places, public = replace(places, notes=(note,)), False
    coarse.check_size(places)
    return places, public


def _put_places(work: _Work) -> None:
    """Give the engine place and zone numbers by id, or by the coordinates that the rows hold."""
    engine, places = work.run.engine, work.run.places
    if not work.by_points:
        engine.put("places", places.table())
        return
    work.run.monitor.start(POINTS)
    engine.placed(
        rows.distinct_points(work.tables, work.reader),
        partial(place_points, places=places, max_distance_m=work.options.max_distance_m),
        partial(check_order, places=places),
    )


def _trips(work: _Work) -> Counted:
    """Count a table of trips, and the visits that they give."""
    options, engine, run = work.options, work.run.engine, work.run
    engine.keep("every", rows.trips(options, work.by_points), large=True)
    account = trip_account(rows.by_reason(engine, "every"))
    work.accept(account)
    counted: dict[str, pa.Table] = {}
    visits: Account | None = None
    density = moves = None
    if options.wants_density:
        engine.keep("records", rows.records(options, rows.visits_of_trips()), large=True)
        density, visits = _density(work)
        counted |= density.tables
    ((backwards,),) = engine.rows("SELECT count(*) FROM every WHERE reason = 0 AND finish < start")
    if "trips" in options.parts:
        moves = counting.trips(run, account.used, measured=True)
        counted |= moves.tables
    return Counted(
        counted,
        account,
        visits=visits,
        backwards=int(backwards),
        visits_per_person=density.people if density else {},
        trips_per_person=moves.people if moves else {},
    )


def _rides(work: _Work) -> Counted:
    """Count trips without a person: trip level only, every trip of rank 1."""
    options, engine = work.options, work.run.engine
    named = any("tid" in table.kinds for table in work.tables)
    engine.keep("every", rows.trips(options, work.by_points, tid=named), large=True)
    counts = rows.by_reason(engine, "every")
    account = trip_account(counts) if named else row_account(counts)
    work.accept(account)
    n = "count(*)" if named else "sum(copies)"
    ((backwards,),) = engine.rows(
        f"SELECT coalesce({n}, 0) FROM every WHERE reason = 0 AND finish < start"
    )
    day = f"floor((start - {work.run.start}) / {rows.DAY_S}.0)::INTEGER"
    table = engine.table(
        f"SELECT {day} AS day, origin_zone, destination_zone, 1 AS rank, {n}::BIGINT AS n "
        "FROM every WHERE reason = 0 GROUP BY ALL"
    )
    trips = counting.trip_table(work.run, table)
    return Counted({"trips": trips}, account, backwards=int(backwards))


def _visits(work: _Work) -> Counted:
    """Count a table of visits, and the trips between them."""
    options, engine, run = work.options, work.run.engine, work.run
    placed = rows.visits(work.by_points)
    counted: dict[str, pa.Table] = {}
    density = moves = between = None
    if options.wants_density:
        engine.keep("records", rows.records(options, placed), large=True)
        work.accept(record_account(rows.by_reason(engine, "records")))
        density, account = _density(work)
        counted |= density.tables
    else:
        engine.keep("reasons", rows.visit_reasons(options, placed))
        account = row_account(rows.by_reason(engine, "reasons"))
        work.accept(account)
    if "trips" in options.parts:
        run.monitor.start(DERIVING)
        by_trip = options.gap_minutes is not None or any("tid" in t.kinds for t in work.tables)
        sql = (
            rows.trips_of_points(options, placed, options.gap_minutes)
            if by_trip
            else rows.trips_between(options, placed)
        )
        engine.keep("every", sql, large=True)
        between = trip_account(rows.by_reason(engine, "every"))
        moves = counting.trips(run, between.used, measured=by_trip)
        counted |= moves.tables
    return Counted(
        counted,
        account,
        trips=between,
        visits_per_person=density.people if density else {},
        trips_per_person=moves.people if moves else {},
    )


def _density(work: _Work) -> tuple[counting.Counted, Account]:
    counts = rows.by_reason(work.run.engine, "records")
    used = sum(kinds for reason, _rows, kinds in counts if reason is Reason.USED)
    if used == 0:
        account = record_account(counts)
        raise InputError(
            f"none of {account.read:,} visits falls in the week of {work.options.density_week} at "
            "a known place",
            remedy="name another week, or build the trips alone",
            code="no-visits",
            settings=("week", "parts"),
        )
    density = counting.visits(work.run, used)
    return density, record_account(counts, density.trimmed)


def _flows(work: _Work) -> Counted:
    """Add up flows: trip level only, every trip of rank 1."""
    engine = work.run.engine
    engine.keep("flows", rows.flows(work.options))
    # flows of one pair in several rows add up, none is a duplicate
    account = row_account(rows.by_reason(engine, "flows"))
    work.accept(account)
    used, fractions = rounded(
        engine.table(
            "SELECT day, origin_zone, destination_zone, 1 AS rank, n FROM flows "
            "WHERE reason = 0 AND n > 0"
        )
    )
    return Counted({"trips": counting.trip_table(work.run, used)}, account, fractions=fractions)


def rounded(counted: pa.Table) -> tuple[pa.Table, int]:
    """Round flows in millionths to whole trips, once; return them and how many were fractions."""
    keys_ = ("day", "origin_zone", "destination_zone")
    ordered = counted.sort_by([(name, "ascending") for name in keys_])
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


@contextmanager
def people_counted(
    places: Places, first_day: date, last_day: date, salt: str, max_visits_cap: int
) -> Generator[Callable[..., dict[str, pa.Table]]]:
    """Yield what counts people who are no files: a twin takes the road of the ingest.

    The function takes ``trips`` (uid, start, finish in seconds of the local wall clock, origin and
    destination as numbers of places), ``visits`` (uid, location, hour of the week) or both, as
    Arrow tables, and returns the tables of a dataset by name.
    """
    with scratch.folder(None) as folder:
        engine = DuckDB(Monitor(), folder)
        run = counting.Run(engine, Monitor(), places, first_day, last_day, salt, max_visits_cap)
        engine.put("places", places.table())

        def counted(
            *, trips: pa.Table | None = None, visits: pa.Table | None = None
        ) -> dict[str, pa.Table]:
            result: dict[str, pa.Table] = {}
            if visits is not None:
                engine.put("given_visits", visits)
                engine.keep(
                    "records",
                    "SELECT DISTINCT 0 AS reason, uid::VARCHAR AS uid, location, hour "
                    "FROM given_visits",
                )
                ((n,),) = engine.rows("SELECT count(*) FROM records")
                result |= counting.visits(run, n).tables
            if trips is not None:
                engine.put("given_trips", trips)
                engine.keep("every", _GIVEN_TRIPS)
                ((n,),) = engine.rows("SELECT count(*) FROM every WHERE reason = 0")
                result |= counting.trips(run, n, measured=True).tables
            return result

        try:
            yield counted
        finally:
            engine.close()


_GIVEN_TRIPS = f"""
    WITH zones AS (SELECT DISTINCT location, zone FROM places)
    SELECT DISTINCT CASE WHEN a.zone IS NULL OR b.zone IS NULL THEN {int(Reason.OUTSIDE_AREA)}
                WHEN a.zone = b.zone THEN {int(Reason.SELF_TRIP)} ELSE 0 END AS reason,
           uid::VARCHAR AS uid, start, finish, origin, destination,
           a.zone AS origin_zone, b.zone AS destination_zone
    FROM given_trips LEFT JOIN zones AS a ON origin = a.location
    LEFT JOIN zones AS b ON destination = b.location"""


def _stages(options: IngestOptions, *, by_points: bool) -> list[Stage]:
    """Return the stages of an ingest in order."""
    moves = "trips" in options.parts and options.has_people
    return [
        CHECKING,
        PLACES,
        *([POINTS] if by_points else []),
        READING,
        *(counting.VISITS if options.wants_density else ()),
        *([DERIVING] if moves and options.kind == "visits" else []),
        *(counting.TRIPS if moves else ()),
        WRITING,
    ]


def _check_parts(options: IngestOptions) -> None:
    """Refuse a density that the input cannot give."""
    if "trips" in options.parts:
        return
    if not options.has_people:
        raise InputError(
            f"{options.kind} give no density",
            remedy="build the trips",
            code="no-density",
            settings=("parts",),
        )
    if options.density_week is None:
        raise InputError(
            "the period has no full week from Monday to Sunday, so there is no density to build",
            remedy="make the period longer, or build trips",
            code="no-week",
            settings=("first_day", "last_day", "parts"),
        )


def report_of(options: IngestOptions, result: Result, seconds: float) -> IngestReport:
    """Return what became of every row."""
    counted = result.counted
    notes = list(result.places.notes)
    if options.has_people:
        notes.append(
            "people: some files hold their ids as numbers, so 7, 7.0 and 07 are one person in all "
            "files"
            if result.reader.bare_people
            else "people: 7 and 7.0 are one person; 07 is another one, as its text says"
        )
    else:
        notes.append(_ROWS_ARE_TRIPS)
    if levels := parents.kept_levels(result.places.zones):
        text = ", ".join(f"{name} ({zones:,})" for name, zones in levels.items())
        notes.append(f"coarser zones kept, to look at the dataset by: {text}")
    if options.kind == "visits" and "trips" in options.parts:
        by_trip = any("tid" in names for names in result.mappings.values())
        if options.gap_minutes is not None:
            notes.append(_TRIPS_BY_GAPS.format(options.gap_minutes))
        else:
            notes.append(_TRIPS_BY_ID if by_trip else _TRIPS_BY_VISITS)
    if counted.fractions:
        notes.append(
            f"{counted.fractions:,} flows were fractions of trips (expanded counts): rounded once, "
            "by their running sum in the order of origins and destinations, so that each day's "
            "total is kept to half a trip and every flow to less than one"
        )
    if counted.backwards:
        notes.append(
            f"{counted.backwards:,} trips end before they start: they count, by the time and place "
            "of both ends as they are"
        )
    if options.has_people and "density" in options.parts and options.density_week is None:
        notes.append("the period has no full week from Monday to Sunday: no density was built")
    return IngestReport(
        kind=options.kind,
        engine=options.engine,
        files=tuple(_described(s, names, options) for s, names in result.mappings.items()),
        notes=tuple(notes),
        seconds=seconds,
        rows=counted.rows,
        visits=counted.visits,
        trips=counted.trips,
        people_with_visits=sum(counted.visits_per_person.values()),
        people_with_trips=sum(counted.trips_per_person.values()),
        visits_per_person=counted.visits_per_person,
        trips_per_person=counted.trips_per_person,
    )


def _described(
    source: Source, names: Mapping[str, str], options: IngestOptions
) -> dict[str, object]:
    return {
        "name": source.name,
        "bytes": source.size_bytes,
        "format": source.format,
        "encoding": source.encoding,
        "columns": {name: shown(column) for name, column in names.items()},
        "guessed": [name for name in names if name not in options.mapping],
    }


def _save(options: IngestOptions, result: Result, report: IngestReport) -> Dataset:
    counted = result.counted.tables
    density = "presampled" in counted
    text = json.dumps(report.to_json(), indent=2, ensure_ascii=False) + "\n"
    metadata = Metadata(
        name=options.out.name,
        description=options.description
        or f"{options.out.name}, built from a table of {options.kind}",
        source=options.source,
        licence=options.licence,
        simulated=False,
        first_day=options.first_day,
        last_day=options.last_day,
        time_zone=options.time_zone,
        week=options.density_week if density else None,
        people_public=options.people_public,
        max_visits_cap=options.max_visits_cap,
        salt_id=keys.salt_id(result.salt),
        made_by=f"engine.ingest {options.kind}" + (" by gaps" if options.gap_minutes else ""),
        trips_have_people=options.has_people,
        period_from_data=options.period_from_data,
        places_public=result.places_public,
        mean_visits_public=options.mean_visits_public if density else None,
    )
    return datasets.save(
        options.out,
        metadata,
        zones=result.places.zones,
        towers=result.places.towers if density else None,
        tables=counted,
        texts={REPORT_FILE: text, keys.SALT_FILE: result.salt + "\n"},
    )
