"""ε for the error of one flow and of a change between two days: Theorems 6 and 7."""

import streamlit as st

from engine.contract import Setting
from pages._ui import state
from pages._ui.views.theorems import compared
from pages._ui.wording.numbers import trip_count
from pages._ui.wording.privacy import aim

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


def draw(setting: Setting) -> None:
    """Draw ε for the error of one flow and of a change: Theorems 6 and 7, published and exact."""
    st.subheader("ε for the error of one flow (Theorems 6 and 7)", anchor=False)
    left, right, _ = st.columns([1, 1, 2], vertical_alignment="bottom")
    alpha = left.number_input(
        "Tolerated error (trips)", 0, 100_000, value=10, key="home_alpha", **state.KEPT
    )
    sure = right.selectbox(
        "How sure",
        _CONFIDENCES,
        index=_CONFIDENCES.index(0.95),
        key="home_confidence",
        format_func="{:.0%}".format,
        **state.KEPT,
    )
    limit = setting.parameters.max_trips_per_user
    compared(alpha, round(1 - sure, 6), limit, setting.parameters.unit)
    st.caption(
        f"From that ε on, with {trip_count(limit)} kept, a private flow is within {alpha:,} of "
        f"{aim(setting.parameters.unit)} in {sure:.0%} of releases, before small ones are hidden. "
        "The published formula for changes ignores rounding."
    )
