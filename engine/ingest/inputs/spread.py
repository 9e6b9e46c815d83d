"""Counts that stand in many columns, one for each day or hour, as in some national tables."""

import re
from collections.abc import Sequence
from datetime import date

PREFIX = "flow_"
_FEWEST = 2
_DAY = re.compile(r"(?:[a-z]{1,4}[ _]?)?((?:19|20)\d\d)[-_./]?(\d\d)[-_./]?(\d\d)", re.IGNORECASE)
_HOUR = re.compile(
    r"(?:h|hr|hour|hora|heure|stunde)[ _]?(\d{1,2})|(\d{1,2})(?:h|:00)", re.IGNORECASE
)


def columns_of(columns: Sequence[str]) -> dict[str, str]:
    """Return those of `columns` that hold the counts of a day or an hour, by a name for each.

    Columns of days come before columns of hours: a table has one or the other.

    Examples
    --------
    >>> columns_of(["origin", "dest", "2020-03-01", "2020-03-02"])
    {'flow_20200301': '2020-03-01', 'flow_20200302': '2020-03-02'}
    >>> columns_of(["o", "d", "h0", "h1", "h2"]), columns_of(["origin", "h1"])
    ({'flow_h00': 'h0', 'flow_h01': 'h1', 'flow_h02': 'h2'}, {})
    """
    days = {f"{PREFIX}{day:%Y%m%d}": name for name in columns if (day := _day(name)) is not None}
    hours = {
        f"{PREFIX}h{int(match[1] or match[2]):02d}": name
        for name in columns
        if (match := _HOUR.fullmatch(name)) and int(match[1] or match[2]) <= 24
    }
    return next((one for one in (days, hours) if len(one) >= _FEWEST), {})


def day_of(canonical: str) -> date | None:
    """Return the day of a column named by `columns_of`; None for an hour.

    Examples
    --------
    >>> day_of("flow_20200301"), day_of("flow_h07")
    (datetime.date(2020, 3, 1), None)
    """
    return _day(canonical.removeprefix(PREFIX))


def _day(name: str) -> date | None:
    match = _DAY.fullmatch(name)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
