"""The datasets there are: what each is, and what may be done with one's own."""

from pathlib import Path

import pyarrow as pa
import streamlit as st

from engine import frontier, report as engine_report
from engine.datasets import storage
from engine.errors import ExplorerError
from engine.ingest.inputs import sources
from pages._ui.cache import datasets as cached_datasets, verbs
from pages._ui.data import (
    build as data_build,
    report as data_report,
    store as data_store,
    table as data_table,
    wording as data_wording,
)
from pages._ui.data.own import own
from pages._ui.shell import catalogue, frame
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import has_part, use_settings

_HOME, _REPORT = "pages/0_Home.py", "pages/6_Report.py"
_DAMAGE = (ExplorerError, pa.ArrowException, OSError, ValueError, TypeError, KeyError)
"""What reading a damaged dataset raises."""


def mine(*, without: str | None = None) -> None:
    """Draw the datasets of this session and those kept on this computer, with their buttons.

    `without` names one that is drawn elsewhere on the page.
    """
    entries = {name: entry for name, entry in catalogue.entries().items() if name != without}
    built = [name for name in session().datasets if name in entries]
    local = {
        name: entry
        for name, entry in entries.items()
        if name not in built and data_store.is_local(_folder(entry))
    }
    served_locally = data_store.served_locally()
    if built:
        st.subheader("In this session", anchor=False)
        st.caption("Nobody else sees these. They are deleted when you leave.")
        for name in built:
            _own(entries[name], in_session=True, served_locally=served_locally)
    if local:
        st.subheader("Kept on this computer", anchor=False)
        for entry in local.values():
            _own(entry, in_session=False, served_locally=served_locally)
    for name, (folder, reason) in catalogue.damaged().items():
        _broken(name, folder, reason)
    if not served_locally:
        st.caption(data_wording.LOCAL_ONLY)


def shipped() -> None:
    """Draw the datasets that come with the product."""
    rows: list[list[str]] = []
    for entry in (one for one in catalogue.entries().values() if one.shipped):
        try:
            rows.append(data_table.cells(entry))
        except _DAMAGE as problem:
            _broken(entry.name, _folder(entry), _reason(problem))
    if rows:
        st.subheader("Shipped: simulated people", anchor=False)
        st.html(data_table.table_html(rows))


def _broken(name: str, folder: Path, reason: str) -> None:
    """Draw a dataset that cannot be opened, with its Delete button where it may be deleted."""
    data_wording.problem(f"{sources.shown(name)} cannot be opened", reason)
    mine = session().datasets.get(name) == folder
    if mine or (data_store.served_locally() and data_store.is_local(folder)):
        _deletion(name, folder)


def _reason(problem: Exception) -> str:
    """Return why a dataset cannot be opened; what a library says may quote the file."""
    if isinstance(problem, ExplorerError):
        return str(problem)
    return f"its files are damaged ({type(problem).__name__}); build it again"


def failure() -> None:
    """Say, once, why the last button could not do what it says."""
    held = own()
    if held.failed:
        data_wording.problem("Not done", held.failed)
        held.failed = ""


def in_session(name: str) -> bool:
    """Whether a dataset is this session's alone, and not kept."""
    return name in session().datasets


def show_on_home(name: str, *, first: bool = False) -> None:
    """Draw the button that takes a dataset to home; `first` where it is what comes next."""
    entry = catalogue.entries().get(name)
    if entry is not None and st.button(
        "See it on home",
        type="primary" if first else "secondary",
        icon=":material/home:",
        key=f"data_home_{name}",
        on_click=_select,
        args=(entry,),
        width="stretch",
    ):
        st.switch_page(_HOME)


def show_report(name: str) -> None:
    """Draw the button that opens the mobility report of a dataset; nothing where it has none."""
    entry = catalogue.entries().get(name)
    if (
        entry is None
        or not frame.exists(_REPORT)
        or not verbs.of(engine_report.available, entry.key)
    ):
        return
    if st.button(
        "Open its report",
        icon=frame.PAGES[_REPORT][1],
        key=f"data_to_report_{name}",
        on_click=_select,
        args=(entry,),
        help="What is in it: how many trips, when, where, how far.",
        width="stretch",
    ):
        st.switch_page(_REPORT)


def keep_button(name: str) -> None:
    """Draw the button that keeps a session's dataset on this computer, where that is offered."""
    if not in_session(name) or not data_store.served_locally():
        return
    st.button(
        "Keep on this computer",
        icon=":material/save:",
        key=f"data_keep_{name}",
        on_click=_keep,
        args=(name,),
        help="Copies the dataset to data/local, readable by you only. Until then it goes when you "
        "leave.",
        width="stretch",
    )


def _own(entry: Entry, *, in_session: bool, served_locally: bool) -> None:
    try:  # all that reads its files comes first: whatever is in them, it can be deleted
        cells = data_table.cells(entry)
        verbs.of(engine_report.available, entry.key)
        report = data_report.read(entry.key)
    except _DAMAGE as problem:
        _broken(entry.name, _folder(entry), _reason(problem))
        return
    with st.container(border=True):
        st.html(data_table.table_html([cells]))
        with st.container(horizontal=True, gap="small"):
            with st.container(width=210):
                show_on_home(entry.name)
            with st.container(width=210):
                show_report(entry.name)
            if in_session:
                with st.container(width=230):
                    keep_button(entry.name)
            if in_session or served_locally:
                _deletion(entry.name, _folder(entry))
        if report is not None:
            text = "What became of every row (confidential)"
            with st.expander(text, icon=":material/lock:", key=f"data_report_{entry.name}"):
                try:
                    data_report.draw(report)
                    if cached_datasets.dataset(entry.key).has_trips_by_person:
                        people = verbs.of(frontier.trips_per_person, entry.key)
                        st.caption(data_wording.trips_a_person(*frontier.quantiles(people)))
                except (*_DAMAGE, AttributeError) as problem:
                    data_wording.problem("Cannot be shown", _reason(problem))


def _deletion(name: str, folder: Path) -> None:
    tag = name if name.isprintable() else ascii(name)
    with st.popover("Delete", icon=":material/delete:", key=f"data_ask_{tag}"):
        st.write("This cannot be undone; the raw files it was built from stay.")
        st.button(
            "Delete it for good",
            key=f"data_delete_{tag}",
            on_click=_delete,
            args=(name, folder),
            type="primary",
        )


def _folder(entry: Entry) -> Path:
    return Path(entry.key.dataset).parent


def _select(entry: Entry) -> None:
    for key, part in (("density_data", "density"), ("od_data", "trips")):
        if has_part(entry, part):
            use_settings(**{key: entry.name})


def _keep(name: str) -> None:
    built = session().datasets
    if name not in built or not data_store.served_locally():
        return
    try:
        data_store.keep(name, built[name])
    except ExplorerError as problem:
        own().failed = str(problem)
        return
    storage.delete(built.pop(name))


def _delete(name: str, folder: Path) -> None:
    built = session().datasets
    try:
        if built.get(name) == folder:
            storage.delete(built.pop(name))
        elif data_store.is_local(folder) and data_store.served_locally():
            storage.delete(folder)
    except ExplorerError as problem:
        own().failed = str(problem)
    ended = data_build.current()
    if ended is not None and ended.name == name and ended.state != "running":
        data_build.dismiss()
