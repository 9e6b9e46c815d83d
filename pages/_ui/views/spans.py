"""Two spans of days whose flows are compared: what a change is told of, and released as one."""

from dataclasses import replace

import streamlit as st

from engine.contract import Setting, TimeSelection
from pages._ui import cached, state

PRODUCT = "Change of flows"
"""What a release of two spans is called where it is chosen."""


def pick(setting: Setting, zones: int) -> Setting | None:
    """Draw the pickers; return the flows of the first and of the last days as one setting.

    None, and what lacks is said, where there are no two days or no two zones.
    """
    days = cached.ingested(setting).metadata.days
    for what, number in (("day", len(days)), ("zone", zones)):
        if number < 2:
            st.info(f"A change needs two {what}s, and this dataset has one.")
            return None
    which, each = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
    first, last = which.select_slider(
        "First day before to last day after",
        range(len(days)),
        (0, 2 * min(7, len(days) // 2) - 1),
        format_func=lambda day: f"{days[day]:%a %-d %b %Y}",
        key=f"od_change_days_{len(days)}",
        **state.KEPT,
    )
    most = (last + 1 - first) // 2
    if most < 1:
        st.info("A change needs two days: move one end.")
        return None
    key = f"od_change_each_{most}"
    length = int(each.number_input("Days in each", 1, most, min(most, 7), key=key, **state.KEPT))
    starts = {"Before": first, "After": last + 1 - length}
    st.caption(
        " · ".join(
            f"{name}: {days[at]:%a %-d %b} to {days[at + length - 1]:%a %-d %b %Y}"
            for name, at in starts.items()
        )
    )
    when = TimeSelection(
        aggregation="whole", first_position=first, last_position=last, compared_days=length
    )
    return replace(setting, selection=replace(setting.selection, time=when))


def halves(both: Setting) -> tuple[Setting, Setting]:
    """Return the flows of each span by themselves."""
    days = len(cached.ingested(both).metadata.days)
    spans = [
        TimeSelection(aggregation="whole", first_position=of[0], last_position=of[-1])
        for of in both.time.days_by_matrix(days)
    ]
    before, after = (replace(both, selection=replace(both.selection, time=when)) for when in spans)
    return before, after
