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
    guess = data_guesses.period([path.name for path in draft.files]) or _period_of_data(draft)
    tag = "" if guess is None else f"_{guess[0]}_{guess[1]}"
    left, right = st.columns(2)
    days = [
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
            ((left, "First day", "first_day"), (right, "Last day, included", "last_day"))
        )
    ]
    zones = data_guesses.time_zones()
    there = _zone_there(draft)
    usual = there or st.context.timezone
    zone = draft.field(
        st.selectbox,
        "Time zone of the places",
        f"time_zone_{there or ''}",
        zones,
        index=zones.index(usual) if usual in zones else None,
        placeholder="choose, such as America/Mexico_City",
        help="“04:00” means nothing without it. That of the coordinates is offered, or your "
        "browser's.",
    )
    own().time_zone = zone
    first, last = days
    draft.missing += [] if first and last else ["the period"]
    draft.missing += [] if zone else ["the time zone"]
    draft.values |= {"first_day": first, "last_day": last, "time_zone": zone}
    draft.values["period_from_data"] = _period_of_data(draft) == (first, last)
    if guess is not None and (first, last) == guess:
        st.caption("The period is the one that the file's name tells, or that was read.")
    if draft.mappings is not None and draft.kind != "flows":
        _days_button(draft, zone)
    if zone and draft.longitude is not None:
        moment = datetime(first.year, first.month, first.day, tzinfo=UTC) if first else None
        shift = (moment or datetime.now(UTC)).astimezone(ZoneInfo(zone)).utcoffset()
        warning = data_wording.far_from_clock(
            draft.longitude, (shift or timedelta()).total_seconds() / 3600
        )
        if warning:
            st.warning(warning, icon=":material/schedule:")
    if first and last and draft.kind not in ("flows", "rides"):
        _week(draft, first, last)


def _days_button(draft: Draft, zone: str | None) -> None:
    if st.button(
        "Read the period from the data",
        key="data_days",
        icon=":material/date_range:",
        help="Read from the data: choose it from what you know if the dates themselves are "
        "sensitive.",
    ):
        mappings, reading = draft.mappings or {}, draft.values["reading"]
        with st.spinner("Reading the times …", show_time=True):
            period = data_wording.tried(
                "Cannot be read", lambda: look.days(mappings, reading, zone or "UTC")
            )
        if period is not None:
            own().read("days")[draft.inputs] = period
            st.rerun()


def _period_of_data(draft: Draft) -> tuple[date, date] | None:
    return own().read("days").get(draft.inputs)


def _zone_there(draft: Draft) -> str | None:
    if draft.longitude is None or draft.latitude is None:
        return None
    if not (-180 <= draft.longitude <= 180 and -90 <= draft.latitude <= 90):
        return None
    return look.time_zone_at(draft.longitude, draft.latitude)


def _week(draft: Draft, first: date, last: date) -> None:
    mondays = data_guesses.weeks(first, last)[:1000]
    if not mondays:
        st.caption("The period has no full week from Monday to Sunday: no density can be built.")
        return
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
