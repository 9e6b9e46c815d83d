"""The picture of usable detail: resolutions down, ε across, what can be used in full colour."""

from collections.abc import Callable, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from pages._ui.drawing.colours import HERE, PRIVATE
from pages._ui.wording.numbers import percent

_ROW = 30


def detail_chart(
    rows: Sequence[tuple[str, Sequence[float], Sequence[bool]]],
    epsilons: Sequence[float],
    current: tuple[str, float],
    *,
    what: str,
    key: str,
    alt_text: str,
    on_select: Callable[[], None],
) -> None:
    """Draw the share of what is usable for each detail and ε; a click reports both.

    Parameters
    ----------
    rows : sequence of (str, shares, usable)
        What a detail is called, its shares and whether they count as usable, one an ε; shares may
        be fewer while they are computed.
    current : (str, float)
        The row and the ε that are set.
    what : str
        What the shares are of.
    """
    table = pd.DataFrame(
        [
            {
                "detail": name,
                "epsilon": f"{epsilon:g}",
                "value": epsilon,
                "share": share,
                "written": percent(share),
                "usable": bool(good),
            }
            for name, shares, usable in rows
            for epsilon, share, good in zip(epsilons, shares, usable, strict=False)
            if share == share
        ]
    )
    if table.empty:
        st.caption("Nothing is known yet.")
        return
    nearest = min(epsilons, key=lambda epsilon: abs(epsilon / current[1] - 1))
    x = alt.X(
        "epsilon:N",
        title="Privacy loss (ε): more private ← → more accurate",
        sort=[f"{epsilon:g}" for epsilon in epsilons],
        axis=alt.Axis(labelAngle=0, ticks=False, domain=False),
    )
    order = [name for name, *_ in rows]
    y = alt.Y(
        "detail:N", title=None, sort=order, axis=alt.Axis(labelLimit=260, ticks=False, domain=False)
    )
    base = alt.Chart(table).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("detail:N", title="Detail"),
        alt.Tooltip("epsilon:N", title="ε"),
        alt.Tooltip("written:N", title=what),
    ]
    picked = alt.selection_point(name="detail", fields=["detail", "value"], empty=False)
    cells = (
        base.mark_rect(cursor="pointer", stroke="#8884", strokeWidth=0.5)
        .encode(
            color=alt.condition(alt.datum.usable, alt.value(PRIVATE), alt.value("#88888826")),
            tooltip=tooltip,
        )
        .add_params(picked)
    )
    words = base.mark_text(fontSize=11).encode(
        text="written:N",
        color=alt.condition(alt.datum.usable, alt.value("white"), alt.value("#888888")),
        tooltip=tooltip,
    )
    at = table[(table["detail"] == current[0]) & (table["value"] == nearest)]
    frame = alt.Chart(at).mark_rect(filled=False, stroke=HERE, strokeWidth=3).encode(x=x, y=y)
    st.altair_chart(
        alt.layer(cells, words, frame).properties(height=_ROW * len(order) + 60),
        key=key,
        on_select=on_select,
        alt=alt_text,
    )
