"""Data: bring your own tables, see what became of every row, and what each dataset is."""

from pathlib import Path

import streamlit as st

from pages._ui import state
from pages._ui.data import form as data_form, list as data_list, store as data_store
from pages._ui.data.twin import draw as draw_twin
from pages._ui.jobs.kept import follow_kept
from pages._ui.shell import frame

TABLE, TWIN = "A table of trips or visits", "No data yet, or none I may look at"
LEAD = (
    "Bring your own trips, visits or flows. What you upload stays in this session: nobody else "
    "sees it, and it is deleted when you leave."
)
# shows what was built, which stands above where its button was pressed
_TOP = st.components.v2.component(
    "to_top",
    js="""export default () => {
      document.querySelector("[data-testid=stMain]").scrollTo(0, 0)
    }""",
)


def draw() -> None:
    """Draw the page."""
    st.html(Path(data_form.__file__).with_name("data.css"))
    build = data_store.own().build
    ready = build.name if build is not None and build.state == "finished" else None
    if build is not None and ready is not None:
        data_list.built(ready, build.result["seconds"])
        _TOP(key=f"top_{ready}", height=1)
        another = {"key": "data_another", "on_click": data_store.dismiss}
        st.button("Build another", icon=":material/add:", **another)
    else:
        # always there, so that the form keeps its place, and with it its uploads
        with st.container():
            if build is not None and build.state == "running":
                title = f"Building {build.name}"
                follow_kept(build, data_store.share, title=title, key="data_build")
            elif build is not None and build.state == "cancelled":
                st.info("Cancelled; nothing was written.")
        door = state.choose("What you have", (TABLE, TWIN), "data_door", linked=False)
        data_form.draw(busy=data_store.running() or door == TWIN)
        if door == TWIN and not data_store.running():
            draw_twin()
    st.divider()
    data_list.draw(without=ready)


frame.show(draw, "Data", LEAD)
