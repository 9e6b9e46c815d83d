# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportAttributeAccessIssue=false
"""From raw files to a dataset: the whole of an ingest."""

import json
import threading
import time
from pathlib import Path

from engine import datasets
from engine.datasets import Dataset, Metadata, storage
from engine.ingest import checks, faults, keys, rows, sources, stages
from engine.ingest.engines import open_engine
from engine.ingest.options import IngestOptions
from engine.ingest.places import read_places
from engine.ingest.progress import Monitor, ProgressCallback
from engine.ingest.report import IngestReport
from engine.ingest.rows import Calendar
from engine.ingest.sources import shown
from engine.ingest.stages import Job

REPORT_FILE = "ingest.json"
_RUN = {
    "trips": stages.from_trips,
    "visits": stages.from_visits,
    "flows": stages.from_flows,
}


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
        job = count(options, monitor)
        monitor.start("writing the dataset")
        report = _report(job, time.monotonic() - started)
        monitor.check()
        dataset = _save(job, report)
    monitor.finish()
    return dataset, report


def _inputs(options: IngestOptions) -> list[Path]:
    """Return the input files; a folder of them may hold the locations and zones too."""
    places = {path.resolve() for path in (options.locations, options.zones) if path is not None}
    found = sources.find(options.inputs)
    return [path for path in found if path not in places] or found


def count(options: IngestOptions, monitor: Monitor) -> Job:
    """Do everything but write: return the job with its tables and facts."""
    monitor.plan(stages.plan(options, by_points=False))
    monitor.start("checking the files")
    checks.parts(options)
    found = [sources.inspect(path, options.encoding) for path in _inputs(options)]
    mappings = checks.mappings(options, found)
    by_points = any("lat" in names for names in mappings.values())
    monitor.plan(stages.plan(options, by_points=by_points))
    monitor.expect(found)
    monitor.start("reading locations and zones")
    places = read_places(options)
    salt = keys.salt_of(options.out, options.salt)
    engine = open_engine(options, found, monitor)
    try:
        job = Job(options, monitor, engine, places, Calendar.of(options), salt, mappings)
        _RUN[options.kind](job, rows.read_all(engine, mappings))
    finally:
        engine.close()
    return job


def _report(job: Job, seconds: float) -> IngestReport:
    notes = list(job.places.notes)
    if "density" in job.options.parts and job.calendar.week is None:
        notes.append("the period has no full week from Monday to Sunday: no density was built")
    return IngestReport(
        kind=job.options.kind,
        engine=job.options.engine,
        files=tuple(
            {
                "name": s.name,
                "bytes": s.size_bytes,
                "format": s.format,
                "encoding": s.encoding,
                "columns": {name: shown(column) for name, column in names.items()},
                "guessed": [name for name in names if name not in job.options.mapping],
            }
            for s, names in job.mappings.items()
        ),
        notes=tuple(notes),
        seconds=seconds,
        **job.facts,
    )


def _save(job: Job, report: IngestReport) -> Dataset:
    options = job.options
    density = "presampled" in job.tables
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
        salt_id=keys.salt_id(job.salt),
        made_by=f"engine.ingest {options.kind}",
        trips_have_people=options.kind != "flows",
    )
    dataset = datasets.save(
        options.out,
        metadata,
        zones=job.places.zones,
        towers=job.places.towers if density else None,
        tables=job.tables,
    )
    keys.keep_salt(options.out, job.salt)
    text = json.dumps(report.to_json(), indent=2, ensure_ascii=False) + "\n"
    storage.write_text_atomically(dataset.folder / REPORT_FILE, text)
    return dataset
