"""How rows are read: guessed from the file, shown, changeable; what is in doubt is asked."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import look
from engine.ingest.inputs import guess, mapping, sources
from engine.ingest.inputs.sources import Source
from engine.ingest.reading import Reading
from pages._ui.data import wording as data_wording
from pages._ui.data.files import Asked
from pages._ui.shell.session import session

ORDERS = {"ymd": "year, month, day", "dmy": "day first", "mdy": "month first"}
UNITS = {
    "seconds": "seconds since 1970",
    "milliseconds": "milliseconds since 1970",
    "microseconds": "microseconds since 1970",
    "nanoseconds": "nanoseconds since 1970",
    "minutes": "minutes since 1970",
    "days": "days (a spreadsheet's, or since 1970)",
    "yyyymmdd": "a date such as 20160503",
}
ENCODINGS = {
    None: "auto-detect",
    "utf-8": "UTF-8",
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
}
MARKS = {None: "auto-detect", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar |"}
THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}


@dataclass(frozen=True)
class Read:
    """How the files are read, and what a person still has to say."""

    reading: Reading
    encoding: str | None
    missing: tuple[str, ...] = ()
    times: tuple[datetime | None, ...] = ()


def marks(asked: Asked) -> tuple[str | None, str | None]:
    """Draw what splits a file into text and columns; return encoding and delimiter."""
    one, two = st.columns(2)
    encoding = one.selectbox(
        "Encoding",
        list(ENCODINGS),
        format_func=ENCODINGS.__getitem__,
        key=asked.key("encoding"),
        persist_state="session",
    )
    delimiter = two.selectbox(
        "Between columns",
        list(MARKS),
        format_func=MARKS.__getitem__,
        key=asked.key("delimiter"),
        persist_state="session",
    )
    return encoding, delimiter


def choose(
    asked: Asked, source: Source, names: dict[str, str], encoding: str | None, time_zone: str | None
) -> Read:
    """Draw the guesses for one file with the columns `names`, and what is in doubt."""
    given = Reading(delimiter=source.delimiter if source.format == "csv" else None)
    try:
        guessed = guess.guess(source, names, given)
    except ExplorerError as problem:
        data_wording.problem("Cannot be read", data_wording.on_page(problem))
        return Read(given, encoding, ("a table that can be read",))
    tag = abs(hash((source.columns, tuple(sorted(names.items())))))
    missing: list[str] = []
    reading = guessed.reading
    one, two, three, four = st.columns(4)
    order = one.selectbox(
        "Order of the date",
        list(ORDERS),
        index=None if guessed.asks_date_order else list(ORDERS).index(reading.date_order or "ymd"),
        format_func=ORDERS.__getitem__,
        placeholder="choose",
        key=asked.key(f"order_{tag}"),
        persist_state="session",
    )
    if order is None:
        missing.append("the order of the date")
        st.warning(
            f"**03/04/2016: is that 3 April or 4 March?** The first rows of column "
            f"“{guessed.asks_date_order}” do not show which. Choose under Order of the date.",
            icon=":material/help:",
        )
    elif order != "ymd" or reading.date_order is not None:
        reading = replace(reading, date_order=order)
    unit = two.selectbox(
        "Times that are numbers",
        list(UNITS),
        index=list(UNITS).index(reading.number_times or "seconds"),
        format_func=UNITS.__getitem__,
        key=asked.key(f"unit_{tag}"),
        persist_state="session",
    )
    if reading.number_times is not None or unit != "seconds":
        reading = replace(reading, number_times=unit)
    decimal = three.selectbox(
        "Decimal mark",
        [".", ","],
        index=[".", ","].index(reading.decimal or "."),
        format_func={".": "point", ",": "comma"}.__getitem__,
        key=asked.key(f"decimal_{tag}"),
        persist_state="session",
    )
    thousands = four.selectbox(
        "Thousands",
        [mark for mark in THOUSANDS if mark != decimal],
        format_func=THOUSANDS.__getitem__,
        key=asked.key(f"thousands_{tag}_{decimal}"),
        persist_state="session",
    )
    reading = replace(reading, decimal=decimal, thousands=thousands)
    times = _times(source, names, reading, time_zone) if order is not None else ()
    return Read(reading, encoding, tuple(missing), times)


def inspected(path: Path, read: Read) -> Source:
    """Return what a file is, as `read` says."""
    return sources.inspect(path, read.encoding, read.reading.delimiter)


def _times(
    source: Source, names: dict[str, str], reading: Reading, time_zone: str | None
) -> tuple[datetime | None, ...]:
    """Return what the first rows' times are read as; looked at once."""
    if "datetime" not in names and "date" not in names:
        return ()
    known: dict[Any, tuple[datetime | None, ...]] = session().own.times
    key = (source.path, source.encoding, tuple(sorted(names.items())), reading, time_zone)
    if key not in known:
        complete = {k: v for k, v in names.items() if k in mapping.CLOCKS or "date" in k}
        try:
            known[key] = tuple(look.first_times({source: complete}, reading, time_zone or "UTC"))
        except ExplorerError:
            known[key] = ()
    return known[key]
