"""The bar beside the navigation: what a button has set, and *Undo*."""

import html

import streamlit as st

from pages._ui.frame import back_step
from pages._ui.settings import current, undo_step


def draw() -> None:
    """Draw what can be taken back, where every page has it."""
    step = undo_step.find_step()
    with st.container(key="undo", horizontal=True, vertical_alignment="center", gap="small"):
        words = "" if step is None else undo_step.describe_step(step)
        st.html(f'<div role="status">{html.escape(words)}</div>')
        if step is not None:
            st.button("Undo", key="undo_step", on_click=current.undo, type="tertiary")
        back_step.keep()
