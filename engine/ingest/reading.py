"""How the text of a table is read: its lines, its marks, its dates, what its numbers count."""

from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from .. import validation
from ..errors import ParameterError

Encoding = Literal["utf-8", "windows-1252", "latin-1", "utf-16"]
DateOrder = Literal["ymd", "dmy", "mdy"]
NumberTimes = Literal["seconds", "milliseconds", "microseconds", "nanoseconds", "days", "yyyymmdd"]
DELIMITERS = (",", ";", "\t", "|")
THOUSANDS = ("", ",", ".", " ", "'")
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How rows are read; what is None is detected from the first rows.

    Parameters
    ----------
    encoding, delimiter : str or None
        Of CSV files: ``utf-8``, ``windows-1252``, ``latin-1`` or ``utf-16``; comma, semicolon, tab
        or ``|``.
    header : tuple of str or None
        Names by position for files without a line of names; columns beyond them are called by
        their number, from ``1``. None takes the names from the first line.
    skip_rows : int
        Lines above the line of names (or above the first row).
    decimal, thousands : str
        Marks in numbers.
    date_order : str or None
        ``ymd``, ``dmy`` (day first) or ``mdy``. Dates such as 03/04/2016 that could be either are
        refused where it is None.
    time_format : str or None
        How all times are written, as ``strptime`` says it.
    number_times : str or None
        What times that are numbers count since `epoch` (UTC), or ``days`` of a spreadsheet (on the
        wall clock), or ``yyyymmdd``.
    epoch : date
        Day from which numbers count.
    text_time_zone : str or None
        Time zone in which times without an offset are written; None is the local one.

    Examples
    --------
    >>> Reading(date_order="dmy", decimal=",").date_order
    'dmy'
    """

    encoding: Encoding | None = None
    delimiter: str | None = None
    header: tuple[str, ...] | None = None
    skip_rows: int = 0
    decimal: str | None = None
    thousands: str = ""
    date_order: DateOrder | None = None
    time_format: str | None = None
    number_times: NumberTimes | None = None
    epoch: date = EPOCH
    text_time_zone: str | None = None

    def __post_init__(self) -> None:
        for name, known, remedy in (
            ("encoding", get_args(Encoding), "leave it out to look"),
            ("delimiter", DELIMITERS, "leave it out to look"),
            ("decimal", (".", ","), "leave it out to look"),
            ("thousands", THOUSANDS, "leave it out if there is none"),
            ("date_order", get_args(DateOrder), "'ymd' is ISO"),
            ("number_times", get_args(NumberTimes), "seconds are usual"),
        ):
            if (value := getattr(self, name)) is not None:
                validation.one_of(name, value, known, remedy)
        validation.whole_number("skip_rows", self.skip_rows, 0, 10_000, remedy="0 is usual")
        if self.thousands and self.thousands == (self.decimal or "."):
            raise ParameterError(
                "decimal and thousands must be two different marks",
                value=repr(self.thousands),
                remedy="name the decimal mark too",
                code="same-marks",
                settings=("decimal", "thousands"),
            )
        if self.text_time_zone is not None:
            check_time_zone("text_time_zone", self.text_time_zone)


def check_time_zone(name: str, value: str) -> None:
    """Refuse what is no IANA time zone."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError) as error:
        raise ParameterError(
            f"{name} must be an IANA name such as 'America/Mexico_City'",
            value=repr(value),
            remedy="'04:00' means nothing without it",
            code="time-zone",
            settings=(name,),
        ) from error
