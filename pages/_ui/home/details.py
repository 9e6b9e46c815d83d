"""Home, below the stage: curves over ε, the zones that lose most, how to read the numbers."""

from collections.abc import Sequence

import streamlit as st

from pages._ui.drawing import tables
from pages._ui.home.density import Column
from pages._ui.home.verdict import CONVENTIONS
from pages._ui.shell import setting
from pages._ui.wording.ranges import RANGES
from pages._ui.wording.verdict import LIMITS

_OPEN = setting.switch("home_details", default=False)


def draw(columns: Sequence[Column]) -> None:
    """Draw the details where they are asked for."""
    st.divider()
    asked = setting.draw(
        st.toggle,
        "Details: curves over ε, zones that lose most, how to read the numbers",
        _OPEN,
        help="Computed only while this is on.",
    )
    if not asked:
        return
    for place, column in zip(st.columns(2, gap="large"), columns, strict=False):
        with place:
            st.subheader(f"{column.entry.name}: over ε", anchor=False)
            column.curve()
            st.subheader("Zones that lose most", anchor=False)
            st.html(tables.table_html(column.worst()))
    st.caption(f"{RANGES} {LIMITS}")
    st.caption(CONVENTIONS)
