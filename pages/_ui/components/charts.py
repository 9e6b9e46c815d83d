"""Curves, bars and heat maps by Altair; what is saved of one says whose data it is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import altair
import numpy as np
import pandas as pd
import streamlit as st
from altair import ExprRef, Undefined
from altair.utils import schemapi

from engine.arrays import Numbers
from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK
from engine.text.numbers import WEEKDAYS
from pages._ui.components.colours import HERE, PRIVATE, SERIES as SERIES
from pages._ui.settings import current

schemapi.disable_debug_mode()  # tests hold each chart to the schema: it takes twice the time

Values = Sequence[Any] | Numbers

SOLID, DASHED, DOTTED, LONG = (1, 0), (6, 4), (2, 2), (10, 3)
STROKES = (SOLID, DASHED, DOTTED, LONG, (4, 2), (14, 4))
"""Fewer than there are colours: a series that takes a colour again has another stroke."""
_SI_LABELS = "abs(datum.value) < 1 && datum.value != 0 ? format(datum.value, '~g') : format(datum.value, '~s')"  # noqa: E501
_RATIO_LABELS = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',') + ' million times' : "
    "datum.value >= 10 ? format(datum.value, ',') + ' times' : format(datum.value, '~%')"
)
_LOG_TICKS = [part * 10.0**power for power in range(-2, 13) for part in (1, 2, 5)]
_MAX_LABELS = 8


@dataclass(frozen=True, kw_only=True)
class Axis:
    """How one quantity is placed and written: `form` as d3 does, on the axis; `tip` in tooltips."""

    title: str
    kind: Literal["linear", "log", "symlog", "time"] = "linear"
    form: str = ""
    tip: str = ",.2~f"
    domain: tuple[float, float] | None = None
    ticks: Sequence[float] | int | None = None
    labels: str = _SI_LABELS
    zero: bool = True

    def encode(self, channel: type[altair.X | altair.Y], column: str) -> altair.X | altair.Y:
        """Return the encoding of a column on this axis."""
        fitted = self.kind == "linear" and self.domain is None
        look: dict[str, Any] = {"grid": self.kind == "linear", "labelAngle": 0}
        look |= {"format": self.form} if self.form else {"labelExpr": self.labels}
        if self.ticks is not None:
            look["tickCount" if isinstance(self.ticks, int) else "values"] = self.ticks
        axis = altair.Axis(labelFlush=column not in ("y", "low"), **look)
        domain, zero = self.domain or Undefined, self.zero if fitted else Undefined
        scale = altair.Scale(type=self.kind, domain=domain, nice=fitted, zero=zero)
        return channel(column, type=self._type, title=self.title, axis=axis, scale=scale)

    def encode_tip(self, column: str, title: str = "") -> altair.Tooltip:
        """Return how a column on this axis reads in a tooltip."""
        label = title or self.title.partition(", log scale")[0]
        return altair.Tooltip(column, type=self._type, title=label, format=self.tip)

    @property
    def _type(self) -> Literal["temporal", "quantitative"]:
        return "temporal" if self.kind == "time" else "quantitative"


EPSILON = Axis(
    title="Privacy loss (ε), log scale",
    kind="log",
    form="~g",
    tip="~g",
    domain=(EPSILON_STOPS[0], EPSILON_STOPS[-1]),
    ticks=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)
"""The x axis of every curve over ε."""

WEEK = Axis(
    title="Hour of the week (local time)",
    domain=(0.0, HOURS_PER_WEEK - 1),
    ticks=range(0, HOURS_PER_WEEK, 24),
    labels=f"{list(WEEKDAYS)}[datum.value / 24]",
)
"""The x axis of every curve over a week, Monday 00:00 first."""


def share_axis(
    title: str, *, domain: tuple[float, float] | None = (0.0, 1.0), ticks: int | None = None
) -> Axis:
    """Return an axis of shares in percent, from 0 to 100%; `domain` None fits it to the values."""
    return Axis(title=title, form="~%", tip=".1%", domain=domain, ticks=ticks, zero=bool(domain))


def multiple_axis(title: str, low: float, high: float) -> Axis:
    """Return a logarithmic axis for errors: percent below ten, then multiples."""
    ends = low / 2, 1.1 * high
    ticks = [x for x in _LOG_TICKS if ends[0] <= x <= ends[1]]
    return Axis(title=title, kind="log", labels=_RATIO_LABELS, tip=".1%", domain=ends, ticks=ticks)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One curve; NaN leaves a gap."""

    name: str
    y: Values
    colour: str = PRIVATE
    low: Values | None = None
    high: Values | None = None
    dash: tuple[int, int] = SOLID
    x: Values | None = None


@dataclass(frozen=True, kw_only=True)
class Note:
    """A mark at `x` and `y`, or a broken line across the chart at one of both, with its words."""

    x: Any = None
    y: float | None = None
    words: str = ""
    colour: str = HERE
    ring: bool = False


def make_lines(series: Mapping[str, Values], colours: Sequence[str] = SERIES) -> list[Line]:
    """Return one line a series, told apart by colours and, from the second on, by strokes."""
    return [
        Line(name=name, y=y, colour=colours[i % len(colours)], dash=STROKES[i % len(STROKES)])
        for i, (name, y) in enumerate(series.items())
    ]


def draw_curve(
    series: Sequence[Line],
    *,
    x: Values = EPSILON_STOPS,
    x_axis: Axis = EPSILON,
    y_axis: Axis,
    key: str,
    alt: str,
    height: int = 320,
    current: float | None = None,
    notes: Sequence[Note] = (),
    legend: bool = True,
    step: bool = False,
) -> None:
    """Draw lines over one axis, by default over all stops of ε: `current` is "you are here"."""
    place = x_axis.encode(altair.X, "x"), y_axis.encode(altair.Y, "y")
    colour, stroke = _encode_lines(series, has_legend=legend and len(series) > 1)
    chart = altair.Chart(altair.NamedData("lines"))
    tables = {"lines": pd.concat([_line_table(line, x) for line in series])}
    layers: list[altair.Chart] = []
    if any(line.low is not None for line in series):
        ends = y_axis.encode(altair.Y, "low"), altair.Y2("high")
        layers.append(chart.mark_area(opacity=0.18).encode(place[0], *ends, colour))
    curve = chart.mark_line(strokeWidth=2, interpolate="step-after" if step else "linear")
    # a line has one tooltip for all its points: circles that nobody sees have one each
    tips = [altair.Tooltip("line:N", title=" ")] if len(series) > 1 else []
    tips += [x_axis.encode_tip("x"), y_axis.encode_tip("y")]
    circles = chart.mark_circle(size=130, opacity=0)
    layers += [curve.encode(*place, colour, stroke), circles.encode(*place, colour, tooltip=tips)]
    if current is not None:
        notes = [Note(x=current, words="current setting"), *notes]
    for i, note in enumerate(notes):
        tables[f"note{i}"] = pd.DataFrame({"x": [note.x], "y": [note.y], "words": [note.words]})
        is_second = note.x is None and any(n.x is None for n in notes[:i])
        layers += _note_layers(note, f"note{i}", *place, is_second=is_second)
    draw_layers(layers, tables, key=key, alt=alt, height=height)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What a chart by category draws: one value a category, or bars and rules `end` another end."""

    name: str
    values: Values
    colour: str = PRIVATE
    kind: Literal["bar", "narrow", "tick", "dot", "rule", "span"] = "bar"
    end: Values | None = None
    texts: Sequence[str] | None = None


_MARKS: dict[str, dict[str, Any]] = {
    "bar": {"type": "bar", "band": 0.75},
    "narrow": {"type": "bar", "band": 0.45},
    "tick": {"type": "tick", "thickness": 3, "band": 0.9},
    "dot": {"type": "circle", "size": 60, "opacity": 1},
    "rule": {"type": "rule", "strokeWidth": 2},
    "span": {"type": "rule", "strokeWidth": 9, "opacity": 0.4},
}


def draw_bars(
    labels: Sequence[str],
    marks: Sequence[Mark],
    *,
    measure: Axis,
    key: str,
    alt: str,
    height: int | None = None,
    title: str | None = None,
    upright: bool = False,
) -> None:
    """Draw marks by category, one below another in the given order, or `upright`."""
    along, across = (altair.Y, altair.X) if upright else (altair.X, altair.Y)
    axis: dict[str, Any] = {"labelLimit": 200, "labelOverlap": upright, "ticks": False}
    axis |= {"domain": False, "labelFlush": False}  # flush ones stand aside of their bars
    if upright:
        step = -(-len(labels) // _MAX_LABELS)
        axis |= {"labelAngle": 0, "labelPadding": 4, "values": list(labels[::step])}
    category = across("label:N", title=title, sort=list(labels), axis=altair.Axis(**axis))
    columns: dict[str, Any] = {"label": labels}
    tips = [altair.Tooltip("label:N", title=title or " ")]
    keyed = [mark.name for mark in marks if mark.kind not in ("rule", "span")]
    legend = _make_legend(4, values=keyed)
    scale = altair.Scale(domain=[m.name for m in marks], range=[m.colour for m in marks])
    for i, mark in enumerate(marks):
        columns |= {f"mark{i}": mark.values, f"colour{i}": mark.name}
        columns |= {} if mark.end is None else {f"to{i}": mark.end}
        if mark.texts is not None:
            columns[f"written{i}"] = mark.texts
            tips.append(altair.Tooltip(f"written{i}:N", title=mark.name))
        else:
            tips.append(measure.encode_tip(f"mark{i}", mark.name))
            tips += [] if mark.end is None else [measure.encode_tip(f"to{i}", "to")]
    layers: list[altair.Chart] = []
    for i, mark in enumerate(marks):
        style = dict(_MARKS[mark.kind])
        if band := style.pop("band", None):
            style["width" if upright else "height"] = altair.RelativeBandSize(band)
        chart = altair.Chart(altair.NamedData("marks"), mark=altair.MarkDef(**style))
        channels = [category, measure.encode(along, f"mark{i}")]
        channels += [] if mark.end is None else [(altair.Y2 if upright else altair.X2)(f"to{i}")]
        colour = altair.Color(f"colour{i}:N", scale=scale, legend=legend)
        layers.append(chart.encode(*channels, colour, tooltip=tips))
    tall = height or 24 * len(labels) + 158
    draw_layers(layers, {"marks": pd.DataFrame(columns)}, key=key, alt=alt, height=tall)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The colours of a heat map: what they show, with its unit, and from where to where."""

    title: str
    domain: tuple[float, float]
    kind: Literal["linear", "log"] = "linear"
    scheme: Literal["viridis", "purplegreen"] = "viridis"
    form: str = ",.0f"


def draw_heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Numbers,
    *,
    scale: Scale,
    write: Callable[[float], str] = "{:,.0f}".format,
    chosen: tuple[int, int] | None = None,
    y_title: str | None = None,
    x_title: str | None = None,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[str, str], None] | None = None,
) -> None:
    """Draw cells of shape (rows, columns) by their values; NaN is no cell."""
    look = altair.Axis(ticks=False, domain=False, labelAngle=0, labelOverlap=len(columns) > 20)
    place = (
        altair.Y("row:N", title=y_title, sort=list(rows), axis=look),
        altair.X("column:N", title=x_title, sort=list(columns), axis=look),
    )
    tips = [
        altair.Tooltip(field, title=title or " ")
        for field, title in (("row:N", y_title), ("column:N", x_title), ("written:N", scale.title))
    ]
    legend = altair.Legend(
        orient="top", tickCount=3, format=scale.form, gradientThickness=8, gradientLength=140
    )
    shades = altair.Scale(type=scale.kind, scheme=scale.scheme, domain=scale.domain, clamp=True)
    colour = altair.Color("value:Q", title=scale.title, scale=shades, legend=legend)
    names = {"row": np.repeat(rows, len(columns)), "column": np.tile(columns, len(rows))}
    cells = pd.DataFrame({**names, "value": values.ravel()}).dropna()
    tables = {"cells": cells.assign(written=cells["value"].map(write))}
    hand = "pointer" if on_pick else Undefined
    chart = altair.Chart(altair.NamedData("cells"))
    chart = chart.mark_rect(stroke="#8884", strokeWidth=0.5, cursor=hand)
    chart = chart.encode(*place, colour, tooltip=tips)
    if on_pick is not None:
        fields = ["row", "column"]
        chart = chart.add_params(altair.selection_point(name="point", fields=fields, on="click"))
    layers = [chart]
    if chosen is not None:
        here = {"row": [rows[chosen[0]]], "column": [columns[chosen[1]]]}
        tables["here"] = pd.DataFrame(here)
        edge = altair.Chart(altair.NamedData("here"))
        layers.append(edge.mark_rect(filled=False, stroke=HERE, strokeWidth=3).encode(*place))
    draw_layers(layers, tables, key=key, alt=alt, height=height, on_pick=on_pick)


def draw_layers(
    layers: Sequence[altair.Chart],
    tables: Mapping[str, pd.DataFrame],
    *,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[str, str], None] | None = None,
) -> None:
    """Draw layers over tables by their names."""
    words, real = current.stamp()
    # as data: a chart whose words have changed would be made anew, which takes a third of a second
    tables = {**tables, "said": pd.DataFrame({"line": words})}
    hidden = altair.Chart(altair.NamedData("said"))  # makes Vega-Lite keep what the title reads
    small = altair.TitleParams(
        ExprRef("pluck(data('said'), 'line')"),
        orient="bottom",
        anchor="start",
        color="#8a8a8a",
        offset=6,
        fontSize=9,
        fontWeight="normal",
    )
    chart = altair.TopLevelLayerSpec(
        layer=[*layers, hidden.mark_point(opacity=0, aria=False)],
        height=height,
        width="container",
        padding={"left": 5, "top": 5, "right": 16, "bottom": 20},  # else a last label is cut
        title=small,
    )
    # tests validate; a part of a chart has no theme of Altair's
    spec = chart.to_dict(validate=False, context={"top_level": False}) | {"datasets": tables}

    def take() -> None:
        chosen = st.session_state[key]["selection"].get("point", [])
        if chosen and on_pick is not None:
            on_pick(chosen[0]["row"], chosen[0]["column"])

    picked: dict[str, Any] = {} if on_pick is None else {"on_select": take}
    # in a place of this name style.css closes what saves a chart
    with st.container(key=f"real_{key}") if real else nullcontext():
        st.vega_lite_chart(None, spec, key=key, alt=alt, **picked)


def _make_legend(max_columns: int, **look: Any) -> altair.Legend:
    """Return a legend above, so many names side by side: on a phone one below another."""
    columns = ExprRef(f"width < 300 ? 1 : {max_columns}")
    return altair.Legend(orient="top", title=None, labelLimit=320, columns=columns, **look)


def _line_table(line: Line, x: Values) -> pd.DataFrame:
    table = pd.DataFrame({"line": line.name, "x": x if line.x is None else line.x, "y": line.y})
    return table if line.low is None else table.assign(low=line.low, high=line.high)


def _encode_lines(
    lines: Sequence[Line], *, has_legend: bool
) -> tuple[altair.Color, altair.StrokeDash]:
    """Return the encoding of colours and strokes, with one legend for both."""
    legend = _make_legend(
        2, symbolType="stroke", symbolStrokeWidth=3, symbolSize=260, symbolOpacity=1
    )
    look: dict[str, Any] = {"sort": None, "legend": legend if has_legend else None}
    names = [line.name for line in lines]
    colours = altair.Scale(domain=names, range=[line.colour for line in lines])
    strokes = altair.Scale(domain=names, range=[line.dash for line in lines])
    return (
        altair.Color("line:N", scale=colours, **look),
        altair.StrokeDash("line:N", scale=strokes, **look),
    )


def _note_layers(
    note: Note, table: str, x: altair.X | altair.Y, y: altair.X | altair.Y, *, is_second: bool
) -> list[altair.Chart]:
    """Return the mark of a note and its words, which stand left of it in the right third.

    Those of a second line across the chart stand at its other end.
    """
    chart, right = altair.Chart(altair.NamedData(table)), "scale('x', datum.x) > 0.67 * width"
    mark = chart.mark_rule(color=note.colour, strokeDash=[4, 3], strokeWidth=1.6)
    look: dict[str, Any] = {"color": note.colour, "fontSize": 12}
    look["align"] = ExprRef(f"{right} ? 'right' : 'left'")
    if note.x is None:
        place, look["align"] = [y], "left" if is_second else "right"
        look |= {"x": ExprRef("4" if is_second else "width - 4"), "dy": -7}
    elif note.y is None:
        place = [x]
        look |= {"dx": ExprRef(f"{right} ? -5 : 5"), "y": ExprRef("height - 8")}
    else:
        place, (size, width) = [x, y], (190, 2.6) if note.ring else (120, Undefined)
        mark = chart.mark_point(
            color=note.colour, opacity=1, filled=not note.ring, size=size, strokeWidth=width
        )
        look |= {"dx": ExprRef(f"{right} ? -9 : 9"), "dy": -11}
    words = [chart.mark_text(**look).encode(altair.Text("words:N"), *place)] if note.words else []
    return [mark.encode(*place), *words]
