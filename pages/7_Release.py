"""Release: draw once, enter the cost in a ledger, pack what a reader must know."""

from importlib.util import find_spec

import streamlit as st

from pages._ui.release.wording import LEAD, NO_NOISE, NOT_HERE
from pages._ui.shell import frame


def draw() -> None:
    """Draw the page."""
    if find_spec("opendp") is None:
        st.error(NO_NOISE, icon=":material/extension_off:")
        return
    from pages._ui.release import page, work  # the noise of a release is loaded here

    if not work.releases_allowed():
        st.error(NOT_HERE, icon=":material/lock:")
        return
    page.draw()


frame.show(draw, "Release", LEAD)
