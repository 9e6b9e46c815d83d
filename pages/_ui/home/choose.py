"""Home, below the columns: the small calculator."""

import streamlit as st

from engine.origin_destination import calculators
from pages._ui.drawing import tables
from pages._ui.home import wording as home_wording
from pages._ui.shell import frame, setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.settings import EPSILON_SLIDER, nearest_stop_above, use_settings

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


@st.fragment
@guarded
def calculator(max_trips: int, unit: str) -> None:
    """Draw "what should I choose?": from a tolerated error to ε, published and exact."""
    st.subheader("What should I choose?", anchor=False)
    left, right = st.columns(2, gap="small", vertical_alignment="bottom")
    alpha = setting.draw(
        left.number_input,
        "Tolerated error (trips)",
        setting.whole_number("home_alpha", 10, 0, 100_000),
        min_value=0,
        max_value=100_000,
        help="α of Theorem 6 (one flow) and Theorem 7 (a change): what you can live with. "
        "The published ε of a change is that of the paper; the exact one counts rounding, too.",
    )
    confidence = setting.draw(
        right.selectbox,
        "How sure",
        setting.stop("home_confidence", _CONFIDENCES, 0.95),
        _CONFIDENCES,
        format_func="{:.0%}".format,
        help="1 − β of Theorems 6 and 7: how often the error stays within what is tolerated.",
    )
    beta = 1 - confidence
    flow = float(calculators.epsilon_for_cell_error(alpha, beta, max_trips))
    published = float(calculators.epsilon_for_change(alpha, beta, max_trips, method="published"))
    exact = float(calculators.epsilon_for_change(alpha, beta, max_trips))
    with st.container(horizontal=True, gap="small"):
        one = _use("one flow", "Theorem 6", flow, "home_use_epsilon")
        two = _use("a change", "Theorem 7, exact", exact, "home_use_epsilon_change")
    if one or two:
        st.rerun()
    st.html(
        tables.table_html(
            {
                "Question": [
                    "One flow is off by no more than this",
                    "A change between two days is off by no more than this",
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
    frame.link("pages/3_Choose.py", "More calculators and what ε means")


def _use(what: str, theorem: str, epsilon: float, key: str) -> bool:
    """Draw the button that moves ε to the next stop that keeps one row's promise."""
    reachable = epsilon <= EPSILON_SLIDER[-1]
    stop = nearest_stop_above(epsilon, EPSILON_SLIDER)
    return st.button(
        f"Use ε = {stop:g} for {what}" if reachable else f"{what.capitalize()}: ε above 10",
        on_click=use_settings,
        kwargs={"epsilon": epsilon},
        disabled=not reachable,
        key=key,
        help=f"Moves the ε slider to the next stop that keeps this promise for {what} ({theorem}).",
    )
