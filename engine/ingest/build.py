"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from .. import datasets
from ..datasets import Dataset, Metadata, storage
from ..datasets.multiscale_tables import MultiscaleClips
from . import counting, keyed_hash, preview, row_cleaning, spark_engine, tables
from .counting import Engine
from .inputs import cells, column_mapping, detection, hexagons, sources, zone_hierarchy
from .inputs.column_mapping import Mappings
from .inputs.ids import TOLD_BY
from .inputs.places import Places, locate_points, places_from_zones
from .inputs.sources import to_printable
from .options import SENTENCES, IngestOptions, build_error
from .progress import BuildStage, Monitor, ProgressCallback
from .read_errors import translate_errors
from .row_cleaning import MILLION, CanonicalTable, ValueParser, day_sql
from .row_report import IngestReport, Reason, RowAccount

REPORT_FILE = "ingest.json"
CHECKING_STAGE = BuildStage("checking the files", 1)
PLACES_STAGE = BuildStage("reading locations and zones", 2)
POINTS_STAGE = BuildStage("placing coordinates", 30)
READING_STAGE = BuildStage("reading rows", 40)
DERIVING_STAGE = BuildStage("finding trips", 30)
WRITING_STAGE = BuildStage("writing the dataset", 3)
_BYTES_PER_LINE = 40
_FAR = timedelta(hours=2)
_MIN_PEOPLE, _SINGLE_SHARE, _MAX_TRIPS_PER_DAY = 20, 0.95, 100
"""Signs that a guessed column tells no people: of these ids so many occur once; or trips a day."""
_THOUSANDS = "[1-9][0-9]{0,2}[.,][0-9]{3}"


@dataclass
class Build:
    """State of one ingest: its inputs, and its results before a dataset is written."""

    options: IngestOptions
    mappings: Mappings
    views: Sequence[CanonicalTable]
    reader: ValueParser
    places_public: bool | None = None
    has_clock: bool = True
    run: counting.CountingRun = field(init=False)
    tables: dict[str, pa.Table] = field(default_factory=dict[str, pa.Table])
    counts: dict[str, Any] = field(default_factory=dict[str, Any])
    notes: list[str] = field(default_factory=list[str])

    def note(self, name: str, **values: Any) -> None:
        """Add a note in the words of `SENTENCES`."""
        self.notes.append(SENTENCES["notes"][name].format(**values))

    def check_account(self, account: RowAccount) -> RowAccount:
        """Add an account of rows; raise `InputError` for unreadable rows and useless input."""
        self.counts["rows"] = account
        tables.raise_for_faults(self.options, self.mappings, account, self.reader)
        told_by = next((note for note in self.run.places.notes if TOLD_BY in note), "")
        tables.raise_for_useless(self.options, self.mappings, account, told_by)
        return account

    def account(self, table: str, duplicate_reason: Reason | None = None) -> RowAccount:
        """Return the account of a table's rows; repeats of usable ones get `duplicate_reason`."""
        used, unused = 0, dict[Reason, int]()
        sql = f"SELECT reason, sum(copies), count(*) FROM {table} GROUP BY reason"
        for code, raw_rows, distinct_rows in self.run.engine.fetch_rows(sql):
            reason, rows = Reason(int(code)), int(raw_rows)
            if duplicate_reason is not None and reason in (Reason.USED, Reason.SELF_TRIP):
                rows = int(distinct_rows)
                unused[duplicate_reason] = unused.get(duplicate_reason, 0) + int(raw_rows) - rows
            if reason is Reason.USED:
                used = rows
            else:
                unused[reason] = rows
        return RowAccount(used + sum(unused.values()), used, unused)

    @property
    def has_coordinates(self) -> bool:
        """Whether rows hold coordinates instead of ids of places."""
        return any(
            lat in table.column_types for table in self.views for lat, _lng in column_mapping.POINTS
        )

    @property
    def has_trip_ids(self) -> bool:
        """Whether rows name their trips."""
        return any("tid" in table.column_types for table in self.views)


def ingest(
    options: IngestOptions,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
) -> tuple[Dataset, IngestReport]:
    """Read raw tables, count them by rank and save the counts as a dataset.

    Parameters
    ----------
    options : IngestOptions
        Inputs and settings.
    progress : callable or None
        Called several times a second with a `Progress`, in the calling thread.
    cancel : threading.Event or None
        Set it from another thread to stop; `Cancelled` is raised and nothing is written.

    Returns
    -------
    Dataset, IngestReport
        The dataset as saved, and the account of every row (also stored as ``ingest.json``).

    Raises
    ------
    InputError
        Naming file, column, row count and remedy; nothing is written.
    Cancelled
        If `cancel` was set.
    """
    started = time.monotonic()
    monitor = Monitor(progress, cancel)
    with translate_errors(), storage.lock_for_writing(options.out):
        build = count_rows(options, monitor)
        monitor.start_stage(WRITING_STAGE)
        report = IngestReport(
            kind=options.kind,
            engine=options.engine,
            files=tuple(
                {
                    "name": source.name,
                    "columns": {name: to_printable(column) for name, column in names.items()},
                    "guessed": [name for name in names if name not in options.mapping],
                }
                for source, names in build.mappings.items()
            ),
            notes=tuple(build.notes),
            seconds=time.monotonic() - started,
            **build.counts,
        )
        monitor.check()
        dataset = _save_dataset(build, report)
    monitor.finish()
    return dataset, report


def count_rows(options: IngestOptions, monitor: Monitor) -> Build:
    """Run all of an ingest but the writing."""
    monitor.set_stages(_stages(options, by_points=False))
    monitor.start_stage(CHECKING_STAGE)
    _check_parts(options)
    if options.engine == "spark":
        reader = ValueParser(replace(options.reading, decimal=options.reading.decimal or "."))
        with spark_engine.open_spark(options, monitor) as (engine, mappings, views):
            return _count_input(Build(options, mappings, views, reader), engine, monitor)
    paths = sources.find_files(options.inputs)
    place_files = {p.resolve() for p in (options.locations, options.zones) if p is not None}
    paths = [path for path in paths if path not in place_files] or paths
    files = [sources.inspect_file(path, options.reading) for path in paths]
    for source in files:
        sources.check_end(source, monitor.check)
    mappings = column_mapping.resolve_all(options, files)
    reader = ValueParser(detection.complete_reading(mappings, options.reading))
    notes = list[str]()
    if len(files) > 1 and "repeated-files" not in options.keep:
        for source, earlier in tables.find_repeated_files(
            mappings, options, reader, monitor
        ).items():
            del mappings[source]
            note = SENTENCES["notes"]["repeated-file"]
            notes.append(note.format(file=source.name, other=earlier.name))
    with tables.open_tables(
        mappings,
        monitor,
        options.spill,
        time_zone=options.time_zone,
        rows=sum(source.row_count or source.size_bytes // _BYTES_PER_LINE for source in mappings),
        memory=options.memory,
    ) as (engine, views):
        build = Build(options, mappings, views, reader, notes=notes)
        return _count_input(build, engine, monitor)


def _count_input(build: Build, engine: Engine, monitor: Monitor) -> Build:
    options = build.options
    monitor.set_stages(_stages(options, by_points=build.has_coordinates))
    monitor.start_stage(PLACES_STAGE)
    is_mixed = column_mapping.has_mixed_people(build.mappings)
    reader = replace(build.reader, strip_person_zeros=is_mixed)
    build.reader = row_cleaning.detect_clocks(reader, engine, build.views)
    places = _read_places(build, engine, monitor)
    build.reader = replace(
        build.reader,
        strip_place_zeros=places.has_no_leading_zeros,
        id_length=places.id_length if options.id_prefix else None,
        lower_place_ids=places.are_cells,
    )
    for note in places.notes:
        if TOLD_BY in note:
            monitor.tell(note)
    build.run = counting.CountingRun(
        engine,
        monitor,
        places,
        options.first_day,
        options.last_day,
        keyed_hash.resolve_salt(options.out, options.salt),
        options.max_visits_cap,
        MultiscaleClips.from_mean_visits(options.mean_visits_public, options.max_visits_cap),
    )
    _register_places(build)
    _note_assumptions(build)
    monitor.start_stage(READING_STAGE)
    engine.create_view("raw", row_cleaning.values_sql(build.views, options, build.reader))
    {"trips": _count_trips, "rides": _count_rides, "visits": _count_visits, "flows": _count_flows}[
        options.kind
    ](build)
    return build


def _read_places(build: Build, engine: Engine, monitor: Monitor) -> Places:
    """Return places and zones; they are not public where they are read from the rows."""
    options = build.options
    size_m = options.hexagon_m
    row_ids = partial(row_cleaning.fetch_row_ids, engine, build.views, build.reader)
    build.places_public = options.places_public
    files = options.locations, options.zones
    if any((*files, options.area)):
        build_places = partial(hexagons.build_places, options, monitor.check)
        by_ids = any(files) and not (build.has_coordinates or options.id_prefix)
        places = row_cleaning.call_with_row_ids(row_ids, build_places) if by_ids else build_places()
    elif options.area_from_data and build.has_coordinates:
        points = engine.fetch_table(row_cleaning.distinct_points_sql(build.views, build.reader))
        places = hexagons.cover_with_hexagons(hexagons.bounding_area(points), size_m)
        build.places_public = False
        build.notes.append("the area was read from the data, so it reveals where people were")
    elif build.has_coordinates:
        raise build_error("no-places")
    else:
        ids = row_ids(True)
        kind = options.cells or cells.cell_kind(ids)
        if kind is None:
            raise build_error("no-zones")
        places = places_from_zones(cells.cells_to_zones(ids, kind))
        places = hexagons.coarsen_to_hexagons(places, size_m)
        build.places_public = False
        build.notes.append(
            f"zones are the {kind} cells named in the rows, so they were read from the data"
        )
    hexagons.check_zone_limits(places)
    _check_time_zone(build, places)
    return places


def _check_time_zone(build: Build, places: Places) -> None:
    """Raise `InputError` if places fit the time zone with degrees swapped alone; note if far."""
    options, points = build.options, shapely.get_coordinates(places.towers.geometry.to_numpy())
    lng, lat = np.median(points, axis=0).tolist()
    there, swapped = preview.find_time_zone(lng, lat), preview.find_time_zone(lat, lng)
    if "far-places" in options.keep or "/" not in options.time_zone or there is None:
        return
    noon = datetime(options.first_day.year, options.first_day.month, options.first_day.day, 12)
    here, stated, turned = (
        noon.replace(tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
        for zone in (there, options.time_zone, swapped or there)
    )
    fault = SENTENCES["notes"]["far"].format(lat=lat, lng=lng, there=there, zone=options.time_zone)
    if here != stated == turned and not str(swapped).startswith("Etc/"):
        raise build_error("far-places", fault=fault)
    if abs(here - stated) >= _FAR:
        build.notes.append(fault)


def _register_places(build: Build) -> None:
    engine, places = build.run.engine, build.run.places
    if not build.has_coordinates:
        engine.register_table("places", places.lookup_table())
        return
    build.run.monitor.start_stage(POINTS_STAGE)
    points = engine.fetch_table(row_cleaning.distinct_points_sql(build.views, build.reader))
    engine.register_table("points", locate_points(points, places, build.run.monitor.check))


def _note_assumptions(build: Build) -> None:
    """Note how people, trips and places are defined."""
    options, notes = build.options, build.notes
    notes += build.run.places.notes
    people = "bare-people" if build.reader.strip_person_zeros else "people"
    build.note("once" if options.once else people if options.has_people else "rides")
    if build.reader.reading.text_time_zone != options.reading.text_time_zone:
        notes.append("times without an offset are taken as UTC, because the column's name says so")
    if levels := zone_hierarchy.format_levels(build.run.places.zones):
        notes.append(f"coarser zones available: {levels}")
    if options.kind == "visits" and "trips" in options.parts:
        build.note("trips-by-id" if build.has_trip_ids else "trips-by-visits")
    if options.has_people and "density" in options.parts and options.density_week is None:
        notes.append("the period has no full week from Monday to Sunday, so no density was built")


def _check_people(build: Build, *tables: str) -> None:
    """Raise `InputError` if ids of a guessed column of people occur once in all of these tables."""
    if "uid" in build.options.mapping:  # a person has chosen it
        return
    people = single = 0
    for table in tables:
        ((people, single),) = build.run.engine.fetch_rows(
            "SELECT count(*), coalesce(sum(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0) FROM (SELECT "
            f"count(*) AS n FROM {table} WHERE uid IS NOT NULL GROUP BY uid) AS people"
        )
        if single < _SINGLE_SHARE * people:
            return
    if people >= _MIN_PEOPLE:
        _ask_people(build, f"{single:,} of its {people:,} values occur once, as ids of rows do")


def _check_busiest(build: Build) -> None:
    """Raise `InputError` if an id of a guessed column of people makes hundreds of trips a day."""
    if "uid" not in build.options.mapping:
        ((trips,),) = build.run.engine.fetch_rows(
            "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM every WHERE uid IS NOT "
            f"NULL GROUP BY uid, {day_sql('start', build.options.first_day)}) AS days"
        )
        if trips > _MAX_TRIPS_PER_DAY:
            _ask_people(build, f"one of them makes {trips:,} trips on a day, as a vehicle does")


def _ask_people(build: Build, sign: str) -> NoReturn:
    source, names = next(iter(build.mappings.items()))
    column = to_printable(names["uid"])
    raise build_error("people-guessed", file=source.name, column=column, sign=sign)


def _note_backwards(build: Build, account: RowAccount) -> None:
    sql = "SELECT coalesce(sum(copies), 0) FROM every WHERE finish < start"
    ((backwards,),) = build.run.engine.fetch_rows(sql)
    if backwards:
        build.note("backwards", trips=backwards, rows=account.rows_read)


def _check_clock(build: Build) -> None:
    """Leave out what needs hours where all times are midnight; `InputError` if nothing is left."""
    sql = f"SELECT 1 FROM raw WHERE flaw = 0 AND start % {row_cleaning.DAY_S} <> 0 LIMIT 1"
    if build.run.engine.fetch_rows(sql):
        return
    source, names = next(iter(build.mappings.items()))
    column = to_printable(names["datetime"])
    if build.options.kind == "visits" or "trips" not in build.options.parts:
        raise build_error("no-clock", file=source.name, column=column)
    build.options, build.has_clock = replace(build.options, parts=("trips",)), False
    build.note("no-clock", column=column)


def _count_commutes(build: Build, visits_sql: str) -> None:
    """Count each person once, from home to work; note how many lack one of them."""
    build.run.monitor.start_stage(DERIVING_STAGE)
    pairs = build.run.engine.fetch_table(row_cleaning.commutes_sql(build.options, visits_sql))
    has_home, has_work = (pc.is_valid(pairs[f"{end}_zone"]) for end in ("origin", "destination"))
    people, with_home, used = (
        int(pc.sum(rows["n"]).as_py() or 0)
        for rows in (pairs, pairs.filter(has_home), pairs.filter(has_work))
    )
    no_home, no_work, rule = people - with_home, with_home - used, build.options.home_work_rule
    build.note("commutes", people=people, used=used, no_home=no_home, no_work=no_work, rule=rule)
    _save_people_once(build, pairs.filter(has_work))


def _save_people_once(build: Build, pairs: pa.Table) -> None:
    """Keep people by two zones as counts of rank 1 on the day that stands for the period."""
    table = counting.build_trip_table(build.run, pairs)
    build.tables |= {"trips": table, "trips_person": table}


def _count_trips(build: Build) -> None:
    """Count a table of trips, and their visits."""
    engine = build.run.engine
    every = row_cleaning.trips_sql(build.options, build.has_coordinates)
    engine.materialise("every", every, large=True)
    account = build.check_account(build.account("every", Reason.DUPLICATE))
    _check_people(build, "every")
    _check_busiest(build)
    _check_clock(build)
    _note_backwards(build, account)
    options, visits = build.options, row_cleaning.visits_from_trips_sql()
    if options.includes_density:
        engine.materialise("records", row_cleaning.records_sql(options, visits), large=True)
        build.counts["visits"] = _count_density(build)
    if "commutes" in options.parts:
        _count_commutes(build, visits)
    if "trips" in options.parts:
        _count_moves(build, account.rows_used, measured=True)


def _count_rides(build: Build) -> None:
    """Count trips without a person: trip level only, every trip of rank 1."""
    engine, has_ids = build.run.engine, build.has_trip_ids
    every = row_cleaning.trips_sql(build.options, build.has_coordinates, tid=has_ids)
    engine.materialise("every", every, large=True)
    duplicate_reason = Reason.DUPLICATE if has_ids else None
    _note_backwards(build, build.check_account(build.account("every", duplicate_reason)))
    n = "count(*)" if has_ids else "sum(copies)"
    table = engine.fetch_table(
        f"SELECT {day_sql('start', build.options.first_day)} AS day, origin_zone, "
        f"destination_zone, 1 AS rank, {n}::BIGINT AS n FROM every WHERE reason = 0 GROUP BY ALL"
    )
    build.tables["trips"] = counting.build_trip_table(build.run, table)


def _count_visits(build: Build) -> None:
    """Count a table of visits, and the trips between them."""
    options, engine = build.options, build.run.engine
    placed = row_cleaning.visits_sql(build.has_coordinates)
    if options.includes_density:
        engine.materialise("records", row_cleaning.records_sql(options, placed), large=True)
        build.check_account(build.account("records", Reason.REPEATED))
        _check_people(build, "records", "raw")
        _check_clock(build)
        build.counts["rows"] = _count_density(build)
    else:
        engine.materialise("reasons", row_cleaning.visit_reasons_sql(options, placed))
        build.check_account(build.account("reasons"))
        _check_people(build, "raw")
        _check_clock(build)
    if "commutes" in options.parts:
        _count_commutes(build, placed)
    if "trips" in options.parts:
        build.run.monitor.start_stage(DERIVING_STAGE)
        by_ids, by_time = row_cleaning.trips_from_points_sql, row_cleaning.trips_from_visits_sql
        find_trips = by_ids if build.has_trip_ids else by_time
        engine.materialise("every", find_trips(options, placed), large=True)
        _check_busiest(build)
        between = build.account("every", Reason.DUPLICATE)
        build.counts["trips"] = between
        _count_moves(build, between.rows_used, measured=build.has_trip_ids)


def _count_flows(build: Build) -> None:
    """Add up flows, every trip (or person, once) of rank 1."""
    engine, once = build.run.engine, build.options.once
    _check_counts(build)
    engine.materialise("flows", row_cleaning.flows_sql(build.options))
    account = build.check_account(build.account("flows"))
    ((flows,),) = engine.fetch_rows("SELECT count(*) FROM flows WHERE reason = 0")
    if account.rows_used > flows:
        build.note("repeated-flows", rows=account.rows_used, flows=flows)
    if not once and not any("date" in table.column_types for table in build.views):
        build.notes.append(
            f"no column gives the day: all flows are dated {build.options.first_day}"
        )
    used, fractions = round_flows(
        engine.fetch_table(
            "SELECT day, origin_zone, destination_zone, 1 AS rank, n FROM flows "
            "WHERE reason = 0 AND n > 0"
        )
    )
    if once:
        if fractions:
            raise build_error("once-fractions", flows=fractions)
        ends = ["origin_zone", "destination_zone"]
        sums = used.group_by(ends).aggregate([("n", "sum")]).rename_columns([*ends, "n"])
        for name, value in (("day", 0), ("rank", 1)):
            sums = sums.append_column(name, pa.repeat(value, len(sums)))
        _save_people_once(build, sums)
        return
    if fractions:
        build.note("fractions", flows=fractions)
    build.tables["trips"] = counting.build_trip_table(build.run, used)


def _check_counts(build: Build) -> None:
    """Raise `InputError` for counts whose marks may all be of thousands: no safe guess exists."""
    if build.options.reading.decimal or build.options.reading.thousands:
        return
    marked = "regexp_matches(flow, '[.,]')"
    clear = f"{marked} AND NOT regexp_full_match(trim(flow), '{_THOUSANDS}')"
    source, names = next(iter(build.mappings.items()))
    for table in build.views:
        if table.column_types["flow"] == "VARCHAR":
            sql = f"SELECT bool_or({marked}), bool_or({clear}) FROM {table.view}"
            if build.run.engine.fetch_rows(sql) == [(True, False)]:
                column = to_printable(names["flow"])
                raise build_error("ambiguous-numbers", file=source.name, column=column)


def _count_density(build: Build) -> RowAccount:
    """Count ``records`` and return the account of the visits."""
    account = build.account("records", Reason.REPEATED)
    if account.rows_used == 0:
        week = build.options.density_week
        raise build_error("empty-week", visits=account.rows_read, week=week)
    density = counting.count_visits(build.run, account.rows_used)
    build.tables |= density.tables
    build.counts["people_with_visits"] = density.people
    return account.with_truncated(density.dropped_visits)


def _count_moves(build: Build, used: int, *, measured: bool) -> None:
    """Count the `used` trips of ``every``; `measured` where their times are known."""
    moves = counting.count_trips(build.run, used, measured=measured)
    build.tables |= moves.tables
    if not build.has_clock:  # it would tell that all trips start at midnight
        build.tables.pop("report")
    build.counts["people_with_trips"] = moves.people


def round_flows(flows: pa.Table) -> tuple[pa.Table, int]:
    """Return flows in millionths rounded to whole trips, once, and the number of fractions."""
    keys_ = ("day", "origin_zone", "destination_zone")
    ordered = flows.sort_by([(name, "ascending") for name in keys_])
    n = ordered["n"].to_numpy().astype(np.int64)
    day = ordered["day"].to_numpy()
    sums = np.concatenate([[0], np.cumsum(n)])
    first = np.searchsorted(day, day)  # start of each row's day
    ends, starts = sums[1:] - sums[first], sums[:-1] - sums[first]
    half = MILLION // 2
    rounded = (ends + half) // MILLION - (starts + half) // MILLION
    column = ordered.schema.get_field_index("n")
    table = ordered.set_column(column, "n", pa.array(rounded))
    return table.filter(pa.array(rounded > 0)), int(np.count_nonzero(n % MILLION))


def _stages(options: IngestOptions, *, by_points: bool) -> list[BuildStage]:
    moves = "trips" in options.parts and options.has_people
    derived = "commutes" in options.parts or (moves and options.kind == "visits")
    return [
        CHECKING_STAGE,
        PLACES_STAGE,
        *([POINTS_STAGE] if by_points else []),
        READING_STAGE,
        *(counting.VISIT_STAGES if options.includes_density else ()),
        *([DERIVING_STAGE] if derived else []),
        *(counting.TRIP_STAGES if moves else ()),
        WRITING_STAGE,
    ]


def _check_parts(options: IngestOptions) -> None:
    """Raise `InputError` for a density that the input does not allow."""
    if {"trips", "commutes"} & {*options.parts}:
        return
    if not options.has_people:
        raise build_error("no-people-in-kind", kind=options.kind)
    if options.density_week is None:
        raise build_error("no-full-week")


def _save_dataset(build: Build, report: IngestReport) -> Dataset:
    options, places = build.options, build.run.places
    density, first = "presampled" in build.tables, next(iter(build.mappings))
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
        salt_id=keyed_hash.salt_id(build.run.salt),
        made_by=f"engine.ingest {options.kind}",
        trips_have_people=options.has_people or options.once,
        people_once=options.once or "commutes" in options.parts,
        home_work_rule=options.home_work_rule,
        same_people_as=options.same_people_as,
        period_from_data=options.period_from_data,
        places_public=build.places_public,
        mean_visits_public=options.mean_visits_public if density else None,
        person_column=to_printable(build.mappings[first]["uid"]) if options.has_people else None,
        unknown_flows=report.rows.rows_unused.get(Reason.UNKNOWN),
    )
    return datasets.save(
        options.out,
        metadata,
        zones=places.zones,
        towers=places.towers if density else None,
        tables=build.tables,
        texts={REPORT_FILE: text, keyed_hash.SALT_FILE: build.run.salt + "\n"},
    )
