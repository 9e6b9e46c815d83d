"""How the text of a table is read: its marks, the order of its dates, what its numbers count."""

from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from .. import validation
from ..errors import ParameterError

Encoding = Literal["utf-8", "windows-1252", "latin-1", "utf-16"]
DateOrder = Literal["ymd", "dmy", "mdy"]
NumberTimes = Literal[
    "seconds", "milliseconds", "microseconds", "nanoseconds", "minutes", "days", "yyyymmdd"
]
DELIMITERS = (",", ";", "\t", "|")
THOUSANDS = ("", ",", ".", " ", "'")
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How rows are read; what is None is detected from the first rows.

    Parameters
    ----------
    delimiter : str or None
        Character between the columns of a CSV file: comma, semicolon, tab or ``|``.
    decimal : str or None
        Decimal mark of numbers: ``.`` or ``,``.
    thousands : str
        Mark between thousands, taken out of numbers; empty where there is none.
    date_order : str or None
        ``ymd``, ``dmy`` (day first) or ``mdy`` (month first). Dates such as 03/04/2016 that could
        be either are refused where it is None.
    number_times : str or None
        What times that are numbers count since `epoch`: ``seconds``, ``milliseconds``,
        ``microseconds``, ``nanoseconds``, ``minutes`` or ``days``; or ``yyyymmdd``, a date written
        as a number.
    epoch : date
        Day from which numbers count, at 00:00 UTC; 1970-01-01 is usual, 1899-12-30 in Excel.
    text_time_zone : str or None
        Time zone in which times without an offset are written; None is the local one.

    Examples
    --------
    >>> Reading(date_order="dmy", decimal=",").date_order
    'dmy'
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str = ""
    date_order: DateOrder | None = None
    number_times: NumberTimes | None = None
    epoch: date = EPOCH
    text_time_zone: str | None = None

    def __post_init__(self) -> None:
        for name, known, remedy in (
            ("delimiter", DELIMITERS, "leave it out to look"),
            ("decimal", (".", ","), "leave it out to look"),
            ("thousands", THOUSANDS, "leave it out if there is none"),
            ("date_order", get_args(DateOrder), "'ymd' is ISO"),
            ("number_times", get_args(NumberTimes), "seconds are usual"),
        ):
            if (value := getattr(self, name)) is not None:
                validation.one_of(name, value, known, remedy)
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
