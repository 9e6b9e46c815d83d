"""The guided tour of a first visit: five steps above the stage, never in its way."""

import html
from dataclasses import dataclass

import streamlit as st

from pages._ui.shell import setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import session


@dataclass(frozen=True)
class Step:
    """One step: what it says and which part of the page it points at.

    Attributes
    ----------
    at : str
        Style selector of the part.
    """

    title: str
    words: str
    at: str


STEPS = (
    Step(
        "What ε (epsilon) is",
        "It limits how much the protected unit – one person's day, unless you choose another – can "
        "change what is published: small ε, more noise, more privacy.",
        ".st-key-home_control",
    ),
    Step(
        "Move it",
        "Drag the slider, or click it and use the arrow keys. Play takes it from 10 down to 0.01.",
        ".st-key-home_control",
    ),
    Step(
        "What breaks first",
        "Compare the maps while ε falls: small flows drown first, and noise begins to look like "
        "travel. The right gauge counts what is left to use.",
        ".st-key-home_picture",
    ),
    Step(
        "Who is protected",
        "The left gauge asks: how often can an attacker who knows all other data tell whether a "
        "person is in it? It covers all that is declared to be released of the data shown – of "
        "flows or of density: both, made of the same people, add up. At trip level it is about "
        "one trip, and people who travel together are protected less.",
        ".gauge:first-child",
    ),
    Step(
        "Choose",
        "Jump to a preset beside the map, or say below which error you can tolerate and take the ε "
        "that keeps it.",
        ".st-key-home_presets, .st-key-home_calculator",
    ),
)


SHOWN = setting.switch("home_tour", default=True)
"""The link says that the tour has been ended, so that a page loaded anew does not begin it."""


def draw() -> None:
    """Draw the step at hand; nothing once the tour has been ended."""
    st.fragment(guarded(_draw))()


def ended() -> bool:
    """Whether the tour has been ended in this session, or before by the link."""
    return session().tour is None or not setting.value(SHOWN)


def again() -> None:
    """Begin the tour anew (a callback)."""
    _go(0)


def _draw() -> None:
    at = session().tour
    if at is None or ended():
        return
    step = STEPS[at]
    last = at == len(STEPS) - 1
    with st.container(key="home_tour", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            f"<style>{step.at} {{ outline: 3px solid #d9972b; outline-offset: 5px; "
            "border-radius: 0.4rem; }</style>"
            f'<section aria-label="Tour, step {at + 1} of {len(STEPS)}" aria-live="polite">'
            f"<strong>{at + 1} of {len(STEPS)} · {html.escape(step.title)}.</strong> "
            f"{html.escape(step.words)}</section>"
        )
        if at:
            st.button("Back", key="home_tour_back", on_click=_go, args=(at - 1,))
        if not last:
            st.button("Next", key="home_tour_next", on_click=_go, args=(at + 1,), type="primary")
        if st.button(
            "Done" if last else "End the tour",
            key="home_tour_end",
            on_click=_go,
            args=(None,),
            type="primary" if last else "tertiary",
        ):
            st.rerun()


def _go(step: int | None) -> None:
    session().tour = step
    setting.put(SHOWN, step is not None)
