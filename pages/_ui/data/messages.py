"""What the Data page calls kinds and columns, and how it says the engine's refusals."""

import html
from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.errors import ExplorerError

KINDS = {"trips": "Trips", "visits": "Visits", "rides": "Trips without people", "flows": "Flows"}
KINDS_HELP = """
**Trips**: one row a trip: person, start time, origin, destination (ids or coordinates).

**Visits**: one row a visit: person, time, and a place's id or coordinates. A column of trips (tid)
makes a trip of its first and last row.

**Trips without people**: one row a trip, and nothing that tells people apart (bike share, taxis):
only single trips can be protected.

**Flows**: one row a pair of places: origin, destination and a number. No people are in it.
"""
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

CONTROLS = {
    "date_order": "Order of day and month",
    "decimal": "Decimal mark",
    "hexagon_m": "Zones are hexagons",
    "first_day": "First day",
    "last_day": "Last day",
    "time_zone": "Time zone of the places",
    "week": "Week of the density",
    "mapping": "Choose the columns",
    "max_visits_cap": "Largest number of visits per person in the week (Kₘₐₓ)",
    "mean_visits_public": "Average visits per person in the week, if public",
}
"""The page's control for each setting of an ingest."""


def format_error(error: ExplorerError) -> str:
    """Return an error's message with the page's controls that mend it."""
    labels = dict.fromkeys(CONTROLS[name] for name in error.settings if name in CONTROLS)
    return str(error) + (f" Fields: {', '.join(labels)}." if labels else "")


def show_error(title: str, message: str) -> None:
    """Draw an error; whatever a file put into it (HTML, links, formulas) stays plain text."""
    st.html(
        f'<div class="verdict noisy" role="alert"><strong>{html.escape(title)}</strong>'
        f"{html.escape(message)}</div>"
    )


def attempt(title: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result, or None after drawing the engine's refusal."""
    try:
        return call(*arguments)
    except ExplorerError as refusal:
        show_error(title, format_error(refusal))
        return None
