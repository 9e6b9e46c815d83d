"""Origin–destination page: every method on the same draw of the noise, side by side."""

from collections.abc import Sequence

import streamlit as st

from engine.origin_destination.estimate import CAPPED_SHARE, CAPPED_TRIPS
from pages._ui.views import beside, curve
from pages._ui.views.context import Flows, Side
from pages._ui.wording.measures import MEAN_ERROR


def draw(context: Flows) -> None:
    """Draw numbers, maps and the curve over ε of all methods."""
    ledger = context.release.ledger
    st.caption(
        f"All spend the same: ε = {ledger.proved_epsilon:g} for {ledger.unit.words}, proved, and "
        "all read the same draw of the noise. Numbers are of all pairs of zones, empty ones too."
        + "".join(_bought(one) for one in context.methods)
    )
    beside.draw(context.methods, key="od_side", over=_over)


def _over(sides: Sequence[Side]) -> None:
    st.subheader(f"{MEAN_ERROR}, over ε", anchor=False)
    curve.error(sides, key="od_side_curve")


def _bought(context: Flows) -> str:
    """Say whether a method measured the number of all trips too, where trimming drops some."""
    measured = getattr(context.release, "measurement", None)
    if measured is None or context.parameters.unit != "person-day":
        return ""
    if measured.capped_trips is None:
        return (
            " At this ε the number of all trips is too noisy to measure: trimmed trips stay lost."
        )
    return (
        f" {context.method.short} spends {CAPPED_SHARE:.0%} of ε on the number of all trips, at "
        f"most {CAPPED_TRIPS} a person a day, and scales its flows up to it: that brings back what "
        "trimming drops."
    )
