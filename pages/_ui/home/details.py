"""Home, below the stage: curves over ε, the zones that lose most, how to read the numbers."""

from collections.abc import Sequence

import streamlit as st

from pages._ui.drawing import rows
from pages._ui.home import stage as home_stage
from pages._ui.home.density import Column
from pages._ui.home.verdict import CONVENTIONS
from pages._ui.shell import frame, setting
from pages._ui.wording.cards import RANGES
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
            _worst(column)
    st.caption(f"{RANGES} {LIMITS}")
    st.caption(CONVENTIONS)
    frame.link(
        "pages/3_Choose_Epsilon.py", "What ε means for one person, and what others have used"
    )


def _worst(column: Column) -> None:
    """Draw the zones that lose most; a click marks one on the picture, a second takes it off."""
    worst, marked = column.worst(), home_stage.marked(column.entry)
    clicked = rows.draw(
        worst.columns,
        key=f"home_worst_{column.part}",
        chosen=worst.zones.index(marked) if marked in worst.zones else None,
        what="Mark this zone on the picture above",
    )
    st.caption("Click a zone to mark it on the picture above.")
    if clicked is not None and clicked < len(worst.zones):
        home_stage.mark(column.part, column.entry, worst.zones[clicked])
        st.rerun()
