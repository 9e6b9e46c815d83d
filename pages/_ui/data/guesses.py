"""What names alone suggest: the kind of table, the period, the dataset's name.

Nothing here looks at rows: a period read off confidential rows would leak information about them.
"""

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from itertools import takewhile
from zoneinfo import available_timezones

from engine.ingest.inputs import mapping

Period = tuple[date, date]
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_. ]?(0[1-9]|1[0-2])(?:[-_. ]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
LONGEST_NAME = 40
NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{LONGEST_NAME - 1}}}")


def kind(columns: Sequence[str]) -> str:
    """Return the kind of table that its columns fit best."""
    for name in ("trips", "flows", "rides", "visits"):
        names = mapping.guess(name, columns).keys()
        ids, points = mapping.PLACES[name]
        placed = set(ids) <= names or (bool(points) and set(points) <= names)
        if placed and set(mapping.REQUIRED[name]) <= names:
            return name
    return "trips"


def period(names: Sequence[str]) -> Period | None:
    """Return the days that the files' names tell of; None where one of them tells none."""
    dates: list[date] = []
    for name in names:
        days = [day for match in _DATE.finditer(name) for day in _days(*match.groups())]
        if not days:
            return None
        dates += days
    return (min(dates), max(dates)) if dates else None


def _days(year: str, month: str, day: str | None) -> list[date]:
    try:
        if day is not None:
            return [date(int(year), int(month), int(day))]
    except ValueError:
        return []
    last = calendar.monthrange(int(year), int(month))[1]
    return [date(int(year), int(month), 1), date(int(year), int(month), last)]


def dataset_name(files: Sequence[str]) -> str:
    """Return a name for a dataset: what the files' names share, in small letters and hyphens."""
    letters = zip(*(file.lower().split(".")[0] for file in files), strict=False)
    shared = takewhile(lambda column: len(set(column)) == 1, letters)
    stem = "".join(column[0] for column in shared)
    if len(files) > 1:
        stem = stem.rstrip("0123456789_- ")  # half a date says nothing
    plain = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:LONGEST_NAME].strip("-")
    return plain or "my-data"


def weeks(first: date, last: date) -> list[date]:
    """Return the Mondays of all full weeks of a period."""
    monday = first + timedelta(days=-first.weekday() % 7)
    mondays: list[date] = []
    while monday + timedelta(days=6) <= last:
        mondays.append(monday)
        monday += timedelta(days=7)
    return mondays


@cache
def time_zones() -> tuple[str, ...]:
    """Return the names of places with a time zone, and UTC."""
    names = (name for name in available_timezones() if "/" in name)
    return (
        "UTC",
        *sorted(n for n in names if not n.startswith(("Etc/", "posix/", "right/", "SystemV/"))),
    )
