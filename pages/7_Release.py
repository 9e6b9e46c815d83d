"""Release: draw once, enter the cost in a ledger, pack what a reader must know."""

from importlib.util import find_spec

import streamlit as st

from pages._ui.shell import frame

LEAD = (
    "Draw once with vetted noise, enter the cost in a ledger that survives, and pack the numbers "
    "with what a reader must know. Everything else in this tool is for exploring."
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
    from pages._ui.release import page, words, work  # the noise of a release is loaded here

    if not work.releases_allowed():
        st.error(words.NOT_HERE, icon=":material/lock:")
        return
    page.draw()


frame.show(draw, "Release", LEAD)
