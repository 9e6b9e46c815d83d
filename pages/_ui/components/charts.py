"""Curves, bars and heat maps, drawn by Vega-Lite; what is saved of one says whose data it is."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import streamlit as st

from engine.arrays import Numbers
from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK
from engine.text.numbers import WEEKDAYS
from pages._ui.components.colours import HERE, PRIVATE, SERIES as SERIES
from pages._ui.settings import current

Spec = dict[str, Any]
Values = Sequence[Any] | Numbers
Tables = dict[str, Mapping[str, Values]]

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

_HIDDEN: Spec = {"data": {"name": "said"}, "mark": {"type": "point", "opacity": 0, "aria": False}}
"""Makes Vega-Lite keep the table that the title reads."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """How one quantity is placed and written: `form` as d3 does, on the axis; `tip` in tooltips."""

    title: str
    kind: Literal["linear", "log", "symlog", "time"] = "linear"
    form: str = ""
    tip: str = ",.2~f"
    domain: tuple[float, float] | None = None
    ticks: Sequence[float | str] | int | None = None
    labels: str | None = None
    zero: bool = True

    @property
    def type(self) -> str:
        """Vega's name for the kind of its values."""
        return "temporal" if self.kind == "time" else "quantitative"

    def encode(self, column: str) -> Spec:
        """Return the encoding of a column on this axis."""
        axis: Spec = {"grid": self.kind == "linear", "labelFlush": column not in ("y", "low")}
        axis["labelAngle"] = 0
        if self.form:
            axis["format"] = self.form
        elif self.labels or self.type == "quantitative":
            axis["labelExpr"] = self.labels or _SI_LABELS
        if (ticks := self.ticks) is not None:
            axis |= {"tickCount": ticks} if isinstance(ticks, int) else {"values": list(ticks)}
        encoded: Spec = {"field": column, "type": self.type, "title": self.title, "axis": axis}
        if self.type != "quantitative":
            return encoded | {"sort": None}
        scale: Spec = {"type": self.kind, "nice": self.kind == "linear" and self.domain is None}
        if self.domain:
            scale["domain"] = list(self.domain)
        elif self.kind == "linear":
            scale["zero"] = self.zero
        return encoded | {"scale": scale}

    def encode_tip(self, column: str, title: str = "") -> Spec:
        """Return how a column on this axis reads in a tooltip."""
        label = title or self.title.partition(", log scale")[0]
        return {"field": column, "type": self.type, "title": label, "format": self.tip}

    def is_right(self, value: Any) -> bool:
        """Whether a value lies in the right third, where words must stand left of it."""
        if self.domain is None or not isinstance(value, int | float):
            return False
        ends = (*self.domain, value)
        low, high, place = (math.log(max(end, 1e-9)) if self.kind == "log" else end for end in ends)
        return place > low + 0.67 * (high - low)


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
    x: Values = (),
    x_axis: Axis,
    y_axis: Axis,
    key: str,
    alt: str,
    height: int = 320,
    current: float | None = None,
    notes: Sequence[Note] = (),
    legend: bool = True,
    step: bool = False,
) -> None:
    """Draw lines over one axis: `current` is "you are here"."""
    place = {"x": x_axis.encode("x"), "y": y_axis.encode("y")}
    encoding = place | _encode_lines(series, legend=legend and len(series) > 1)
    coloured = {name: channel for name, channel in encoding.items() if name != "strokeDash"}
    rows = [_line_rows(line, x) for line in series]
    tables: Tables = {
        "lines": {name: [value for part in rows for value in part[name]] for name in rows[0]}
    }
    layers: list[Spec] = []
    if any(line.low is not None for line in series):
        band = coloured | {"y": y_axis.encode("low"), "y2": {"field": "high"}}
        layers.append({"mark": {"type": "area", "opacity": 0.18}, "encoding": band})
    stroke = {"type": "line", "strokeWidth": 2, "interpolate": "step-after" if step else "linear"}
    layers.append({"mark": stroke, "encoding": encoding})
    # a line has one tooltip for all its points: circles that nobody sees have one each
    circle: Spec = {"type": "circle", "size": 130, "opacity": 0}
    tips = [{"field": "line", "type": "nominal", "title": " "}] if len(series) > 1 else []
    tooltip = {"tooltip": [*tips, x_axis.encode_tip("x"), y_axis.encode_tip("y")]}
    layers.append({"mark": circle, "encoding": coloured | tooltip})
    if current is not None:
        notes = [Note(x=current, words="you are here"), *notes]
    for i, note in enumerate(notes):
        tables[f"note{i}"] = {"x": [note.x], "y": [note.y], "words": [note.words]}
        second = note.x is None and any(n.x is None for n in notes[:i])
        layers += _note_layers(note, f"note{i}", place, far=x_axis.is_right(note.x), second=second)
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


_MARKS: dict[str, Spec] = {
    "bar": {"type": "bar", "height": {"band": 0.75}},
    "narrow": {"type": "bar", "height": {"band": 0.45}},
    "tick": {"type": "tick", "thickness": 3, "height": {"band": 0.9}},
    "dot": {"type": "circle", "size": 60, "opacity": 1},
    "rule": {"type": "rule", "strokeWidth": 2},
    "span": {"type": "rule", "strokeWidth": 9, "opacity": 0.4},
}


def stack_bars(parts: Sequence[Mark]) -> list[Mark]:
    """Return bars one after another: each begins where the one before it ends."""
    ends = np.cumsum([np.asarray(part.values, dtype=float) for part in parts], axis=0)
    starts = [np.zeros_like(ends[0]), *ends[:-1]]
    return [
        replace(part, values=start, end=end, texts=[f"{value:,.4g}" for value in part.values])
        for part, start, end in zip(parts, starts, ends, strict=True)
    ]


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
    along, across = ("y", "x") if upright else ("x", "y")
    axis: Spec = {"labelLimit": 200, "labelOverlap": upright, "ticks": False, "domain": False}
    axis["labelFlush"] = False  # else the first and the last do not stand beside their bars
    if upright:
        step = -(-len(labels) // _MAX_LABELS)
        axis |= {"labelAngle": 0, "labelPadding": 4, "values": list(labels[::step])}
    category = {"field": "label", "type": "nominal", "title": title, "sort": list(labels)}
    columns: dict[str, Values] = {"label": labels}
    tips: list[Spec] = [{"field": "label", "type": "nominal", "title": title or " "}]
    for i, mark in enumerate(marks):
        columns[f"mark{i}"] = mark.values
        columns[f"colour{i}"] = [mark.name] * len(labels)
        columns |= {} if mark.end is None else {f"to{i}": mark.end}
        if mark.texts is not None:
            columns[f"written{i}"] = mark.texts
            tips.append({"field": f"written{i}", "type": "nominal", "title": mark.name})
        else:
            tips.append(measure.encode_tip(f"mark{i}", mark.name))
            tips += [] if mark.end is None else [measure.encode_tip(f"to{i}", "to")]
    scale = {"domain": [mark.name for mark in marks], "range": [mark.colour for mark in marks]}
    keyed = [mark.name for mark in marks if mark.kind not in ("rule", "span")]
    colour = {"type": "nominal", "scale": scale, "legend": _make_legend(4) | {"values": keyed}}
    layers: list[Spec] = []
    for i, mark in enumerate(marks):
        encoding: Spec = {across: category | {"axis": axis}, along: measure.encode(f"mark{i}")}
        encoding |= {"tooltip": tips, "color": colour | {"field": f"colour{i}"}}
        if mark.end is not None:
            encoding[f"{along}2"] = {"field": f"to{i}"}
        style = dict(_MARKS[mark.kind])
        if upright and "height" in style:
            style["width"] = style.pop("height")
        layers.append({"mark": style, "encoding": encoding})
    tall = height or 24 * len(labels) + 158
    draw_layers(layers, {"marks": columns}, key=key, alt=alt, height=tall)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The colours of a heat map: what they show, with its unit, and from where to where."""

    title: str
    domain: tuple[float, float]
    kind: Literal["linear", "log", "sqrt"] = "linear"
    scheme: str = "viridis"
    form: str = ",.0f"

    @property
    def encoding(self) -> Spec:
        """As Vega-Lite reads it, of the column ``value``."""
        legend: Spec = {"orient": "top", "tickCount": 3, "format": self.form}
        legend |= {"gradientThickness": 8, "gradientLength": 140}
        colours = {"type": self.kind, "scheme": self.scheme, "domain": list(self.domain)}
        encoded = {"field": "value", "type": "quantitative", "title": self.title}
        return encoded | {"scale": colours, "legend": legend}


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
    positions = [cell for cell in np.ndindex(values.shape) if values[cell] == values[cell]]
    look = {"ticks": False, "domain": False, "labelAngle": 0, "labelOverlap": len(columns) > 20}
    tips: list[Spec] = []
    place: Spec = {}
    for channel, field, title, names in (
        ("y", "row", y_title, rows),
        ("x", "column", x_title, columns),
    ):
        spec = {"field": field, "type": "nominal", "title": title}
        place[channel] = spec | {"sort": list(names), "axis": look}
        tips.append(spec | {"title": title or " "})
    tips.append({"field": "written", "type": "nominal", "title": scale.title})

    def label_cells(cells: Sequence[tuple[int, ...]]) -> dict[str, Values]:
        return {"row": [rows[i] for i, _ in cells], "column": [columns[j] for _, j in cells]}

    cells: dict[str, Values] = {
        **label_cells(positions),
        "value": [values[cell].item() for cell in positions],
        "written": [write(values[cell].item()) for cell in positions],
    }
    mark: Spec = {"type": "rect", "stroke": "#8884", "strokeWidth": 0.5}
    encoding = place | {"color": scale.encoding, "tooltip": tips}
    layers: list[Spec] = [{"mark": mark, "encoding": encoding}]
    if on_pick is not None:
        mark["cursor"] = "pointer"
        select = {"type": "point", "fields": ["row", "column"], "on": "click"}
        layers[0]["params"] = [{"name": "point", "select": select}]
    tables: Tables = {"cells": cells}
    if chosen is not None:
        tables["here"] = label_cells([chosen])
        edge = {"type": "rect", "filled": False, "stroke": HERE, "strokeWidth": 3}
        layers.append({"data": {"name": "here"}, "mark": edge, "encoding": place})
    draw_layers(layers, tables, key=key, alt=alt, height=height, on_pick=on_pick)


def draw_layers(
    layers: Sequence[Spec],
    tables: Mapping[str, Mapping[str, Values]],
    *,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[str, str], None] | None = None,
) -> None:
    """Draw layers over tables, of which the first is that of every layer without its own."""
    words, real = current.stamp()
    # as data: a chart whose words have changed would be made anew, which takes a third of a second
    data = {name: _table(columns) for name, columns in {**tables, "said": {"line": words}}.items()}
    small: Spec = {"orient": "bottom", "anchor": "start", "color": "#8a8a8a", "offset": 6}
    small |= {"text": {"expr": "pluck(data('said'), 'line')"}}
    spec: Spec = {
        "data": {"name": next(iter(data))},
        "datasets": data,
        "layer": [*layers, _HIDDEN],
        "height": height,
        "width": "container",
        "padding": {"left": 5, "top": 5, "right": 16, "bottom": 20},  # else a last label is cut
        "title": small | {"fontSize": 9, "fontWeight": "normal"},
    }

    def take() -> None:
        chosen = st.session_state[key]["selection"].get("point", [])
        if chosen and on_pick is not None:
            on_pick(chosen[0]["row"], chosen[0]["column"])

    picked: dict[str, Any] = {} if on_pick is None else {"on_select": take}
    # in a place of this name style.css closes what saves a chart
    with st.container(key=f"real_{key}") if real else nullcontext():
        st.vega_lite_chart(None, spec, key=key, alt=alt, **picked)


def _make_legend(max_columns: int) -> Spec:
    """Return a legend above, so many names side by side: on a phone one below another."""
    columns = {"expr": f"width < 300 ? 1 : {max_columns}"}
    return {"orient": "top", "title": None, "labelLimit": 320, "columns": columns}


def _table(columns: Mapping[str, Values]) -> pa.Table:
    """Return columns as a table; what is no number is nothing."""
    arrays = {name: pa.array(list(values), from_pandas=True) for name, values in columns.items()}
    return pa.table({name: array for name, array in arrays.items() if array.type != pa.null()})


def _line_rows(line: Line, x: Values) -> dict[str, list[Any]]:
    count = len(line.y)
    columns = {"x": x if line.x is None else line.x, "y": line.y, "low": line.low}
    columns["high"] = line.high
    rows: dict[str, list[Any]] = {"line": [line.name] * count}
    for name, values in columns.items():
        rows[name] = [None] * count if values is None else list(values)[:count]
    return rows


def _encode_lines(lines: Sequence[Line], *, legend: bool) -> Spec:
    """Return the encoding of colours and strokes, with one legend for both."""
    look = _make_legend(2) | {"symbolType": "stroke", "symbolStrokeWidth": 3}
    look |= {"symbolSize": 260, "symbolOpacity": 1}

    def encode(values: Sequence[Any]) -> Spec:
        scale = {"domain": [line.name for line in lines], "range": values}
        encoding: Spec = {"field": "line", "type": "nominal", "sort": None, "scale": scale}
        return encoding | {"legend": look if legend else None}

    strokes = [list(line.dash) for line in lines]
    return {"color": encode([line.colour for line in lines]), "strokeDash": encode(strokes)}


def _note_layers(note: Note, table: str, place: Spec, *, far: bool, second: bool) -> list[Spec]:
    """Return the layers of a note; where it is `far` to the right its words stand left of it.

    Those of a `second` line across the chart stand at its other end.
    """
    text: Spec = {"type": "text", "color": note.colour, "fontSize": 12}
    text |= {"align": "right" if far or (note.x is None and not second) else "left"}
    if note.x is None or note.y is None:
        channel = "y" if note.x is None else "x"
        position: Spec = {channel: place[channel]}
        mark: Spec = {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.6}
        offset = {"dx": -5 if far else 5, "y": {"expr": "height - 8"}}
        text |= offset if channel == "x" else {"x": {"expr": "4" if second else "width - 4"}}
        text |= {"dy": -7} if channel == "y" else {}
    else:
        position, mark = place, {"type": "point", "size": 120, "filled": True, "opacity": 1}
        mark |= {"size": 190, "strokeWidth": 2.6, "filled": False} if note.ring else {}
        text |= {"dx": -9 if far else 9, "dy": -11}
    layers: list[Spec] = [{"mark": mark | {"color": note.colour}, "encoding": position}]
    if note.words:
        layers.append({"mark": text, "encoding": position | {"text": {"field": "words"}}})
    return [{"data": {"name": table}, **layer} for layer in layers]
