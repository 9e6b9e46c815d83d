"""The datasets there are: what each is, what became of its rows, what may be done with it."""

import html
import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import streamlit as st

from engine.contract import Selection
from engine.datasets import storage
from engine.errors import ExplorerError
from engine.ingest.build import REPORT_FILE
from engine.ingest.inputs import sources
from engine.ingest.row_report import REASON_LABELS, Reason
from pages._ui import facts as cached_facts, state
from pages._ui.data import store as data_store, wording as data_wording
from pages._ui.data.store import own
from pages._ui.drawing.cards import verdict_html
from pages._ui.drawing.tables import table_html
from pages._ui.shell import catalogue
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER, facts

_HOME = "pages/0_Home.py"
LOCAL_ONLY = (
    "Keeping datasets and reading paths is offered only where the page is served to this computer "
    "alone (on 127.0.0.1)."
)
_ACCOUNTS = {
    "rows": "Rows of the files",
    "visits": "Visits towards the density",
    "trips": "Trips between the visits",
}


def draw(*, without: str | None = None) -> None:
    """Draw the datasets of this session, those kept on this computer, and shipped ones."""
    entries = {name: entry for name, entry in catalogue.entries().items() if name != without}
    built = [entries[name] for name in session().datasets if name in entries]
    groups = {
        "In this session": built,
        "Kept on this computer": [
            one
            for one in entries.values()
            if one not in built and data_store.is_local(_folder(one))
        ],
        "Shipped: simulated people": [one for one in entries.values() if one.shipped],
    }
    for name, (folder, reason) in catalogue.damaged().items():
        _broken(name, folder, reason)
    if not data_store.served_locally():
        st.caption(LOCAL_ONLY)
    for title, group in groups.items():
        if group:
            st.subheader(title, anchor=False)
        for entry in group:
            _own(entry)


def built(name: str, seconds: float) -> None:
    """Say what has just been built, and who sees it; seeing it is what comes next."""
    where = (
        "in the pickers of this session, and of nobody else's."
        if name in session().datasets
        else "kept on this computer in data/local, and in the pickers."
    )
    words = f"{name} was built in {data_wording.duration(seconds)}. It is {where}"
    st.html(verdict_html("good", words, title="Ready"))
    if entry := catalogue.entries().get(name):
        _own(entry, first=True)


def _account(key: Selection) -> str:
    """Return what became of every row, if an ingest made the dataset. **Confidential**."""
    path = Path(key.dataset_id) / REPORT_FILE
    if not path.is_file():
        return ""
    report = json.loads(path.read_text(encoding="utf-8"))
    tables = [_added_up(words, report[one]) for one, words in _ACCOUNTS.items() if report.get(one)]
    notes = [
        f"{int(report[f'people_with_{what}']):,} people with {what}"
        for what in ("visits", "trips")
        if report.get(f"people_with_{what}")
    ]
    items = [f"<li>{html.escape(str(one))}</li>" for one in (*notes, *report.get("notes", ()))]
    return f'<div class="accounts">{"".join(tables)}</div><ul class="notes">{"".join(items)}</ul>'


def _added_up(title: str, counted: Mapping[str, Any]) -> str:
    """Return an account that adds up: used and, reason by reason, not used."""
    unused = {REASON_LABELS[one]: counted["unused"].get(one.name.lower(), 0) for one in Reason}
    left = {words: count for words, count in unused.items() if count}
    lines = {"used": counted["used"], **left, "all": counted["read"]}
    return table_html({title: list(lines), "Number": [f"{count:,}" for count in lines.values()]})


def _own(entry: Entry, *, first: bool = False) -> None:
    """Draw a dataset with what may be done with it; one that cannot be opened can be deleted."""
    name, folder = entry.name, _folder(entry)
    try:  # all that reads its files comes first, whatever is in them
        said, account = _said(entry), _account(entry.key)
    except Exception as problem:
        _broken(name, folder, problem)
        return
    if entry.shipped:
        st.html(said)
        return
    with st.container(border=True):
        st.html(said)
        with st.container(horizontal=True, gap="small"):
            if st.button(
                "See it on home",
                type="primary" if first else "secondary",
                icon=":material/home:",
                key=f"data_home_{name}",
                on_click=_select,
                args=(entry,),
            ):
                st.switch_page(_HOME)
            if (
                name in session().datasets
                and data_store.served_locally()
                and st.button(
                    "Keep on this computer",
                    icon=":material/save:",
                    key=f"data_keep_{name}",
                    help="Copies the dataset to data/local, readable by you only. Until then it "
                    "goes when you leave.",
                )
            ):
                _do(data_store.keep, name)
            _deletion(name, folder)
        if account:
            text, key = "What became of every row (confidential)", f"data_report_{name}"
            with st.expander(text, expanded=first, icon=":material/lock:", key=key):
                st.warning(CONFIDENTIAL_BANNER, icon=":material/lock:")
                st.html(account)


def _broken(name: str, folder: Path, problem: Exception | str) -> None:
    """Draw a dataset that cannot be opened; what a library says of it may quote the file."""
    if isinstance(problem, Exception) and not isinstance(problem, ExplorerError):
        problem = f"its files are damaged ({type(problem).__name__}); build it again"
    data_wording.problem(f"{sources.to_printable(name)} cannot be opened", str(problem))
    _deletion(name, folder)


def _said(entry: Entry) -> str:
    """Return what is publicly known of a dataset, escaped."""
    about, known = entry.metadata, cached_facts.facts(entry.key)
    holds = ["visits"] if "density" in entry.parts else []
    if "trips" in entry.parts:
        holds.append("trips" if about.trips_have_people else "trips without people")
    lines = (
        f"{facts(about, known.levels[0].zone_count, known.size_bytes)} · {' and '.join(holds)}",
        f"{_day(about.first_day)} to {_day(about.last_day)}, {about.time_zone}"
        + (f"; density week of {_day(about.week)}" if about.week else "")
        + (f"; {known.locations:,} places" if known.locations else ""),
        about.description,
        " ".join(
            f"{word}: {said}."
            for word, said in (("Source", about.source), ("Licence", about.licence))
            if said
        ),
    )
    said = "".join(f"<small>{html.escape(line)}</small>" for line in lines if line)
    return f'<div class="dataset"><b>{html.escape(entry.name)}</b>{said}</div>'


def _day(when: date) -> str:
    return when.isoformat().replace("-", "\N{NON-BREAKING HYPHEN}")


def _deletion(name: str, folder: Path) -> None:
    local = data_store.served_locally() and data_store.is_local(folder)
    if session().datasets.get(name) != folder and not local:
        return
    tag = name if name.isprintable() else ascii(name)
    with st.popover("Delete", icon=":material/delete:", key=f"data_ask_{tag}"):
        st.write("This cannot be undone; the raw files it was built from stay.")
        if st.button("Delete it for good", key=f"data_delete_{tag}", type="primary"):
            _do(_delete, name, folder)


def _folder(entry: Entry) -> Path:
    return Path(entry.key.dataset_id).parent


def _select(entry: Entry) -> None:
    for part, key in state.DATA.items():
        if part in entry.parts:
            state.put(**{key: entry.name})


def _do(act: Callable[..., None], *given: Any) -> None:
    """Do what a button says, and draw the page anew; where it cannot be done say so."""
    try:
        act(*given)
    except ExplorerError as problem:
        data_wording.problem("Not done", str(problem))
    else:
        st.rerun()


def _delete(name: str, folder: Path) -> None:
    built = session().datasets
    if built.get(name) == folder:
        del built[name]
    storage.delete(folder)
    ended = own().build
    if ended is not None and ended.name == name and ended.state != "running":
        data_store.dismiss()
