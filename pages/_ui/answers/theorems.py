"""The ε of Theorems 6 and 7, published and exact side by side."""

from typing import Any

import streamlit as st

from engine.contract import Setting
from engine.origin_destination import NoiseName, calculators as theorems
from engine.text.numbers import percent, trip_count
from engine.text.privacy_text import name_noise_centre
from pages._ui import state
from pages._ui.answers import cached
from pages._ui.components import tables


def draw(setting: Setting) -> None:
    """Draw ε for the error of one flow and of a change: Theorems 6 and 7, published and exact."""
    st.subheader("ε for the error of one flow (Theorems 6 and 7)", anchor=False)
    left_col, right_col, _ = st.columns([1, 1, 2], vertical_alignment="bottom")
    alpha, beta = draw_tolerance(left_col, right_col)
    limit = setting.parameters.max_trips_per_user
    draw_comparison(alpha, beta, limit, setting.parameters.unit)
    st.caption(
        f"From that ε on, with {trip_count(limit)} kept, a private flow is within {alpha:,} of "
        f"{name_noise_centre(setting.parameters.unit)} in {percent(1 - beta)} of releases, before "
        "small ones are hidden. The published formula for changes ignores rounding."
    )


def draw_tolerance(trips_column: Any, share_column: Any) -> tuple[int, float]:
    """Draw two fields at their places: an error in trips, and how often more is tolerated."""
    label, key = "Tolerated error, in trips (α)", "choose_alpha"
    alpha = trips_column.number_input(label, 0, 100_000, 10, key=key, **state.LINKED)
    label, key = "in … % of releases (1 − β)", "choose_confidence"
    percent_held = share_column.number_input(label, 1.0, 99.9, 95.0, key=key, **state.LINKED)
    return int(alpha), 1 - round(percent_held / 100, 6)


def draw_comparison(
    alpha: int, beta: float, max_trips: int, unit: str, law: NoiseName = "rounded_laplace"
) -> dict[str, float]:
    """Draw the ε of Theorems 6 and 7, published and exact; return the exact ones."""
    args, cell = (alpha, beta, max_trips), theorems.epsilon_for_cell_error
    flow = float(cached.compute(cell, *args))
    change = float(cached.compute(theorems.epsilon_for_change, *args, method="published"))
    real = 1 - float(cached.compute(theorems.change_error_probability, alpha, change, max_trips))
    exact = {
        "flow": float(cached.compute(cell, *args, law=law)),
        "change": float(cached.compute(theorems.epsilon_for_change, *args, law=law)),
    }
    published = f"{change:.4g}, which really gives {real:.1%}"
    tables.draw_rows(
        (f"Within {trip_count(alpha)} of {name_noise_centre(unit)}", "Published ε", "Exact ε"),
        [
            ("One flow (Theorem 6)", f"{flow:.4g}", f"{exact['flow']:.4g}"),
            ("A change between two dates (Theorem 7)", published, f"{exact['change']:.4g}"),
        ],
    )
    return exact
