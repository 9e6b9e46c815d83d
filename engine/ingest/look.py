"""Looks before a build: how times read, which days rows cover, which zones there would be.

**Confidential**: everything here is read from the data and for its custodians alone.
"""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from . import tables
from .inputs import coarse, guess
from .inputs.mapping import Mappings
from .inputs.places import Places, read_places
from .options import IngestOptions, Reading
from .rows import Reader, Table

if TYPE_CHECKING:
    from timezonefinder import TimezoneFinder

MEMORY = "1GB"


def first_times(
    mappings: Mappings, reading: Reading, time_zone: str, count: int = 5
) -> list[datetime | None]:
    """Return the local times of the first rows of the first file, None where they do not read."""
    first = dict([next(iter(mappings.items()))])
    with tables.opened(first, time_zone=time_zone, memory=MEMORY, keep_order=True) as opened:
        engine, (table, *_) = opened
        if (column := _time_of(table)) is None:
            return []
        seconds = Reader(reading).values(table)[column]
        found = engine.rows(f"SELECT {seconds} FROM (SELECT * FROM {table.view} LIMIT {count})")
    return [None if at is None else _moment(at) for (at,) in found]


def days(mappings: Mappings, given: Reading, time_zone: str) -> tuple[date, date]:
    """Return the first and the last local day of all rows that can be read."""
    reader = Reader(guess.complete(mappings, given))
    with tables.opened(mappings, time_zone=time_zone, memory=MEMORY) as (engine, views):
        columns = [(table, column) for table in views if (column := _time_of(table))]
        if not columns:
            raise InputError("the rows have no time", remedy="choose the period by hand")
        every = " UNION ALL ".join(
            f"SELECT {reader.values(table)[column]} AS moment FROM {table.view}"
            for table, column in columns
        )
        ((low, high),) = engine.rows(f"SELECT min(moment), max(moment) FROM ({every})")
    first, last = (None if at is None else _moment(at) for at in (low, high))
    if first is None or last is None:
        raise InputError(
            "no row has a time that can be read, or some lie outside the years 1 to 9999",
            remedy="say how times are written",
            settings=("date_order", "number_times"),
        )
    return first.date(), last.date()


def _time_of(table: Table) -> str | None:
    return next((name for name in ("datetime", "date") if name in table.kinds), None)


def places_of(**asked: Any) -> Places:
    """Return the places and zones that would be built; what is asked is as in `IngestOptions`."""
    day = date(2000, 1, 1)  # any: no row is read
    period = {"first_day": day, "last_day": day, "time_zone": "UTC"}
    options = IngestOptions(kind="visits", inputs=("rows",), out=Path("look"), **period, **asked)
    if options.area is not None:
        return coarse.grid_places(options.area, options.hexagon_m)
    return coarse.coarsen(read_places(options), options.hexagon_m)


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(0, UTC).replace(tzinfo=None) + timedelta(seconds=seconds)
    except OverflowError:
        return None


@cache
def _finder() -> "TimezoneFinder | None":
    try:
        from timezonefinder import TimezoneFinder
    except ModuleNotFoundError:  # of the extra `grid`; a person names the time zone then
        return None
    return TimezoneFinder()


def time_zone_at(longitude: float, latitude: float) -> str | None:
    """Return the IANA time zone of a point, from boundaries that are public; None at sea."""
    finder = _finder()
    name = finder.timezone_at(lng=longitude, lat=latitude) if finder else None
    return str(name) if name else None
