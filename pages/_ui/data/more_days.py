"""Adding days to a dataset that was ingested: new rows, their days, and the button."""

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import streamlit as st

from engine.datasets import storage
from engine.ingest import append
from pages._ui.data import build as data_build, store as data_store
from pages._ui.data.files import TABLES
from pages._ui.data.own import own
from pages._ui.jobs.kept import Tell
from pages._ui.shell.catalogue import Entry


def draw(entry: Entry, folder: Path) -> None:
    """Draw the form in an expander; nothing for a dataset whose days cannot grow."""
    about, version = entry.metadata, Path(entry.key.version)
    if not (entry.has_trips and append.grows(about)):
        return
    after = about.last_day + timedelta(days=1)

    def key(what: str) -> str:
        return f"data_more_{what}_{entry.name}_{own().round}_{after}"

    with st.expander("Add days to this dataset", icon=":material/calendar_add_on:", key=key("all")):
        st.caption(
            f"It holds {about.first_day} to {about.last_day}. Days right before or after them are "
            "counted with the same zones and salt, from rows with the same columns; the days that "
            "are there stay as they are."
        )
        files = st.file_uploader(
            "Rows of further days", type=list(TABLES), accept_multiple_files=True, key=key("files")
        )
        left, right = st.columns(2)
        first = left.date_input("First day", after, key=key("first"), format="YYYY-MM-DD")
        last = right.date_input("Last day, included", after, key=key("last"), format="YYYY-MM-DD")
        lost = [name for name in append.OF_A_PERSON if storage.has_table(version, name)]
        leave = not lost or st.checkbox(
            "Leave out what counts a person over the whole period",
            key=key("leave"),
            help="Further days would change it: unit “person” and the mobility report are then no "
            "longer offered. Build the dataset from all days at once to keep both.",
        )
        if st.button(
            "Add these days",
            key=key("start"),
            icon=":material/add:",
            disabled=not (files and first and last and leave) or data_build.running(),
        ):
            space = data_store.workspace()
            inputs = tuple(str(space.save(file)) for file in files)

            def task(_folder: Path, tell: Tell, cancel: threading.Event) -> dict[str, Any]:
                asked = append.options_for(folder, inputs, first, last, spill=space.spill)
                _, report = append.append(asked, tell, cancel, leave=bool(lost))
                return report.to_json()

            data_build.begin(entry.name, task, at=folder)
            st.rerun()
