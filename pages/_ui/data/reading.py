"""How rows are read: guessed from the file, shown, changeable; what is in doubt is asked."""

from dataclasses import replace
from datetime import datetime

import streamlit as st

from engine.errors import ExplorerError
from engine.ingest import look
from engine.ingest.inputs import guess, mapping, sources
from engine.ingest.inputs.sources import Source
from engine.ingest.look import seem_swapped
from engine.ingest.reading import Reading
from pages._ui.data import rows, wording as data_wording
from pages._ui.data.draft import Draft
from pages._ui.data.own import own

ORDERS = {"ymd": "year, month, day", "dmy": "day first", "mdy": "month first"}
UNITS = {
    "seconds": "seconds since 1970",
    "milliseconds": "milliseconds since 1970",
    "microseconds": "microseconds since 1970",
    "nanoseconds": "nanoseconds since 1970",
    "days": "days (a spreadsheet's, or since 1970)",
    "yyyymmdd": "a date such as 20160503",
}
DECIMALS = {".": "point", ",": "comma"}
THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}


def draw(draft: Draft) -> None:
    """Draw the step: the guesses, what is in doubt, and the first rows as they are read."""
    if draft.seen is None:
        st.caption("Dates, numbers and the first rows are shown here once there is a table.")
        return
    names = {canonical: column for canonical, column in draft.chosen.items() if column}
    source = draft.seen.source
    given = draft.reading
    guessed = data_wording.tried("Cannot be read", lambda: guess.guess(source, names, given))
    times: tuple[datetime | None, ...] = ()
    if guessed is None:
        reading = given
        draft.missing.append("a table that can be read")
    else:
        tag = abs(hash((source.columns, tuple(sorted(names.items())))))
        reading, sure = _fields(draft, guessed, tag)
        times = _times(source, names, reading) if sure else ()
    draft.values["reading"] = reading
    with st.container(key="data_rows"):
        st.warning(data_wording.CONFIDENTIAL_ROWS, icon=":material/lock:")
        st.html(rows.rows_html(draft.seen, draft.chosen, times))
    if None in times:
        st.warning(
            "Some of the first times cannot be read. Choose how they are written above, or the "
            "column of times under Your table.",
            icon=":material/schedule:",
        )
    longitude, latitude = draft.rows_at
    if longitude is not None and latitude is not None and seem_swapped(longitude, latitude):
        st.warning(data_wording.SWAPPED, icon=":material/swap_horiz:")
        draft.missing.append("latitude and longitude the right way round")
    _files(draft, reading, names)


def _fields(draft: Draft, guessed: guess.Guess, tag: int) -> tuple[Reading, bool]:
    """Draw the guesses; return how rows are read, and whether no doubt is left."""
    reading, columns = guessed.reading, st.columns(4)

    def field(
        place: int, label: str, name: str, options: dict[str, str], start: str | None
    ) -> str | None:
        at = None if start is None else list(options).index(start)
        key = f"{name}_{tag}"
        return draft.field(
            columns[place].selectbox, label, key, options, index=at, placeholder="choose"
        )

    doubt = guessed.asks_date_order
    order = field(
        0, "Order of the date", "order", ORDERS, None if doubt else reading.date_order or "ymd"
    )
    if order is None:
        draft.missing.append("the order of the date")
        st.warning(
            f"**03/04/2016: is that 3 April or 4 March?** The first rows of column “{doubt}” do "
            "not show which. Choose under Order of the date.",
            icon=":material/help:",
        )
    elif order != "ymd" or reading.date_order is not None:
        reading = replace(reading, date_order=order)
    usual = reading.number_times or "seconds"
    unit = field(1, "Times that are numbers", "unit", UNITS, usual)
    if reading.number_times is not None or unit != "seconds":
        reading = replace(reading, number_times=unit)
    decimal = field(2, "Decimal mark", "decimal", DECIMALS, reading.decimal or ".")
    others = {mark: words for mark, words in THOUSANDS.items() if mark != decimal}
    thousands = draft.field(columns[3].selectbox, "Thousands", f"thousands_{tag}_{decimal}", others)
    return replace(reading, decimal=decimal, thousands=thousands), order is not None


def _files(draft: Draft, reading: Reading, names: dict[str, str]) -> None:
    """Judge each file by itself: whether it is a table, and has the columns."""
    known: mapping.Mappings = {}

    def judge(path: str) -> Source:
        source = sources.inspect(path, reading)
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
    if data_wording.tried("Cannot be read", lambda: guess.complete(known, reading)) is None:
        draft.missing.append("times that are written alike in all files")
    else:
        draft.mappings = known


def _times(source: Source, names: dict[str, str], reading: Reading) -> tuple[datetime | None, ...]:
    """Return what the first rows' times are read as; looked at once."""
    if "datetime" not in names and "date" not in names:
        return ()
    known, zone = own().read("times"), own().time_zone
    key = (source.path, source.encoding, tuple(sorted(names.items())), reading, zone)
    if key not in known:
        complete = {k: v for k, v in names.items() if k in mapping.CLOCKS or "date" in k}
        try:
            known[key] = tuple(look.first_times({source: complete}, reading, zone or "UTC"))
        except ExplorerError:
            known[key] = ()
    return known[key]
