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

from engine.ingest import preview
from engine.parameters import DEFAULT_MAX_VISITS_CAP
from pages._ui.data import messages
from pages._ui.data.builds import data_state
from pages._ui.data.files import Draft

_FIRST_DATE, _LAST_DATE = date(1970, 1, 1), date(2100, 12, 31)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_. ]?(0[1-9]|1[0-2])(?:[-_. ]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)


def draw(draft: Draft) -> None:
    """Draw the step."""
    read = data_state().cache_of("days").get(tuple(draft.files))
    guess = read or find_period([path.name for path in draft.files])
    ends = guess or (None, None)
    tag = "" if guess is None else f"_{guess[0]}_{guess[1]}"
    look = {"min_value": _FIRST_DATE, "max_value": _LAST_DATE, "format": "YYYY-MM-DD"}
    first_col, last_col = st.columns(2)
    first = draft.ask(first_col.date_input, "First day", f"first_day{tag}", value=ends[0], **look)
    label = "Last day, included"
    last = draft.ask(last_col.date_input, label, f"last_day{tag}", value=ends[1], **look)
    zone = _ask_time_zone(draft)
    draft.missing += [] if first and last else ["the period"]
    draft.missing += [] if zone else ["the time zone"]
    draft.values |= {"first_day": first, "last_day": last, "time_zone": zone}
    # a day that was read and kept tells something, whatever the other one is
    draft.values["period_from_data"] = read is not None and (first == read[0] or last == read[1])
    if guess is not None and (first, last) == guess:
        st.caption(f"The period is the one that {'was read' if read else 'the name tells'}.")
    if draft.mappings is not None and "datetime" in draft.columns:
        _draw_days_button(draft, zone)


def find_period(names: Sequence[str]) -> tuple[date, date] | None:
    """Return the days that the files' names tell of; None where one of them tells none."""
    dates: list[date] = []
    for name in names:
        days = [day for match in _DATE.finditer(name) for day in _days_of_match(*match.groups())]
        if not days:
            return None
        dates += days
    return (min(dates), max(dates)) if dates else None


def _days_of_match(year: str, month: str, day: str | None) -> list[date]:
    last = calendar.monthrange(int(year), int(month))[1]
    ends = (1, last) if day is None else (int(day),)
    return [date(int(year), int(month), number) for number in ends if number <= last]


@cache
def time_zones() -> tuple[str, ...]:
    """Return the names of places with a time zone, and UTC."""
    names = (n for n in available_timezones() if "/" in n and not n.startswith("Etc/"))
    return ("UTC", *sorted(names))


def _ask_time_zone(draft: Draft) -> str | None:
    zones, there = time_zones(), preview.find_time_zone(*draft.centre) if draft.centre else None
    default = there or st.context.timezone
    data_state().time_zone = zone = draft.ask(
        st.selectbox,
        "Time zone of the places",
        f"time_zone_{there or ''}",
        zones,
        index=zones.index(default) if default in zones else None,
        placeholder="choose, such as America/Mexico_City",
        help="Needed because a time such as “04:00” has no meaning without a time zone. The "
        "suggestion comes from the coordinates or from your browser.",
    )
    return zone


def _draw_days_button(draft: Draft, zone: str | None) -> None:
    if st.button(
        "Read the period from the data",
        key="data_days",
        icon=":material/date_range:",
        help=(
            "If the dates themselves are sensitive, enter the period from public knowledge instead."
        ),
    ):
        arguments = (preview.preview_days, draft.mappings, draft.reading, zone or "UTC")
        with st.spinner("Reading the times …", show_time=True):
            days = messages.attempt("Cannot be read", *arguments)
        if days is not None:
            data_state().cache_of("days")[tuple(draft.files)] = days
            st.rerun()


def draw_density(draft: Draft) -> None:
    """Draw what only a density asks for, each with a default: its week and two public numbers."""
    first, last = draft.values["first_day"], draft.values["last_day"]
    if not (first and last) or draft.kind in ("flows", "rides"):  # these have no people
        return
    monday = first + timedelta(days=-first.weekday() % 7)
    mondays = [monday + timedelta(weeks=n) for n in range(((last - monday).days + 1) // 7)][:1000]
    if not mondays:
        st.caption("The period has no full week from Monday to Sunday, so no density can be built.")
        return
    with st.expander("More settings (density only)", icon=":material/tune:"):
        week_col, cap_col, mean_col = st.columns(3)
        week = draft.ask(
            week_col.selectbox,
            "Week of the density",
            f"week_{first}_{last}",
            {**{monday: _format_week(monday) for monday in mondays}, "": "none: no density"},
            help="The density covers one week. The first full week is suggested; choosing the "
            "busiest week would reveal information about the data. Without a week, only "
            "trips are built.",
        )
        if not week:
            draft.values["parts"] = ("trips",)
            return
        draft.values["week"] = week
        draft.values["max_visits_cap"] = cap = draft.ask(
            cap_col.number_input,
            "Largest number of visits per person in the week (Kₘₐₓ)",
            "cap",
            min_value=1,
            max_value=10**6,
            value=DEFAULT_MAX_VISITS_CAP,
            help="Kₘₐₓ, a public bound, not read from the data. Visits beyond it are left out and "
            "counted in the report. A smaller bound needs less noise.",
        )
        draft.values["mean_visits_public"] = draft.ask(
            mean_col.number_input,
            "Average visits per person in the week, if public",
            "mean_visits",
            min_value=1.0,
            max_value=float(cap),
            value=None,
            placeholder="as of calls",
            help="A public mean, never read from the data, for which multiscale Gaussian is tuned. "
            "Bikes have about 2, calls 13.",
        )


def _format_week(monday: date) -> str:
    sunday = monday + timedelta(days=6)
    return f"Mon {monday.day} {monday:%b} – Sun {sunday.day} {sunday:%b %Y}"
