"""Detect the reading of a table from its first rows: order of dates, unit of numbers, marks.

A guess is taken only where the values can be read in one way alone; dates such as 03/04/2016 that
could be two days are a question for a person.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from ..options import DateOrder, NumberTimes, Reading, build_error
from .column_mapping import NUMBERS, TIMES, Mappings
from .sources import Source, first_rows, to_printable

SAMPLE_ROWS = 2_000
_NUMBER = re.compile(r"-?\d{1,19}([.,]\d+)?$")
_PARTS = re.compile(r"(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{2,4})(\D|$)")
_COMMA_DECIMAL = re.compile(r"[-+]?\d{1,3}([. ]\d{3})*,\d+$|[-+]?\d+,\d+$")
_UNITS: tuple[tuple[NumberTimes, float, float], ...] = (
    ("days", 32_874, 54_789),  # 1990 to 2050, in every unit; days are those of a spreadsheet
    ("seconds", 6.3e8, 2.53e9),
    ("milliseconds", 6.3e11, 2.53e12),
    ("microseconds", 6.3e14, 2.53e15),
    ("nanoseconds", 6.3e17, 2.53e18),
)


class DetectedReading(NamedTuple):
    """The detected reading of a file, and the column whose dates may be day or month first."""

    reading: Reading
    asks_date_order: str | None


def detect_reading(
    source: Source, names: Mapping[str, str], partial_reading: Reading
) -> DetectedReading:
    """Return `partial_reading` completed by the first rows of one file with columns `names`."""
    single = {name: column for name, column in names.items() if column in source.columns}
    rows = first_rows(source, SAMPLE_ROWS, single.values())
    columns = {
        canonical: [row[i].strip() for row in rows if i < len(row) and row[i].strip()]
        for canonical, column in single.items()
        for i in (source.columns.index(column),)
    }
    reading = partial_reading
    if reading.decimal is None:
        numbers = [value for name in NUMBERS for value in columns.get(name, [])]
        comma = source.format == "csv" and any(_COMMA_DECIMAL.match(value) for value in numbers)
        if (comma and reading.thousands != ",") or reading.thousands == ".":
            reading = replace(reading, decimal=",")
        elif any("." in value for value in numbers):  # otherwise later rows may decide
            reading = replace(reading, decimal=".")
    if reading.text_time_zone is None and "utc" in names.get("datetime", "").lower():
        reading = replace(reading, text_time_zone="UTC")
    ambiguous_column: str | None = None
    if "clock" in names and all(_is_day(value) for value in columns.get("datetime", [])):
        reading = replace(reading, date_order=reading.date_order or "ymd")
    for name in TIMES:
        values = columns.get(name, [])
        if not values or reading.time_format is not None:
            continue
        if (
            reading.number_times is None
            and "clock" not in names
            and all(_NUMBER.match(value) for value in values)
        ):
            reading = replace(reading, number_times=detect_time_unit(values))
        if reading.date_order is None:
            order, ambiguous = detect_date_order(values)
            if order is None and not ambiguous and "clock" in names:
                order = "ymd"
            reading = replace(reading, date_order=order)
            if ambiguous and ambiguous_column is None:
                ambiguous_column = to_printable(names[name])
    return DetectedReading(reading, ambiguous_column if reading.date_order is None else None)


def complete_reading(mappings: Mappings, partial_reading: Reading) -> Reading:
    """Return one reading for all files; `InputError` where a person must decide."""
    guesses = {
        source: detect_reading(source, names, partial_reading) for source, names in mappings.items()
    }
    readings = {source: detected.reading for source, detected in guesses.items()}
    columns = {s.name: guess.asks_date_order for s, guess in guesses.items()}
    in_doubt = [(file, column) for file, column in columns.items() if column]
    if in_doubt and {reading.date_order for reading in readings.values()} <= {None, "ymd"}:
        file, column = in_doubt[0]
        raise build_error("ambiguous-dates", file=file, column=column)
    for setting in ("date_order", "number_times", "text_time_zone"):
        values = {s: getattr(detected, setting) for s, detected in readings.items()}
        if setting != "text_time_zone":  # None is local time here, no open question
            values = {source: value for source, value in values.items() if value}
        odd = [source for source, value in values.items() if value != next(iter(values.values()))]
        if odd:
            column = next(
                name for canonical, name in mappings[odd[0]].items() if canonical in TIMES
            )
            raise build_error(
                "mixed-times",
                **{"file": odd[0].name, "column": to_printable(column), "setting": setting},
                other=next(iter(values)).name,
            )
    first, *other_readings = readings.values()
    for detected in other_readings:
        first = replace(
            first,
            decimal="," if "," in (first.decimal, detected.decimal) else ".",
            date_order=first.date_order or detected.date_order,
            number_times=first.number_times or detected.number_times,
        )
    return first


def detect_date_order(values: Sequence[str]) -> tuple[DateOrder | None, bool]:
    """Return the order of dates in `values`, and whether it is in doubt."""
    parts = [match.groups() for value in values if (match := _PARTS.match(value))]
    if not parts:
        return None, False
    if any(len(first) == 4 for first, *_rest in parts):
        return (None if all(_is_iso(value) for value in values) else "ymd"), False
    day_first = any(int(first) > 12 for first, _second, *_rest in parts)
    month_first = any(int(second) > 12 for _first, second, *_rest in parts)
    if day_first != month_first:
        return ("dmy" if day_first else "mdy"), False
    return None, True


def detect_time_unit(values: Sequence[str]) -> NumberTimes | None:
    """Return the unit of numeric times, by their range: 1990 to 2050."""
    if all(_is_day(value) for value in values):
        return "yyyymmdd"
    numbers = sorted(float(value.replace(",", ".")) for value in values)
    middle = numbers[len(numbers) // 2]
    return next((unit for unit, low, high in _UNITS if low <= middle <= high), None)


def _is_iso(value: str) -> bool:
    form = r"\d{4}-\d\d-\d\d($|[T ]\d\d(:?\d\d|$|[Zz+-]))(?!.*[AaPp][Mm]$)"
    return bool(re.match(form, value))


def _is_day(value: str) -> bool:
    if not re.fullmatch(r"(19|20)\d{6}", value):
        return False
    try:
        date(int(value[:4]), int(value[4:6]), int(value[6:]))
    except ValueError:
        return False
    return True
