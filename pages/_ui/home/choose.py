"""Home, below the columns: the small calculator and the comparison with a pinned setting."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.origin_destination import calculators
from pages._ui.drawing import tables
from pages._ui.home import wording as home_wording
from pages._ui.home.density import Column
from pages._ui.shell import frame, setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.settings import EPSILON_SLIDER, Settings, nearest_stop_above, use_settings
from pages._ui.wording.labels import SHORT_VARIANTS
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import UNITS

PINNED, _NOW = "home_pinned", "home_now"
_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


@st.fragment
@guarded
def calculator(max_trips: int, unit: str) -> None:
    """Draw "what should I choose?": from a tolerated error to ε, published and exact."""
    st.subheader("What should I choose?", anchor=False)
    left, middle, right = st.columns([1.2, 1, 1.8], gap="medium", vertical_alignment="bottom")
    alpha = setting.draw(
        left.number_input,
        "An error I can tolerate (trips)",
        setting.whole_number("home_alpha", 10, 0, 100_000),
        min_value=0,
        max_value=100_000,
    )
    confidence = setting.draw(
        middle.selectbox,
        "How sure (1 − β)",
        setting.stop("home_confidence", _CONFIDENCES, 0.95),
        _CONFIDENCES,
        format_func="{:.0%}".format,
    )
    beta = 1 - confidence
    flow = float(calculators.epsilon_for_cell_error(alpha, beta, max_trips))
    published = float(calculators.epsilon_for_change(alpha, beta, max_trips, method="published"))
    exact = float(calculators.epsilon_for_change(alpha, beta, max_trips))
    with right.container(horizontal=True, gap="small"):
        one = _use("one flow", flow, "home_use_epsilon")
        two = _use("a change", exact, "home_use_epsilon_change")
    if one or two:
        st.rerun()
    st.html(
        tables.table_html(
            {
                "Question": [
                    "One flow is off by no more than this (Theorem 6)",
                    "A change between two days is off by no more than this (Theorem 7)",
                ],
                "Published ε": [f"{flow:.4g}", f"{published:.4g}"],
                "Exact ε": [f"{flow:.4g}", f"{exact:.4g}"],
            }
        )
    )
    st.caption(
        home_wording.calculator(
            alpha, confidence, max_trips, unit, flow=flow, exact=exact, published=published
        )
    )
    frame.link("pages/3_Choose_Epsilon.py", "More calculators and what ε means")


def _use(what: str, epsilon: float, key: str) -> bool:
    """Draw the button that moves ε to the next stop that keeps one row's promise."""
    reachable = epsilon <= EPSILON_SLIDER[-1]
    stop = nearest_stop_above(epsilon, EPSILON_SLIDER)
    return st.button(
        f"Use ε = {stop:g} for {what}" if reachable else f"{what.capitalize()}: ε above 10",
        on_click=use_settings,
        kwargs={"epsilon": epsilon},
        disabled=not reachable,
        key=key,
        help=f"Moves the ε slider to the next stop that keeps this promise for {what}.",
    )


def compare() -> DeltaGenerator:
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


def pinned(place: DeltaGenerator, settings: Settings, numbers: dict[str, str]) -> None:
    """Show the pinned numbers beside those of now, with the ranges that are known by now."""
    st.session_state[_NOW] = (_describe(settings), numbers)
    if PINNED not in st.session_state:
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


def worst(columns: list[Column]) -> None:
    """Draw the zones that lose most, one table a column."""
    st.subheader("Zones that lose most", anchor=False)
    for place, column in zip(st.columns(2, gap="large"), columns, strict=False):
        place.html(tables.table_html(column.worst))


def _pin() -> None:
    st.session_state[PINNED] = st.session_state[_NOW]


def _describe(settings: Settings) -> str:
    return (
        f"ε {settings.epsilon:g}, δ {scientific(settings.delta)}, "
        f"ℓ {settings.max_visits}, T {settings.max_trips}, τ {settings.threshold}, "
        f"{SHORT_VARIANTS[settings.variant]}, {UNITS[settings.unit]}"
    )
