"""The step of the table: its files, what it holds, which column means what, how it is read."""

import html
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import presets, preview
from engine.ingest.inputs import column_mapping, detection, sources
from engine.ingest.inputs.column_mapping import Mappings, TablePreview
from engine.ingest.inputs.sources import Source
from engine.ingest.options import DateOrder, Reading
from pages._ui.data import files as data_files, wording as data_wording
from pages._ui.data.files import AS_FOUND, Draft
from pages._ui.data.store import own
from pages._ui.data.wording import COLUMNS, KINDS

ORDERS = {"ymd": "year, month, day", "dmy": "day first", "mdy": "month first"}
_MARKS = {".": "a point, as in 1,234.5", ",": "a comma, as in 1.234,5"}
ROWS, MOST_LISTED = 5, 20
_REFUSED = "Cannot be read"


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
    seen = data_wording.tried(_REFUSED, _looked, draft) if draft.files else None
    if seen is None:
        draft.missing.append("a table that can be read" if draft.files else "a table")
        return
    there = seen.source.columns
    form = presets.find_preset(there)
    if form is not None and draft.field(
        st.toggle,
        f"Read it as {form.description}",
        f"form_{form.name}_{abs(hash(there))}",
        value=True,
        help="Columns and marks of this form are known; nothing else has to be chosen.",
    ):
        draft.values |= presets.preset_options(form, there)
        draft.kind, draft.chosen = form.kind, draft.values["mapping"]
        # the marks that were said before stay
        usual, said = vars(AS_FOUND), vars(draft.reading)
        draft.reading = replace(form.reading, **{k: v for k, v in said.items() if v != usual[k]})
    else:
        _by_hand(draft, there)
    draft.values |= {"inputs": tuple(map(str, draft.files))}
    if len(draft.files) > 1:
        st.caption(f"The first of {len(draft.files)} files is shown; all must have these columns.")
    _read(draft, seen)


def _looked(draft: Draft) -> TablePreview:
    """Return a first look at the file, with the marks that are set or asked for."""
    first, asked = draft.files[0], own().read("text")
    if first not in asked:
        try:
            return data_files.looked(column_mapping.preview_table, first, ROWS, draft.reading)
        except ExplorerError as problem:
            if problem.code not in ("no-header", "rows-above"):
                raise
        asked[first] = True  # the choice stays beside the file
    one, two = st.columns(2)
    above = {"min_value": 0, "max_value": 10_000}
    skip = draft.field(one.number_input, "Lines above the names of columns", "skip", **above)
    none = draft.field(two.toggle, "The file has no line of names", "no_header")
    draft.reading = replace(draft.reading, skip_rows=int(skip), header=() if none else None)
    return data_files.looked(column_mapping.preview_table, first, ROWS, draft.reading)


def kind_of(columns: Sequence[str]) -> str:
    """Return the kind of table that its columns fit best."""
    kinds = ("trips", "flows", "rides", "visits")
    fits = (
        name
        for name in kinds
        if column_mapping.has_required_columns(name, column_mapping.guess_columns(name, columns))
    )
    return next(fits, "trips")


def _by_hand(draft: Draft, there: tuple[str, ...]) -> None:
    """Ask what the table holds and which column means what; both are guessed."""
    draft.kind = kind = draft.field(
        st.segmented_control,
        "What it holds",
        f"kind_{abs(hash(there))}",
        KINDS,
        default=kind_of(there),
        required=True,
        help=data_wording.KINDS_HELP,
    )
    # coordinates are asked for where ids are not there
    ends = column_mapping.PLACES[kind][
        data_files.by_points(kind, column_mapping.guess_columns(kind, there))
    ]
    wanted = list(dict.fromkeys((*column_mapping.REQUIRED[kind], *ends)))
    optional = [one for one in column_mapping.OPTIONAL[kind] if one not in wanted]
    draft.chosen = data_files.columns(draft, kind, there, wanted, optional)
    draft.values |= {"kind": kind, "mapping": draft.chosen}


def _read(draft: Draft, seen: TablePreview) -> None:
    """Draw the first rows as they are read, and ask what is in doubt of it."""
    names = {canonical: column for canonical, column in draft.chosen.items() if column}
    source = seen.source
    _ask_mark(draft)
    guessed = data_wording.tried(_REFUSED, detection.detect_reading, source, names, draft.reading)
    times: tuple[datetime | None, ...] = ()
    if guessed is None:
        draft.missing.append("a table that can be read")
    else:
        # what is guessed is not handed on: a build looks at all rows
        if guessed.asks_date_order is None:
            times = _times(source, names, guessed.reading)
        elif order := _asked_order(draft, guessed.asks_date_order):
            draft.reading = replace(draft.reading, date_order=order)
            times = _times(source, names, replace(guessed.reading, date_order=order))
    draft.values["reading"] = draft.reading
    with st.container(key="data_rows"):
        st.warning(
            "**The first rows of your file** – confidential. They are shown on this screen only "
            "and kept nowhere.",
            icon=":material/lock:",
        )
        st.html(_rows_html(seen, names, times))
    if None in times:
        st.warning(
            "Some of the first times cannot be read. Choose the column of times; how they are "
            "written can be said to the command (docs/data.md).",
            icon=":material/schedule:",
        )
    if names and not draft.missing:
        draft.mappings = data_wording.tried(_REFUSED, _mapped, draft, names)
        if draft.mappings is None:
            draft.missing.append("tables that can be read, with the same columns and times")


def _ask_mark(draft: Draft) -> None:
    """Ask which mark is which where a build has seen that both could be."""
    asked, files = own().read("marks"), tuple(draft.files)
    if own().refused == "ambiguous-numbers":
        asked[files] = True
    if files not in asked:
        return
    key, how = f"decimal_{abs(hash(files))}", {"index": None, "placeholder": "choose"}
    mark = draft.field(st.selectbox, "Decimal mark", key, _MARKS, **how)
    if mark is None:
        draft.missing.append("the decimal mark")
    else:
        other = "," if mark == "." else "."
        draft.reading = replace(draft.reading, decimal=mark, thousands=other)


def _asked_order(draft: Draft, column: str) -> DateOrder | None:
    label, key = "Which comes first", f"order_{abs(hash((*draft.files, column)))}"
    order = draft.field(st.selectbox, label, key, ORDERS, index=None, placeholder="choose")
    if order is None:
        draft.missing.append("the order of the date")
        st.warning(
            f"**03/04/2016: is that 3 April or 4 March?** The first rows of column “{column}” do "
            "not show which. Choose which comes first.",
            icon=":material/help:",
        )
    return order


def _mapped(draft: Draft, names: dict[str, str]) -> Mappings:
    """Return the columns of each file, judged by itself: whether it is a table, and has them."""
    known = {sources.inspect_file(path, draft.reading): names for path in draft.files}
    for source in known:
        column_mapping.check_columns(source, names)
    detection.complete_reading(known, draft.reading)
    return known


def _times(source: Source, names: dict[str, str], reading: Reading) -> tuple[datetime | None, ...]:
    """Return what the first rows' times are read as; looked at once."""
    if "datetime" not in names and "date" not in names:
        return ()
    known, zone = own().read("times"), own().time_zone
    key = (source.path, tuple(sorted(names.items())), reading, zone)
    if key not in known:
        complete = {k: v for k, v in names.items() if k in column_mapping.CLOCKS or "date" in k}
        try:
            known[key] = tuple(preview.preview_times({source: complete}, reading, zone or "UTC"))
        except ExplorerError:
            known[key] = ()
    return known[key]


def _rows_html(seen: TablePreview, names: dict[str, str], times: Sequence[datetime | None]) -> str:
    """Return the first rows, escaped: columns wear what they mean, times what they are read as."""
    columns, meanings = seen.source.columns, dict[str, str]()
    time_column = names.get("datetime") or names.get("date")
    for canonical, spec in names.items():
        meanings |= {
            column: COLUMNS[canonical] for column, _ in column_mapping.joined_columns(spec, columns)
        }
    used_first = sorted(range(len(columns)), key=lambda i: columns[i] not in meanings)
    places, head, body = sorted(used_first[:MOST_LISTED]), "", ""
    for i in places:
        meaning = f"<span>{m}</span>" if (m := meanings.get(columns[i])) else "<i>not used</i>"
        head += f"<th>{html.escape(sources.to_printable(columns[i]))}{meaning}</th>"
    for number, row in enumerate(seen.rows):
        body += "<tr>"
        for i in places:
            body += f"<td>{html.escape(row[i] if i < len(row) else '')}"
            if columns[i] == time_column and number < len(times):
                body += _read_as(times[number])
            body += "</td>"
        body += "</tr>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="plain rows" tabindex="0">{table}</div>'


def _read_as(when: datetime | None) -> str:
    if when is None:
        return "<em>cannot be read</em>"
    return f"<small>{when:%a} {when.day} {when:%b %Y %H:%M}</small>"
