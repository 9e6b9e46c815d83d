"""The present view: one screen for an audience, on home, Density and Decisions."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from pages._ui.frame import layout
from pages._ui.settings import fields, widgets

_STYLE = Path(__file__).with_name("presenter.css")
_KEEP_FOCUS = component(
    "keep_focus",
    js="""export default () => {
      const inRow = (element) => element?.closest?.(".st-key-sliders")
      let last = document.querySelector(".st-key-epsilon input")
      const remember = (event) => { if (inRow(event.target)) last = event.target }
      const fields = "div:has(> label):has([role=combobox]), input, [role=slider], button"
      const back = (event) => event.target.closest(fields) || last?.focus()
      last?.focus()
      document.addEventListener("focusin", remember)
      document.addEventListener("click", back)
      return () => {
        document.removeEventListener("focusin", remember)
        document.removeEventListener("click", back)
      }
    }""",
)
"""Puts the keyboard on the slider last touched, ε at first, so that arrow keys move it at once."""


def is_presenting() -> bool:
    """Whether the page is shown to an audience."""
    return fields.value(fields.VIEW) == "presenter"


def draw_switch(path: str, label: str) -> None:
    """Draw the switch between exploring and presenting, and then a link to another page."""
    widgets.draw(
        fields.VIEW,
        widget="segmented_control",
        label_visibility="collapsed",
        width="content",
        help="Present: one screen for an audience. Arrow keys move the slider last touched.",
    )
    if is_presenting():
        st.html(_STYLE)
        _KEEP_FOCUS(key="keep_focus", height=1)
        layout.draw_link(path, label)
