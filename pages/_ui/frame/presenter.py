"""The present view: larger type, no settings but ε, on home and on Decisions."""

from pathlib import Path

import streamlit as st
from streamlit.components.v2 import component

from pages._ui.settings import fields, widgets

_STYLE = Path(__file__).with_name("presenter.css")
_LABEL = "Privacy loss ε: to the left more private, to the right more accurate"
_END_LABELS = "<b>Privacy loss ε</b><br>left: more private · right: more accurate"
_FOCUS_EPSILON = component(
    "focus_epsilon",
    js="""export default () => {
      const focus = () => document.querySelector(".st-key-epsilon input")?.focus()
      const fields = "div:has(> label):has([role=combobox]), input"
      const back = (event) => event.target.closest(fields) || focus()
      focus()
      document.addEventListener("click", back)
      return () => document.removeEventListener("click", back)
    }""",
)
"""Puts the keyboard on the slider, so that arrow keys move ε at once, and after every click."""


def is_presenting() -> bool:
    """Whether the page is shown to an audience."""
    return fields.value(fields.VIEW) == "presenter"


def draw_switch() -> None:
    """Draw the switch between exploring and presenting."""
    widgets.draw(
        fields.VIEW,
        widget="segmented_control",
        label_visibility="collapsed",
        width="content",
        help="Present: larger type, no settings. Arrow keys move ε once its slider is chosen.",
    )
    if is_presenting():
        st.html(_STYLE)


def draw_epsilon(view: str) -> None:
    """Draw the slider of ε on the page; `shown` tells what its keys move once it changes."""
    with st.container(horizontal=True, vertical_alignment="center", key="page_epsilon"):
        st.html(f'<div class="ends" aria-hidden="true">{_END_LABELS}</div>', width="content")
        widgets.draw(fields.EPSILON, label=_LABEL, label_visibility="collapsed", help=None)
    if is_presenting():
        _FOCUS_EPSILON(key=f"focus_{view}", height=1)
