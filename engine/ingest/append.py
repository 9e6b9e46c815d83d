"""Days and weeks added to a dataset: counted by themselves, under its own rules and salt.

A trip's rank within the person-day depends on that day alone, and the density of a week on that
week: a dataset that grew, in any order, is the dataset of one ingest, byte for byte. What counts a
person over the whole period cannot grow: it is refused, or left out where that is asked for.
"""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args

from ..datasets import Dataset, Metadata, growth, load, storage
from ..errors import DatasetError, InputError
from . import build
from .backends import statements
from .build import ingest
from .counting import keys, stages
from .inputs.places import Places, from_zones, read_places, zone_of
from .options import IngestOptions, Kind, Part
from .progress import Monitor, ProgressCallback
from .report import IngestReport

OF_A_PERSON = ("trips_person", "report")
"""Tables that count a person over the whole period."""
_HOW = (
    *("mapping", "locations", "locations_mapping", "encoding", "reading", "skip_unparsable"),
    *("max_distance_m", "period_from_data", "engine", "memory", "threads", "spill", "spill_limit"),
    *("master", "remote", "conf", "staging"),
)
"""Options that say how rows are read and counted; the others are the dataset's own."""
_MADE_BY = "engine.ingest "


def options_for(
    folder: Path,
    inputs: tuple[str, ...],
    first_day: date,
    last_day: date,
    weeks: tuple[date, ...] = (),
    **how: Any,
) -> IngestOptions:
    """Return the options of what is added to the dataset in `folder`: its own, but for `how`.

    Trips of the days are added, and the density of `weeks` among them; only the latter where
    ``parts`` is the density alone. Columns are read as those of its first rows were, unless a
    ``mapping`` is given.

    Raises
    ------
    DatasetError
        If it is no dataset, or was not made by an ingest that counts trips.
    """
    dataset = load(folder)
    about = dataset.metadata
    kind: Any = about.made_by.removeprefix(_MADE_BY)
    usual = ("trips",) if dataset.has_trips or not weeks else ()
    parts: tuple[Part, ...] = how.pop("parts", (*usual, "density") if weeks else usual)
    if not grows(about) or ("trips" in parts and not dataset.has_trips):
        raise DatasetError(
            "days can be added to trips, and weeks to a density, that were ingested",
            value=f"'{dataset.id}', made by {about.made_by or 'unknown'}",
            remedy="ingest everything at once",
            code="append",
        )
    if ("density" in parts) != bool(weeks):
        raise DatasetError(
            "a density is added by the week, got no week"
            if not weeks
            else "weeks are added to the density, which is not among the parts",
            remedy="name the Mondays of the weeks to be added",
            code="week",
            settings=("week",),
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
        week=weeks[0] if weeks else None,
        weeks=weeks[1:],
        parts=parts,
        by_person=False,
        max_visits_cap=about.max_visits_cap,
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
        salt, about = _require_salt(dataset), dataset.metadata
        places = _places(dataset, options)
        mondays = list(options.mondays)
        _require_new_weeks(dataset, mondays)
        has_days = "trips" in options.parts
        if has_days:
            require_next(dataset, options)
            _require_by_day(dataset, leave=leave)
            own = replace(options, parts=("trips",), week=None, weeks=())
            result = build.count(own, monitor, places)
            about = replace(
                about,
                first_day=min(about.first_day, options.first_day),
                last_day=max(about.last_day, options.last_day),
                period_from_data=options.period_from_data or about.period_from_data,
            )
        else:
            own = options.of_week(mondays.pop(0), salt)
            result = build.count(own, monitor, places)
        first_week = None if dataset.has_density else next(iter(options.mondays), None)
        about = replace(about, week=about.week or first_week)
        weeks = build.count_weeks(options, mondays, result, monitor)
        if own.week is not None:
            weeks[own.week] = result.counted.tables
        monitor.start(stages.WRITING)
        report = build.report_of(own, result, time.monotonic() - started)
        monitor.check()
        grown = growth.grown(
            dataset,
            about,
            added=result.counted.tables["trips"] if has_days else None,
            days=_days(options) if has_days else (),
            weeks=weeks,
            towers=places.towers if first_week else None,
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


def by_month(
    options: IngestOptions,
    progress: ProgressCallback | None = None,
    cancel: threading.Event | None = None,
) -> tuple[Dataset, IngestReport]:
    """Build a dataset month by month, then week by week: what is done stays, whatever fails later.

    Started again with the same options it goes on where it stopped. The dataset is that of one
    ingest by day only (``by_person`` off), byte for byte; every month reads the raw tables anew.

    Raises
    ------
    DatasetError
        If ``options.out`` holds other days than those it would have built so far.
    """
    if options.gap_minutes is not None:
        raise DatasetError(
            "trips by gaps are not of one day, and cannot be counted by the month",
            remedy="ingest the period at once",
            code="months",
            settings=("gap_minutes",),
        )
    first_last = list(_months(options.first_day, options.last_day))
    own = replace(options, parts=("trips",), by_person=False, week=None, weeks=())
    outcome: tuple[Dataset, IngestReport] | None = None
    if not (options.out / "current").is_file():
        first, last = first_last[0]
        outcome = ingest(replace(own, first_day=first, last_day=last), progress, cancel)
    there = load(options.out)
    about, ends = there.metadata, [last for _, last in first_last]
    if (
        (about.made_by, about.time_zone) != (f"{_MADE_BY}{options.kind}", options.time_zone)
        or (about.first_day, about.last_day in ends) != (options.first_day, True)
        or any(storage.has_table(there.folder, name) for name in OF_A_PERSON)
    ):
        raise DatasetError(
            f"'{there.id}' holds {about.first_day} to {about.last_day}, and is not what these "
            "months would have built so far",
            remedy="name another folder",
            code="months",
            settings=("out",),
        )
    how = {name: getattr(options, name) for name in _HOW}
    inputs = options.inputs
    begin = about.last_day + timedelta(days=1)
    for last in (last for last in ends if last >= begin):
        try:
            outcome = append(options_for(options.out, inputs, begin, last, **how), progress, cancel)
        except InputError as error:  # a month without rows goes with the next one
            if error.code != "all-outside-period" or last == ends[-1]:
                raise
        else:
            begin = last + timedelta(days=1)
    if "density" in options.parts and options.kind != "flows":
        for week in options.mondays or filter(None, (options.density_week,)):
            if week not in load(options.out).weeks:
                days = (options.first_day, options.last_day)
                more = options_for(options.out, inputs, *days, (week,), parts=("density",), **how)
                outcome = append(more, progress, cancel)
    if outcome is None:
        raise DatasetError(f"'{there.id}' is complete: all its months and weeks are there")
    return outcome


def _months(first_day: date, last_day: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of every month, cut off at those of the period."""
    while first_day <= last_day:
        following = (first_day.replace(day=1) + timedelta(days=31)).replace(day=1)
        yield first_day, min(following - timedelta(days=1), last_day)
        first_day = following


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


def _require_new_weeks(dataset: Dataset, mondays: Sequence[date]) -> None:
    if there := next((week for week in mondays if week in dataset.weeks), None):
        raise DatasetError(
            f"'{dataset.id}' holds the density of the week of {there.isoformat()}",
            remedy="a week is counted once: name another one",
            code="overlap",
            settings=("week",),
        )


def _require_salt(dataset: Dataset) -> str:
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
    return salt


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
