"""Data: bring your own tables, see what became of every row, and what each dataset is."""

from pathlib import Path

import streamlit as st

from pages._ui import data_build, data_form, data_list, data_report, data_wording, frame, state

frame.frame("Data", data_wording.LEAD)
st.html(Path(data_form.__file__).with_name("data.css"))
state.sidebar(density=False, trips=False)

build = data_build.current()
ready = build.name if build is not None and build.state == "finished" else None
if build is not None and ready is not None:
    st.html(data_wording.built_html(ready, build.report.get("seconds", 0.0)))
    with st.container(horizontal=True, gap="small"):
        for draw in (data_list.show_on_home, data_list.keep_button):
            with st.container(width=230):
                draw(ready)
        st.button(
            "Build another",
            icon=":material/add:",
            key="data_another",
            on_click=data_build.dismiss,
        )
    data_report.draw(build.report)
else:
    if build is not None and build.state == "running":
        data_build.live(build)
    elif build is not None and build.state == "failed":
        data_wording.problem("Cannot be built", build.error)
    elif build is not None:
        st.info("Cancelled; nothing was written.")
    data_form.draw(busy=build is not None and build.state == "running")

st.divider()
data_list.own(without=ready)
data_list.shipped()
