"""The controls of ε: a slider, and a field to type it in."""

import streamlit as st

from pages._ui.shell import setting
from pages._ui.shell.session import session, set_widget, widget_value
from pages._ui.shell.settings import EPSILON, EPSILON_SLIDER
from pages._ui.wording.labels import HELP

_TYPED = "epsilon_typed"
_PRIVATE_END = '<div class="end">← more private</div>'
_ACCURATE_END = '<div class="end right">more accurate →</div>'


def draw() -> None:
    """Draw ε here: a slider, its ends in words, and a field to type it in."""
    _slider()
    # a row that stays one on a phone, where columns would be stacked
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="xxsmall",
    ):
        st.html(_PRIVATE_END, width="content")
        _field()
        st.html(_ACCURATE_END, width="content")


def row() -> None:
    """Draw the same in one row, where the main control of a page stands in it."""
    st.html(_PRIVATE_END, width="content")
    _slider(label_visibility="collapsed")
    st.html(_ACCURATE_END, width="content")
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall", width="content"):
        st.html('<div class="end">ε =</div>', width="content")
        _field()


def _slider(**named: str) -> None:
    setting.draw(
        st.select_slider,
        "Privacy loss (ε)",
        EPSILON,
        EPSILON_SLIDER,
        format_func=_plain,
        help=HELP["epsilon"],
        on_change=_take,
        args=(),
        **named,
    )


def _field() -> None:
    _tell(_TYPED, _plain(setting.value(EPSILON)))
    st.text_input(
        "Type ε", key=_TYPED, on_change=_take, label_visibility="collapsed", max_chars=8, width=62
    )


def _tell(key: str, value: float | str) -> None:
    set_widget(key, value)
    session().epsilon_told = setting.value(EPSILON)


def _take() -> None:
    """Set ε to what a person has just chosen (a callback).

    Who moves one control quickly sends the others as they were before the browser heard of the
    first step. They read as changed too: then the one that moved alone before is meant.
    """
    kept = session()
    shown = {EPSILON.key: kept.epsilon_told, _TYPED: _plain(kept.epsilon_told)}
    moved = [key for key in shown if widget_value(key, shown[key]) != shown[key]]
    if not moved:
        return
    if kept.epsilon_moved_by not in moved:
        kept.epsilon_moved_by = moved[0]
    chosen = widget_value(kept.epsilon_moved_by)
    if kept.epsilon_moved_by == _TYPED:
        chosen = _typed(chosen)
    if chosen is not None:
        setting.put(EPSILON, chosen)


def _typed(text: str) -> float | None:
    """Return the stop nearest to what was typed, and say so where that is another number."""
    text = text.strip().replace(",", ".")
    try:
        taken = EPSILON.read(text)
    except ValueError:
        low, high = (_plain(EPSILON_SLIDER[end]) for end in (0, -1))
        notice = f"ε is a number from {low} to {high}."
        taken = None
    else:
        notice = f"The nearest stop to ε = {text} is {_plain(taken)}."
        if float(text) == taken:
            return taken
    if notice not in session().notices:
        session().notices.append(notice)
    return taken


def _plain(epsilon: float) -> str:
    return f"{epsilon:g}"
