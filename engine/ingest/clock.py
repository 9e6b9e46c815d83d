# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""Local wall-clock seconds from whatever a column holds, the same on every engine.

Everything after this file counts in *local seconds*: seconds since 1970-01-01 00:00 on the wall
clock of the place. Hours of the week are then right on days of 23 or 25 hours too. Time zone
rules are read once, here, and become numbers in the expression, so that no engine's own time zone
database can disagree.
"""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import ibis
import ibis.expr.datatypes as dt

from engine.ingest.expressions import Column

SECONDS_PER_DAY = 86_400
SECONDS_PER_HOUR = 3_600
_ISO = (
    r"^[12]\d{3}-[01]\d-[0-3]\d"
    r"([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?( ?([Zz]|[+-]\d{2}(:?\d{2})?))?)?)?$"
)
_EPOCH = r"^-?\d{1,11}([.]\d+)?$"
_OFFSET = r"^.{19}([.,]\d+)? ?([+-])(\d{2}):?(\d{2})?$"
_WITH_OFFSET = r"^.{19}.*([Zz]|[+-]\d{2}(:?\d{2})?)$"


def local_seconds_of(day: date) -> int:
    """Return local midnight of `day` in local seconds."""
    return (day - date(1970, 1, 1)).days * SECONDS_PER_DAY


def offsets(zone: ZoneInfo, first_day: date, last_day: date) -> list[tuple[int, int]]:
    """Return the offsets of `zone` from UTC over a period, as (valid from, seconds).

    The first entry holds for all times before the second one's start.

    Examples
    --------
    >>> offsets(ZoneInfo("Europe/Paris"), date(2015, 10, 20), date(2015, 10, 30))
    [(1445126400, 7200), (1445734800, 3600)]
    """
    moment = local_seconds_of(first_day - timedelta(days=2))
    end = local_seconds_of(last_day + timedelta(days=3))
    found = [(moment, _offset(zone, moment))]
    while moment < end:
        later = moment + SECONDS_PER_HOUR
        if _offset(zone, later) != _offset(zone, moment):
            found.append(_change(zone, moment, later))
        moment = later
    return found


def local_seconds(column: Column, rules: list[tuple[int, int]]) -> Column:
    """Return `column` as local seconds, null where it cannot be read.

    Text may be ISO 8601, with or without an offset, or seconds since 1970 (UTC); numbers are such
    seconds. Times without an offset are taken as read off the local wall clock. Fractions of a
    second are cut off.
    """
    kind = column.type()
    if isinstance(kind, dt.Timestamp):
        seconds = column.truncate("s").epoch_seconds().cast("int64")
        return seconds if kind.timezone is None else _to_local(seconds, rules)
    if isinstance(kind, dt.Date):
        return column.cast("timestamp").epoch_seconds().cast("int64")
    if kind.is_floating() or kind.is_decimal():
        return _to_local(floored(column.cast("float64")), rules)
    if kind.is_integer():
        return _to_local(column.try_cast("int64"), rules)
    return _from_text(column.strip(), rules)


def floored(number: Column) -> Column:
    """Return floats rounded down; null where they are NaN, infinite or too large.

    By casts alone: a test for NaN on a Parquet column is answered from statistics that leave NaN
    out. Engines round or cut off when they cast.
    """
    near = number.try_cast("int64")
    return near - (near.cast("float64") > number).ifelse(1, 0)


def _from_text(text: Column, rules: list[tuple[int, int]]) -> Column:
    stamp = text.substr(0, 10) + ibis.cases(
        (text.length() >= 19, " " + text.substr(11, 8)),
        (text.length() == 16, " " + text.substr(11, 5) + ":00"),
        else_=" 00:00:00",
    )
    wall = stamp.try_cast("timestamp").epoch_seconds().cast("int64")
    epoch = text.re_extract(r"^-?\d+", 0).try_cast("int64")
    return ibis.cases(
        (text.re_search(_ISO) & text.re_search(_WITH_OFFSET), _shifted(text, wall, rules)),
        (text.re_search(_ISO), wall),
        (text.re_search(_EPOCH), _to_local(epoch, rules)),
        else_=ibis.null("int64"),
    )


def _shifted(text: Column, wall: Column, rules: list[tuple[int, int]]) -> Column:
    hours = text.re_extract(_OFFSET, 3).try_cast("int64").fill_null(0)
    minutes = text.re_extract(_OFFSET, 4).try_cast("int64").fill_null(0)
    size = hours * SECONDS_PER_HOUR + minutes * 60
    ahead = text.re_extract(_OFFSET, 2) == "+"
    return _to_local(wall - ahead.ifelse(size, -size), rules)


def _to_local(instant: Column, rules: list[tuple[int, int]]) -> Column:
    if len(rules) == 1:
        return instant + rules[0][1]
    branches = [(instant < rules[i + 1][0], rules[i][1]) for i in range(len(rules) - 1)]
    return instant + ibis.cases(*branches, else_=rules[-1][1])


def _offset(zone: ZoneInfo, moment: int) -> int:
    shift = datetime.fromtimestamp(moment, UTC).astimezone(zone).utcoffset()
    return int((shift or timedelta()).total_seconds())


def _change(zone: ZoneInfo, before: int, after: int) -> tuple[int, int]:
    new = _offset(zone, after)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(zone, middle) == new:
            after = middle
        else:
            before = middle
    return after, new
