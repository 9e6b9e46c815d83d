"""The datasets there are: what each is, what became of its rows, what may be done with it."""

import html
import json
from collections.abc import Mapping
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
from engine.text.dataset_text import CONFIDENTIAL_BANNER, describe_dataset
from engine.text.numbers import format_wait
from pages._ui.app import catalogue, dataset_facts, error_pages
from pages._ui.app.catalogue import Entry
from pages._ui.app.session import session
from pages._ui.components.cards import verdict_html
from pages._ui.components.tables import table_html
from pages._ui.data import builds, messages
from pages._ui.data.builds import data_state
from pages._ui.frame.page_table import HOME
from pages._ui.settings import current, fields

LOCAL_ONLY = (
    "Datasets can be kept, and paths read, only if the page is served to this computer alone (on "
    "127.0.0.1)."
)
_ACCOUNTS = {
    "rows": "Rows of the files",
    "visits": "Visits towards the density",
    "trips": "Trips between the visits",
}


def draw(*, hidden_name: str | None = None) -> None:
    """Draw the datasets of this session, those kept on this computer, and shipped ones."""
    entries = {name: entry for name, entry in catalogue.entries().items() if name != hidden_name}
    built = [entries[name] for name in session().datasets if name in entries]
    groups = {
        "In this session": built,
        "Saved on this computer": [
            entry
            for entry in entries.values()
            if entry not in built and builds.is_local(_folder(entry))
        ],
        "Included: simulated people": [entry for entry in entries.values() if entry.shipped],
    }
    for name, (folder, reason) in catalogue.damaged_datasets().items():
        _draw_broken(name, folder, reason)
    if not builds.is_served_locally():
        st.caption(LOCAL_ONLY)
    for title, group in groups.items():
        if group:
            st.subheader(title, anchor=False)
        for entry in group:
            _draw_dataset(entry)


def show_built(name: str, seconds: float) -> None:
    """Draw the note on the dataset just built: who sees it, and a link to look at it."""
    where = (
        "available on all pages of this session, and to nobody else."
        if name in session().datasets
        else "saved on this computer in data/local, and available on all pages."
    )
    words = f"{name} was built in {format_wait(seconds)}. It is {where}"
    st.html(verdict_html("good", words, title="Ready"))
    if entry := catalogue.entries().get(name):
        _draw_dataset(entry, is_new=True)


def _account_html(key: Selection) -> str:
    """Return the account of every row, if an ingest made the dataset. **Confidential**."""
    path = Path(key.dataset_id) / REPORT_FILE
    if not path.is_file():
        return ""
    report = json.loads(path.read_text(encoding="utf-8"))
    tables = [_sum_up(words, report[part]) for part, words in _ACCOUNTS.items() if report.get(part)]
    notes = [
        f"{int(report[f'people_with_{part}']):,} people with {part}"
        for part in ("visits", "trips")
        if report.get(f"people_with_{part}")
    ]
    items = [f"<li>{html.escape(str(note))}</li>" for note in (*notes, *report.get("notes", ()))]
    return f'<div class="accounts">{"".join(tables)}</div><ul class="notes">{"".join(items)}</ul>'


def _sum_up(title: str, account: Mapping[str, Any]) -> str:
    """Return an account that adds up: used and, reason by reason, not used."""
    unused = {
        REASON_LABELS[cause]: account["unused"].get(cause.name.lower(), 0) for cause in Reason
    }
    rest = {words: count for words, count in unused.items() if count}
    lines = {"used": account["used"], **rest, "all": account["read"]}
    return table_html({title: list(lines), "Number": [f"{count:,}" for count in lines.values()]})


def _draw_dataset(entry: Entry, *, is_new: bool = False) -> None:
    """Draw a dataset with what may be done with it; one that cannot be opened can be deleted."""
    name, folder = entry.name, _folder(entry)
    try:  # all that reads its files comes first, whatever is in them
        details, account = _dataset_html(entry), _account_html(entry.key)
    except Exception as problem:
        _draw_broken(name, folder, problem)
        return
    if entry.shipped:
        st.html(details)
        return
    with st.container(border=True):
        st.html(details)
        with st.container(horizontal=True, gap="small"):
            if st.button(
                "Open on Home",
                type="primary" if is_new else "secondary",
                icon=":material/home:",
                key=f"data_home_{name}",
                on_click=_select,
                args=(entry,),
            ):
                st.switch_page(HOME)
            if (
                name in session().datasets
                and builds.is_served_locally()
                and st.button(
                    "Save on this computer",
                    icon=":material/save:",
                    key=f"data_keep_{name}",
                    help="Copies the dataset to data/local, readable by you only. Without this, "
                    "it is deleted when you leave.",
                )
            ):
                error_pages.run_action(builds.keep_dataset, name)
            _draw_deletion(name, folder)
        if account:
            text, key = "What happened to each row (confidential)", f"data_report_{name}"
            with st.expander(text, expanded=is_new, icon=":material/lock:", key=key):
                st.warning(CONFIDENTIAL_BANNER, icon=":material/lock:")
                st.html(account)


def _draw_broken(name: str, folder: Path, problem: Exception | str) -> None:
    """Draw a dataset that cannot be opened; what a library says of it may quote the file."""
    if isinstance(problem, Exception) and not isinstance(problem, ExplorerError):
        problem = f"its files are damaged ({type(problem).__name__}); build it again"
    messages.show_error(f"{sources.to_printable(name)} cannot be opened", str(problem))
    _draw_deletion(name, folder)


def _dataset_html(entry: Entry) -> str:
    """Return the public facts of a dataset, escaped."""
    about, info = entry.metadata, dataset_facts.load_facts(entry.key)
    holds = ["visits"] if "density" in entry.parts else []
    if "trips" in entry.parts:
        trips = "home–work flows" if about.people_once else "trips"
        holds.append(trips if about.trips_have_people else "trips without people")
    lines = (
        f"{describe_dataset(about, info.levels[0].zone_count, info.size_bytes)} · "
        f"{' and '.join(holds)}",
        f"{_format_day(about.first_day)} to {_format_day(about.last_day)}, {about.time_zone}"
        + (f"; density week of {_format_day(about.week)}" if about.week else "")
        + (f"; {info.location_count:,} places" if info.location_count else ""),
        about.description,
        " ".join(
            f"{word}: {text}."
            for word, text in (("Source", about.source), ("Licence", about.licence))
            if text
        ),
    )
    lines_html = "".join(f"<small>{html.escape(line)}</small>" for line in lines if line)
    return f'<div class="dataset"><b>{html.escape(entry.name)}</b>{lines_html}</div>'


def _format_day(when: date) -> str:
    return when.isoformat().replace("-", "\N{NON-BREAKING HYPHEN}")


def _draw_deletion(name: str, folder: Path) -> None:
    local = builds.is_served_locally() and builds.is_local(folder)
    if session().datasets.get(name) != folder and not local:
        return
    tag = name if name.isprintable() else ascii(name)
    with st.popover("Delete", icon=":material/delete:", key=f"data_ask_{tag}"):
        st.write("This cannot be undone. The raw files it was built from are not deleted.")
        if st.button("Delete permanently", key=f"data_delete_{tag}", type="primary"):
            error_pages.run_action(_delete, name, folder)


def _folder(entry: Entry) -> Path:
    return Path(entry.key.dataset_id).parent


def _select(entry: Entry) -> None:
    keys = [key for part, key in fields.DATASET_KEYS.items() if part in entry.parts]
    current.set_values(**dict.fromkeys(keys, entry.name))


def _delete(name: str, folder: Path) -> None:
    built = session().datasets
    if built.get(name) == folder:
        del built[name]
    storage.delete(folder)
    ended = data_state().build
    if ended is not None and ended.name == name and ended.state != "running":
        builds.dismiss_build()
