"""Charts: axes with units, weeks and bars."""

from collections.abc import Mapping

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.arrays import Floats
from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
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


def week(
    series: Mapping[str, Floats], *, title: str, key: str, alt_text: str, height: int = 260
) -> None:
    """Draw hourly series over the week of 168 local hours, Monday 00:00 first.

    Parameters
    ----------
    series : mapping
        Name → array, shape (168,). Drawn in this order: truth grey, then blue and orange.
    title : str
        Title of the y axis, with its unit, such as ``visits an hour``.
    """
    hours = np.arange(HOURS_PER_WEEK)
    when = [f"{_DAYS[hour // 24]} {hour % 24:02d}:00" for hour in hours]
    table = pd.concat(
        pd.DataFrame({"hour": hours, "when": when, "series": name, "value": values})
        for name, values in series.items()
    )
    colours = (TRUE, PRIVATE, OTHER, HERE)[: len(series)]
    labels = " : ".join(f"datum.value == {24 * day} ? '{name}'" for day, name in enumerate(_DAYS))
    chart = (
        alt.Chart(table)
        .mark_line(strokeWidth=1.6)
        .encode(
            x=alt.X(
                "hour:Q",
                title="Hour of the week (local time)",
                scale=alt.Scale(domain=[0, HOURS_PER_WEEK - 1], nice=False),
                axis=alt.Axis(values=list(range(0, 168, 24)), labelExpr=f"{labels} : ''"),
            ),
            y=alt.Y("value:Q", title=title, axis=alt.Axis(format=",~f")),
            color=alt.Color(
                "series:N",
                title=None,
                sort=list(series),
                scale=alt.Scale(domain=list(series), range=list(colours)),
                legend=alt.Legend(orient="top", columns=2),
            ),
            tooltip=[
                alt.Tooltip("when:N", title="Hour"),
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
