"""The step of the table itself: its files, what it holds, and which column means what."""

import html
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

import streamlit as st

from engine.ingest.inputs import mapping, sources
from engine.ingest.inputs.mapping import Preview
from engine.ingest.reading import Reading
from pages._ui.data import files as data_files, guesses, wording as data_wording
from pages._ui.data.draft import Draft, position
from pages._ui.data.wording import COLUMNS, KINDS

ENCODINGS = {
    None: "auto-detect",
    "utf-8": "UTF-8",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
MARKS = {None: "auto-detect", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar |"}
MOST_LISTED = 20
Names: TypeAlias = tuple[str, ...]
_ENGINES = {"points": "visits", "journeys": "trips"}
"""The engine's kind of a table, where it is another word."""


def draw(draft: Draft) -> None:
    """Draw the step."""
    draft.files = data_files.choose(
        draft,
        "table",
        "Trips, visits or flows",
        data_files.TABLES,
        "CSV (also .gz) or Parquet; several files are read as one table.",
        several=True,
    )
    if not draft.files:
        draft.missing.append("a table")
        return
    with st.expander("Encoding and separator", icon=":material/text_fields:"):
        one, two = st.columns(2)
        encoding = draft.field(one.selectbox, "Encoding", "encoding", ENCODINGS)
        delimiter = draft.field(two.selectbox, "Between columns", "delimiter", MARKS)
    draft.reading = Reading(encoding=encoding, delimiter=delimiter)
    seen = data_files.look(draft.files[0], draft.reading)
    if seen is None:
        draft.missing.append("a table that can be read")
        return
    columns = seen.source.columns
    kind = draft.kind = draft.field(
        st.segmented_control,
        "What it holds",
        f"kind_{abs(hash(columns))}",
        KINDS,
        default=guesses.kind(columns),
        required=True,
    )
    st.caption(data_wording.KIND_HELP[kind])
    if not any(mapping.guess(table, columns) for table in ("trips", "visits", "flows", "rides")):
        st.warning(data_wording.unusual_columns(len(columns)), icon=":material/view_column:")
    engine_kind = _ENGINES.get(kind, kind)
    guessed = mapping.guess("visits" if kind == "flows" else engine_kind, columns)
    split = kind != "flows" and draft.field(
        st.toggle,
        "Dates and times are in two columns",
        f"split_{kind}_{abs(hash(columns))}",
        value="clock" in guessed,
    )
    wanted, optional, absent = _columns_of(kind, split=split)
    chosen, missing = data_files.columns(draft, kind, engine_kind, columns, wanted, optional)
    draft.missing += missing
    gap = engine_kind == "visits" and not chosen["tid"] and _gap(draft, kind)
    draft.values |= {
        "gap_minutes": gap or None,
        "reading": draft.reading,
        "kind": engine_kind,
        "mapping": chosen | dict.fromkeys(absent, ""),
        "inputs": tuple(str(path) for path in draft.files),
    }
    draft.longitude, draft.latitude = draft.rows_at = position(seen, chosen)
    draft.seen, draft.chosen = seen, chosen
    if len(draft.files) > 1:
        st.caption(f"The first of {len(draft.files)} files is shown; all must have these columns.")


def _gap(draft: Draft, kind: str) -> float | None:
    """Draw how long without a row ends a trip; left empty, each move between zones is one."""
    return draft.field(
        st.number_input,
        "Minutes without a row that end a trip (optional)",
        f"gap_{kind}",
        min_value=1,
        max_value=1_440,
        value=None,
        placeholder="each move between zones is a trip",
        help="No column names the trips. Left empty, a trip is a visit and the person's next one "
        "in another zone on the same day, as for calls. For tracks of many points name a gap, such "
        "as 30: a trip then leads from a person's first row to the last one before it.",
        width=390,
    )


def _columns_of(kind: str, *, split: bool) -> tuple[Names, Names, Names]:
    """Return the columns that a kind of table needs, may have, and must not be guessed to have."""
    ends = ("origin_lat", "origin_lng", "destination_lat", "destination_lng")
    both, one = ("clock", "end_clock"), ("clock",)
    clocks, clock = (both, one) if split else ((), ())
    no_clocks, no_clock = ((), ()) if split else (both, one)
    return {
        "trips": (
            ("uid", "datetime", "origin", "destination"),
            ("end_datetime", *clocks),
            (*ends, *no_clocks),
        ),
        "journeys": (
            ("uid", "datetime", *ends),
            ("end_datetime", *clocks),
            ("origin", "destination", *no_clocks),
        ),
        "visits": (("uid", "datetime", "location_id"), ("tid", *clock), ("lat", "lng", *no_clock)),
        "points": (("uid", "datetime", "lat", "lng"), ("tid", *clock), ("location_id", *no_clock)),
        "rides": (
            ("datetime", "origin", "destination"),
            ("end_datetime", "tid", *clocks),
            (*ends, *no_clocks),
        ),
        "flows": (("origin", "destination", "flow"), ("date",), ()),
    }[kind]


def rows_html(
    seen: Preview, chosen: Mapping[str, str], times: Sequence[datetime | None] = ()
) -> str:
    """Return the first rows as an escaped table; mapped columns wear the name of what they mean.

    Under the time of each row stands what it is read as.
    """
    time_column = chosen.get("datetime") or chosen.get("date")
    meanings = {column: COLUMNS[canonical] for canonical, column in chosen.items() if column}
    places = sorted(
        range(len(seen.source.columns)), key=lambda i: seen.source.columns[i] not in meanings
    )[:MOST_LISTED]
    head, body = [], []
    for i in sorted(places):
        column = seen.source.columns[i]
        meaning = f"<span>{meanings[column]}</span>" if column in meanings else "<i>not used</i>"
        head.append(f"<th>{html.escape(sources.shown(column))}{meaning}</th>")
    for number, row in enumerate(seen.rows):
        cells = []
        for i in sorted(places):
            text = html.escape(row[i] if i < len(row) else "")
            if seen.source.columns[i] == time_column and number < len(times):
                text += _read_as(times[number])
            cells.append(f"<td>{text}</td>")
        body.append("<tr>" + "".join(cells) + "</tr>")
    return (
        '<div class="rows"><table><thead><tr>'
        + "".join(head)
        + "</tr></thead><tbody>"
        + "".join(body)
        + "</tbody></table></div>"
    )


def _read_as(when: datetime | None) -> str:
    if when is None:
        return "<em>cannot be read</em>"
    return f"<small>{when:%a} {when.day} {when:%b %Y %H:%M}</small>"
