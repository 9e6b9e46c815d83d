"""Which matrix the page shows, or all of them, and what they cost."""

import streamlit as st

from engine.contract import Setting
from engine.resolution.views import groups_of
from pages._ui import cached, state
from pages._ui.wording.privacy import period_names, protection


def pick(setting: Setting) -> int | None:
    """Draw the picker of matrices and return the one chosen; None is all, released one by one."""
    count, about = cached.matrices(setting), cached.dataset(cached.view(setting)).metadata
    if count == 1:
        st.selectbox("Day", [f"Whole period ({len(about.days)} days)"], key="od_one", disabled=True)
        return 0
    by_day = setting.when.step == "day"
    names = period_names(about)
    if by_day:
        names = [f"{day:%a %-d %b %Y}" for day in about.days]
    names.append(f"All {count} {'days' if by_day else 'matrices'}")
    if st.session_state.get("od_day", 0) > count:  # set for another dataset
        st.session_state["od_day"] = 0
    chosen = st.selectbox(
        "Day" if by_day else "Days",
        range(count + 1),
        format_func=names.__getitem__,
        key="od_day",
        help="All are released one by one; their sum is shown.",
        **state.KEPT,
    )
    return None if chosen == count else chosen


def cost(setting: Setting, day: int | None) -> str:
    """Say whom the noise protects and what the matrices shown, and all, cost a person."""
    parameters = setting.parameters
    unit, epsilon = parameters.unit, parameters.epsilon
    return f"Protects {protection(unit, parameters.max_trips_per_user)}. " + (
        f"One release of the whole period costs ε = {epsilon:g}, once."
        if unit == "person"
        else "Every trip lies on one day, so all days cost a trip no more than one. T is 1: nobody "
        "is trimmed."
        if unit == "trip"
        else _by_day(setting, day)
    )


def _by_day(setting: Setting, day: int | None) -> str:
    """Say what person-days cost: a person pays for days, however they are added up."""
    epsilon, when = setting.parameters.epsilon, setting.when
    days = len(cached.dataset(cached.view(setting)).metadata.days)
    total = f"{days * epsilon:g}"
    if when.step == "day":
        if day is None:
            return f"{days} releases cost a person up to {days} × {epsilon:g} = {total}."
        return f"This day costs a person ε = {epsilon:g}; all {days} days {total}."
    span = days if day is None else len(groups_of(range(days), when)[day])
    more = "" if span == days else f"; on all {days} days {total}"
    return (
        f"A person who travels on each of these {span} days pays {span} × {epsilon:g} = "
        f"{span * epsilon:g}{more}."
    )
