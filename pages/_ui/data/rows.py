"""The step of the table: its files, what it holds, which column means what, how it is read."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import look, presets
from engine.ingest.inputs import guess, mapping, sources
from engine.ingest.inputs.mapping import Preview
from engine.ingest.inputs.sources import Source
from engine.ingest.reading import Reading
from pages._ui.data import files as data_files, guesses, wording as data_wording
from pages._ui.data.draft import Draft, position
from pages._ui.data.own import own
from pages._ui.data.wording import COLUMNS, KINDS

Names: TypeAlias = tuple[str, ...]
AUTO = "auto-detect"
ENCODINGS = {
    None: AUTO,
    "utf-8": "UTF-8",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
MARKS = {None: AUTO, ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar |"}
ORDERS = {"ymd": "year, month, day", "dmy": "day first", "mdy": "month first"}
UNITS = {
    **{unit: f"{unit} since 1970" for unit in ("seconds", "milliseconds", "microseconds")},
    "nanoseconds": "nanoseconds since 1970",
    "days": "days (a spreadsheet's, or since 1970)",
    "yyyymmdd": "a date such as 20160503",
}
DECIMALS = {".": "point", ",": "comma"}
THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
MOST_LISTED = 20


def draw(draft: Draft) -> None:
    """Draw the step."""
    draft.files = data_files.choose(
        draft,
        "table",
        "Trips, visits or flows",
        data_files.TABLES,
        "CSV (also .gz or .zip) or Parquet; several files are read as one table.",
        several=True,
    )
    if not draft.files:
        draft.missing.append("a table")
        return
    seen = _looked(draft)
    if seen is None:
        draft.missing.append("a table that can be read")
        return
    draft.seen, there = seen, seen.source.columns
    form = presets.fitting(there)
    if form is not None and not draft.field(
        st.toggle,
        f"Read it as {form.about}",
        f"form_{form.name}_{abs(hash(there))}",
        value=True,
        help="Columns and marks of this form are known; nothing else has to be chosen.",
    ):
        form = None
    if form is None:
        _by_hand(draft, there)
    else:
        _by_form(draft, form, there)
    if len(draft.files) > 1:
        st.caption(f"The first of {len(draft.files)} files is shown; all must have these columns.")
    _read(draft)


def _looked(draft: Draft) -> Preview | None:
    """Return a first look at the file, with the marks that are set or asked for."""
    given = Reading()
    if draft.every:
        one, two = st.columns(2)
        encoding = draft.field(one.selectbox, "Encoding", "encoding", ENCODINGS)
        given = replace(
            given,
            encoding=encoding,
            delimiter=draft.field(two.selectbox, "Between columns", "delimiter", MARKS),
        )
    outcome = data_files.look(draft.files[0], given)
    code = outcome.code if isinstance(outcome, ExplorerError) else ""
    asked = own().read("text")
    if code in ("no-header", "rows-above") or asked.get(draft.files[0]):
        asked[draft.files[0]] = True  # the choice stays beside the file
        one, two = st.columns(2)
        skip = one.number_input(
            "Lines above the names of columns", min_value=0, max_value=10_000, key=draft.key("skip")
        )
        none = two.toggle("The file has no line of names", key=draft.key("no_header"))
        given = replace(given, skip_rows=int(skip), header=("1",) if none else None)
        outcome = data_files.look(draft.files[0], given)
    draft.reading = given
    return data_files.drawn(outcome)


def _by_form(draft: Draft, form: presets.Preset, there: Names) -> None:
    """Take what a form of the field says of its columns and marks."""
    values = presets.settings(form, there)
    draft.kind, draft.chosen = form.kind, values["mapping"]
    own().leave_out |= set(values.pop("leave_out"))
    read, reading = draft.reading, values.pop("reading")
    kept = {name: value for name, value in vars(read).items() if value != getattr(Reading(), name)}
    draft.reading = replace(reading, **kept)
    draft.values |= values | {"inputs": tuple(map(str, draft.files))}


def _by_hand(draft: Draft, there: Names) -> None:
    """Ask what the table holds and which column means what; both are guessed."""
    draft.kind = kind = draft.field(
        st.segmented_control,
        "What it holds",
        f"kind_{abs(hash(there))}",
        KINDS,
        default=guesses.kind(there),
        required=True,
        help=data_wording.KINDS_HELP,
    )
    if not any(mapping.guess(table, there) for table in KINDS):
        st.warning(data_wording.unusual_columns(len(there)), icon=":material/view_column:")
    guessed = mapping.guess(kind, there)
    ids, points = mapping.PLACES[kind]
    # coordinates are asked for where ids are not there
    by_points = not set(ids) <= guessed.keys() and bool(points) and set(points) <= guessed.keys()
    ends = points if by_points else ids
    wanted = list(dict.fromkeys((*mapping.REQUIRED[kind], *ends)))
    optional = [one for one in mapping.OPTIONAL[kind] if one not in wanted]
    draft.chosen = chosen = data_files.columns(draft, kind, guessed, there, wanted, optional)
    gap = None
    if kind == "visits" and not chosen["tid"]:
        gap = draft.field(
            st.number_input,
            "Minutes without a row that end a trip (optional)",
            "gap",
            min_value=1,
            max_value=1_440,
            value=None,
            placeholder="each move between zones is a trip",
            help="Left empty, a trip is a visit and the person's next one in another zone on the "
            "same day, as for calls. For tracks of many points name a gap, such as 30.",
            width=390,
        )
    inputs = tuple(map(str, draft.files))
    draft.values |= {"gap_minutes": gap, "kind": kind, "mapping": chosen, "inputs": inputs}


def _read(draft: Draft) -> None:
    """Draw how rows are read: what is in doubt is asked, the first rows stand as they are read."""
    assert draft.seen is not None
    names = {canonical: column for canonical, column in draft.chosen.items() if column}
    source, given = draft.seen.source, draft.reading
    guessed = data_wording.tried("Cannot be read", lambda: guess.guess(source, names, given))
    times: tuple[datetime | None, ...] = ()
    if guessed is None:
        draft.missing.append("a table that can be read")
    else:
        tag = abs(hash((source.columns, tuple(sorted(names.items())))))
        draft.reading, sure = _marks(draft, guessed, tag)
        times = _times(source, names, draft.reading) if sure else ()
    draft.values["reading"] = draft.reading
    with st.container(key="data_rows"):
        st.warning(data_wording.CONFIDENTIAL_ROWS, icon=":material/lock:")
        st.html(rows_html(draft.seen, draft.chosen, times))
    if None in times:
        st.warning(data_wording.TIMES_UNREAD, icon=":material/schedule:")
    draft.longitude, draft.latitude = draft.rows_at = position(draft.seen, draft.chosen)
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None and look.seem_swapped(longitude, latitude):
        st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")
        draft.missing.append("latitude and longitude the right way round")
    _files(draft, names)


def _marks(draft: Draft, guessed: guess.Guess, tag: int) -> tuple[Reading, bool]:
    """Return how rows are read, and whether no doubt is left; ask what is in doubt."""
    reading, doubt = guessed.reading, guessed.asks_date_order
    columns = st.columns(4) if doubt or draft.every else []

    def field(place: int, label: str, name: str, options: Any, start: str | None) -> Any:
        at = None if start is None else list(options).index(start)
        key = f"{name}_{tag}"
        return draft.field(
            columns[place].selectbox, label, key, options, index=at, placeholder="choose"
        )

    order: str | None = reading.date_order or "ymd"
    if columns:
        order = field(0, "Order of the date", "order", ORDERS, None if doubt else order)
    if order is None:
        draft.missing.append("the order of the date")
        st.warning(data_wording.ambiguous(doubt or ""), icon=":material/help:")
    elif order != "ymd" or reading.date_order is not None:
        reading = replace(reading, date_order=order)
    if draft.every:
        usual = reading.number_times or "seconds"
        unit = field(1, "Times that are numbers", "unit", UNITS, usual)
        if reading.number_times is not None or unit != "seconds":
            reading = replace(reading, number_times=unit)
        decimal = field(2, "Decimal mark", "decimal", DECIMALS, reading.decimal or ".")
        others = {mark: words for mark, words in THOUSANDS.items() if mark != decimal}
        thousands = field(3, "Thousands", f"thousands_{decimal}", others, reading.thousands)
        reading = replace(reading, decimal=decimal, thousands=thousands)
    return reading, order is not None


def _files(draft: Draft, names: dict[str, str]) -> None:
    """Judge each file by itself: whether it is a table, and has the columns."""
    known: mapping.Mappings = {}

    def judge(path: str) -> Source:
        source = sources.inspect(path, draft.reading)
        mapping.check(source, names)
        return source

    for path in draft.files if names else ():
        source = data_wording.tried("Cannot be read", lambda path=path: judge(path))
        if source is not None:
            known[source] = names
    if names and len(known) < len(draft.files):
        draft.missing.append("tables that can be read, all with the same columns")
    if draft.missing:
        return
    if data_wording.tried("Cannot be read", lambda: guess.complete(known, draft.reading)) is None:
        draft.missing.append("times that are written alike in all files")
    else:
        draft.mappings = known


def _times(source: Source, names: dict[str, str], reading: Reading) -> tuple[datetime | None, ...]:
    """Return what the first rows' times are read as; looked at once."""
    if "datetime" not in names and "date" not in names:
        return ()
    known, zone = own().read("times"), own().time_zone
    key = (source.path, tuple(sorted(names.items())), reading, zone)
    if key not in known:
        complete = {k: v for k, v in names.items() if k in mapping.CLOCKS or "date" in k}
        try:
            known[key] = tuple(look.first_times({source: complete}, reading, zone or "UTC"))
        except ExplorerError:
            known[key] = ()
    return known[key]


def rows_html(
    seen: Preview, chosen: Mapping[str, str], times: Sequence[datetime | None] = ()
) -> str:
    """Return the first rows, escaped: columns wear what they mean, times what they are read as."""
    columns = seen.source.columns
    time_column = chosen.get("datetime") or chosen.get("date")
    meanings = {column: COLUMNS[canonical] for canonical, column in chosen.items() if column}
    places = sorted(range(len(columns)), key=lambda i: columns[i] not in meanings)[:MOST_LISTED]
    head, body = "", ""
    for i in sorted(places):
        meaning = f"<span>{m}</span>" if (m := meanings.get(columns[i])) else "<i>not used</i>"
        head += f"<th>{html.escape(sources.shown(columns[i]))}{meaning}</th>"
    for number, row in enumerate(seen.rows):
        cells = ""
        for i in sorted(places):
            text = html.escape(row[i] if i < len(row) else "")
            if columns[i] == time_column and number < len(times):
                text += _read_as(times[number])
            cells += f"<td>{text}</td>"
        body += f"<tr>{cells}</tr>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="rows">{table}</div>'


def _read_as(when: datetime | None) -> str:
    if when is None:
        return "<em>cannot be read</em>"
    return f"<small>{when:%a} {when.day} {when:%b %Y %H:%M}</small>"
