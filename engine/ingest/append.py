"""Days added to a dataset: counted by themselves, under the dataset's own rules and salt.

A trip's rank within the person-day depends on that day alone: a dataset that grew by days, in any
order, is the dataset of one ingest, byte for byte. What counts a person over the whole period
cannot grow: it is refused, or left out where that is asked for. The density's week stays.
"""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from ..datasets import Dataset, Metadata, growth, load, storage
from ..errors import DatasetError, InputError
from . import build
from .backends import statements
from .counting import keys, stages
from .inputs.places import Places, from_zones, read_places, zone_of
from .options import IngestOptions, Kind
from .progress import Monitor, ProgressCallback
from .report import IngestReport

OF_A_PERSON = ("trips_person", "report")
"""Tables that count a person over the whole period."""
_MADE_BY = "engine.ingest "
_NO_TRIPS = pa.schema(
    {
        "date": pa.date32(),
        "origin": pa.string(),
        "destination": pa.string(),
        "rank": pa.int16(),
        "n": pa.int64(),
    }
).empty_table()


def options_for(
    folder: Path, inputs: tuple[str, ...], first_day: date, last_day: date, **how: Any
) -> IngestOptions:
    """Return the options of days to be added to the dataset in `folder`: its own, but for `how`.

    Columns are read as those of its first rows were, unless a `mapping` is given.

    Raises
    ------
    DatasetError
        If it is no dataset, or was not made by an ingest that counts trips.
    """
    dataset = load(folder)
    about = dataset.metadata
    kind: Any = about.made_by.removeprefix(_MADE_BY)
    if not (grows(about) and dataset.has_trips):
        raise DatasetError(
            "days can be added to trips that were ingested",
            value=f"'{dataset.id}', made by {about.made_by or 'unknown'}",
            remedy="ingest all its days at once",
            code="append",
        )
    how.setdefault("mapping", _mapping(dataset))
    return IngestOptions(
        kind=kind,
        inputs=inputs,
        out=folder.resolve(),
        time_zone=about.time_zone,
        first_day=first_day,
        last_day=last_day,
        zones=dataset.folder / "zones.parquet",
        parts=("trips",),
        by_person=False,
        **how,
    )


def grows(about: Metadata) -> bool:
    """Whether a dataset was ingested so that a day's trips depend on its rows alone."""
    return about.made_by in [f"{_MADE_BY}{kind}" for kind in get_args(Kind)]


def append(
    options: IngestOptions,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
    *,
    leave: bool = False,
) -> tuple[Dataset, IngestReport]:
    """Count raw tables of further days and add them to the dataset ``options.out``.

    Parameters
    ----------
    options : IngestOptions
        From `options_for`.
    progress, cancel
        As in `ingest`.
    leave : bool
        Whether the new version may be without the tables of `OF_A_PERSON`.

    Returns
    -------
    Dataset, IngestReport
        The new version, and what became of every row (kept as ``ingest-`` and the first day).

    Raises
    ------
    InputError
        As `ingest`; nothing is written.
    DatasetError
        If the days overlap those that are there or leave a gap, the salt is another one, or
        tables count a person over the whole period. The dataset stays as it was.
    Cancelled
        If `cancel` was set.
    """
    started = time.monotonic()
    monitor = Monitor(progress, cancel)
    with statements.of_files(), storage.only_writer(options.out):
        dataset = load(options.out)
        require_next(dataset, options)
        _require_by_day(dataset, leave=leave)
        _require_salt(dataset)
        result = build.count(options, monitor, _places(dataset, options))
        monitor.start(stages.WRITING)
        report = build.report_of(options, result, time.monotonic() - started)
        monitor.check()
        tables: Mapping[str, pa.Table] = result.counted.tables
        grown = growth.grown(
            dataset,
            replace(
                dataset.metadata,
                first_day=min(dataset.metadata.first_day, options.first_day),
                last_day=max(dataset.metadata.last_day, options.last_day),
                period_from_data=options.period_from_data or dataset.metadata.period_from_data,
            ),
            added=tables.get("trips", _NO_TRIPS),
            days=_days(options),
            leave=OF_A_PERSON if leave else (),
            texts={
                f"ingest-{options.first_day.isoformat()}.json": json.dumps(
                    report.to_json(), indent=2, ensure_ascii=False
                )
                + "\n"
            },
        )
    monitor.finish()
    return grown, report


def require_next(dataset: Dataset, options: IngestOptions) -> None:
    """Raise `DatasetError` unless the days come right before or right after those of a dataset."""
    about, one = dataset.metadata, timedelta(days=1)
    there = f"{about.first_day.isoformat()} to {about.last_day.isoformat()}"
    asked = f"{options.first_day.isoformat()} to {options.last_day.isoformat()}"
    if options.first_day <= about.last_day and options.last_day >= about.first_day:
        raise DatasetError(
            f"days to be added must not be there yet: '{dataset.id}' holds {there}",
            value=asked,
            remedy="a day is counted once: name the days after the last one or before the first",
            code="overlap",
            settings=("first_day", "last_day"),
        )
    if options.first_day != about.last_day + one and options.last_day != about.first_day - one:
        raise DatasetError(
            f"days to be added must leave no gap: '{dataset.id}' holds {there}",
            value=asked,
            remedy="add the days between first; days without a row may be part of the period",
            code="gap",
            settings=("first_day", "last_day"),
        )


def _require_by_day(dataset: Dataset, *, leave: bool) -> None:
    there = [name for name in OF_A_PERSON if storage.has_table(dataset.folder, name)]
    if there and not leave:
        raise DatasetError(
            f"'{dataset.id}' counts each person over its whole period ({', '.join(there)}), which "
            "further days would change",
            remedy="ingest all days at once, or add them without these tables: units trip and "
            "person-day remain, unit person and the mobility report do not",
            code="person-tables",
            settings=("leave",),
        )


def _require_salt(dataset: Dataset) -> None:
    try:
        salt = (dataset.folder / keys.SALT_FILE).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        salt = ""
    if keys.salt_id(salt) != dataset.metadata.salt_id:
        raise DatasetError(
            f"the salt of '{dataset.id}' is not the one its trips were ranked with",
            remedy=f"restore its file '{keys.SALT_FILE}', or ingest all days at once",
            code="salt",
        )


def _mapping(dataset: Dataset) -> dict[str, str]:
    """Return which columns the dataset's own rows were read from."""
    try:
        report = json.loads((dataset.folder / build.REPORT_FILE).read_text(encoding="utf-8"))
        return {str(name): str(column) for name, column in report["files"][0]["columns"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _places(dataset: Dataset, options: IngestOptions) -> Places:
    """Return the dataset's own places, or locations in its zones where such a table is given."""
    if options.locations is None:
        if (dataset.folder / "towers.parquet").is_file():
            towers, zones = dataset.towers, dataset.zones
            return Places(towers, zones, zone_of(towers, zones))
        return from_zones(dataset.zones)
    places = read_places(options)
    if places.zones["zone_id"].astype(str).tolist() != dataset.zones["zone_id"].tolist():
        raise InputError(
            "the zones must be those of the dataset", remedy="its own are used", code="zones"
        )
    return replace(places, zones=dataset.zones)


def _days(options: IngestOptions) -> list[date]:
    count = (options.last_day - options.first_day).days + 1
    return [options.first_day + timedelta(days=i) for i in range(count)]
