"""ε for the error of one flow and of a change between two days: Theorems 6 and 7."""

import streamlit as st

from engine.contract import Setting
from engine.origin_destination import calculators
from pages._ui.drawing import tables
from pages._ui.shell import setting as kept
from pages._ui.wording.numbers import trip_count
from pages._ui.wording.privacy import aim

_CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


def draw(setting: Setting) -> None:
    """Draw ε for the error of one flow and of a change: Theorems 6 and 7, published and exact."""
    st.subheader("ε for the error of one flow (Theorems 6 and 7)", anchor=False)
    left, right, _ = st.columns([1, 1, 2], vertical_alignment="bottom")
    alpha = kept.draw(
        left.number_input,
        "Tolerated error (trips)",
        kept.whole_number("home_alpha", 10, 0, 100_000),
    )
    sure = kept.draw(
        right.selectbox,
        "How sure",
        kept.stop("home_confidence", _CONFIDENCES, 0.95),
        _CONFIDENCES,
        format_func="{:.0%}".format,
    )
    limit, beta = setting.parameters.max_trips_per_user, 1 - sure
    flow = float(calculators.epsilon_for_cell_error(alpha, beta, limit))
    published = float(calculators.epsilon_for_change(alpha, beta, limit, method="published"))
    exact = float(calculators.epsilon_for_change(alpha, beta, limit))
    st.html(
        tables.table_html(
            {
                "Off by no more than this": ["One flow", "A change between two days"],
                "Published ε": [f"{flow:.4g}", f"{published:.4g}"],
                "Exact ε": [f"{flow:.4g}", f"{exact:.4g}"],
            }
        )
    )
    st.caption(
        f"From that ε on, with {trip_count(limit)} kept, a private flow is within {alpha:,} of "
        f"{aim(setting.parameters.unit)} in {sure:.0%} of releases, before small ones are hidden. "
        "The published formula for changes ignores rounding."
    )
