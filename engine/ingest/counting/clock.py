# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
"""Local wall-clock seconds from whatever a column holds, the same on every engine.

Everything after this file counts in *local seconds*: seconds since 1970-01-01 00:00 on the wall
clock of the place. Hours of the week are then right on days of 23 or 25 hours too.
"""

import ibis
import ibis.expr.datatypes as dt

from engine.ingest.calendar import SECONDS_PER_HOUR
from engine.ingest.expressions import Column

_ISO = (
    r"^[12]\d{3}-[01]\d-[0-3]\d"
    r"([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?( ?([Zz]|[+-]\d{2}(:?\d{2})?))?)?)?$"
)
_EPOCH = r"^-?\d{1,11}([.]\d+)?$"
_OFFSET = r"^.{19}([.,]\d+)? ?([+-])(\d{2}):?(\d{2})?$"
_WITH_OFFSET = r"^.{19}.*([Zz]|[+-]\d{2}(:?\d{2})?)$"


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
