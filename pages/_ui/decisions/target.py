"""Draws as they come, and ε from a decision: a line on each curve and a button below it."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from engine.arrays import Booleans
from engine.decisions import strongest_privacy
from engine.parameters import EPSILON_STOPS
from pages._ui import state
from pages._ui.decisions import question
from pages._ui.drawing import cards
from pages._ui.jobs import pieces
from pages._ui.jobs.pieces import Job
from pages._ui.shell.session import session

CONFIDENCE = 0.9
LEAKS = (
    "ε chosen on the data that will be released says something about them, outside the guarantee: "
    "choose it on another period or on simulated people."
)


def live(name: str, work: Job, draw: Callable[[list[Any], bool], None]) -> None:
    """Draw what is known of draws as they come, and whether all are there."""

    def show(known: list[Any], running: bool) -> None:
        if known:
            draw(known, not running)
        else:
            st.html(cards.pending_html("The first releases follow in a moment."))

    pieces.live(name, work, show, what="Releases drawn")


def ask(fields: Sequence[tuple[str, str, float]]) -> list[float]:
    """Draw what must be kept, in percent, by label, key and usual value; return shares of 1."""
    columns = st.columns(len(fields), gap="medium")
    return [
        question.number(column, label, key, usual, 0.1, 100.0, step=1.0) / 100
        for column, (label, key, usual) in zip(columns, fields, strict=True)
    ]


def offer(met: Booleans, promise: str, dataset: str) -> None:
    """Say which ε keeps the promise in 9 of 10 releases there and above, and offer it."""
    chosen = strongest_privacy(EPSILON_STOPS, met, CONFIDENCE)
    if chosen is None:
        st.caption(
            f"No ε up to {EPSILON_STOPS[-1]:g} keeps {promise}: try a lower τ or a larger T."
        )
        return

    def take() -> None:
        session().judged.add(dataset)
        state.put(epsilon=chosen)

    st.button(f"Use ε = {chosen:g}", key="decisions_use", icon=":material/tune:", on_click=take)
    st.caption(
        f"The smallest of {len(EPSILON_STOPS)} tried that keeps {promise} in at least 9 of 10 "
        f"releases, there and at every larger one (95% confidence). {LEAKS}"
    )
