"""Release: draw once, enter the cost in a ledger, pack what a reader must know."""

from importlib.util import find_spec

import streamlit as st

from pages._ui.frame import layout

LEAD = (
    "Draw the noise once with a vetted library, record the cost in a durable ledger, and package "
    "the numbers with a statement for readers. All other pages are for exploration only."
)
NO_NOISE = (
    "A release takes its noise from OpenDP, which is not installed here. Install it with "
    'pip install "mobility-privacy-explorer[release]", and start the explorer again.'
)


def draw() -> None:
    """Draw the page."""
    if find_spec("opendp") is None:
        st.error(NO_NOISE, icon=":material/extension_off:")
        return
    from pages._ui.release import release_job, release_page, release_text

    if not release_job.may_release():
        st.error(release_text.NOT_HERE, icon=":material/lock:")
        return
    release_page.draw()


layout.show_page(draw, "Release", LEAD)
