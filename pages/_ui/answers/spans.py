"""Two spans of days whose flows are compared: what a change is told of, and released as one."""

from dataclasses import replace

import streamlit as st

from engine.contract import Setting, TimeSelection
from pages._ui.answers import cached
from pages._ui.settings import fields

PRODUCT = "Change of flows"
"""What a release of two spans is called where it is chosen."""


def pick_spans(setting: Setting, zones: int) -> Setting | None:
    """Draw the pickers; return the flows of the first and of the last days as one setting.

    None, and what lacks is said, where there are no two days or no two zones.
    """
    days = cached.full_dataset(setting).metadata.days
    for noun, count in (("day", len(days)), ("zone", zones)):
        if count < 2:
            st.info(f"Comparing needs two {noun}s; this dataset has one.")
            return None
    days_col, size_col = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
    first, last = days_col.select_slider(
        "From the first day before to the last day after",
        range(len(days)),
        (0, 2 * min(7, len(days) // 2) - 1),
        format_func=lambda day: f"{days[day]:%a %-d %b %Y}",
        key=f"od_change_days_{len(days)}",
        **fields.PERSIST,
    )
    limit = (last + 1 - first) // 2
    if limit < 1:
        st.info("Comparing needs two days. Move one end of the slider.")
        return None
    key = f"od_change_each_{limit}"
    length = int(
        size_col.number_input(
            "Days in each period", 1, limit, min(limit, 7), key=key, **fields.PERSIST
        )
    )
    starts = {"Before": first, "After": last + 1 - length}
    st.caption(
        " · ".join(
            f"{name}: {days[start]:%a %-d %b} to {days[start + length - 1]:%a %-d %b %Y}"
            for name, start in starts.items()
        )
    )
    when = TimeSelection(
        aggregation="whole", first_position=first, last_position=last, compared_days=length
    )
    return replace(setting, selection=replace(setting.selection, time=when))


def split_spans(setting: Setting) -> tuple[Setting, Setting]:
    """Return the flows of each span by themselves."""
    days = len(cached.full_dataset(setting).metadata.days)
    spans = [
        TimeSelection(aggregation="whole", first_position=positions[0], last_position=positions[-1])
        for positions in setting.time.days_by_matrix(days)
    ]
    old, new = (replace(setting, selection=replace(setting.selection, time=when)) for when in spans)
    return old, new
