"""Data: bring your own tables, see what became of every row, and what each dataset is."""

from pathlib import Path

import streamlit as st

from pages._ui.data import (
    form as data_form,
    list as data_list,
    store as data_store,
    twin as data_twin,
    wording as data_wording,
)
from pages._ui.data.files import Draft
from pages._ui.shell import frame
from pages._ui.shell.session import session

TABLE, TWIN = "A table of trips or visits", "No data yet, or none I may look at"


def draw() -> None:
    """Draw the page."""
    st.html(Path(data_form.__file__).with_name("data.css"))
    with st.container():
        data_list.failure()
    build = data_store.current()
    ready = build.name if build is not None and build.state == "finished" else None
    if build is not None and ready is not None:
        kept = ready not in session().datasets
        st.html(data_wording.built_html(ready, build.result["seconds"], kept=kept))
        data_list.built(ready)
        another = {"key": "data_another", "on_click": data_store.dismiss}
        st.button("Build another", icon=":material/add:", **another)
    else:
        # always there, so that the form keeps its place, and with it its uploads
        with st.container():
            if build is not None and build.state == "running":
                data_store.draw_progress(build)
            elif build is not None and build.state == "cancelled":
                st.info("Cancelled; nothing was written.")
        door = st.segmented_control(
            "What you have",
            [TABLE, TWIN],
            default=TABLE,
            required=True,
            key="data_door",
            persist_state="session",
            label_visibility="collapsed",
        )
        data_form.draw(busy=data_store.running() or door == TWIN)
        if door == TWIN and not data_store.running():
            data_twin.draw(Draft())
    st.divider()
    data_list.mine(without=ready)
    data_list.shipped()


frame.show(draw, "Data", data_wording.LEAD)
