"""Sentences of the Data page, and the engine's messages told for a page instead of a terminal."""

import html
from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import Progress
from pages._ui.wording.numbers import joined

T = TypeVar("T")

LEAD = (
    "Bring your own trips, visits or flows. What you upload stays in this session: nobody else "
    "sees it, and it is deleted when you leave."
)
CONFIDENTIAL_ROWS = (
    "**The first rows of your file** – confidential. They are shown on this screen only and kept "
    "nowhere."
)
TIMES_UNREAD = (
    "Some of the first times cannot be read. Choose the column of times; how they are written can "
    "be said to the command (docs/data.md)."
)
LOCAL_ONLY = (
    "Keeping datasets and reading paths is offered only where the page is served to this computer "
    "alone (on 127.0.0.1)."
)

KINDS = {"trips": "Trips", "visits": "Visits", "rides": "Trips without people", "flows": "Flows"}
KIND_HELP = {
    "trips": "one row a trip: person, start time, origin, destination (ids or coordinates).",
    "visits": "one row a visit: person, time, and a place's id or coordinates; a column of trips "
    "(tid) makes a trip of its first and last row.",
    "rides": "one row a trip, and nothing that tells people apart (bike share, taxis): only single "
    "trips can be protected.",
    "flows": "one row a pair of places: origin, destination and a number. No people are in it.",
}
KINDS_HELP = "  \n".join(f"**{KINDS[kind]}**: {words}" for kind, words in KIND_HELP.items())
COLUMNS = {
    "uid": "Person",
    "tid": "Trip",
    "datetime": "Time",
    "end_datetime": "End time",
    "origin": "Origin",
    "destination": "Destination",
    "clock": "Time of the day",
    "end_clock": "End time of the day",
    "origin_lat": "Origin's latitude",
    "origin_lng": "Origin's longitude",
    "destination_lat": "Destination's latitude",
    "destination_lng": "Destination's longitude",
    "location_id": "Place",
    "lat": "Latitude",
    "lng": "Longitude",
    "name": "Name",
    "zone_id": "Zone",
    "flow": "Trips",
    "date": "Day",
}

_CONTROLS = {
    "date_order": "Order of the date",
    "decimal": "Decimal mark",
    "hexagon_m": "Zones are hexagons",
    "first_day": "First day",
    "last_day": "Last day",
    "time_zone": "Time zone",
    "mapping": "Choose the columns",
    "max_visits_cap": "Most visits of a person in the week",
    "mean_visits_public": "Visits of a person in the week, if public",
}
"""The page's control for each setting of an ingest."""


def on_page(error: ExplorerError) -> str:
    """Return an error's message with the page's controls that mend it."""
    named = dict.fromkeys(_CONTROLS[name] for name in error.settings if name in _CONTROLS)
    return str(error) + (f" ({', '.join(named)})" if named else "")


def unexpected(kind: str) -> str:
    """Say that a build broke in a way nobody foresaw, without repeating what an engine said."""
    return (
        f"The build stopped for a reason that was not foreseen ({kind}); nothing was written. "
        "Check the file, or export it again."
    )


def problem(title: str, message: str) -> None:
    """Draw an error; whatever a file put into it (HTML, links, formulas) stays plain text."""
    st.html(
        f'<div class="verdict noisy" role="alert"><strong>{html.escape(title)}</strong>'
        f"{html.escape(message)}</div>"
    )


def tried(title: str, ask: Callable[[], T]) -> T | None:
    """Return what is asked for; None where the engine refuses it, which is then said."""
    try:
        return ask()
    except ExplorerError as refusal:
        problem(title, on_page(refusal))
        return None


def progress(now: Progress | None) -> tuple[float, str]:
    """Return the share done and where a build stands, in words."""
    if now is None:
        return 0.0, "starting …"
    parts = [f"{now.stage} …"]
    if now.seconds_left is not None and now.fraction < 1:
        parts.append(f"about {duration(now.seconds_left)} left")
    return min(max(now.fraction, 0.0), 1.0), " · ".join(parts)


def duration(seconds: float) -> str:
    """Write a duration: seconds below two minutes, else minutes."""
    return f"{max(seconds, 1):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def ambiguous(column: str) -> str:
    """Ask which of two days a date is."""
    return (
        f"**03/04/2016: is that 3 April or 4 March?** The first rows of column “{column}” do not "
        "show which. Choose which comes first."
    )


def needed(missing: Sequence[str]) -> str:
    """Say what a person still has to give."""
    return f"Still needed: {joined(list(dict.fromkeys(missing)))}."


def built_html(name: str, seconds: float, *, kept: bool) -> str:
    """Say that a dataset is ready, and who sees it."""
    where = (
        "kept on this computer in data/local, and in the pickers."
        if kept
        else "in the pickers of this session, and of nobody else's."
    )
    return (
        '<div class="verdict good" role="status"><strong>Ready</strong>'
        f"{html.escape(name)} was built in {duration(seconds)}. It is {where}</div>"
    )
