"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from .. import datasets
from ..datasets import Dataset, Metadata, storage
from ..datasets.multiscale_tables import MultiscaleClips
from ..errors import InputError
from . import counting, keyed_hash, row_cleaning, spark_engine, tables
from .counting import Engine
from .inputs import cells, column_mapping, detection, hexagons, sources, zone_hierarchy
from .inputs.column_mapping import Mappings
from .inputs.places import Places, locate_points, places_from_zones
from .inputs.sources import Source, to_printable
from .options import IngestOptions
from .progress import BuildStage, Monitor, ProgressCallback
from .read_errors import translate_errors
from .row_cleaning import MILLION, CanonicalTable, ValueParser
from .row_report import IngestReport, Reason, RowAccount, account_for_rows

REPORT_FILE = "ingest.json"
CHECKING_STAGE = BuildStage("checking the files", 1)
PLACES_STAGE = BuildStage("reading locations and zones", 2)
POINTS_STAGE = BuildStage("placing coordinates", 30)
READING_STAGE = BuildStage("reading rows", 40)
DERIVING_STAGE = BuildStage("finding trips", 30)
WRITING_STAGE = BuildStage("writing the dataset", 3)
_BYTES_PER_LINE = 40
_THOUSANDS = "[1-9][0-9]{0,2}[.,][0-9]{3}"
_TRIPS_BY_ID = "trips lead from the first to the last point of each trip that the rows name (tid)"
_TRIPS_BY_VISITS = (
    "the rows name no trips (tid): a trip is a visit and the person's next one in another zone on "
    "the same day"
)
_BARE_PEOPLE = (
    "people: some files hold their ids as numbers, so 7, 7.0 and 07 are one person in all files"
)
_PEOPLE = "people: 7 and 7.0 are one person; 07 is another one, as its text says"
_ROWS_ARE_TRIPS = (
    "no column tells people apart: each row is one trip, and trips alone are protected"
)


@dataclass
class Build:
    """State of one ingest: its inputs, and its results before a dataset is written."""

    options: IngestOptions
    mappings: Mappings
    views: Sequence[CanonicalTable]
    reader: ValueParser
    places_public: bool | None = None
    run: counting.CountingRun = field(init=False)
    tables: dict[str, pa.Table] = field(default_factory=dict[str, pa.Table])
    counts: dict[str, Any] = field(default_factory=dict[str, Any])
    notes: list[str] = field(default_factory=list[str])

    def check_account(self, account: RowAccount) -> RowAccount:
        """Add an account of rows; raise `InputError` for unreadable rows and useless input."""
        self.counts["rows"] = account
        tables.raise_for_faults(self.options, self.mappings, account, self.reader)
        tables.raise_for_useless(self.options, self.mappings, account)
        return account

    def account(self, table: str, duplicate_reason: Reason | None = None) -> RowAccount:
        """Return the account of a table's rows; repeated ones may have a `duplicate_reason`."""
        sql = f"SELECT reason, sum(copies), count(*) FROM {table} GROUP BY reason"
        counts = self.run.engine.fetch_rows(sql)
        return account_for_rows(
            [(Reason(int(r)), int(rows), int(n)) for r, rows, n in counts], duplicate_reason
        )

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
            files=tuple(_describe_file(s, names, options) for s, names in build.mappings.items()),
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
    mappings = column_mapping.resolve_all(options, files)
    reader = ValueParser(detection.complete_reading(mappings, options.reading))
    with tables.open_tables(
        mappings,
        monitor,
        options.spill,
        time_zone=options.time_zone,
        rows=sum(source.row_count or source.size_bytes // _BYTES_PER_LINE for source in files),
        memory=options.memory,
    ) as (engine, views):
        return _count_input(Build(options, mappings, views, reader), engine, monitor)


def _count_input(build: Build, engine: Engine, monitor: Monitor) -> Build:
    options = build.options
    monitor.set_stages(_stages(options, by_points=build.has_coordinates))
    monitor.start_stage(PLACES_STAGE)
    build.reader = replace(
        build.reader, strip_person_zeros=column_mapping.has_mixed_types(build.mappings, ("uid",))
    )
    places = _read_places(build, engine, monitor)
    build.reader = replace(
        build.reader,
        strip_place_zeros=places.has_no_leading_zeros,
        id_length=places.id_length if options.id_prefix else None,
    )
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
    build.places_public = options.places_public
    if options.locations or options.zones or options.area:
        places = hexagons.build_places(options, monitor.check)
    elif options.area_from_data and build.has_coordinates:
        area = hexagons.bounding_area(
            engine.fetch_table(row_cleaning.distinct_points_sql(build.views, build.reader))
        )
        places = hexagons.cover_with_hexagons(area, size_m)
        build.places_public = False
        build.notes.append("the area was read from the data: it tells where people were")
    elif build.has_coordinates:
        raise InputError(
            "the rows hold coordinates, and no places, zones or area are given",
            remedy="name a file of zones or places, or an area (or read it from the data)",
            settings=("zones", "locations", "area"),
        )
    else:
        ids = engine.fetch_table(row_cleaning.distinct_ids_sql(build.views, build.reader))[
            "id"
        ].to_pylist()
        kind = options.cells or cells.cell_kind(ids)
        if kind is None:
            raise InputError(
                "locations or zones must be given, got neither",
                remedy="name the table of stations or towers, or a file of zones; ids that are H3, "
                "quadkey or geohash cells need none",
                settings=("locations", "zones", "cells"),
            )
        places = hexagons.coarsen_to_hexagons(
            places_from_zones(cells.cells_to_zones(ids, kind)), size_m
        )
        build.places_public = False
        build.notes.append(f"zones are the {kind} cells that the rows name, read from the data")
    hexagons.check_zone_limits(places)
    return places


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
    people = _BARE_PEOPLE if build.reader.strip_person_zeros else _PEOPLE
    notes.append(people if options.has_people else _ROWS_ARE_TRIPS)
    if build.reader.reading.text_time_zone != options.reading.text_time_zone:
        notes.append("times without an offset are taken as UTC, as their column is named")
    if levels := zone_hierarchy.format_levels(build.run.places.zones):
        notes.append(f"coarser zones kept, to look at the dataset by: {levels}")
    if options.kind == "visits" and "trips" in options.parts:
        notes.append(_TRIPS_BY_ID if build.has_trip_ids else _TRIPS_BY_VISITS)
    if options.has_people and "density" in options.parts and options.density_week is None:
        notes.append("the period has no full week from Monday to Sunday: no density was built")


def _count_trips(build: Build) -> None:
    """Count a table of trips, and their visits."""
    options, engine = build.options, build.run.engine
    engine.materialise("every", row_cleaning.trips_sql(options, build.has_coordinates), large=True)
    account = build.check_account(build.account("every", Reason.DUPLICATE))
    if options.includes_density:
        engine.materialise(
            "records",
            row_cleaning.records_sql(options, row_cleaning.visits_from_trips_sql()),
            large=True,
        )
        build.counts["visits"] = _count_density(build)
    if "trips" in options.parts:
        _count_moves(build, account.rows_used, measured=True)


def _count_rides(build: Build) -> None:
    """Count trips without a person: trip level only, every trip of rank 1."""
    engine, has_ids = build.run.engine, build.has_trip_ids
    engine.materialise(
        "every",
        row_cleaning.trips_sql(build.options, build.has_coordinates, tid=has_ids),
        large=True,
    )
    duplicate_reason = Reason.DUPLICATE if has_ids else None
    build.check_account(build.account("every", duplicate_reason))
    n = "count(*)" if has_ids else "sum(copies)"
    table = engine.fetch_table(
        f"SELECT {row_cleaning.day_sql('start', build.options.first_day)} AS day, origin_zone, "
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
        build.counts["rows"] = _count_density(build)
    else:
        engine.materialise("reasons", row_cleaning.visit_reasons_sql(options, placed))
        build.check_account(build.account("reasons"))
    if "trips" in options.parts:
        build.run.monitor.start_stage(DERIVING_STAGE)
        sql = (
            row_cleaning.trips_from_points_sql
            if build.has_trip_ids
            else row_cleaning.trips_from_visits_sql
        )(options, placed)
        engine.materialise("every", sql, large=True)
        between = build.account("every", Reason.DUPLICATE)
        build.counts["trips"] = between
        _count_moves(build, between.rows_used, measured=build.has_trip_ids)


def _count_flows(build: Build) -> None:
    """Add up flows: trip level only, every trip of rank 1."""
    engine = build.run.engine
    _check_counts(build)
    engine.materialise("flows", row_cleaning.flows_sql(build.options))
    account = build.check_account(build.account("flows"))
    ((flows,),) = engine.fetch_rows("SELECT count(*) FROM flows WHERE reason = 0")
    if account.rows_used > flows:
        build.notes.append(
            f"{account.rows_used:,} rows are of {flows:,} flows: those of one day, origin and "
            "destination add up, so a table that holds totals beside their parts counts twice"
        )
    if not any("date" in table.column_types for table in build.views):
        build.notes.append(f"no column tells days: all flows are on {build.options.first_day}")
    used, fractions = round_flows(
        engine.fetch_table(
            "SELECT day, origin_zone, destination_zone, 1 AS rank, n FROM flows "
            "WHERE reason = 0 AND n > 0"
        )
    )
    if fractions:
        build.notes.append(
            f"{fractions:,} flows were fractions of trips (expanded counts): rounded once, by "
            "their running sum in the order of origins and destinations, so that each day's total "
            "is kept to half a trip and every flow to less than one; a release at trip level hides "
            "one whole trip of this table, not what one expanded trip adds to it"
        )
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
                raise InputError(
                    f"{source.name}: column '{to_printable(names['flow'])}' holds numbers such as "
                    "1,234 "
                    "or 1.234, which can be a thousand or one and a fraction, and no row shows "
                    "which",
                    remedy="say which mark is the decimal one, or the one between thousands",
                    code="ambiguous-numbers",
                    settings=("decimal", "thousands"),
                )


def _count_density(build: Build) -> RowAccount:
    """Count ``records`` and return the account of the visits."""
    account = build.account("records", Reason.REPEATED)
    if account.rows_used == 0:
        raise InputError(
            f"none of {account.rows_read:,} visits falls in the week of "
            f"{build.options.density_week} at a known place",
            remedy="name another week, or build the trips alone",
            settings=("week", "parts"),
        )
    density = counting.count_visits(build.run, account.rows_used)
    build.tables |= density.tables
    build.counts["people_with_visits"] = density.people
    return account.with_truncated(density.dropped_visits)


def _count_moves(build: Build, used: int, *, measured: bool) -> None:
    """Count the `used` trips of ``every``; `measured` where their times are known."""
    moves = counting.count_trips(build.run, used, measured=measured)
    build.tables |= moves.tables
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
    return [
        CHECKING_STAGE,
        PLACES_STAGE,
        *([POINTS_STAGE] if by_points else []),
        READING_STAGE,
        *(counting.VISIT_STAGES if options.includes_density else ()),
        *([DERIVING_STAGE] if moves and options.kind == "visits" else []),
        *(counting.TRIP_STAGES if moves else ()),
        WRITING_STAGE,
    ]


def _check_parts(options: IngestOptions) -> None:
    """Raise `InputError` for a density that the input does not allow."""
    if "trips" in options.parts:
        return
    if not options.has_people:
        raise InputError(
            f"{options.kind} give no density", remedy="build the trips", settings=("parts",)
        )
    if options.density_week is None:
        raise InputError(
            "the period has no full week from Monday to Sunday, so there is no density to build",
            remedy="make the period longer, or build trips",
            settings=("first_day", "last_day", "parts"),
        )


def _describe_file(
    source: Source, names: Mapping[str, str], options: IngestOptions
) -> dict[str, object]:
    return {
        "name": source.name,
        "columns": {name: to_printable(column) for name, column in names.items()},
        "guessed": [name for name in names if name not in options.mapping],
    }


def _save_dataset(build: Build, report: IngestReport) -> Dataset:
    options, places = build.options, build.run.places
    density = "presampled" in build.tables
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
        trips_have_people=options.has_people,
        period_from_data=options.period_from_data,
        places_public=build.places_public,
        mean_visits_public=options.mean_visits_public if density else None,
    )
    return datasets.save(
        options.out,
        metadata,
        zones=places.zones,
        towers=places.towers if density else None,
        tables=build.tables,
        texts={REPORT_FILE: text, keyed_hash.SALT_FILE: build.run.salt + "\n"},
    )
