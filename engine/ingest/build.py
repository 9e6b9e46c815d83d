# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportAttributeAccessIssue=false
"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from engine import datasets
from engine.datasets import Dataset, Metadata, storage
from engine.ingest.backends import faults
from engine.ingest.backends.choice import open_engine
from engine.ingest.calendar import Calendar
from engine.ingest.counting import checks, keys, rows, stages
from engine.ingest.counting.run import Counted, Run
from engine.ingest.inputs import columns, sources
from engine.ingest.inputs.mapping import Mappings
from engine.ingest.inputs.places import Places, read_places
from engine.ingest.inputs.sources import shown
from engine.ingest.options import IngestOptions
from engine.ingest.progress import Monitor, ProgressCallback
from engine.ingest.report import Account, IngestReport

REPORT_FILE = "ingest.json"
_COUNT = {
    "trips": stages.from_trips,
    "visits": stages.from_visits,
    "flows": stages.from_flows,
}


@dataclass(frozen=True)
class Result:
    """Everything that is known before a dataset is written."""

    counted: Counted
    places: Places
    mappings: Mappings
    salt: str


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
    with faults.of_files():
        result = count(options, monitor)
        monitor.start(stages.WRITING)
        report = _report(options, result, time.monotonic() - started)
        monitor.check()
        dataset = _save(options, result, report)
    monitor.finish()
    return dataset, report


def _inputs(options: IngestOptions) -> list[Path]:
    """Return the input files; a folder of them may hold the locations and zones too."""
    places = {path.resolve() for path in (options.locations, options.zones) if path is not None}
    found = sources.find(options.inputs)
    return [path for path in found if path not in places] or found


def count(options: IngestOptions, monitor: Monitor) -> Result:
    """Do everything but write."""
    monitor.plan(stages.plan(options, by_points=False))
    monitor.start(stages.CHECKING)
    checks.parts(options)
    found = [sources.inspect(path, options.encoding) for path in _inputs(options)]
    mappings = columns.mappings(options, found)
    by_points = any("lat" in names for names in mappings.values())
    monitor.plan(stages.plan(options, by_points=by_points))
    known = [source.rows for source in found if source.rows is not None]
    rows_total = sum(known) if len(known) == len(found) else None
    monitor.expect(sum(source.size_bytes for source in found), rows_total)
    monitor.start(stages.PLACES)
    places = read_places(options)
    salt = keys.salt_of(options.out, options.salt)
    calendar = Calendar.of(options)

    def accept(account: Account) -> None:
        checks.unparsable(options, mappings, account, calendar, monitor)
        checks.anything_used(account, options)

    engine = open_engine(options, found, monitor)
    try:
        run = Run(options, monitor, engine, places, calendar, salt)
        counted = _COUNT[options.kind](run, rows.read_all(engine, mappings), accept)
    finally:
        engine.close()
    return Result(counted, places, mappings, salt)


def _report(options: IngestOptions, result: Result, seconds: float) -> IngestReport:
    counted = result.counted
    notes = list(result.places.notes)
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


def _save(options: IngestOptions, result: Result, report: IngestReport) -> Dataset:
    places, tables = result.places, result.counted.tables
    density = "presampled" in tables
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
        made_by=f"engine.ingest {options.kind}",
        trips_have_people=options.kind != "flows",
    )
    dataset = datasets.save(
        options.out,
        metadata,
        zones=places.zones,
        towers=places.towers if density else None,
        tables=tables,
    )
    keys.keep_salt(options.out, result.salt)
    text = json.dumps(report.to_json(), indent=2, ensure_ascii=False) + "\n"
    storage.write_text_atomically(dataset.folder / REPORT_FILE, text)
    return dataset
