"""Charts: axes with units, weeks and bars."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from engine.arrays import Floats
from engine.parameters import EPSILON_STOPS
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.drawing.weeks import week_axis

_EPSILON_TITLE = "Privacy loss (ε), log scale"


def epsilon_axis(title: str = _EPSILON_TITLE) -> alt.X:
    """Return the x axis of every curve over ε: logarithmic, 0.01 to 10."""
    return alt.X(
        "epsilon:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[EPSILON_STOPS[0], EPSILON_STOPS[-1]], nice=False),
        axis=alt.Axis(
            values=[0.01, 0.03, 0.1, 0.3, 1, 3, 10],
            format="~g",
            grid=False,
            titlePadding=4,
            labelFlush=True,
        ),
    )


def you_are_here(
    x: alt.X, field: str, value: float, *, leftward: bool = False, top: bool = False
) -> list[alt.Chart]:
    """Return a dashed line at the current value of the field that `x` shows, and its words.

    Parameters
    ----------
    x : alt.X
    field : str
    value : float
    leftward : bool
        Whether the words stand left of the line, as they must near the right edge.
    top : bool
        Whether they stand at the top, not at the bottom.
    """
    current = alt.Chart(pd.DataFrame({field: [value]}))
    words = current.mark_text(
        color=HERE,
        fontSize=12,
        align="right" if leftward else "left",
        dx=-5 if leftward else 5,
        y=8 if top else alt.expr("height - 8"),
    )
    return [
        current.mark_rule(color=HERE, strokeDash=[4, 3]).encode(x=x),
        words.encode(x=x, text=alt.value("you are here")),
    ]


def week(
    series: Mapping[str, Floats],
    names: Sequence[str],
    *,
    title: str,
    key: str,
    alt_text: str,
    height: int = 260,
) -> None:
    """Draw series over the week in local time, Monday 00:00 first.

    Parameters
    ----------
    series : mapping
        Name → array, shape (blocks,). Drawn in this order: truth grey, then blue and orange.
    names : sequence of str
        What the blocks of the week are called: 168 hours, or fewer.
    title : str
        Title of the y axis, with its unit, such as ``visits an hour``.
    """
    places, axis = week_axis(names)
    table = pd.concat(
        pd.DataFrame({"at": places, "when": names, "series": name, "value": values})
        for name, values in series.items()
    )
    colours = (TRUE, PRIVATE, OTHER, HERE)[: len(series)]
    chart = (
        alt.Chart(table)
        .mark_line(strokeWidth=1.6)
        .encode(
            x=axis,
            y=alt.Y("value:Q", title=title, axis=alt.Axis(format=",~f")),
            color=alt.Color(
                "series:N",
                title=None,
                sort=list(series),
                scale=alt.Scale(domain=list(series), range=list(colours)),
                legend=alt.Legend(orient="top", columns=2),
            ),
            tooltip=[
                alt.Tooltip("when:N", title="When"),
                alt.Tooltip("series:N", title="Series"),
                alt.Tooltip("value:Q", title=title, format=",.1f"),
            ],
        )
        .properties(height=height)
    )
    st.altair_chart(chart, key=key, alt=alt_text)


def bars(
    table: pd.DataFrame,
    *,
    category: str,
    value: str,
    colour: str | None = None,
    title: str,
    key: str,
    alt_text: str,
    percent: bool = False,
    height: int = 260,
) -> None:
    """Draw horizontal bars of `value` by `category` in the table's order, stacked by `colour`."""
    encoding = {
        "x": alt.X(f"{value}:Q", title=title, axis=alt.Axis(format="~%" if percent else "~s")),
        "y": alt.Y(f"{category}:N", title=None, sort=None),
        "tooltip": [
            alt.Tooltip(column, format=(".1%" if percent else ",") if column == value else "")
            for column in table.columns
        ],
    }
    if colour is not None:
        encoding["color"] = alt.Color(
            f"{colour}:N", title=None, sort=None, legend=alt.Legend(orient="top")
        )
    mark = alt.Chart(table).mark_bar() if colour else alt.Chart(table).mark_bar(color=PRIVATE)
    st.altair_chart(mark.encode(**encoding).properties(height=height), key=key, alt=alt_text)
