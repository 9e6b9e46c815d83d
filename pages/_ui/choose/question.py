"""Choose ε: the question a person asks – a tolerated error, a confidence, T and the noise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.origin_destination import LawName, calculators
from pages._ui.shell import setting
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import (
    EPSILON_SLIDER,
    MAX_TRIPS_STOPS,
    Settings,
    nearest_stop_above,
    use_settings,
)
from pages._ui.wording.labels import LAWS
from pages._ui.wording.privacy import aim

ALPHA_LIMIT = 100_000
ALPHA = setting.whole_number("choose_alpha", 10, 0, ALPHA_LIMIT)
CONFIDENCE = setting.number("choose_confidence", 95.0, 1.0, 99.9)
EXAMPLES = ((10, 95.0, 1), (50, 95.0, 1), (10, 99.0, 1))
"""α, confidence in percent and T; the first is the paper's own."""


@dataclass(frozen=True)
class Read:
    """What is read off a release: how ε, error and the chance of an error follow from each other.

    Each takes an array or a number, T and the law of the noise, as the calculators do.
    """

    epsilon: Callable[..., Any]
    error: Callable[..., Any]
    chance: Callable[..., Any]


FLOW = Read(
    calculators.epsilon_for_cell_error,
    calculators.largest_cell_error,
    calculators.cell_error_probability,
)
CHANGE = Read(
    calculators.epsilon_for_change,
    calculators.largest_change_error,
    calculators.change_error_probability,
)


@dataclass(frozen=True)
class Question:
    """A tolerated error α in trips, a confidence 1 − β, T, the unit and the law of the noise."""

    alpha: int
    confidence: float
    max_trips: int
    unit: str
    law: LawName

    @property
    def beta(self) -> float:
        """One minus the confidence."""
        return 1 - self.confidence

    @property
    def aim(self) -> str:
        """What the noise leaves flows near."""
        return aim(self.unit, several=True)

    @property
    def trimmed(self) -> str:
        """Words after a flow that may have been trimmed before."""
        return "" if self.unit == "trip" else ", after trimming,"

    @property
    def sure(self) -> str:
        """The confidence in words: ``95%`` or ``99.9%``."""
        return f"{100 * self.confidence:g}%"


def ask(settings: Settings) -> Question:
    """Draw the question as one line of inputs and the paper's examples under it."""
    columns = st.container(key="choose_question").columns([1.3, 1, 1, 1.4], gap="medium")
    tolerated, sure, trips, noise = columns
    alpha = setting.draw(
        tolerated.number_input,
        "I can tolerate an error of … trips (α)",
        ALPHA,
        help="How far a published number of trips may lie, up or down, from "
        + (
            "the truth."
            if settings.unit == "trip"
            else "its count after trimming; what trimming drops is not in it."
        ),
    )
    confidence = setting.draw(
        sure.number_input,
        "with … % confidence (1 − β)",
        CONFIDENCE,
        step=1.0,
        format="%.4g",
        help="In so many of 100 published numbers the error must stay within what you tolerate.",
    )
    with trips:
        limit = _limit(settings)
    law = setting.draw(
        noise.selectbox,
        "noise for",
        setting.choice("choose_law", LAWS, next(iter(LAWS))),
        LAWS,
        help="The paper rounds continuous Laplace noise, which is fine for exploring. A release "
        "that leaves the building draws whole numbers from a vetted library (erratum O5).",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Examples:", width="content")
        for number, percent, kept in EXAMPLES:
            st.button(
                f"{number} trips · {percent:g}% · T = {kept}",
                key=f"choose_example_{number}_{percent:g}",
                on_click=_take,
                args=(settings, number, percent, kept),
                type="tertiary",
            )
    return Question(int(alpha), round(confidence / 100, 6), limit, settings.unit, law)


def _limit(settings: Settings) -> int:
    label = "keeping at most … trips (T)"
    if settings.unit == "trip":
        # a widget of its own: the T chosen for people is kept for when it counts again
        st.selectbox(
            label,
            [1],
            key="choose_one_trip",
            disabled=True,
            help="At trip level T is 1: each trip is protected by itself and nobody is trimmed.",
        )
        return 1
    return setting.draw(
        st.selectbox,
        label,
        _trips(settings),
        MAX_TRIPS_STOPS,
        help="Per person and day, or per person and whole period. The noise grows with T.",
    )


def use_button(epsilon: float, question: Question, settings: Settings, *, key: str) -> None:
    """Draw "use this ε": it moves ε to the next stop that keeps the promise, and T along."""
    reachable = epsilon <= EPSILON_SLIDER[-1]
    stop = nearest_stop_above(epsilon, EPSILON_SLIDER)
    changes: dict[str, object] = {"epsilon": epsilon}
    if settings.unit != "trip":
        changes["max_trips"] = question.max_trips
    st.button(
        f"Use ε = {stop:g}" if reachable else "Beyond the slider (ε above 10)",
        key=key,
        icon=":material/tune:",
        disabled=not reachable,
        on_click=use_settings,
        kwargs=changes,
        width="stretch",
        help="Moves ε to the next stop of its slider that keeps this promise, and T with it.",
    )


def _trips(settings: Settings) -> Setting[int]:
    return setting.whole_stop("choose_trips", MAX_TRIPS_STOPS, settings.max_trips)


def _take(settings: Settings, alpha: int, percent: float, max_trips: int) -> None:
    setting.put(ALPHA, alpha)
    setting.put(CONFIDENCE, percent)
    setting.put(_trips(settings), max_trips)
