"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import datasets
from ..datasets import Dataset, Metadata, storage
from .backends import lake, session, statements
from .backends.embedded import DuckDBEngine
from .backends.spark import SparkEngine
from .calendar import Calendar
from .counting import checks, keys, rows, stages
from .counting.reader import Reader
from .counting.run import Counted, Run
from .expressions import Table
from .inputs import coarse, guess, mapping, parents, sources
from .inputs.mapping import Mappings
from .inputs.places import Places, read_places
from .inputs.sources import shown
from .options import IngestOptions
from .progress import Monitor, ProgressCallback
from .report import Account, IngestReport

REPORT_FILE = "ingest.json"
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
_COUNT = {"trips": stages.from_trips, "visits": stages.from_visits, "flows": stages.from_flows}


@dataclass(frozen=True)
class Result:
    """Everything that is known before a dataset is written."""

    counted: Counted
    places: Places
    mappings: Mappings
    salt: str
    id_note: str


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
    with statements.of_files(), storage.only_writer(options.out):
        result = count(options, monitor)
        monitor.start(stages.WRITING)
        report = report_of(options, result, time.monotonic() - started)
        monitor.check()
        dataset = _save(options, result, report)
    monitor.finish()
    return dataset, report


def _inputs(options: IngestOptions) -> list[Path]:
    """Return the input files; a folder of them may hold the locations and zones too."""
    places = {path.resolve() for path in (options.locations, options.zones) if path is not None}
    names = [name for name in options.inputs if not lake.is_remote(name)]
    paths = sources.find(names)
    return [path for path in paths if path not in places] or paths


def count(options: IngestOptions, monitor: Monitor, places: Places | None = None) -> Result:
    """Do everything but write; the places are read unless they are given."""
    with opened(options, monitor, places) as (run, raw, accept, mappings):
        counted = _COUNT[options.kind](run, raw, accept)
    return Result(counted, run.places, mappings, run.salt, _id_note(run.reader))


@contextmanager
def opened(
    options: IngestOptions, monitor: Monitor, places: Places | None = None
) -> Generator[tuple[Run, list[Table], checks.Accept, Mappings]]:
    """Open raw tables in an engine: the run, its tables, what judges them, and their columns."""
    with session.opened(options) as spark:
        yield from _opened(options, monitor, places, spark)


def _opened(
    options: IngestOptions, monitor: Monitor, places: Places | None, spark: Any
) -> Generator[tuple[Run, list[Table], checks.Accept, Mappings]]:
    monitor.plan(stages.plan(options, by_points=False))
    monitor.start(stages.CHECKING)
    checks.parts(options)
    files = [
        sources.inspect(path, options.encoding, options.reading.delimiter)
        for path in _inputs(options)
    ] + lake.inspect(options, spark)
    mappings = mapping.of_files(options, files)
    by_points = any(lat in names for names in mappings.values() for lat, _lng in mapping.POINTS)
    monitor.plan(stages.plan(options, by_points=by_points))
    known = [source.rows for source in files if source.rows is not None]
    rows_total = sum(known) if len(known) == len(files) else None
    monitor.expect(sum(source.size_bytes for source in files), rows_total)
    monitor.start(stages.PLACES)
    places = places or _places(options)
    salt = keys.salt_of(options.out, options.salt)
    reader = Reader(
        Calendar.of(options),
        guess.complete(mappings, options.reading),
        bare_people=mapping.bare(mappings, ("uid",)),
        bare_places=places.bare,
    )

    def accept(account: Account) -> None:
        checks.unparsable(options, mappings, account, reader, monitor)
        checks.anything_used(account, options, mappings, places)

    engine = (
        DuckDBEngine(options, files, monitor)
        if spark is None
        else SparkEngine(options, files, monitor, spark)
    )
    try:
        run = Run(options, monitor, engine, places, reader, salt)
        yield run, rows.read_all(engine, mappings), accept, mappings
    finally:
        engine.close()


def _places(options: IngestOptions) -> Places:
    """Return places and the zones that are built from them."""
    if options.locations is None and options.zones is None:
        places = coarse.grid_places(options.coarseness)
    else:
        places = coarse.coarsen(read_places(options), options.coarseness)
    coarse.check_size(places)
    return places


def report_of(options: IngestOptions, result: Result, seconds: float) -> IngestReport:
    """Return what became of every row."""
    counted = result.counted
    notes = [*result.places.notes, result.id_note]
    if levels := parents.kept_levels(result.places.zones):
        levels_text = ", ".join(f"{name} ({zones:,})" for name, zones in levels.items())
        notes.append(f"coarser zones kept, to look at the dataset by: {levels_text}")
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
    if options.kind == "flows" and not any("flow" in names for names in result.mappings.values()):
        notes.append(_ROWS_ARE_TRIPS)
    if counted.backwards:
        notes.append(
            f"{counted.backwards:,} trips end before they start: they count, by the time and place "
            "of both ends as they are"
        )
    if "density" in options.parts and options.density_week is None:
        notes.append("the period has no full week from Monday to Sunday: no density was built")
    return IngestReport(
        kind=options.kind,
        engine=options.engine,
        files=tuple(
            {
                "name": s.name,
                "bytes": s.size_bytes,
                "format": s.format,
                "encoding": s.encoding,
                "columns": {name: shown(column) for name, column in names.items()},
                "guessed": [name for name in names if name not in options.mapping],
            }
            for s, names in result.mappings.items()
        ),
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


def _id_note(reader: Reader) -> str:
    if reader.bare_people:
        return (
            "people: some files hold their ids as numbers, so 7, 7.0 and 07 are one person in all "
            "files"
        )
    return "people: 7 and 7.0 are one person; 07 is another one, as its text says"


def _save(options: IngestOptions, result: Result, report: IngestReport) -> Dataset:
    places, tables = result.places, result.counted.tables
    density = "presampled" in tables
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
        trips_have_people=options.kind != "flows",
        period_from_data=options.period_from_data,
        places_public=options.places_public,
    )
    return datasets.save(
        options.out,
        metadata,
        zones=places.zones,
        towers=places.towers if density else None,
        tables=tables,
        texts={REPORT_FILE: text, keys.SALT_FILE: result.salt + "\n"},
    )
