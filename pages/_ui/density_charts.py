"""Charts of the Density page: mean and spread over ε, boxes over zones, curves by hour."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from pages._ui.charts import HERE, OTHER, PRIVATE, TRUE, epsilon_axis

COLOURS = (PRIVATE, OTHER, TRUE, "#8e6bbd", "#2a9d6f", HERE)
"""Told apart by colour-blind readers, on light and dark."""


@dataclass(frozen=True)
class Band:
    """One curve: where its line and band come from in the table, and how its axis reads.

    Attributes
    ----------
    mean, spread : str
        Columns with the mean and the standard deviation over repeats.
    title : str
        Axis title with its unit.
    percent, log : bool
        How the axis is written and scaled.
    """

    mean: str
    spread: str
    title: str
    percent: bool = False
    log: bool = False


def bands(
    table: pd.DataFrame,
    measure: Band,
    here: float,
    curves: Sequence[str],
    *,
    key: str,
    alt_text: str,
    dashes: Sequence[str] = (),
    height: int = 300,
) -> None:
    """Draw mean ± standard deviation over ε, one curve a name, with "you are here".

    Parameters
    ----------
    table : DataFrame
        Columns ``epsilon``, ``curve``, ``repeats``, those of `measure`, and ``kind`` if `dashes`.
    curves, dashes : sequences of str
        Names of the curves in the order of their colours, and of the line styles.
    """
    drawn = table.assign(mean=table[measure.mean], spread=table[measure.spread].fillna(0.0))
    drawn = drawn.dropna(subset=["mean"])
    floor = float(drawn["mean"].min()) / 4 if measure.log and len(drawn) else None
    drawn["low"] = (drawn["mean"] - drawn["spread"]).clip(lower=floor)
    drawn["high"] = drawn["mean"] + drawn["spread"]
    drawn["told"] = [
        _told(row.mean, row.spread, measure.percent) for row in drawn.itertuples(index=False)
    ]
    scale = alt.Scale(type="log") if measure.log else alt.Scale(zero=False, nice=True)
    axis = alt.Axis(format="~%" if measure.percent else "~g", tickCount=6)
    colour = alt.Color(
        "curve:N",
        title=None,
        sort=list(curves),
        scale=alt.Scale(domain=list(curves), range=list(COLOURS[: len(curves)])),
        legend=alt.Legend(orient="bottom", columns=3, labelLimit=260),
    )
    lines = {
        "x": epsilon_axis(),
        "y": alt.Y("mean:Q", title=measure.title, scale=scale, axis=axis),
        "color": colour,
        "tooltip": [
            alt.Tooltip("curve:N", title="Curve"),
            alt.Tooltip("epsilon:Q", title="ε", format="~g"),
            alt.Tooltip("told:N", title="Mean ± sd"),
            alt.Tooltip("repeats:Q", title="Repeats"),
        ],
    }
    detail = ["curve"]
    if dashes:
        detail.append("kind")
        lines["strokeDash"] = alt.StrokeDash(
            "kind:N",
            title=None,
            sort=list(dashes),
            scale=alt.Scale(domain=list(dashes), range=[[1, 0], [5, 4]][: len(dashes)]),
            legend=alt.Legend(orient="bottom", labelLimit=260),
        )
    spread = (
        alt.Chart(drawn)
        .mark_area(opacity=0.16)
        .encode(x=epsilon_axis(), y="low:Q", y2="high:Q", color=colour, detail=detail)
    )
    line = alt.Chart(drawn).mark_line(strokeWidth=1.8, point={"size": 22}).encode(**lines)
    mark = alt.Chart(pd.DataFrame({"epsilon": [here]}))
    rule = mark.mark_rule(color=HERE, strokeDash=[4, 3]).encode(x=epsilon_axis())
    chart = alt.layer(spread, line, rule).properties(height=height)
    st.altair_chart(chart, key=key, alt=alt_text)


def boxes(
    table: pd.DataFrame, *, title: str, percent: bool, here: float, key: str, alt_text: str
) -> None:
    """Draw one box an ε: the middle half of the zones, their median and 5% to 95%.

    Parameters
    ----------
    table : DataFrame
        Columns ``epsilon``, ``low``, ``lower``, ``median``, ``upper``, ``high``.
    here : float
        The slider's ε, whose box is drawn in full colour.
    """
    form = ".1%" if percent else ".3f"
    drawn = table.assign(at=[f"{value:g}" for value in table["epsilon"]])
    at = alt.X("at:N", title="Privacy loss (ε)", sort=None, axis=alt.Axis(labelAngle=0, grid=False))
    axis = alt.Axis(format="~%" if percent else "~g", tickCount=6)
    names = {"high": "95%", "upper": "75%", "median": "Median", "lower": "25%", "low": "5%"}
    tooltip = [
        alt.Tooltip("at:N", title="ε"),
        *(alt.Tooltip(f"{name}:Q", title=told, format=form) for name, told in names.items()),
    ]
    base = alt.Chart(drawn).encode(x=at, tooltip=tooltip)
    opacity = alt.condition(alt.datum.epsilon == here, alt.value(0.95), alt.value(0.4))
    whisker = base.mark_rule(color=TRUE).encode(
        y=alt.Y("low:Q", title=title, axis=axis, scale=alt.Scale(zero=percent)), y2="high:Q"
    )
    box = base.mark_bar(color=PRIVATE, size=20).encode(y="lower:Q", y2="upper:Q", opacity=opacity)
    median = base.mark_tick(color=HERE, thickness=2, size=22).encode(y="median:Q")
    st.altair_chart(alt.layer(whisker, box, median).properties(height=280), key=key, alt=alt_text)


def _told(mean: float, spread: float, percent: bool) -> str:
    if percent:
        return f"{mean:.1%} ± {spread:.1%}"
    return f"{mean:.3f} ± {spread:.3f}"
