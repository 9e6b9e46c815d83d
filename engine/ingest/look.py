"""Looks at raw rows before a build: how times read, days and area they cover, what zones give.

**Confidential**: everything here is read from the data and for its custodians alone.
"""

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from .. import geography
from ..errors import InputError
from .backends.embedded import DuckDBEngine
from .calendar import Calendar, offsets
from .counting import rows
from .counting.reader import Reader
from .inputs import guess
from .inputs.mapping import Mappings
from .inputs.places import Places
from .inputs.sources import Source
from .options import IngestOptions
from .progress import Monitor
from .reading import Reading

if TYPE_CHECKING:
    from timezonefinder import TimezoneFinder

EARLIEST, LATEST = date(2000, 1, 1), date(2035, 12, 31)
Area = tuple[float, float, float, float]
"""West, south, east and north in degrees."""

SHARE_WITHIN = 0.99
"""Share of the rows that `area` leaves between its edges in each direction: single points at 0° or
in another country do not stretch it."""
_STEP_DEGREES = 0.05
_NEAR_DEGREES = 1.0


_OPTIONS = IngestOptions(
    kind="visits",
    inputs=("rows",),
    out=Path("look"),
    time_zone="UTC",
    first_day=EARLIEST,
    last_day=EARLIEST,
    locations=Path("places"),
    memory="1GB",
)


def _opened(sources: Sequence[Source], *, keep_order: bool = False) -> "closing[DuckDBEngine]":
    """Open an engine that looks at rows and builds nothing."""
    return closing(DuckDBEngine(_OPTIONS, sources, Monitor(), keep_order=keep_order))


@cache
def _calendar(time_zone: str) -> Calendar:
    return Calendar(0, 0, None, offsets(ZoneInfo(time_zone), EARLIEST, LATEST))


def first_times(
    mappings: Mappings, reading: Reading, time_zone: str, count: int = 5
) -> list[datetime | None]:
    """Return the local times of the first rows of the first file, None where they do not read.

    `reading` has no gaps. Years before 2000 and after 2035 are shown by the nearest known offset of
    the time zone.
    """
    source, names = next(iter(mappings.items()))
    with _opened([source], keep_order=True) as engine:
        read = rows.read_all(engine, {source: names})
        column = "datetime" if "datetime" in read[0].columns else "date"
        if column not in read[0].columns:
            return []
        clock = Reader(_calendar(time_zone), reading)
        raw = rows.with_moments(engine, [read[0].limit(count)], clock)[0]
        seconds = engine.fetch(raw.select(at=clock.time(raw, column)))
    return [None if at is None else _moment(at) for at in seconds["at"].to_pylist()]


def days(mappings: Mappings, given: Reading, time_zone: str) -> tuple[date, date]:
    """Return the first and the last local day of all rows that can be read.

    Read from the data: where the days themselves are sensitive, choose the period from what is
    known instead.

    Raises
    ------
    InputError
        If no row has a time that can be read.
    """
    reading = guess.complete(mappings, given)
    with _opened(list(mappings)) as engine:
        raw = rows.read_all(engine, mappings)
        name = "datetime" if "datetime" in raw[0].columns else "date"
        if name not in raw[0].columns:
            raise InputError("the rows have no time", remedy="choose the period by hand")
        clock = Reader(_calendar(time_zone), reading)
        timed = rows.with_moments(engine, raw, clock)
        times = rows.together([table.select(at=clock.time(table, name)) for table in timed])
        ends = engine.fetch(times.aggregate(low=times.at.min(), high=times.at.max())).to_pylist()[0]
    if ends["low"] is None:
        raise InputError(
            "no row has a time that can be read",
            remedy="say how times are written",
            code="unparsable",
            settings=("date_order", "number_times"),
        )
    low, high = (_moment(ends[end]) for end in ("low", "high"))
    if low is None or high is None:
        raise InputError(
            "some times lie outside the years 1 to 9999",
            remedy="say what times that are numbers count",
            code="unparsable",
            settings=("number_times",),
        )
    return low.date(), high.date()


def area(mappings: Mappings, given: Reading) -> Area:
    """Return the area in which nearly all coordinates of the rows lie, in steps of 0.05 degrees.

    Raises
    ------
    InputError
        If no row has coordinates that can be read.
    """
    with _opened(list(mappings)) as engine:
        reader = Reader(_calendar("UTC"), guess.complete(mappings, given))
        points = rows.distinct_points(rows.read_all(engine, mappings), reader)
        rest = (1 - SHARE_WITHIN) / 2
        edges = {
            f"{name}_{end}": points[name].quantile(share)
            for name in ("lng", "lat")
            for end, share in (("low", rest), ("high", 1 - rest))
        }
        quantiles = engine.fetch(points.aggregate(**edges)).to_pylist()[0]
    if quantiles["lng_low"] is None:
        raise InputError(
            "no row has coordinates that can be read",
            remedy="choose the columns of coordinates and the decimal mark",
            code="unparsable",
            settings=("mapping", "decimal"),
        )
    west, south = (_down(quantiles[name]) for name in ("lng_low", "lat_low"))
    east, north = (-_down(-quantiles[name]) for name in ("lng_high", "lat_high"))
    return west, south, max(east, west + _STEP_DEGREES), max(north, south + _STEP_DEGREES)


def seem_swapped(longitude: float, latitude: float, within: Area | None = None) -> bool:
    """Return whether a point's longitude and latitude, as chosen, seem to be the wrong way round.

    `within` is the area of the places or zones, where that is known.

    Examples
    --------
    >>> seem_swapped(20.67, -103.35), seem_swapped(-103.35, 20.67)
    (True, False)
    >>> seem_swapped(48.8, 2.3, within=(2.2, 48.7, 2.5, 49.0))
    True
    """
    if abs(latitude) > 90:
        return abs(longitude) <= 90
    if within is None:
        return False
    return not _near(longitude, latitude, within) and _near(latitude, longitude, within)


def _near(longitude: float, latitude: float, within: Area) -> bool:
    west, south, east, north = within
    across = west - _NEAR_DEGREES <= longitude <= east + _NEAR_DEGREES
    return across and south - _NEAR_DEGREES <= latitude <= north + _NEAR_DEGREES


def _down(degrees: float) -> float:
    return round(math.floor(degrees / _STEP_DEGREES) * _STEP_DEGREES, 2)


@dataclass(frozen=True, kw_only=True)
class Size:
    """How coarse zones are; public geometry alone.

    Attributes
    ----------
    zones : int
        Number of zones.
    median_km2 : float
        Median area of a zone in square kilometres.
    pairs : int
        Pairs of zones, cells of one day's matrix.
    """

    zones: int
    median_km2: float
    pairs: int


def size(places: Places) -> Size:
    """Return how coarse the zones of `places` are."""
    crs = geography.projected_crs(places.zones)
    areas = places.zones.geometry.to_crs(crs).area.to_numpy()
    count = len(places.zones)
    return Size(zones=count, median_km2=float(np.median(areas)) / 1e6, pairs=count * count)


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
    """Return the IANA time zone of a point, from boundaries that are public; None at sea.

    None, too, where the extra ``grid`` is not installed.

    Examples
    --------
    >>> time_zone_at(-103.35, 20.67)
    'America/Mexico_City'
    """
    finder = _finder()
    name = finder.timezone_at(lng=longitude, lat=latitude) if finder else None
    return str(name) if name else None
