"""Curves, bars and heat maps, drawn by Vega-Lite; what is saved of one says whose data it is."""

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import streamlit as st

from engine.arrays import Numbers
from engine.parameters import EPSILON_STOPS, HOURS_PER_WEEK
from pages._ui import state
from pages._ui.drawing.colours import HERE, PRIVATE, SERIES as SERIES, TRUE

Spec = dict[str, Any]
Values = Sequence[Any] | Numbers
Tables = dict[str, Mapping[str, Values]]

SOLID, DASHED, DOTTED, LONG = (1, 0), (6, 4), (2, 2), (10, 3)
STROKES = (SOLID, DASHED, DOTTED, LONG, (4, 2), (14, 4), (2, 5))
NOTHING = "Nothing is known yet."
_SI = "abs(datum.value) < 1 && datum.value != 0 ? format(datum.value, '~g') : format(datum.value, '~s')"  # noqa: E501
_MULTIPLES = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',') + ' million times' : "
    "datum.value >= 10 ? format(datum.value, ',') + ' times' : format(datum.value, '~%')"
)
_LOG_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, *(10.0**n for n in range(1, 13)))
_MOST_TICKS = 7


_UNSEEN: Spec = {"data": {"name": "said"}, "mark": {"type": "point", "opacity": 0}}
"""Makes Vega-Lite keep the table that the title reads."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """How one quantity is placed and written: `form` as d3 does, on the axis; `tip` in tooltips."""

    title: str
    kind: Literal["linear", "log", "symlog", "sqrt", "time", "names"] = "linear"
    form: str = ""
    tip: str = ",.2~f"
    domain: tuple[float, float] | None = None
    ticks: Sequence[float | str] | int | None = None
    labels: str | None = None
    zero: bool = True

    @property
    def type(self) -> str:
        """Vega's name for the kind of its values."""
        return {"time": "temporal", "names": "nominal"}.get(self.kind, "quantitative")

    @property
    def said(self) -> str:
        """Its title in a tooltip."""
        return self.title.partition(", log scale")[0]

    def encode(self, column: str) -> Spec:
        """Return the encoding of a column on this axis."""
        axis: Spec = {"grid": self.kind == "linear", "labelFlush": True, "labelAngle": 0}
        if self.form:
            axis["format"] = self.form
        elif self.labels or self.type == "quantitative":
            axis["labelExpr"] = self.labels or _SI
        if self.ticks is not None:
            counted = isinstance(self.ticks, int)
            axis |= {"tickCount": self.ticks} if counted else {"values": list(self.ticks)}
        encoded: Spec = {"field": column, "type": self.type, "title": self.title, "axis": axis}
        if self.type != "quantitative":
            return encoded | {"sort": None}
        scale: Spec = {"type": self.kind, "nice": self.kind == "linear" and self.domain is None}
        if self.domain:
            scale["domain"] = list(self.domain)
        elif self.kind == "linear":
            scale["zero"] = self.zero
        return encoded | {"scale": scale}

    def tip_of(self, column: str, title: str = "") -> Spec:
        """Return how a column on this axis reads in a tooltip."""
        shown = {"field": column, "type": self.type, "title": title or self.said}
        return shown if self.kind == "names" else shown | {"format": self.tip}

    def far(self, value: Any) -> bool:
        """Whether a value lies in the right third, where words must stand left of it."""
        if self.domain is None or not isinstance(value, int | float):
            return False
        ends = (*self.domain, value)
        low, high, at = (math.log(max(one, 1e-9)) if self.kind == "log" else one for one in ends)
        return at > low + 0.67 * (high - low)


EPSILON = Axis(
    title="Privacy loss (ε), log scale",
    kind="log",
    form="~g",
    tip="~g",
    domain=(EPSILON_STOPS[0], EPSILON_STOPS[-1]),
    ticks=(0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)
"""The x axis of every curve over ε."""


def share(title: str, *, whole: bool = True, **look: Any) -> Axis:
    """Return an axis of shares in percent, from 0 to 100% if `whole`; `look` as of `Axis`."""
    domain = (0.0, 1.0) if whole else None
    given = {"title": title, "form": "~%", "tip": ".1%", "domain": domain, "zero": whole}
    return Axis(**given | look)


def multiples(title: str, low: float, high: float) -> Axis:
    """Return a logarithmic axis for errors: percent below ten, then multiples."""
    top = high * 1.1
    ticks = [tick for tick in _LOG_TICKS if low <= tick <= top]
    ticks = ticks[:: math.ceil(len(ticks) / _MOST_TICKS) or 1]
    if len(ticks) < 2:
        ticks = [float(f"{low + part * (top - low):.2g}") for part in (0.1, 0.5, 0.9)]
    look: Spec = {"labels": _MULTIPLES, "domain": (low, top), "ticks": ticks}
    return Axis(title=title, kind="log", tip=".1%", **look)


def week() -> tuple[list[int], Axis]:
    """Return where the 168 hours of a week stand, Monday 00:00 first, and their axis."""
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    labels = " : ".join(f"datum.value == {24 * day} ? '{name}'" for day, name in enumerate(days))
    return list(range(HOURS_PER_WEEK)), Axis(
        title="Hour of the week (local time)",
        domain=(0.0, HOURS_PER_WEEK - 1),
        ticks=range(0, HOURS_PER_WEEK, 24),
        labels=f"{labels} : ''",
    )


@dataclass(frozen=True, kw_only=True)
class Line:
    """One curve; NaN leaves a gap. `written` says its values in tooltips."""

    name: str
    y: Values
    colour: str = PRIVATE
    low: Values | None = None
    high: Values | None = None
    dash: tuple[int, int] = SOLID
    x: Values | None = None
    written: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A broken line across the chart, at a value of `x` or of `y`, with its words."""

    x: float | None = None
    y: float | None = None
    words: str = ""
    colour: str = TRUE


@dataclass(frozen=True, kw_only=True)
class Point:
    """A mark of its own, with its words to the side that has room."""

    x: Any
    y: float
    words: str = ""
    colour: str = HERE
    shape: Literal["circle", "ring"] = "circle"


def lines(series: Mapping[str, Values], colours: Sequence[str] = SERIES) -> list[Line]:
    """Return one line a series, told apart by colours and, from the second on, by strokes."""
    return [
        Line(name=name, y=y, colour=colours[i % len(colours)], dash=STROKES[i % len(STROKES)])
        for i, (name, y) in enumerate(series.items())
    ]


def curve(
    series: Sequence[Line],
    *,
    x: Values = (),
    at: Axis,
    of: Axis,
    key: str,
    alt: str,
    height: int = 300,
    current: float | None = None,
    rules: Sequence[Rule] = (),
    points: Sequence[Point] = (),
    legend: bool = True,
    dots: bool = False,
    step: bool = False,
    on_pick: Callable[[Any], None] | None = None,
) -> None:
    """Draw lines over one axis: `current` is "you are here", `on_pick` takes the x of a click."""
    known = [line for line in series if len(line.y)]
    if not known:
        st.caption(NOTHING)
        return
    place = {"x": at.encode("x"), "y": of.encode("y")}
    drawn = place | _told_apart(known, legend=legend and len(known) > 1)
    coloured = {name: one for name, one in drawn.items() if name != "strokeDash"}
    rows = [_rows(line, x) for line in known]
    tables: Tables = {
        "lines": {name: [one for part in rows for one in part[name]] for name in rows[0]}
    }
    layers: list[Spec] = []
    if any(line.low is not None for line in known):
        band = coloured | {"y": of.encode("low"), "y2": {"field": "high"}}
        layers.append({"mark": {"type": "area", "opacity": 0.18}, "encoding": band})
    if current is not None:
        rules = [Rule(x=current, words="you are here", colour=HERE), *rules]
    for i, rule in enumerate(rules):
        tables[f"rule{i}"] = {"x": [rule.x], "y": [rule.y], "words": [rule.words]}
        layers += _ruled(rule, f"rule{i}", place, far=at.far(rule.x))
    stroke = {"type": "line", "strokeWidth": 2, "interpolate": "step-after" if step else "linear"}
    layers.append({"mark": stroke, "encoding": drawn})
    # a line has one tooltip for all its points: circles, seen or not, have one each
    circle: Spec = {"type": "circle", "size": 46 if dots else 130, "opacity": int(dots)}
    tips = [{"field": "line", "type": "nominal", "title": " "}] if len(known) > 1 else []
    written = all(line.written is not None for line in known)
    value = {"field": "written", "type": "nominal", "title": of.said} if written else of.tip_of("y")
    tooltip = {"tooltip": [*tips, at.tip_of("x"), value]}
    layers.append({"mark": circle, "encoding": coloured | tooltip})
    if on_pick is not None:
        circle |= {"cursor": "pointer", "opacity": 1, "size": 60}
        layers[-1]["params"] = [picking("x")]
    for i, point in enumerate(points):
        tables[f"point{i}"] = {"x": [point.x], "y": [point.y], "words": [point.words]}
        layers += _pointed(point, f"point{i}", place, far=at.far(point.x))
    pick = None if on_pick is None else lambda row: on_pick(row["x"])
    show(layers, tables, key=key, alt=alt, height=height, on_pick=pick)


def legend(series: Sequence[Line]) -> None:
    """Draw the names of lines once, for charts side by side."""
    kinds = {SOLID: "solid", DOTTED: "dotted"}
    items = "".join(
        f'<span><i style="border-top:3px {kinds.get(line.dash, "dashed")} {line.colour}"></i>'
        f"{html.escape(line.name)}</span>"
        for line in series
    )
    st.html(f'<div class="strokes">{items}</div>')


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What a chart by category draws: one value a category, or bars and rules `to` another end."""

    name: str
    values: Values
    colour: str | Sequence[str] = PRIVATE
    kind: Literal["bar", "narrow", "thin", "tick", "dot", "rule", "span"] = "bar"
    to: Values | None = None
    written: Sequence[str] | None = None
    at: Sequence[str] | None = None
    texts: Sequence[str] | None = None


_MARKS: dict[str, Spec] = {
    "bar": {"type": "bar", "height": {"band": 0.75}},
    "narrow": {"type": "bar", "height": {"band": 0.45}},
    "thin": {"type": "bar", "height": {"band": 0.2}},
    "tick": {"type": "tick", "thickness": 3, "height": {"band": 0.9}},
    "dot": {"type": "circle", "size": 60, "opacity": 1},
    "rule": {"type": "rule", "strokeWidth": 2},
    "span": {"type": "rule", "strokeWidth": 9, "opacity": 0.4},
}


def stacked(parts: Sequence[Mark]) -> list[Mark]:
    """Return bars one after another: each begins where the one before it ends."""
    ends = np.cumsum([np.asarray(part.values, dtype=float) for part in parts], axis=0)
    starts = [np.zeros_like(ends[0]), *ends[:-1]]
    written = [part.written or [f"{value:,.4g}" for value in part.values] for part in parts]
    every = zip(parts, starts, ends, written, strict=True)
    return [replace(part, values=start, to=end, written=text) for part, start, end, text in every]


def bars(
    labels: Sequence[str],
    marks: Sequence[Mark],
    *,
    of: Axis,
    key: str,
    alt: str,
    height: int | None = None,
    title: str | None = None,
    more: Mapping[str, Values] | None = None,
    rules: Sequence[Rule] = (),
    upright: bool = False,
    legend: bool = True,
    axis: Mapping[str, Any] | None = None,
) -> None:
    """Draw marks by category, one below another in the given order, or `upright`."""
    along, across = ("y", "x") if upright else ("x", "y")
    look: Spec = {"labelLimit": 200, "labelOverlap": upright, "ticks": False, "domain": False}
    look |= {"labelAngle": 0} if upright else {}
    names = list(dict.fromkeys([*labels, *(one for mark in marks for one in mark.at or ())]))
    category: Spec = {"field": "label", "type": "nominal", "title": title, "sort": names}
    category["axis"] = look | dict(axis or {})
    head: list[Spec] = [{"field": "label", "type": "nominal", "title": title or " "}]
    shared: dict[str, Values] = {"label": labels}
    for i, mark in enumerate(marks):
        shared |= {} if mark.at else _columns(i, mark)
    tips = [one for i, mark in enumerate(marks) if not mark.at for one in _tips(i, mark, of)]
    for i, (name, values) in enumerate((more or {}).items()):
        shared[f"more{i}"] = values
        tips.append(tip(f"more{i}", name, values))
    tables: Tables = {"marks": shared}
    layers: list[Spec] = []
    for i, rule in enumerate(rules):
        tables[f"rule{i}"] = {"x": [rule.x], "y": [rule.y], "words": [rule.words]}
        layers += _ruled(rule, f"rule{i}", {"x": of.encode("x"), "y": of.encode("y")}, far=False)
    named = [mark for mark in marks if isinstance(mark.colour, str)]
    scale = {"domain": [one.name for one in named], "range": [one.colour for one in named]}
    keyed = [one.name for one in named if one.kind not in ("rule", "span")]
    top = {"orient": "top", "title": None, "labelLimit": 320, "values": keyed}
    top["columns"] = _columns_of(4)
    for i, mark in enumerate(marks):
        encoding: Spec = {across: category, along: of.encode(f"mark{i}"), "tooltip": head + tips}
        if mark.to is not None:
            encoding[f"{along}2"] = {"field": f"to{i}"}
        encoding["color"] = {"field": f"colour{i}", "type": "nominal", "scale": None}
        if isinstance(mark.colour, str):
            shown = top if legend and len(named) > 1 else None
            encoding["color"] |= {"scale": scale, "legend": shown}
        drawn = dict(_MARKS[mark.kind])
        if upright and "height" in drawn:
            drawn["width"] = drawn.pop("height")
        layers.append({"mark": drawn, "encoding": encoding})
        if mark.at is not None:
            tables[f"marks{i}"] = {"label": mark.at, **_columns(i, mark)}
            layers[-1]["data"] = {"name": f"marks{i}"}
            encoding["tooltip"] = head + _tips(i, mark, of)
        if mark.texts is not None:
            text = {"type": "text", "align": "left", "dx": 9, "fontSize": 12}
            written = {**encoding, "text": {"field": f"text{i}"}}
            layers.append({**layers[-1], "mark": text, "encoding": written})
    tall = height or 24 * len(names) + (118 if legend and len(named) > 1 else 78)
    show(layers, tables, key=key, alt=alt, height=tall)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The colours of a heat map: what they show, with its unit, and from where to where."""

    title: str
    domain: tuple[float, float]
    kind: Literal["linear", "log", "sqrt"] = "linear"
    scheme: str = "viridis"
    form: str = "~s"
    orient: Literal["right", "top"] = "right"

    @property
    def encoded(self) -> Spec:
        """As Vega-Lite reads it, of the column ``value``."""
        legend: Spec = {"orient": self.orient, "format": self.form, "gradientLength": 240}
        if self.orient == "top":
            legend |= {"gradientThickness": 8, "gradientLength": 140, "tickCount": 3}
        colours = {"type": self.kind, "scheme": self.scheme, "domain": list(self.domain)}
        encoded = {"field": "value", "type": "quantitative", "title": self.title}
        return encoded | {"scale": colours, "legend": legend}


def heat(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Numbers,
    tips: Mapping[str, Any],
    *,
    scale: Scale,
    chosen: tuple[int, int] | None = None,
    of: str | None = None,
    at: str | None = None,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[int, int], None] | None = None,
) -> None:
    """Draw cells of shape (rows, columns) by their values; an empty first tip is no cell."""
    said = {name: np.asarray(cells, dtype=object) for name, cells in tips.items()}
    first = next(iter(said.values()))
    known = [one for one in np.ndindex(values.shape) if first[one] == first[one] != ""]
    if not known:
        st.caption(NOTHING)
        return
    look: Spec = {
        "ticks": False,
        "domain": False,
        "labelAngle": 0,
        "labelOverlap": len(columns) > 20,
    }
    place: Spec = {
        "x": {"field": "column", "type": "nominal", "title": at, "sort": list(columns)},
        "y": {"field": "row", "type": "nominal", "title": of, "sort": list(rows)},
    }
    place["x"]["axis"] = place["y"]["axis"] = look
    shown: list[Spec] = [
        {"field": "row", "type": "nominal", "title": of or " "},
        {"field": "column", "type": "nominal", "title": at or " "},
    ]
    cells: dict[str, Values] = {
        **_named(rows, columns, known),
        "i": [i for i, _ in known],
        "j": [j for _, j in known],
        "value": [values[one].item() for one in known],
    }
    for k, (title, every) in enumerate(said.items()):
        cells[f"tip{k}"] = [every[one] for one in known]
        shown.append(tip(f"tip{k}", title, cells[f"tip{k}"]))
    mark: Spec = {"type": "rect", "stroke": "#8884", "strokeWidth": 0.5}
    encoding = place | {"color": scale.encoded, "tooltip": shown}
    layers: list[Spec] = [{"mark": mark, "encoding": encoding}]
    if on_pick is not None:
        mark["cursor"] = "pointer"
        layers[0]["params"] = [picking("i", "j")]
    tables: Tables = {"cells": cells}
    if chosen is not None:
        tables["here"] = _named(rows, columns, [chosen])
        edge = {"type": "rect", "filled": False, "stroke": HERE, "strokeWidth": 3}
        layers.append({"data": {"name": "here"}, "mark": edge, "encoding": place})
    pick = None if on_pick is None else lambda row: on_pick(int(row["i"]), int(row["j"]))
    show(layers, tables, key=key, alt=alt, height=height, on_pick=pick)


def show(
    layers: Sequence[Spec],
    tables: Mapping[str, Mapping[str, Values]],
    *,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[Mapping[str, Any]], None] | None = None,
) -> None:
    """Draw layers over tables, of which the first is that of every layer without its own."""
    said, real = state.stamp()
    # as data: a chart whose words have changed would be made anew, which takes a third of a second
    data = {name: _arrow(columns) for name, columns in {**tables, "said": {"line": said}}.items()}
    small: Spec = {"orient": "bottom", "anchor": "start", "color": "#8a8a8a", "offset": 6}
    small |= {"text": {"expr": "pluck(data('said'), 'line')"}}
    spec: Spec = {
        "data": {"name": next(iter(data))},
        "datasets": data,
        "layer": [*layers, _UNSEEN],
        "height": height,
        "width": "container",
        "title": small | {"fontSize": 9, "fontWeight": "normal"},
        "usermeta": {"embedOptions": {"actions": not real}},
    }

    def take() -> None:
        chosen = st.session_state[key]["selection"].get("point", [])
        if chosen and on_pick is not None:
            on_pick(chosen[0])

    picked: dict[str, Any] = {} if on_pick is None else {"on_select": take}
    st.vega_lite_chart(None, spec, key=key, alt=alt, **picked)


def _columns_of(most: int) -> Spec:
    """Return how many names stand side by side above a chart: on a phone one below another."""
    return {"expr": f"width < 300 ? 1 : {most}"}


def tip(column: str, title: str, values: Values) -> Spec:
    """Return how a column of texts or numbers reads in a tooltip."""
    if len(values) and isinstance(values[0], str):
        return {"field": column, "type": "nominal", "title": title}
    return {"field": column, "type": "quantitative", "title": title, "format": ",.4~g"}


def picking(*fields: str) -> Spec:
    """Return the parameter that reports a click by these columns."""
    return {"name": "point", "select": {"type": "point", "fields": list(fields), "on": "click"}}


def _arrow(columns: Mapping[str, Values]) -> pa.Table:
    """Return columns as a table; what is no number is nothing."""
    arrays = {name: pa.array(list(values), from_pandas=True) for name, values in columns.items()}
    return pa.table({name: one for name, one in arrays.items() if one.type != pa.null()})


def _rows(line: Line, x: Values) -> dict[str, list[Any]]:
    count = len(line.y)
    columns = {"x": x if line.x is None else line.x, "y": line.y, "low": line.low}
    columns |= {"high": line.high, "written": line.written}
    rows: dict[str, list[Any]] = {"line": [line.name] * count}
    for name, values in columns.items():
        rows[name] = [None] * count if values is None else list(values)[:count]
    return rows


def _told_apart(lines: Sequence[Line], *, legend: bool) -> Spec:
    """Return the encoding of colours and strokes, with one legend for both."""
    shown = {"orient": "top", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 3}
    shown |= {"symbolSize": 260, "symbolOpacity": 1, "labelLimit": 320, "columns": _columns_of(2)}

    def scaled(values: Sequence[Any]) -> Spec:
        scale = {"domain": [line.name for line in lines], "range": values}
        named: Spec = {"field": "line", "type": "nominal", "sort": None, "scale": scale}
        return named | {"legend": shown if legend else None}

    strokes = [list(line.dash) for line in lines]
    return {"color": scaled([line.colour for line in lines]), "strokeDash": scaled(strokes)}


def _ruled(rule: Rule, table: str, place: Spec, *, far: bool) -> list[Spec]:
    way = "x" if rule.x is not None else "y"
    line = {"type": "rule", "color": rule.colour, "strokeDash": [4, 3], "strokeWidth": 1.6}
    text: Spec = {"type": "text", "color": rule.colour, "fontSize": 12}
    text |= {"align": "right" if far or way == "y" else "left"}
    if way == "x":
        text |= {"dx": -5 if far else 5, "y": {"expr": "height - 8"}}
    else:
        text |= {"dy": 12, "x": {"expr": "width - 4"}}
    shown: list[Spec] = [{"mark": line, "encoding": {way: place[way]}}]
    if rule.words:
        shown.append({"mark": text, "encoding": {way: place[way], "text": {"field": "words"}}})
    return [{"data": {"name": table}, **layer} for layer in shown]


def _pointed(point: Point, table: str, place: Spec, *, far: bool) -> list[Spec]:
    mark: Spec = {"type": "point", "size": 120, "filled": True, "opacity": 1}
    if point.shape == "ring":
        mark |= {"size": 190, "strokeWidth": 2.6, "filled": False}
    text: Spec = {"type": "text", "color": point.colour, "fontSize": 12, "dy": -11}
    text |= {"align": "right" if far else "left", "dx": -9 if far else 9}
    shown: list[Spec] = [{"mark": mark | {"color": point.colour}, "encoding": place}]
    if point.words:
        shown.append({"mark": text, "encoding": place | {"text": {"field": "words"}}})
    return [{"data": {"name": table}, **layer} for layer in shown]


def _columns(i: int, mark: Mark) -> dict[str, Values]:
    columns: dict[str, Values] = {f"mark{i}": mark.values}
    for name, values in (("to", mark.to), ("written", mark.written), ("text", mark.texts)):
        if values is not None:
            columns[f"{name}{i}"] = values
    named = isinstance(mark.colour, str)
    columns[f"colour{i}"] = [mark.name] * len(mark.values) if named else mark.colour
    return columns


def _tips(i: int, mark: Mark, of: Axis) -> list[Spec]:
    if mark.written is not None:
        return [{"field": f"written{i}", "type": "nominal", "title": mark.name}]
    ends = [of.tip_of(f"to{i}", "to")] if mark.to is not None else []
    return [of.tip_of(f"mark{i}", mark.name), *ends]


def _named(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[tuple[int, int]]
) -> dict[str, Values]:
    return {"row": [rows[i] for i, _ in cells], "column": [columns[j] for _, j in cells]}
