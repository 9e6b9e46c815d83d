"""The guided tour of a first visit: three steps, each told in the place it speaks of."""

import html
from dataclasses import dataclass

import streamlit as st

from pages._ui.shell import setting
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import state


@dataclass(frozen=True)
class Step:
    """One step: the place it is told in, and what it says."""

    place: str
    title: str
    words: str


STEPS = (
    Step(
        "gauges",
        "Two sides",
        "Left: how often an attacker who knows all other records guesses rightly whether a person "
        "is in the data, from everything you declare to release; flows and density of the same "
        "people add up. Right: how much of the result can still be used.",
    ),
    Step(
        "control",
        "One slider",
        "ε limits how much the protected unit – one person's day, unless you choose another – can "
        "change what is published. Move it left: small flows drown first, and noise begins to look "
        "like travel. Play takes it from 10 to 0.01.",
    ),
    Step(
        "card",
        "One answer",
        "State what you need in the line at the top. The card names the setting with the most use "
        "within your limit of risk, and what more detail would cost.",
    ),
)

SHOWN = setting.switch("home_tour", default=True)
"""The link says that the tour has been ended, so that a page loaded anew does not begin it."""


@dataclass
class Tour:
    """The step at hand, None once it has been ended."""

    step: int | None = 0


def step(place: str) -> None:
    """Draw the step at hand if it speaks of this place; it lies over the page and moves nothing."""
    at = state(Tour).step
    if at is not None and not ended() and STEPS[at].place == place:
        st.fragment(guarded(_draw))(at)


def ended() -> bool:
    """Whether the tour has been ended in this session, or before by the link."""
    return state(Tour).step is None or not setting.value(SHOWN)


def again() -> None:
    """Begin the tour anew (a callback)."""
    _go(0)


def _draw(at: int) -> None:
    step, last = STEPS[at], at == len(STEPS) - 1
    with st.container(key="home_tour", gap="small"):
        st.html(
            f'<section aria-label="Tour, step {at + 1} of {len(STEPS)}" aria-live="polite">'
            f"<strong>{at + 1} of {len(STEPS)} · {html.escape(step.title)}.</strong> "
            f"{html.escape(step.words)}</section>"
        )
        with st.container(horizontal=True, gap="small"):
            for label, to, key, kind in (
                *((("Back", at - 1, "back", "secondary"),) if at else ()),
                *((("Next", at + 1, "next", "primary"),) if not last else ()),
                ("Done" if last else "End the tour", None, "end", "tertiary"),
            ):
                if st.button(label, key=f"home_tour_{key}", on_click=_go, args=(to,), type=kind):
                    st.rerun()


def _go(step: int | None) -> None:
    state(Tour).step = step
    setting.put(SHOWN, step is not None)
