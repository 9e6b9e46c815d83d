"""Data: bring your own tables, see what became of every row, and what each dataset is."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from engine.text.numbers import make_inert
from pages._ui.app.background import follow_job
from pages._ui.data import build_form, builds, dataset_list
from pages._ui.data.twin_form import draw as draw_twin
from pages._ui.frame import layout
from pages._ui.settings import widgets

TABLE, TWIN = "I have a table of trips or visits", "I have no data yet, or may not look at them"
LEAD = (
    "Use your own trips, visits or flows. Uploads stay on the computer that serves this page and "
    "in this session: no other session sees them. They are deleted when the page is closed."
)
# shows what was built, which stands above where its button was pressed
_SCROLL_TO_TOP = component(
    "to_top",
    js="""export default () => {
      document.querySelector("h1").scrollIntoView({block: "end"})
    }""",
)


def draw() -> None:
    """Draw the page."""
    st.html(Path(build_form.__file__).with_name("data.css"))
    build = builds.data_state().build
    ready = build.name if build is not None and build.state == "finished" else None
    if build is not None and ready is not None:
        dataset_list.show_built(ready, build.result["seconds"])
        _SCROLL_TO_TOP(key=f"top_{ready}", height=1)
        dismiss = builds.dismiss_build
        st.button(
            "Build another dataset", key="data_another", icon=":material/add:", on_click=dismiss
        )
    else:
        # always there, so that the form keeps its place, and with it its uploads
        with st.container():
            if build is not None and build.state == "running":
                title = f"Building {make_inert(build.name)}"
                follow_job(build, builds.describe_progress, title=title, key="data_build")
            elif build is not None and build.state == "cancelled":
                st.info("Cancelled. Nothing was written.")
        source = widgets.choose("Your data", (TABLE, TWIN), "data_door", in_link=False)
        build_form.draw(busy=builds.is_building() or source == TWIN)
        if source == TWIN and not builds.is_building():
            draw_twin()
    st.divider()
    dataset_list.draw(hidden_name=ready)


layout.show_page(draw, "Data", LEAD)
