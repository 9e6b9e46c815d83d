"""Which trips the origin–destination page shows: one day, all days each, or the whole period."""

import streamlit as st

from engine.parameters import ODParameters
from pages._ui.cache.window import Window
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.privacy import protection

ALL = "all"
"""The picker's value for "all days, each released by itself"."""


def pick(entry: Entry, parameters: ODParameters) -> Window:
    """Draw the day picker and return the window; a person is protected over the whole period."""
    days = entry.metadata.days
    if parameters.unit == "person":
        st.selectbox(
            "Day",
            [f"Whole period ({len(days)} days)"],
            key="od_whole_period",
            disabled=True,
            help="A person is protected over the whole period by one release of its sum.",
        )
        return Window(None, summed=True)
    words = {day.isoformat(): f"{day:%a %-d %b %Y}" for day in days}
    if len(days) > 1:
        words[ALL] = f"All {len(days)} days"
    options = list(words)
    chosen = setting.draw(
        st.selectbox,
        "Day",
        setting.place("od_day", options, options[0], shared=entry.shipped),
        options,
        format_func=words.__getitem__,
        help="All days are released one by one; their sum is shown.",
    )
    return Window(None if chosen == ALL else options.index(chosen))


def cost(parameters: ODParameters, window: Window, days: int) -> str:
    """Say whom the noise protects and what the window, and all days, cost."""
    people = protection(parameters.unit, parameters.max_trips_per_user)
    return f"Protects {people}. {_cost(parameters, window, days)}"


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
