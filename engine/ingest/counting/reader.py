"""Single values of a raw table: ids, times, degrees and numbers, the same on every engine."""

from dataclasses import dataclass

import ibis

from ..calendar import Calendar
from ..expressions import Column, Table, trimmed
from ..inputs.mapping import CLOCKS, TIMES
from ..reading import Reading
from .clock import floored, local_seconds, moments, with_clock

_PLAIN_NUMBER = r"^[+-]?(\d+([.]\d*)?|[.]\d+)([eE][+-]?\d+)?$"
_LOST_DIGITS = r"^\d([.,]\d+)?[eE]\+\d+$"
_EXACT_BELOW = 2.0**53
LARGEST_FLOW = 10**12
"""Trips in one row of a table of flows: a sum of a million such rows fits in 64 bits."""


@dataclass(frozen=True)
class Reader:
    """How values become persons, times and places.

    Attributes
    ----------
    calendar : Calendar
        Period and rules of the clock.
    reading : Reading
        Marks, order of dates, meaning of numbers; without gaps.
    bare_people, bare_places : bool
        Whether leading zeros of whole numbers are dropped: where some files hold the ids as
        numbers, which have none.
    """

    calendar: Calendar
    reading: Reading
    bare_people: bool = False
    bare_places: bool = False

    def person(self, column: Column) -> Column:
        """Return a person's id as text; null where there is none."""
        return identifier(column, bare=self.bare_people)

    def place(self, column: Column) -> Column:
        """Return a place's id as text; null where there is none."""
        return identifier(column, bare=self.bare_places)

    def moments(self, raw: Table) -> Table:
        """Return `raw` with ``<name>_wall`` and ``<name>_instant`` for each of its times."""
        columns: dict[str, Column] = {}
        for name in TIMES:
            if name in raw.columns:
                pair = moments(raw[name], self.calendar, self.reading)
                columns |= {f"{name}_wall": pair[0], f"{name}_instant": pair[1]}
        return raw.mutate(**columns) if columns else raw

    def time(self, raw: Table, name: str) -> Column:
        """Return time `name` of a table with `moments` as local seconds; null if unreadable."""
        return local_seconds(raw[f"{name}_wall"], raw[f"{name}_instant"], self.calendar)

    def degrees(self, raw: Table, name: str) -> Column:
        """Return a coordinate in degrees; null where it is no number or out of range."""
        number = self._number(raw[name])
        limit = 90.0 if name.endswith("lat") else 180.0
        # by way of a whole number, exactly: what is none, such as NaN, is null from here on
        whole = number.try_cast("int64").cast("float64")
        number = whole + (number - whole)
        return ((number >= -limit) & (number <= limit)).ifelse(number, ibis.null("float64"))

    def flow(self, column: Column) -> Column:
        """Return a count as a whole number of at least 0; null where it is none."""
        number = self._number(column)
        whole = floored(number).cast("float64") == number
        fine = (number >= 0) & (number <= LARGEST_FLOW) & whole
        return fine.ifelse(number, ibis.null("float64")).cast("int64")

    def _number(self, column: Column) -> Column:
        if not column.type().is_string():
            return column.cast("float64")
        text = column
        if self.reading.thousands:
            text = text.replace(self.reading.thousands, "")
            if self.reading.thousands == " ":
                text = text.replace("\N{NO-BREAK SPACE}", "").replace("\u202f", "")
        if self.reading.decimal == ",":
            text = text.replace(",", ".")
        # engines differ on 1_0, 5d and 0x1p3
        plain = text.re_search(_PLAIN_NUMBER)
        return plain.ifelse(text, ibis.null("string")).try_cast("float64")


def stripped(raw: Table) -> Table:
    """Return `raw` with its text without white space around it."""
    texts = [name for name in raw.columns if raw[name].type().is_string()]
    return raw.mutate(**{name: trimmed(raw[name]) for name in texts}) if texts else raw


def joined_times(raw: Table) -> Table:
    """Return `raw` with days and their times of the day in one column of text each."""
    joined = {
        day: with_clock(raw[day], raw[clock])
        for clock, day in CLOCKS.items()
        if clock in raw.columns
    }
    return raw.mutate(**joined).drop(*(c for c in CLOCKS if c in raw.columns)) if joined else raw


def identifier(column: Column, *, bare: bool) -> Column:
    """Return an id as text, to the last digit; null where it is empty.

    Whole numbers have one form: ``7.0`` (a column with gaps, written by pandas) is ``7``, and with
    `bare` ``07`` is too. A float beyond 2⁵³ or with a fraction, and text such as ``1.2E+11`` out of
    a spreadsheet or ``1.2e+16`` out of pandas, have lost digits that tell people apart: null.
    """
    kind = column.type()
    if kind.is_floating():
        number = column.cast("float64")
        near = floored(number)
        exact = (near.cast("float64") == number) & (number.abs() < _EXACT_BELOW)
        return exact.ifelse(near.cast("string"), ibis.null("string"))
    if kind.is_decimal():
        text = column.cast("string")
        return text.re_extract(r"^(-?\d+([.]\d*[1-9])?)", 1) if kind.scale else text
    if not kind.is_string():
        return column.cast("string")
    text = column.nullif("")
    text = ((text.right(1) == "0") & text.contains(".")).ifelse(_without_zero(text), text)
    text = (text.contains("+") & text.re_search(_LOST_DIGITS)).ifelse(ibis.null("string"), text)
    if bare:
        digits = text.re_extract(r"^0+(\d+)$", 1)
        text = ((text.left(1) == "0") & (digits != "")).ifelse(digits, text)
    return text


def _without_zero(text: Column) -> Column:
    digits = text.re_extract(r"^(-?\d+)[.]0+$", 1)
    return (digits != "").ifelse(digits, text)
