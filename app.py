"""The application that Streamlit serves: what stands before every page, and around it."""

import streamlit as st
from starlette.middleware import Middleware

from pages._ui.app import error_pages, shutdown, streamlit_internals
from pages._ui.app.gate import Gate

if __name__ == "__main__":  # a session runs the page
    from pages._ui.frame import layout

    layout.run_page(st.navigation(layout.list_pages(), position="top"))
else:  # `streamlit run` finds this by its name and serves it
    error_pages.silence_streamlit()
    streamlit_internals.note_peers()
    # else the first request of a page's address would run its file without what stands before it
    streamlit_internals.ignore_pages_folder()
    app = st.App(
        __file__,
        lifespan=shutdown.lifespan,
        middleware=[Middleware(Gate)],
        on_script_error=error_pages.handle_uncaught,
    )
