"""Origin–destination page: zones one below another, each with its true number and a range."""

from collections.abc import Mapping

import altair as alt
import pandas as pd
import streamlit as st

from pages._ui.drawing import colours


def draw(
    table: pd.DataFrame,
    numbers: Mapping[str, str],
    *,
    title: str,
    low: str,
    key: str,
    alt_text: str,
    height: int,
) -> None:
    """Draw a grey tick for the truth, a bar for the range, and marks for up to two more numbers.

    Parameters
    ----------
    table : DataFrame
        Columns ``zone``, ``true``, ``low``, ``high`` and those of `numbers`, in order.
    numbers : mapping of str to str
        Columns and what they are called: the first is a blue dot, the second an orange diamond.
    title : str
        Title of the axis, with its unit and what the bar is.
    low : str
        What the lower end of the bar is called, such as ``95% from``.
    """
    names = {"true": "True", **numbers, "low": low, "high": "to"}
    base = alt.Chart(table).encode(
        y=alt.Y(
            "zone:N",
            title=None,
            sort=list(table["zone"]),
            axis=alt.Axis(labelLimit=150, labelOverlap=False),
        ),
        tooltip=[
            alt.Tooltip("zone:N", title="Zone"),
            *(alt.Tooltip(f"{name}:Q", title=said, format=",") for name, said in names.items()),
        ],
    )
    axis = alt.Axis(labelExpr="format(datum.value, '~s')")
    bars = base.mark_rule(color=colours.PRIVATE, strokeWidth=9, opacity=0.4)
    marks = [
        base.mark_tick(color=colours.TRUE, thickness=3, size=16),
        base.mark_circle(color=colours.PRIVATE, size=42, opacity=1),
        base.mark_point(color=colours.OTHER, size=40, shape="diamond"),
    ]
    layers = [
        mark.encode(x=f"{name}:Q") for name, mark in zip(("true", *numbers), marks, strict=False)
    ]
    st.altair_chart(
        alt.layer(
            bars.encode(x=alt.X("low:Q", title=title, axis=axis), x2="high:Q"), *layers
        ).properties(height=height),
        key=key,
        alt=alt_text,
    )
