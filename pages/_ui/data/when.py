"""The step of period, time zone and week: guessed from names, offered, never taken unseen.

No guess looks at rows: a period read off confidential rows would leak information about them.
"""

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from zoneinfo import available_timezones

import streamlit as st

from engine.ingest import look
from pages._ui.data import wording as data_wording
from pages._ui.data.files import Draft
from pages._ui.data.store import own

_EARLIEST, _LATEST = date(1970, 1, 1), date(2100, 12, 31)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_. ]?(0[1-9]|1[0-2])(?:[-_. ]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)


def draw(draft: Draft) -> None:
    """Draw the step."""
    read = own().read("days").get(draft.inputs)
    guess = period([path.name for path in draft.files]) or read
    tag = "" if guess is None else f"_{guess[0]}_{guess[1]}"
    days: list[date | None] = []
    labels = {"first_day": "First day", "last_day": "Last day, included"}
    for end, (column, name) in enumerate(zip(st.columns(2), labels, strict=True)):
        named = {"min_value": _EARLIEST, "max_value": _LATEST, "format": "YYYY-MM-DD"}
        value = None if guess is None else guess[end]
        days.append(
            draft.field(column.date_input, labels[name], f"{name}{tag}", value=value, **named)
        )
    first, last = days
    zone = _time_zone(draft)
    draft.missing += [] if first and last else ["the period"]
    draft.missing += [] if zone else ["the time zone"]
    draft.values |= {"first_day": first, "last_day": last, "time_zone": zone}
    draft.values["period_from_data"] = read == (first, last)
    if guess is not None and (first, last) == guess:
        st.caption("The period is the one that the file's name tells, or that was read.")
    if draft.mappings is not None and "datetime" in draft.chosen:
        _days_button(draft, zone)
    if first and last and draft.kind not in ("flows", "rides"):  # these have no people
        _week(draft, first, last)


def period(names: Sequence[str]) -> tuple[date, date] | None:
    """Return the days that the files' names tell of; None where one of them tells none."""
    dates: list[date] = []
    for name in names:
        days = [day for match in _DATE.finditer(name) for day in _days(*match.groups())]
        if not days:
            return None
        dates += days
    return (min(dates), max(dates)) if dates else None


def _days(year: str, month: str, day: str | None) -> list[date]:
    last = calendar.monthrange(int(year), int(month))[1]
    ends = (1, last) if day is None else (int(day),)
    return [date(int(year), int(month), one) for one in ends if one <= last]


@cache
def time_zones() -> tuple[str, ...]:
    """Return the names of places with a time zone, and UTC."""
    others = ("Etc/", "posix/", "right/", "SystemV/")
    names = (n for n in available_timezones() if "/" in n and not n.startswith(others))
    return ("UTC", *sorted(names))


def _time_zone(draft: Draft) -> str | None:
    zones, there = time_zones(), None
    if draft.at is not None:
        there = look.time_zone_at(*draft.at)
    usual = there or st.context.timezone
    own().time_zone = zone = draft.field(
        st.selectbox,
        "Time zone of the places",
        f"time_zone_{there or ''}",
        zones,
        index=zones.index(usual) if usual in zones else None,
        placeholder="choose, such as America/Mexico_City",
        help="“04:00” means nothing without it. That of the coordinates is offered, or your "
        "browser's.",
    )
    return zone


def _days_button(draft: Draft, zone: str | None) -> None:
    if st.button(
        "Read the period from the data",
        key="data_days",
        icon=":material/date_range:",
        help="Choose it from what you know if the dates themselves are sensitive.",
    ):
        mappings = draft.mappings or {}
        with st.spinner("Reading the times …", show_time=True):
            found = data_wording.tried(
                "Cannot be read", lambda: look.days(mappings, draft.reading, zone or "UTC")
            )
        if found is not None:
            own().read("days")[draft.inputs] = found
            st.rerun()


def _week(draft: Draft, first: date, last: date) -> None:
    monday = first + timedelta(days=-first.weekday() % 7)
    mondays = [monday + timedelta(weeks=n) for n in range(((last - monday).days + 1) // 7)][:1000]
    if not mondays:
        st.caption("The period has no full week from Monday to Sunday: no density can be built.")
        return
    draft.values["week"] = mondays[0]
    if len(mondays) > 1:
        draft.values["week"] = draft.field(
            st.selectbox,
            "Week of the density",
            f"week_{first}_{last}",
            mondays,
            format_func=_named_week,
            help="Density covers one week. The first full one is offered; choosing the busiest one "
            "would leak information about the data.",
        )


def _named_week(monday: date) -> str:
    sunday = monday + timedelta(days=6)
    return f"Mon {monday.day} {monday:%b} – Sun {sunday.day} {sunday:%b %Y}"
