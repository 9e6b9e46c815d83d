"""Home, below the stage: curves over ε, the zones that lose most, a pinned setting beside now."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._ui.drawing import tables
from pages._ui.home.density import Column
from pages._ui.home.verdict import CONVENTIONS
from pages._ui.shell import setting
from pages._ui.shell.settings import Settings
from pages._ui.wording.labels import SHORT_VARIANTS
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import UNITS
from pages._ui.wording.ranges import RANGES
from pages._ui.wording.verdict import LIMITS

PINNED, _NOW = "home_pinned", "home_now"
_OPEN = setting.switch("home_details", default=False)


def draw(columns: Sequence[Column]) -> DeltaGenerator | None:
    """Draw what is asked for, and return the place of the pinned setting's table."""
    st.divider()
    asked = setting.draw(
        st.toggle,
        "Details: curves over ε, zones that lose most, how to read the numbers",
        _OPEN,
        help="Computed only while this is on.",
    )
    if not asked:
        return None
    for place, column in zip(st.columns(2, gap="large"), columns, strict=False):
        with place:
            st.subheader(f"{column.entry.name}: over ε", anchor=False)
            column.curve()
            st.subheader("Zones that lose most", anchor=False)
            st.html(tables.table_html(column.worst()))
    table = _compare()
    st.caption(f"{RANGES} {LIMITS}")
    st.caption(CONVENTIONS)
    return table


def _compare() -> DeltaGenerator:
    """Draw "pin this setting and compare" and return the place of its table for `pinned`."""
    head, pin, unpin = st.columns([3, 1.4, 1], vertical_alignment="center")
    head.subheader("Compare two settings", anchor=False)
    pin.button(
        "Pin this setting",
        icon=":material/push_pin:",
        on_click=_pin,
        key="home_pin",
        width="stretch",
    )
    unpin.button(
        "Unpin",
        on_click=lambda: st.session_state.pop(PINNED, None),
        disabled=PINNED not in st.session_state,
        key="home_unpin",
        width="stretch",
    )
    if PINNED not in st.session_state:
        st.caption("Pin the numbers above, then move a slider: both settings stand side by side.")
    return st.empty()


def pinned(place: DeltaGenerator | None, settings: Settings, columns: Sequence[Column]) -> None:
    """Show the pinned numbers beside those of now, with the ranges that are known by now."""
    numbers = {name: value for column in columns for name, value in column.numbers.items()}
    st.session_state[_NOW] = (_describe(settings), numbers)
    if place is None or PINNED not in st.session_state:
        return
    described, before = st.session_state[PINNED]
    if described == _describe(settings):  # pinned before its last numbers had come
        before = numbers
        st.session_state[PINNED] = (described, numbers)
    names = list(dict.fromkeys([*before, *numbers]))
    place.html(
        tables.table_html(
            {
                "": names,
                f"Pinned: {described}": [before.get(name, "–") for name in names],
                f"Now: {_describe(settings)}": [numbers.get(name, "–") for name in names],
            }
        )
    )


def _pin() -> None:
    st.session_state[PINNED] = st.session_state[_NOW]


def _describe(settings: Settings) -> str:
    return (
        f"ε {settings.epsilon:g}, δ {scientific(settings.delta)}, "
        f"ℓ {settings.max_visits}, T {settings.max_trips}, τ {settings.threshold}, "
        f"{SHORT_VARIANTS[settings.variant]}, {UNITS[settings.unit]}"
    )
