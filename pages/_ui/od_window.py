"""Which trips the origin–destination page shows: one day, all days each, or the whole period."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import streamlit as st

from engine.parameters import ODParameters
from pages._ui import wording
from pages._ui.catalogue import Entry

ALL = -1
"""The picker's value for "all days, each released by itself"."""


@dataclass(frozen=True)
class Window:
    """The matrices that are looked at.

    Attributes
    ----------
    day : int or None
        Position of the day; None takes all days.
    summed : bool
        All days are one matrix and one release (unit person), rather than one each.
    """

    day: int | None
    summed: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """The engine's ``days`` and ``sum_days``."""
        return {"days": self.day, "sum_days": self.summed}

    @property
    def several(self) -> bool:
        """Whether there are several releases, of which the page shows the sum."""
        return self.day is None and not self.summed


def pick(entry: Entry, parameters: ODParameters) -> Window:
    """Draw the day picker and say whom the noise protects; return the window."""
    days = entry.metadata.days
    left, right = st.columns([1, 2.6], gap="medium", vertical_alignment="bottom")
    with left:
        window = _picker(days, parameters.unit)
    people = wording.protection(parameters.unit, parameters.max_trips_per_user)
    right.markdown(f"Protects **{people}**. {_cost(parameters, window, len(days))}")
    return window


def named(window: Window, days: tuple[date, ...]) -> str:
    """Say which trips the window holds."""
    if window.day is not None:
        return f"{days[window.day]:%a %-d %b %Y}"
    if window.summed:
        return f"{days[0]:%-d %b} to {days[-1]:%-d %b %Y}, one release"
    return f"all {len(days)} days, each released"


def _picker(days: tuple[date, ...], unit: str) -> Window:
    if unit == "person":
        st.selectbox(
            "Day",
            [f"Whole period ({len(days)} days)"],
            key="od_whole_period",
            disabled=True,
            help="A person is protected over the whole period by one release of its sum.",
        )
        return Window(None, summed=True)
    options = [*range(len(days)), ALL] if len(days) > 1 else [0]
    if st.session_state.get("od_day", 0) not in options:
        st.session_state["od_day"] = 0
    chosen = st.selectbox(
        "Day",
        options,
        format_func=lambda day: (
            f"All {len(days)} days" if day == ALL else f"{days[day]:%a %-d %b %Y}"
        ),
        key="od_day",
        help="All days are released one by one; their sum is shown.",
        persist_state="session",
    )
    return Window(None if chosen == ALL else int(chosen))


def _cost(parameters: ODParameters, window: Window, days: int) -> str:
    epsilon = parameters.epsilon
    if parameters.unit == "person":
        return f"One release of the whole period costs ε = {epsilon:g}, once."
    if parameters.unit == "trip":
        return (
            "Every trip lies on one day, so all days cost a trip no more than one. "
            "T is 1: nobody is trimmed."
        )
    if window.several:
        return f"{days} releases cost a person up to {days} × {epsilon:g} = {days * epsilon:g}."
    return f"This day costs a person ε = {epsilon:g}; all {days} days {days * epsilon:g}."
