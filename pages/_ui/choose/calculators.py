"""The calculators of P2's Theorems 2 to 7, published and exact side by side."""

from typing import Any, NamedTuple

import streamlit as st

from engine.origin_destination import LawName, calculators as theorems
from pages._ui import state
from pages._ui.drawing import tables
from pages._ui.views.theorems import compared, tolerated
from pages._ui.wording.labels import LAWS
from pages._ui.wording.numbers import percent, trip_count
from pages._ui.wording.use import WHO

_ERRATA = (
    "Where both differ the paper is corrected: it ignores the rounding of both numbers of a change "
    "(O2), prints Theorem 3 with the wrong sign of ½ (O1), and speaks of flows that are shown "
    "where its proofs are of all (O3). All answers are about noise; trips dropped by trimming are "
    "a further error, which no ε removes."
)


class Question(NamedTuple):
    """A tolerated error α in trips, how often more is tolerated, a flow of n trips, the noise."""

    alpha: int
    beta: float
    flow: int
    law: LawName
    max_trips: int
    unit: str


def draw() -> None:
    """Draw the question, which ε an error costs, and what this ε gives."""
    asked = _ask()
    st.subheader(f"ε for an error of {trip_count(asked.alpha)}", anchor=False)
    _epsilons(asked)
    epsilon, threshold = state.value(state.EPSILON), state.value(state.THRESHOLD)
    st.subheader(f"What ε = {epsilon:g} gives", anchor=False)
    st.caption(
        f"Protecting {WHO[asked.unit]} by the papers' method; T = {asked.max_trips}, "
        f"τ = {threshold}."
    )
    tables.rows(("", "Published", "Exact"), _promises(asked, epsilon, threshold))
    st.caption(_ERRATA)


def _ask() -> Question:
    columns = st.columns(4, gap="medium", vertical_alignment="bottom")
    alpha, beta = tolerated(*columns[:2])
    count = columns[2].number_input(
        "A flow of … trips", 0, 1_000_000, 15, key="choose_count", **state.LINKED
    )
    law = columns[3].selectbox(
        "Noise for",
        list(LAWS),
        format_func=LAWS.__getitem__,
        key="choose_law",
        help="Exploring draws rounded Laplace noise, a release discrete Laplace noise.",
        **state.KEPT,
    )
    unit = state.value(state.UNIT)
    limit = 1 if unit == "trip" else state.value(state.MAX_TRIPS)
    return Question(alpha, beta, int(count), law, limit, unit)


def _epsilons(asked: Question) -> None:
    """Draw Theorems 6 and 7 with a button each."""
    exact = compared(asked.alpha, asked.beta, asked.max_trips, asked.unit, asked.law)
    with st.container(horizontal=True):
        for name, epsilon in exact.items():
            reachable = epsilon <= state.EPSILON_SLIDER[-1]
            stop = state.above(epsilon, state.EPSILON_SLIDER)
            st.button(
                f"Use ε = {stop:g} for one {name}" if reachable else f"One {name}: ε above 10",
                key=f"choose_use_{name}",
                disabled=not reachable,
                on_click=state.put,
                kwargs={"epsilon": epsilon},
            )


def _promises(asked: Question, epsilon: float, threshold: int) -> list[tuple[str, str, str]]:
    """Return what the theorems promise at an ε: in words, as published and exactly."""
    alpha, count, law = asked.alpha, asked.flow, asked.law
    noise, least = (epsilon, asked.max_trips), max(threshold, 1)
    near = trip_count(alpha)
    if count < least:
        name = f"A flow of {count:,} stays suppressed (Theorem 2)"
        stays = theorems.stays_suppressed_probability(count, least, *noise, law=law)
        published = theorems.stays_suppressed_probability(count, least, *noise)
    else:
        name = f"A flow of {count:,} stays visible (Theorem 3)"
        stays = theorems.stays_released_probability(count, threshold, *noise, law=law)
        published = theorems.stays_released_probability(
            count, threshold, *noise, method="published"
        )
    far = theorems.cell_error_probability(alpha, *noise)
    shown = theorems.cell_error_probability_if_released(
        alpha, epsilon, count, threshold, asked.max_trips, law=law
    )
    rows: list[tuple[str, Any, Any]] = [
        (name, published, stays),
        (
            f"A flow is off by more than {near} (Theorem 4)",
            far,
            theorems.cell_error_probability(alpha, *noise, law=law),
        ),
        (f"… where a flow of {count:,} is shown", far, shown),
        (
            f"A change is off by more than {near} (Theorem 5)",
            theorems.change_error_probability(alpha, *noise, method="published"),
            theorems.change_error_probability(alpha, *noise, law=law),
        ),
    ]
    return [(words, _share(float(one)), _share(float(other))) for words, one, other in rows]


def _share(value: float) -> str:
    return "below 0 (impossible)" if value < 0 else percent(value)
