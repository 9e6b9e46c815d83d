"""Previews before a build: parsed times, days of the rows, and zones.

**Confidential**: everything here is read from the data and for its custodians alone.
"""

from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..child_process import call_in_child
from ..errors import InputError
from . import row_cleaning, tables
from .inputs import detection, hexagons
from .inputs.column_mapping import Mappings
from .inputs.places import Places, find_id_column
from .options import IngestOptions, Reading, build_error
from .row_cleaning import CanonicalTable, ValueParser

if TYPE_CHECKING:
    from timezonefinder import TimezoneFinder

PREVIEW_MEMORY = "1GB"


def preview_times(mappings: Mappings, reading: Reading, time_zone: str) -> list[datetime | None]:
    """Return the local times of the first rows of the first file, None where unparsable."""
    first = dict([next(iter(mappings.items()))])
    with tables.open_tables(
        first, time_zone=time_zone, memory=PREVIEW_MEMORY, keep_order=True
    ) as opened:
        engine, (table, *_) = opened
        if (column := _time_column(table)) is None:
            return []
        reader = row_cleaning.detect_clocks(ValueParser(reading), engine, [table])
        seconds = reader.values_sql(table)[column]
        result = engine.fetch_rows(f"SELECT {seconds} FROM (SELECT * FROM {table.view} LIMIT 5)")
    return [None if at is None else _to_datetime(at) for (at,) in result]


def preview_days(mappings: Mappings, reading: Reading, time_zone: str) -> tuple[date, date]:
    """Return the first and the last local day of all rows that can be read."""
    reader = ValueParser(detection.complete_reading(mappings, reading))
    with tables.open_tables(mappings, time_zone=time_zone, memory=PREVIEW_MEMORY) as opened:
        engine, views = opened
        reader = row_cleaning.detect_clocks(reader, engine, views)
        columns = [(table, column) for table in views if (column := _time_column(table))]
        if not columns:
            raise InputError("the rows have no times", remedy="choose the period by hand")
        all_times = " UNION ALL ".join(
            f"SELECT {reader.values_sql(table)[column]} AS moment FROM {table.view}"
            for table, column in columns
        )
        ((low, high),) = engine.fetch_rows(f"SELECT min(moment), max(moment) FROM ({all_times})")
    first, last = (None if seconds is None else _to_datetime(seconds) for seconds in (low, high))
    if first is None or last is None:
        raise build_error("no-readable-time")
    return first.date(), last.date()


def preview_id_column(
    kind: str, path: Path, layer: str, mappings: Mappings, reading: Reading
) -> str | None:
    """Return the column of a file of places that holds most ids of the rows, if any does."""
    reader = ValueParser(detection.complete_reading(mappings, reading))
    with tables.open_tables(mappings, memory=PREVIEW_MEMORY) as (engine, views):
        return row_cleaning.call_with_row_ids(
            partial(row_cleaning.fetch_row_ids, engine, views, reader),
            partial(call_in_child, find_id_column, kind, path, layer, files=(path,)),
        )


def _time_column(table: CanonicalTable) -> str | None:
    return next((name for name in ("datetime", "date") if name in table.column_types), None)


def preview_places(**asked: Any) -> Places:
    """Return the places and zones of a build; arguments as in `IngestOptions`."""
    day = date(2000, 1, 1)  # any: no row is read
    period = {"first_day": day, "last_day": day, "time_zone": "UTC"}
    options = IngestOptions(kind="visits", inputs=("rows",), out=Path("look"), **period, **asked)
    return hexagons.build_places(options)


def _to_datetime(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(0, UTC).replace(tzinfo=None) + timedelta(seconds=seconds)
    except OverflowError:
        return None


@cache
def _time_zone_finder() -> "TimezoneFinder | None":
    try:
        from timezonefinder import TimezoneFinder
    except ModuleNotFoundError:  # part of the extra `grid`; a person names the time zone then
        return None
    return TimezoneFinder()


def find_time_zone(longitude: float, latitude: float) -> str | None:
    """Return the IANA time zone of a point, from public boundaries; None at sea."""
    finder = _time_zone_finder()
    longitude = (longitude + 180) % 360 - 180  # of zones beyond the 180° meridian
    if abs(latitude) > 90:
        return None
    name = finder.timezone_at(lng=longitude, lat=latitude) if finder else None
    return str(name) if name else None
