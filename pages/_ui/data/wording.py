"""Sentences of the Data page, and the engine's messages told for a page instead of a terminal."""

import html
import re
from collections.abc import Sequence

import streamlit as st

from engine.ingest import Progress
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER
from pages._ui.wording.numbers import file_size, joined

LEAD = (
    "Bring your own trips, visits or flows. What you upload stays in this session: nobody else "
    "sees it, and it is deleted when you leave."
)
CONFIDENTIAL_ROWS = (
    "**The first rows of your file** – confidential. They are shown on this screen only and kept "
    "nowhere."
)
CONFIDENTIAL_REPORT = CONFIDENTIAL_BANNER
LOCAL_ONLY = (
    "Keeping datasets and reading paths is offered only where the page is served to this computer "
    "alone (on 127.0.0.1)."
)

KINDS = {
    "trips": "Trips",
    "visits": "Visits by place",
    "points": "Visits by coordinates",
    "flows": "Flows without people",
}
KIND_HELP = {
    "trips": "One row a trip: person, start time, origin, destination (and end time).",
    "visits": "One row a visit: person, time, and the id of a tower, station or zone.",
    "points": "One row a visit: person, time, latitude and longitude.",
    "flows": "One row a pair of places: origin, destination and a number. No people are in it, so "
    "only single trips can be protected.",
}
COLUMNS = {
    "uid": "Person",
    "datetime": "Time",
    "end_datetime": "End time",
    "origin": "Origin",
    "destination": "Destination",
    "location_id": "Place",
    "lat": "Latitude",
    "lng": "Longitude",
    "name": "Name",
    "zone_id": "Zone",
    "flow": "Trips",
    "date": "Day",
}

_FLAGS = (
    (r"or count such rows as unparsable with --skip-unparsable",
     "or switch on “Count unreadable rows” under Advanced"),
    (r"--from, --to and --timezone", "the first day, the last day and the time zone"),
    (r"those of --locations or --zones", "those of the places or zones"),
    (r"with --week, or build the trips alone with --parts trips",
     "under Time, or build the trips alone"),
    (r"give --encoding latin-1", "choose Latin-1 under Advanced"),
    (r"; raise --spill-limit, or give --memory more", "; build it with the command line"),
    (r"; raise --memory, or give --spill a folder with space", "; build it with the command line"),
    (r"free some space, or name folders on another disk with --out and --spill",
     "free some space"),
    (r"; name it with (\w+)=COLUMN;", "; choose one under Columns;"),
    (r"; name one with (\w+)=COLUMN;", "; choose one under Columns;"),
    (r"name another column with zone_id=COLUMN", "choose another column of ids"),
    (r"max_visits_cap", "the cap of visits a person (K_max)"),
    (r"max_distance_m", "the largest distance in metres"),
    (r"people_public", "the public estimate of people"),
)  # fmt: skip


def on_page(message: str) -> str:
    """Return a message of the ingest with the page's names in place of the command line's.

    Examples
    --------
    >>> on_page("none of 3 rows can be used; check --from, --to and --timezone")
    'none of 3 rows can be used; check the first day, the last day and the time zone'
    """
    for pattern, words in _FLAGS:
        message = re.sub(pattern, words, message)
    return message


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


def progress(now: Progress | None) -> tuple[float, str]:
    """Return the share done and where a build stands, in words."""
    if now is None:
        return 0.0, "starting …"
    parts = [f"{now.stage} …"]
    if now.rows:
        parts.append(f"{now.rows:,} of {now.rows_total:,} rows")
    if now.bytes_total:
        parts.append(file_size(now.bytes_total))
    if now.seconds_left is not None and now.fraction < 1:
        parts.append(f"about {duration(now.seconds_left)} left")
    return min(max(now.fraction, 0.0), 1.0), " · ".join(parts)


def duration(seconds: float) -> str:
    """Write a duration: seconds below two minutes, else minutes."""
    return f"{max(seconds, 1):.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def needed(missing: Sequence[str]) -> str:
    """Say what a person still has to give."""
    return f"Still needed: {joined(missing)}."


def far_from_clock(longitude: float, offset_hours: float) -> str | None:
    """Warn where a time zone lies far from the places it is to be used for."""
    usual = longitude / 15
    away = (offset_hours - usual + 12) % 24 - 12
    if abs(away) <= 3:
        return None
    return (
        f"The places lie near longitude {longitude:.0f}°, where clocks are usually about "
        f"UTC{usual:+.0f}; this time zone is UTC{offset_hours:+g}. Is it the right one?"
    )


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
