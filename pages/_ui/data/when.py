"""The step of period, time zone and week: guessed from names, offered, never taken unseen."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import streamlit as st

from engine.ingest import look
from pages._ui.data import guesses as data_guesses, wording as data_wording
from pages._ui.data.draft import Draft
from pages._ui.data.own import own

_EARLIEST, _LATEST = date(1970, 1, 1), date(2100, 12, 31)


def draw(draft: Draft) -> None:
    """Draw the step."""
    read = own().read("days").get(draft.inputs)
    guess = data_guesses.period([path.name for path in draft.files]) or read
    tag = "" if guess is None else f"_{guess[0]}_{guess[1]}"
    first, last = (
        draft.field(
            column.date_input,
            label,
            f"{name}{tag}",
            value=None if guess is None else guess[end],
            min_value=_EARLIEST,
            max_value=_LATEST,
            format="YYYY-MM-DD",
        )
        for end, (column, label, name) in enumerate(
            zip(
                st.columns(2),
                ("First day", "Last day, included"),
                ("first_day", "last_day"),
                strict=True,
            )
        )
    )
    zone = _time_zone(draft)
    draft.missing += [] if first and last else ["the period"]
    draft.missing += [] if zone else ["the time zone"]
    draft.values |= {"first_day": first, "last_day": last, "time_zone": zone}
    draft.values["period_from_data"] = read == (first, last)
    if guess is not None and (first, last) == guess:
        st.caption("The period is the one that the file's name tells, or that was read.")
    if draft.mappings is not None and "datetime" in draft.chosen:
        _days_button(draft, zone)
    if zone and draft.longitude is not None:
        moment = datetime(first.year, first.month, first.day, tzinfo=UTC) if first else None
        shift = (moment or datetime.now(UTC)).astimezone(ZoneInfo(zone)).utcoffset()
        hours = (shift or timedelta()).total_seconds() / 3600
        if warning := data_wording.far_from_clock(draft.longitude, hours):
            st.warning(warning, icon=":material/schedule:")
    if first and last and draft.has_people:
        _week(draft, first, last)


def _time_zone(draft: Draft) -> str | None:
    zones, there = data_guesses.time_zones(), None
    longitude, latitude = draft.longitude, draft.latitude
    if longitude is not None and latitude is not None and abs(latitude) <= 90:
        there = look.time_zone_at((longitude + 180) % 360 - 180, latitude)
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
            period = data_wording.tried(
                "Cannot be read", lambda: look.days(mappings, draft.reading, zone or "UTC")
            )
        if period is not None:
            own().read("days")[draft.inputs] = period
            st.rerun()


def _week(draft: Draft, first: date, last: date) -> None:
    mondays = data_guesses.weeks(first, last)[:1000]
    if not mondays:
        st.caption("The period has no full week from Monday to Sunday: no density can be built.")
    elif len(mondays) == 1:
        draft.values["week"] = mondays[0]
    else:
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
