"""Local wall-clock seconds from whatever a column holds, the same on every engine.

Everything after this file counts in *local seconds*: seconds since 1970-01-01 00:00 on the wall
clock of the place. Hours of the week are then right on days of 23 or 25 hours too.
"""

from typing import TypeAlias

import ibis
import ibis.expr.datatypes as dt

from ..calendar import SECONDS_PER_DAY, SECONDS_PER_HOUR, Calendar, local_seconds_of
from ..expressions import Column
from ..reading import Reading

_OFFSET_END = r"([Zz]|[+-]\d{2}(:?\d{2})?)"
_ISO = (
    r"^[12]\d{3}-[01]\d-[0-3]\d"
    rf"([T ]([01]\d|2[0-3])(:[0-5]\d(:[0-5]\d([.,]\d+)?)?)?( ?{_OFFSET_END})?)?$"
)
_PLAIN = r"^[12]\d{3}-[01]\d-[0-3]\d[T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d$"
_BASIC = (
    r"^[12]\d{3}[01]\d[0-3]\dT([01]\d|2[0-3])"
    rf"(([0-5]\d)(([0-5]\d)([.,]\d+)?)?)?{_OFFSET_END}?$"
)
"""Group 3 are the minutes, group 5 the seconds."""
_NUMBER = r"^-?\d{1,19}([.]\d+)?$"
_OFFSET = r"^.{11}.*([+-])(\d{2}):?(\d{2})?$"
_FREE_OFFSET = r":\d.*([+-])(\d{2}):?(\d{2})$"
_WITH_OFFSET = rf"^.{{11}}.*{_OFFSET_END}$"
_FREE = (
    r"^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{2,4})"
    r"(?:[,T ] ?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([AaPp])[.]? ?[Mm][.]?)?"
    r"(?: ?(?:[Zz]|[+-]\d{2}:?\d{2}))?)?$"
)
"""A date in any order and a time: groups 1 to 3 are the date, 4 to 6 the time, 7 is A or P."""
_PLACES = {"ymd": (1, 2, 3), "dmy": (3, 2, 1), "mdy": (3, 1, 2)}
Moment: TypeAlias = tuple[Column, Column]
"""Seconds of the local wall clock, and of UTC; at most one of the two is not null."""
_NONE = ibis.null("int64")
_UNITS = {"milliseconds": 1_000, "microseconds": 1_000_000, "nanoseconds": 1_000_000_000}
_LONG_UNITS = {"minutes": 60, "days": SECONDS_PER_DAY}


def moments(column: Column, calendar: Calendar, reading: Reading) -> Moment:
    """Return the times in `column`, null where they cannot be read; `local_seconds` joins the two.

    Text (without spaces around it) may be ISO 8601, also its basic form, with or without an offset,
    a date in the order that `reading` names, or a number; numbers count as it says, from UTC.
    Times without an offset are read off the local wall clock, or off that of ``text_time_zone``.
    Fractions of a second are cut off.

    Returns
    -------
    wall, instant : Column
        Seconds on the local wall clock where the value is told by it, seconds of UTC where the
        value is an instant; at most one of the two is not null. They are apart because moving an
        instant to the local clock names it once for each change of the clock: give the columns
        names in the engine first, or a statement grows beyond measure.
    """
    kind = column.type()
    if isinstance(kind, dt.Timestamp):
        seconds = column.truncate("s").epoch_seconds().cast("int64")
        return _of_wall(seconds, calendar) if kind.timezone is None else (_NONE, seconds)
    if isinstance(kind, dt.Date):
        return column.cast("timestamp").epoch_seconds().cast("int64"), _NONE
    if kind.is_integer():
        return _of_number(column.try_cast("int64"), reading)
    if kind.is_floating() or kind.is_decimal():
        return _of_float(column.cast("float64"), reading)
    return _from_text(column, calendar, reading)


def local_seconds(wall: Column, instant: Column, calendar: Calendar) -> Column:
    """Return `moments` on the local wall clock."""
    return ibis.coalesce(wall, instant + _stepwise(instant, calendar.rules))


def with_clock(day: Column, clock: Column) -> Column:
    """Return day (such as 20160503) and time of the day (830, 8:30 PM) as one text."""
    return _date_text(day) + " " + _time_text(clock)


def floored(number: Column) -> Column:
    """Return floats rounded down; null where they are NaN, infinite or too large.

    By casts alone: a test for NaN on a Parquet column is answered from statistics that leave NaN
    out. Engines round or cut off when they cast.
    """
    near = number.try_cast("int64")
    return near - (near.cast("float64") > number).ifelse(1, 0)


def _from_text(text: Column, calendar: Calendar, reading: Reading) -> Moment:
    iso = _iso(text, calendar, reading)
    if reading.date_order is None:
        return iso
    free = _free(text, calendar, reading.date_order)
    first, second = (iso, free) if reading.date_order == "ymd" else (free, iso)
    return ibis.coalesce(first[0], second[0]), ibis.coalesce(first[1], second[1])


def _iso(text: Column, calendar: Calendar, reading: Reading) -> Moment:
    time = ibis.cases(
        (text.length() < 13, " 00:00:00"),
        (text.substr(13, 1) != ":", " " + text.substr(11, 2) + ":00:00"),
        (text.substr(16, 1) == ":", " " + text.substr(11, 8)),
        else_=" " + text.substr(11, 5) + ":00",
    )
    wall = _seconds_of(text.substr(0, 10) + time)
    minute, second = (_or_zero(text.re_extract(_BASIC, group)) for group in (3, 5))
    basic = _seconds_of(_dashed(text) + " " + text.substr(9, 2) + ":" + minute + ":" + second)
    iso, compact = text.re_search(_ISO), text.re_search(_BASIC)
    offset = text.re_search(_WITH_OFFSET)
    number_wall, number_instant = _of_text_number(text, reading)
    local = ibis.cases(
        # what nearly all files hold comes first, and costs one look at the text
        (text.re_search(_PLAIN), _seconds_of(text)),
        (iso & ~offset, wall),
        (compact & ~offset, basic),
        else_=ibis.null("int64"),
    )
    local_wall, local_instant = _of_wall(local, calendar)
    ahead = _ahead(text, _OFFSET)
    number = text.re_search(_NUMBER)
    instant = ibis.cases(
        (local_instant.notnull(), local_instant),
        (number, number_instant),
        (iso & offset, wall - ahead),
        (compact & offset, basic - ahead),
        else_=ibis.null("int64"),
    )
    return ibis.coalesce(local_wall, number.ifelse(number_wall, _NONE)), instant


def _of_text_number(text: Column, reading: Reading) -> Moment:
    if reading.number_times in _LONG_UNITS:
        return _of_float(text.try_cast("float64"), reading)
    return _of_number(text.re_extract(r"^-?\d+", 0).try_cast("int64"), reading)


def _of_number(number: Column, reading: Reading) -> Moment:
    """Return whole numbers as days of the wall clock, or as instants."""
    unit = reading.number_times
    if unit == "yyyymmdd":
        return _seconds_of(_dashed(number.cast("string")) + " 00:00:00"), _NONE
    if unit in _LONG_UNITS:
        seconds = number * _LONG_UNITS[unit]
    elif unit in _UNITS:
        seconds = _quotient(number, _UNITS[unit])
    else:
        seconds = number
    return _NONE, _sane(seconds) + local_seconds_of(reading.epoch)


def _of_float(number: Column, reading: Reading) -> Moment:
    if reading.number_times == "days":  # such as 42493.25, of a spreadsheet: to the nearest second
        seconds = floored(number * SECONDS_PER_DAY + 0.5)
        return _NONE, _sane(seconds) + local_seconds_of(reading.epoch)
    return _of_number(floored(number), reading)


def _quotient(number: Column, divisor: int) -> Column:
    """Return ⌊number / divisor⌋ to the last digit: nanoseconds have more than a float holds."""
    limit = 9 * 10**18  # so that taking away a rest cannot overflow
    near = ((number > -limit) & (number < limit)).ifelse(number, ibis.null("int64"))
    rest = ((near % divisor) + divisor) % divisor
    return ((near - rest).cast("float64") / divisor).round().cast("int64")


def _sane(seconds: Column) -> Column:
    """Return seconds within 300,000 years, so that adding an offset cannot overflow."""
    limit = 10**13
    return ((seconds > -limit) & (seconds < limit)).ifelse(seconds, ibis.null("int64"))


def _free(text: Column, calendar: Calendar, order: str) -> Moment:
    year, month, day = (text.re_extract(_FREE, place) for place in _PLACES[order])
    century = (year < "70").ifelse("20", "19")
    year = (year.length() == 2).ifelse(century + year, year)
    hour = text.re_extract(_FREE, 4).try_cast("int64")
    half = text.re_extract(_FREE, 7).upper()
    hour: Column = ibis.cases(
        (hour.isnull(), 0),
        (half == "P", ibis.cases((hour > 12, 99), (hour == 12, 12), else_=hour + 12)),
        (half == "A", ibis.cases((hour > 12, 99), (hour == 12, 0), else_=hour)),
        else_=hour,
    )
    minute = _or_zero(text.re_extract(_FREE, 5))
    second = _or_zero(text.re_extract(_FREE, 6))
    clock = hour.cast("string").lpad(2, "0") + ":" + minute + ":" + second
    wall = _seconds_of(year + "-" + month.lpad(2, "0") + "-" + day.lpad(2, "0") + " " + clock)
    offset = text.re_search(r":\d.*([Zz]|[+-]\d{2}:?\d{2})$")
    fits = text.re_search(_FREE) & (hour < 24) & (year.length() == 4)
    local_wall, local_instant = _of_wall((fits & ~offset).ifelse(wall, _NONE), calendar)
    shifted = (fits & offset).ifelse(wall - _ahead(text, _FREE_OFFSET), _NONE)
    return local_wall, ibis.coalesce(local_instant, shifted)


def _or_zero(digits: Column) -> Column:
    return (digits.length() == 2).ifelse(digits, "00")


def _date_text(column: Column) -> Column:
    kind = column.type()
    if isinstance(kind, dt.Timestamp | dt.Date):
        return column.cast("date").cast("string")
    text = column if kind.is_string() else column.cast("int64").cast("string")
    compact = text.re_search(r"^[12]\d{3}[01]\d[0-3]\d$")
    return compact.ifelse(_dashed(text), text.re_extract(r"^[^T ]+", 0))


def _time_text(column: Column) -> Column:
    """Return a time of the day as text with a colon, from 8, 08:30, 830 or 8:30 PM."""
    kind = column.type()
    if isinstance(kind, dt.Time):
        return column.cast("string").substr(0, 8)
    text = column if kind.is_string() else floored(column.cast("float64")).cast("string")
    digits = text.re_extract(r"^(\d{1,4})([.]0+)?$", 1)
    minutes = digits.substr(digits.length() - 2, 2)
    return ibis.cases(
        (digits == "", text),
        (digits.length() <= 2, digits + ":00"),
        else_=digits.substr(0, digits.length() - 2) + ":" + minutes,
    )


def _dashed(text: Column) -> Column:
    return text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6, 2)


def _seconds_of(stamp: Column) -> Column:
    return stamp.try_cast("timestamp").epoch_seconds().cast("int64")


def _ahead(text: Column, pattern: str) -> Column:
    """Return by how many seconds the offset that `text` ends in is ahead of UTC."""
    hours = text.re_extract(pattern, 2).try_cast("int64").fill_null(0)
    minutes = text.re_extract(pattern, 3).try_cast("int64").fill_null(0)
    size = hours * SECONDS_PER_HOUR + minutes * 60
    return (text.re_extract(pattern, 1) == "+").ifelse(size, -size)


def _of_wall(wall: Column, calendar: Calendar) -> Moment:
    """Return wall-clock seconds of the text; they are instants where its clock is another one."""
    if calendar.text_rules is None:
        return wall, _NONE
    return _NONE, wall - _stepwise(wall, calendar.text_rules)


def _stepwise(moment: Column, rules: list[tuple[int, int]]) -> Column:
    if len(rules) == 1:
        return ibis.literal(rules[0][1])
    branches = [(moment < rules[i + 1][0], rules[i][1]) for i in range(len(rules) - 1)]
    return ibis.cases(*branches, else_=rules[-1][1])
