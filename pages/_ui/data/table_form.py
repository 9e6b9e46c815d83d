"""The step of the table: its files, what it holds, which column means what, how it is read."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import presets, preview
from engine.ingest.inputs import column_mapping, detection, sources
from engine.ingest.inputs.column_mapping import Mappings, TablePreview
from engine.ingest.inputs.sources import Source
from engine.ingest.options import CHOICES, KEPT, DateOrder, Reading
from engine.text.numbers import make_inert
from pages._ui.components import tables
from pages._ui.data import files as data_files, messages
from pages._ui.data.builds import data_state
from pages._ui.data.files import DEFAULT_READING, Draft
from pages._ui.data.messages import COLUMNS, KINDS

DATE_ORDERS = {"ymd": "year, month, day", "dmy": "day first", "mdy": "month first"}
_DECIMAL_MARKS = {".": "a point, as in 1,234.5", ",": "a comma, as in 1.234,5"}
ROWS, MAX_COLUMNS = 5, 20
_ERROR_TITLE = "Cannot be read"


def draw(draft: Draft) -> None:
    """Draw the step."""
    draft.files = data_files.choose_files(
        draft,
        "table",
        "Trips, visits or flows",
        data_files.TABLE_ENDINGS,
        "CSV (also .gz, .bz2, .xz or .zip) or Parquet; several files are read as one table.",
        is_list=True,
    )
    peek = messages.attempt(_ERROR_TITLE, _preview_table, draft) if draft.files else None
    if peek is None:
        draft.missing.append("a table that can be read" if draft.files else "a table")
        return
    there = peek.source.columns
    form = presets.find_preset(there)
    if form is not None and draft.ask(
        st.toggle,
        f"Read it as {form.description}",
        f"form_{form.name}_{abs(hash(there))}",
        value=True,
        help=(
            "The columns and number format of this form are known. You need to choose nothing else."
        ),
    ):
        draft.values |= presets.preset_options(form, there)
        draft.kind, draft.columns = form.kind, draft.values["mapping"]
        # the marks that were said before stay
        base, now = vars(DEFAULT_READING), vars(draft.reading)
        draft.reading = replace(form.reading, **{k: v for k, v in now.items() if v != base[k]})
    else:
        _choose_columns(draft, there)
    if draft.columns.get("end_datetime") and _ask_yes(draft, CHOICES["backwards"], "backwards"):
        draft.values["leave_out"] = (*draft.values.get("leave_out", ()), "backwards")
    draft.values |= {"inputs": tuple(map(str, draft.files))}
    if len(draft.files) > 1:
        st.caption(
            f"Shown: the first of {len(draft.files)} files. All files must have these columns."
        )
        if _ask_yes(draft, KEPT["repeated-files"], "repeated_files"):
            draft.values["keep"] = ("repeated-files",)
    _draw_preview(draft, peek)


def _ask_yes(draft: Draft, words: str, name: str) -> bool:
    return draft.ask(st.toggle, f"{words[0].upper()}{words[1:]}", name)


def _preview_table(draft: Draft) -> TablePreview:
    """Return a first look at the file, with the marks that are set or asked for."""
    first, asked_files = draft.files[0], data_state().cache_of("text")
    if first not in asked_files:
        try:
            return data_files.read_once(column_mapping.preview_table, first, ROWS, draft.reading)
        except ExplorerError as problem:
            if problem.code not in ("no-header", "rows-above"):
                raise
        asked_files[first] = True  # the choice stays beside the file
    skip_col, names_col = st.columns(2)
    above = {"min_value": 0, "max_value": 10_000}
    skip = draft.ask(skip_col.number_input, "Lines above the header", "skip", **above)
    none = draft.ask(names_col.toggle, "The file has no header line", "no_header")
    draft.reading = replace(draft.reading, skip_rows=int(skip), header=() if none else None)
    return data_files.read_once(column_mapping.preview_table, first, ROWS, draft.reading)


def guess_kind(columns: Sequence[str]) -> str:
    """Return the kind of table that its columns fit best."""
    kinds = ("trips", "flows", "rides", "visits")
    fits = (
        name
        for name in kinds
        if column_mapping.has_required_columns(name, column_mapping.guess_columns(name, columns))
    )
    visits = {"uid", *column_mapping.guess_columns("visits", columns)}
    lacks_people = column_mapping.has_required_columns("visits", visits)
    return next(fits, "visits" if lacks_people else "trips")


def _choose_columns(draft: Draft, header: tuple[str, ...]) -> None:
    """Ask what the table holds and which column means what; both are guessed."""
    draft.kind = kind = draft.ask(
        st.segmented_control,
        "Content of the table",
        f"kind_{abs(hash(header))}",
        KINDS,
        default=guess_kind(header),
        required=True,
        help=messages.KINDS_HELP,
    )
    # coordinates are asked for where ids are not there
    ends = column_mapping.PLACES[kind][
        data_files.has_points(kind, column_mapping.guess_columns(kind, header))
    ]
    fields = list(dict.fromkeys((*column_mapping.REQUIRED[kind], *ends)))
    optional = [name for name in column_mapping.OPTIONAL[kind] if name not in fields]
    draft.columns = data_files.choose_columns(draft, kind, header, fields, optional)
    mapping = dict(draft.columns)
    guess = column_mapping.guess_columns(kind, header).get("uid")
    if mapping.get("uid") == guess and "people-guessed" not in data_state().accepted:
        mapping.pop("uid", None)  # still a guess: the build asks where its values look otherwise
    draft.values |= {"kind": kind, "mapping": mapping}
    if kind == "rides":
        st.caption(
            "Is one of these columns a person? Then choose “Trips” and name it. Ids of vehicles, "
            "devices and trips are not taken for people."
        )


def _draw_preview(draft: Draft, peek: TablePreview) -> None:
    """Draw the first rows as they are read, and ask what is in doubt of it."""
    names = {canonical: column for canonical, column in draft.columns.items() if column}
    source = peek.source
    _ask_mark(draft)
    guessed = messages.attempt(_ERROR_TITLE, detection.detect_reading, source, names, draft.reading)
    times: tuple[datetime | None, ...] = ()
    if guessed is None:
        draft.missing.append("a table that can be read")
    else:
        # what is guessed is not handed on: a build looks at all rows
        if guessed.asks_date_order is None:
            times = _times(source, names, guessed.reading)
        elif order := _ask_order(draft, guessed.asks_date_order):
            draft.reading = replace(draft.reading, date_order=order)
            times = _times(source, names, replace(guessed.reading, date_order=order))
    draft.values["reading"] = draft.reading
    with st.container(key="data_rows"):
        st.warning(
            "**The first rows of your file** (confidential). They are shown on this screen only "
            "and are not stored.",
            icon=":material/lock:",
        )
        _draw_rows(peek, names, times)
    if None in times:
        st.warning(
            "Some of the first times cannot be read. Choose the time column. The command line "
            "also takes a time format (docs/data.md).",
            icon=":material/schedule:",
        )
    if names and not draft.missing:
        draft.mappings = messages.attempt(_ERROR_TITLE, _map_columns, draft, names)
        if draft.mappings is None:
            draft.missing.append("tables that can be read, with the same columns and times")


def _ask_mark(draft: Draft) -> None:
    """Ask which mark is which where a build has seen that both could be."""
    asked_files, files = data_state().cache_of("marks"), tuple(draft.files)
    if data_state().error_code == "ambiguous-numbers":
        asked_files[files] = True
    if files not in asked_files:
        return
    key, how = f"decimal_{abs(hash(files))}", {"index": None, "placeholder": "choose"}
    mark = draft.ask(st.selectbox, "Decimal mark", key, _DECIMAL_MARKS, **how)
    if mark is None:
        draft.missing.append("the decimal mark")
    else:
        separator = "," if mark == "." else "."
        draft.reading = replace(draft.reading, decimal=mark, thousands=separator)


def _ask_order(draft: Draft, column: str) -> DateOrder | None:
    label, key = "Order of day and month", f"order_{abs(hash((*draft.files, column)))}"
    order = draft.ask(st.selectbox, label, key, DATE_ORDERS, index=None, placeholder="choose")
    if order is None:
        draft.missing.append("the order of the date")
        st.warning(
            "**Is 03/04/2016 the 3rd of April or the 4th of March?** The first rows of column "
            f"“{make_inert(column)}” do not show which. Choose the order.",
            icon=":material/help:",
        )
    return order


def _map_columns(draft: Draft, names: dict[str, str]) -> Mappings:
    """Return the columns of each file, judged by itself: whether it is a table, and has them."""
    mapping = {sources.inspect_file(path, draft.reading): names for path in draft.files}
    for source in mapping:
        column_mapping.check_columns(source, names)
    detection.complete_reading(mapping, draft.reading)
    return mapping


def _times(source: Source, names: dict[str, str], reading: Reading) -> tuple[datetime | None, ...]:
    """Return the reading of the first rows' times, cached."""
    if "datetime" not in names and "date" not in names:
        return ()
    zone = data_state().time_zone
    complete = {k: v for k, v in names.items() if k in column_mapping.CLOCKS or "date" in k}
    key = (source.path, tuple(sorted(names.items())), reading, zone)
    arguments = {source: complete}, reading, zone or "UTC"
    try:
        times = data_files.ask_once("times", key, lambda: preview.preview_times(*arguments))
    except ExplorerError:
        return ()
    return tuple(times)


def _draw_rows(peek: TablePreview, names: dict[str, str], times: Sequence[datetime | None]) -> None:
    """Draw the first rows: columns with what they mean, times with what they are read as."""
    columns, meanings = peek.source.columns, dict[str, str]()
    time_column = names.get("datetime") or names.get("date")
    for canonical, spec in names.items():
        meanings |= {
            column: COLUMNS[canonical] for column, _ in column_mapping.joined_columns(spec, columns)
        }
    used_first = sorted(range(len(columns)), key=lambda i: columns[i] not in meanings)
    table: dict[str, list[str]] = {}
    for i in sorted(used_first[:MAX_COLUMNS]):
        cells = [row[i] if i < len(row) else "" for row in peek.rows]
        if columns[i] == time_column:
            for number, when in enumerate(times[: len(cells)]):
                cells[number] += f" → {_format_time(when)}"
        meaning = meanings.get(columns[i], "not used")
        table[f"{sources.to_printable(columns[i])} · {meaning}"] = cells
    tables.draw(table)


def _format_time(when: datetime | None) -> str:
    return "cannot be read" if when is None else f"{when:%a} {when.day} {when:%b %Y %H:%M}"
