"""Which trips the origin–destination page shows: one day, all days each, or the whole period."""

from dataclasses import replace
from datetime import timedelta

import streamlit as st

from pages._ui.cache.window import Window
from pages._ui.shell import setting
from pages._ui.views.context import Flows
from pages._ui.wording.privacy import period_names, protection

ALL = "all"
"""The picker's value for "all days, each released by itself"."""


def pick(context: Flows) -> Flows:
    """Draw the day picker and return the context; a person is protected over the whole period."""
    entry, parameters = context.entry, context.parameters
    days, starts = entry.metadata.days, entry.metadata.periods
    if parameters.unit == "person":
        st.selectbox(
            "Day",
            [f"Whole period ({len(days)} days)"],
            key="od_whole_period",
            disabled=True,
            help="A person is protected over the whole period by one release of its sum.",
        )
        return replace(context, window=Window(None, summed=True))
    names = period_names(entry.metadata)
    added_up = len(starts) < len(days)
    words = {
        start.isoformat(): name if added_up else f"{start:%a %-d %b %Y}"
        for start, name in zip(starts, names, strict=True)
    }
    if len(starts) > 1:
        words[ALL] = f"All {len(starts)} {'matrices' if added_up else 'days'}"
    options = list(words)
    chosen = setting.draw(
        st.selectbox,
        "Days" if added_up else "Day",
        setting.place("od_day", options, options[0], shared=entry.shipped),
        words,
        help="All are released one by one; their sum is shown.",
    )
    day = None if chosen == ALL else options.index(chosen)
    return replace(context, window=Window(day))


def cost(context: Flows) -> str:
    """Say whom the noise protects and what the window, and all days, cost."""
    unit, limit = context.parameters.unit, context.parameters.max_trips_per_user
    return f"Protects {protection(unit, limit)}. {_cost(context)}"


def _cost(context: Flows) -> str:
    """Say what the window costs; a person pays for declared days, however they are added up."""
    parameters, about = context.parameters, context.entry.metadata
    epsilon, days, starts = parameters.epsilon, len(about.days), about.periods
    if parameters.unit == "person":
        return f"One release of the whole period costs ε = {epsilon:g}, once."
    if parameters.unit == "trip":
        return (
            "Every trip lies on one day, so all days cost a trip no more than one. "
            "T is 1: nobody is trimmed."
        )
    if len(starts) < days:
        window = context.window
        first = 0 if window is None or window.day is None else window.day
        ends = [*starts[1:], about.days[-1] + timedelta(days=1)]
        span = days if context.several else (ends[first] - starts[first]).days
        text = f"A person who travels on each of these {span} days pays {span} × {epsilon:g} = "
        more = "" if span == days else f"; on all {days} days {days * epsilon:g}"
        return f"{text}{span * epsilon:g}{more}."
    if context.several:
        return f"{days} releases cost a person up to {days} × {epsilon:g} = {days * epsilon:g}."
    return f"This day costs a person ε = {epsilon:g}; all {days} days {days * epsilon:g}."
