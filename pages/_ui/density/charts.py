"""Charts of the Density page: mean and spread over ε, boxes over zones, curves by hour."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from engine.arrays import Floats
from pages._ui.drawing.charts import epsilon_axis
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE
from pages._ui.drawing.weeks import week_axis
from pages._ui.shell.session import picked
from pages._ui.shell.settings import use_settings

COLOURS = (PRIVATE, OTHER, TRUE, "#8e6bbd", "#2a9d6f", HERE)
"""Told apart by colour-blind readers, on light and dark."""

_STROKES = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 3, "symbolSize": 260}
_STYLES = ("solid", "dashed")
_BOX = {"high": "95%", "upper": "75%", "median": "Median", "lower": "25%", "low": "5%"}
_LOG_TICKS = (
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, *(10.0**power for power in range(1, 13))
)  # fmt: skip
_MOST_TICKS = 7
_SHARE_LABELS = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',') + ' million times' : "
    "datum.value >= 10 ? format(datum.value, ',') + ' times' : format(datum.value, '~%')"
)


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
    current: float,
    curves: Sequence[str],
    *,
    key: str,
    alt_text: str,
    dashes: Sequence[str] = (),
    height: int = 360,
) -> None:
    """Draw mean ± standard deviation over ε, one curve a name; `legend` tells their names.

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
    top = float(drawn["high"].max()) if len(drawn) else 1.0
    scale, axis = _log_axis(floor or 0.01, top) if measure.log else _plain_axis(measure.percent)
    colour = alt.Color(
        "curve:N",
        title=None,
        sort=list(curves),
        scale=alt.Scale(domain=list(curves), range=list(COLOURS[: len(curves)])),
        legend=None,
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
            legend=None,
        )
    spread = (
        alt.Chart(drawn)
        .mark_area(opacity=0.16)
        .encode(x=epsilon_axis(), y="low:Q", y2="high:Q", color=colour, detail=detail)
    )
    line = alt.Chart(drawn).mark_line(strokeWidth=1.8).encode(**lines)
    point = alt.selection_point(name="point", fields=["epsilon"], empty=False)
    dots = alt.Chart(drawn).mark_circle(size=46, opacity=1, cursor="pointer").encode(**lines)
    mark = alt.Chart(pd.DataFrame({"epsilon": [current]}))
    rule = mark.mark_rule(color=HERE, strokeDash=[4, 3]).encode(x=epsilon_axis())
    chart = alt.layer(spread, line, rule, dots.add_params(point)).properties(height=height)
    st.altair_chart(
        chart, key=key, alt=alt_text, on_select=lambda: take_epsilon(picked(key, "point"))
    )


def take_epsilon(chosen: Sequence[Mapping[str, Any]]) -> None:
    """Set ε to that of the point of a curve that was clicked (a chart's callback)."""
    if chosen:
        use_settings(epsilon=float(chosen[0]["epsilon"]))


def legend(curves: Sequence[str], dashes: Sequence[str] = ()) -> None:
    """Draw the names of the colours, and of the line styles, once for charts side by side."""
    strokes = [
        *((name, f"solid {colour}") for name, colour in zip(curves, COLOURS, strict=False)),
        *((name, f"{style} currentColor") for name, style in zip(dashes, _STYLES, strict=False)),
    ]
    items = "".join(
        f'<span><i style="border-top:3px {stroke}"></i>{html.escape(name)}</span>'
        for name, stroke in strokes
    )
    st.html(f'<div class="strokes">{items}</div>')


def hours(
    series: Mapping[str, Floats],
    names: Sequence[str],
    *,
    title: str,
    key: str,
    alt_text: str,
    share: bool = False,
    height: int = 300,
) -> None:
    """Draw one curve a method over the hours, or coarser blocks, of the week.

    Parameters
    ----------
    series : mapping
        Name → array, shape (blocks,); NaN leaves a gap. The first is the setting on the page.
    names : sequence of str
        What the blocks are called.
    share : bool
        Whether values are shares: a logarithmic axis in percent.
    """
    places, x = week_axis(names)
    table = pd.concat(
        pd.DataFrame({"at": places, "when": names, "curve": name, "value": values})
        for name, values in series.items()
    ).dropna()
    table = table[table["value"] > 0] if share else table
    if table.empty:
        st.caption("There is nothing to draw: no hour has a value.")
        return
    low, high = float(table["value"].min()), float(table["value"].max())
    scale, axis = _log_axis(low, high) if share else _plain_axis(percent=False)
    chart = (
        alt.Chart(table)
        .mark_line(strokeWidth=1.6)
        .encode(
            x=x,
            y=alt.Y("value:Q", title=title, scale=scale, axis=axis),
            color=alt.Color(
                "curve:N",
                title=None,
                sort=list(series),
                scale=alt.Scale(domain=list(series), range=list(COLOURS[: len(series)])),
                legend=alt.Legend(orient="top", labelLimit=300, **_STROKES),
            ),
            tooltip=[
                alt.Tooltip("when:N", title="When"),
                alt.Tooltip("curve:N", title="Method"),
                alt.Tooltip("value:Q", title=title, format=".1%" if share else ",.0f"),
            ],
        )
        .properties(height=height)
    )
    st.altair_chart(chart, key=key, alt=alt_text)


def boxes(
    table: pd.DataFrame, *, title: str, percent: bool, current: float, key: str, alt_text: str
) -> None:
    """Draw one box an ε: the middle half of the zones, their median and 5% to 95%.

    Parameters
    ----------
    table : DataFrame
        Columns ``epsilon``, ``low``, ``lower``, ``median``, ``upper``, ``high``.
    percent : bool
        Whether values are shares above 0: a logarithmic axis in percent.
    current : float
        The slider's ε, whose box is drawn in full colour.
    """
    form = ".1%" if percent else ".3f"
    drawn = table.assign(at=[f"{value:g}" for value in table["epsilon"]])
    if percent:
        drawn[list(_BOX)] = drawn[list(_BOX)].clip(lower=_LOG_TICKS[0] / 10)
    at = alt.X("at:N", title="Privacy loss (ε)", sort=None, axis=alt.Axis(labelAngle=0, grid=False))
    if percent:
        scale, axis = _log_axis(float(drawn["low"].min()) * 0.9, float(drawn["high"].max()))
    else:
        scale, axis = _plain_axis(percent=False)
    tooltip = [
        alt.Tooltip("at:N", title="ε"),
        *(alt.Tooltip(f"{name}:Q", title=label, format=form) for name, label in _BOX.items()),
    ]
    base = alt.Chart(drawn).encode(x=at, tooltip=tooltip)
    opacity = alt.condition(alt.datum.epsilon == current, alt.value(0.95), alt.value(0.4))
    whisker = base.mark_rule(color=TRUE).encode(
        y=alt.Y("low:Q", title=title, axis=axis, scale=scale), y2="high:Q"
    )
    box = base.mark_bar(color=PRIVATE, size=20).encode(y="lower:Q", y2="upper:Q", opacity=opacity)
    median = base.mark_tick(color=HERE, thickness=2, size=22).encode(y="median:Q")
    st.altair_chart(alt.layer(whisker, box, median).properties(height=320), key=key, alt=alt_text)


def _plain_axis(percent: bool) -> tuple[alt.Scale, alt.Axis]:
    return alt.Scale(zero=False), alt.Axis(format="~%" if percent else ",~f", tickCount=6)


def _log_axis(low: float, high: float) -> tuple[alt.Scale, alt.Axis]:
    """Return a logarithmic axis for shares: percent below ten, then multiples."""
    top = high * 1.1
    ticks = [tick for tick in _LOG_TICKS if low <= tick <= top]
    if high / low > 100:
        ticks = [tick for tick in ticks if f"{tick:e}".startswith("1.")]
    ticks = ticks[:: math.ceil(len(ticks) / _MOST_TICKS) or 1]
    if len(ticks) < 2:
        ticks = [float(f"{low + part * (top - low):.2g}") for part in (0.1, 0.5, 0.9)]
    axis = alt.Axis(values=ticks, labelExpr=_SHARE_LABELS)
    return alt.Scale(type="log", domain=[low, top], nice=False), axis


def _told(mean: float, spread: float, percent: bool) -> str:
    if percent:
        return f"{mean:.1%} ± {spread:.1%}"
    return f"{mean:.3f} ± {small(spread)}"


def small(spread: float) -> str:
    """Write a standard deviation of correlations: what rounds to nothing is still something.

    Examples
    --------
    >>> small(0.0123), small(0.0001)
    ('0.012', '<0.001')
    """
    return "<0.001" if 0 < spread < 0.0005 else f"{spread:.3f}"
