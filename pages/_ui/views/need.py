"""The need in one line: which data, which zones, which span of time, who is protected."""

from typing import Any

import streamlit as st

from pages._ui import state
from pages._ui.shell import sidebar

_QUIET: dict[str, Any] = {"label_visibility": "collapsed"}


def draw(part: str, *, unit: bool = True) -> None:
    """Draw what is asked of ``trips`` or ``density``; each picker is drawn once a page."""
    sidebar.dataset(part, described=False, **_QUIET)
    entry = state.entry(part)
    if entry is None or not state.has_part(entry, part):
        return
    sidebar.zones(part, **_QUIET)
    if part == "density":
        st.html('<div class="fixed">protect a person</div>', width="content")
        return
    sidebar.time(**_QUIET)
    if unit:
        sidebar.unit(**_QUIET)
