"""The calculators of P2's Theorems 2 to 7, published and exact side by side."""

from typing import Any

import streamlit as st

from engine.origin_destination import NoiseName, calculators as theorems
from engine.text.labels import LAWS
from engine.text.numbers import percent, trip_count
from engine.text.setting_text import WHO
from pages._ui.answers.theorems import draw_comparison, draw_tolerance
from pages._ui.components import tables
from pages._ui.frame import layout
from pages._ui.settings import current, fields

_ERRATA = (
    "Where both columns differ, Kohli et al. err. The paper prints Theorem 3 with the wrong sign "
    "of ½. It ignores the rounding of both numbers of a change. It says of shown flows what it "
    "proves of all. All answers are about noise. Trips beyond T are a further error, which no ε "
    "removes."
)


def draw() -> None:
    """Draw the question, which ε an error costs, and what this ε gives."""
    columns = st.columns(4, gap="medium", vertical_alignment="bottom")
    alpha, beta = draw_tolerance(*columns[:2])
    count = columns[2].number_input(
        "A flow of … trips", 0, 1_000_000, 15, key="choose_count", **fields.LINKED
    )
    law = columns[3].selectbox(
        "Noise for",
        list(LAWS),
        format_func=LAWS.__getitem__,
        key="choose_law",
        help="Exploration uses rounded Laplace noise, a release uses discrete Laplace noise.",
        **fields.PERSIST,
    )
    setting = current.flows()
    unit, limit = fields.value(fields.UNIT), fields.value(fields.MAX_TRIPS)
    if setting is not None:
        unit, limit = setting.parameters.unit, setting.parameters.max_trips_per_user
    say = str if setting is None else setting.say_counts
    st.subheader(say(f"ε for an error of {trip_count(alpha)}"), anchor=False)
    is_once = setting is not None and setting.selection.people_once
    trimmed_unit = "trip" if is_once else unit
    _draw_buttons(draw_comparison(alpha, beta, limit, trimmed_unit, law, say))
    epsilon, threshold = fields.value(fields.EPSILON), fields.value(fields.THRESHOLD)
    st.subheader(f"What ε = {epsilon:g} gives", anchor=False)
    st.caption(f"Protecting {WHO[unit]} by Laplace with suppression; T = {limit}, τ = {threshold}.")
    promises = _compute_promises(alpha, int(count), law, threshold, (epsilon, limit))
    rows = [(say(words), *shares) for words, *shares in promises]
    tables.draw_rows(("", "By the theorem", "Exact"), rows)
    st.caption(say(_ERRATA))
    layout.draw_link("pages/4_Decisions.py", "Choose ε for a decision")


def _draw_buttons(exact: dict[str, float]) -> None:
    """Draw a button for the exact ε of each theorem."""
    with st.container(horizontal=True):
        for name, epsilon in exact.items():
            reachable = epsilon <= fields.EPSILON_SLIDER[-1]
            stop = fields.stop_above(epsilon, fields.EPSILON_SLIDER)
            st.button(
                f"Use ε = {stop:g}, by this {name}" if reachable else f"One {name}: ε above 10",
                key=f"choose_use_{name}",
                disabled=not reachable,
                on_click=current.set_values,
                kwargs={"epsilon": epsilon},
            )


def _compute_promises(
    alpha: int, count: int, law: NoiseName, threshold: int, noise: tuple[float, int]
) -> list[tuple[str, str, str]]:
    """Return the theorems' promises at an ε and a T: in words, as published and exactly."""
    near, min_shown = trip_count(alpha), max(threshold, 1)
    if count < min_shown:
        name = f"A flow of {count:,} trips stays suppressed (Theorem 2)"
        stays = theorems.stays_suppressed_probability(count, min_shown, *noise, law=law)
        published = theorems.stays_suppressed_probability(count, min_shown, *noise)
    else:
        name = f"A flow of {count:,} trips stays visible (Theorem 3)"
        stays = theorems.stays_released_probability(count, threshold, *noise, law=law)
        published = theorems.stays_released_probability(
            count, threshold, *noise, method="published"
        )
    far = theorems.cell_error_probability(alpha, *noise)
    far_if_shown = theorems.released_error_probability(
        alpha, noise[0], count, threshold, noise[1], law=law
    )
    rows: list[tuple[str, Any, Any]] = [
        (name, published, stays),
        (
            f"A flow is off by more than {near} (Theorem 4)",
            far,
            theorems.cell_error_probability(alpha, *noise, law=law),
        ),
        (f"… where a flow of {count:,} is shown", far, far_if_shown),
        (
            f"A change is off by more than {near} (Theorem 5)",
            theorems.change_error_probability(alpha, *noise, method="published"),
            theorems.change_error_probability(alpha, *noise, law=law),
        ),
    ]
    return [(words, _share(float(paper)), _share(float(exact))) for words, paper, exact in rows]


def _share(value: float) -> str:
    return "below 0 (impossible)" if value < 0 else percent(value)
