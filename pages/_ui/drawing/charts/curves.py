"""Lines over one axis: with bands, rules, points of their own and "you are here"."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from pages._ui.drawing.charts.axes import Axis
from pages._ui.drawing.charts.spec import NOTHING, Spec, Values, picking, show
from pages._ui.drawing.colours import HERE, PRIVATE, SERIES, TRUE

SOLID, DASHED, DOTTED, LONG = (1, 0), (6, 4), (2, 2), (10, 3)
STROKES = (SOLID, DASHED, DOTTED, LONG, (4, 2), (14, 4), (2, 5))


@dataclass(frozen=True, kw_only=True)
class Line:
    """One curve.

    Attributes
    ----------
    name : str
        As in the legend.
    y : sequence of float
        NaN leaves a gap.
    low, high : sequences of float, optional
        The band around it.
    dash : pair of int
        Lengths of strokes and gaps: what tells it apart beside its colour.
    x : sequence, optional
        Where its points lie, if not where those of the others do.
    written : sequence of str, optional
        How its values are written in tooltips.
    texts : sequence of str, optional
        What stands at its points, `where` they are.
    """

    name: str
    y: Values
    colour: str = PRIVATE
    low: Values | None = None
    high: Values | None = None
    dash: tuple[int, int] = SOLID
    x: Values | None = None
    written: Sequence[str] | None = None
    texts: Sequence[str] | None = None
    where: Literal["above", "below", "beside"] = "above"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A broken line across the chart, at a value of `x` or of `y`, with its words."""

    x: float | None = None
    y: float | None = None
    words: str = ""
    colour: str = TRUE
    top: bool = False


@dataclass(frozen=True, kw_only=True)
class Point:
    """A mark of its own, with its words to the side that has room."""

    x: Any
    y: float
    words: str = ""
    colour: str = HERE
    shape: Literal["circle", "diamond", "ring"] = "circle"
    below: bool = False


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
    """Draw lines over one axis.

    Parameters
    ----------
    series : sequence of Line
        From the lowest to the topmost.
    x : sequence
        Where the points of the lines lie.
    at, of : Axis
        What lies across, and what the lines show.
    current : float, optional
        Where the page's own setting lies: a red broken line with its words.
    dots : bool
        Whether points are marked.
    step : bool
        Whether a line keeps its value until the next point.
    on_pick : callable, optional
        Takes the x of a point that was clicked.
    """
    known = [line for line in series if len(line.y)]
    if not known:
        st.caption(NOTHING)
        return
    place = {"x": at.encode("x"), "y": of.encode("y")}
    drawn = place | _told_apart(known, legend=legend and len(known) > 1)
    coloured = {name: one for name, one in drawn.items() if name != "strokeDash"}
    rows = [_rows(line, x) for line in known]
    tables = {"lines": {name: [one for part in rows for one in part[name]] for name in rows[0]}}
    layers: list[Spec] = []
    banded = any(line.low is not None for line in known)
    if banded:
        band = coloured | {"y": of.encode("low"), "y2": {"field": "high"}}
        layers.append({"mark": {"type": "area", "opacity": 0.18}, "encoding": band})
    if current is not None:
        rules = [Rule(x=current, words="you are here", colour=HERE, top=len(rules) > 0), *rules]
    for i, rule in enumerate(rules):
        tables[f"rule{i}"] = {"x": [rule.x], "y": [rule.y], "words": [rule.words]}
        layers += ruled(rule, f"rule{i}", place, far=at.far(rule.x))
    stroke = {"type": "line", "strokeWidth": 2, "interpolate": "step-after" if step else "linear"}
    layers += [{"mark": stroke, "encoding": drawn}, *_texts(known, coloured)]
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


def ruled(rule: Rule, table: str, place: Spec, *, far: bool = False) -> list[Spec]:
    """Return the layers of a rule whose value stands in a table."""
    way = "x" if rule.x is not None else "y"
    dash = [4, 3] if rule.colour == HERE else list(DASHED)
    line = {"type": "rule", "color": rule.colour, "strokeDash": dash, "strokeWidth": 1.6}
    text: Spec = {"type": "text", "color": rule.colour, "fontSize": 12}
    if way == "x":
        aside = {"align": "right" if far else "left", "dx": -5 if far else 5}
        text |= {"y": -6} if rule.top else {"y": {"expr": "height - 8"}, **aside}
    else:
        text |= {"align": "right", "dy": 12, "x": {"expr": "width - 4"}}
    shown: list[Spec] = [{"mark": line, "encoding": {way: place[way]}}]
    if rule.words:
        shown.append({"mark": text, "encoding": {way: place[way], "text": {"field": "words"}}})
    return [{"data": {"name": table}, **layer} for layer in shown]


def _rows(line: Line, x: Values) -> dict[str, list[Any]]:
    count = len(line.y)

    def filled(values: Values | None) -> list[Any]:
        return [None] * count if values is None else list(values)[:count]

    return {
        "x": filled(x if line.x is None else line.x),
        "line": [line.name] * count,
        "y": filled(line.y),
        "low": filled(line.low),
        "high": filled(line.high),
        "written": filled(line.written),
        "text": filled(line.texts),
        "side": [line.where] * count
        if line.where != "beside"
        else ["left", *["right"] * count][:count],
    }


def _told_apart(lines: Sequence[Line], *, legend: bool) -> Spec:
    """Return the encoding of colours and strokes, with one legend for both."""
    shown = {
        "orient": "top",
        "title": None,
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "symbolSize": 260,
        "symbolOpacity": 1,
        "labelLimit": 320,
        "columns": 2,
    }

    def scaled(values: Sequence[Any]) -> Spec:
        scale = {"domain": [line.name for line in lines], "range": values}
        named: Spec = {"field": "line", "type": "nominal", "sort": None, "scale": scale}
        return named | {"legend": shown if legend else None}

    strokes = [list(line.dash) for line in lines]
    return {"color": scaled([line.colour for line in lines]), "strokeDash": scaled(strokes)}


def _texts(lines: Sequence[Line], coloured: Spec) -> list[Spec]:
    if all(line.texts is None for line in lines):
        return []
    mark: Spec = {"type": "text", "fontSize": 12, "limit": 190}
    mark["dy"] = {"expr": "datum.side == 'above' ? -13 : datum.side == 'below' ? 16 : 0"}
    mark["dx"] = {"expr": "datum.side == 'left' ? -10 : datum.side == 'right' ? 10 : 0"}
    ends = "datum.side == 'left' ? 'right' : datum.side == 'right' ? 'left' : 'center'"
    mark["align"] = {"expr": ends}
    return [{"mark": mark, "encoding": coloured | {"text": {"field": "text"}}}]


def _pointed(point: Point, table: str, place: Spec, *, far: bool) -> list[Spec]:
    mark: Spec = {"type": "point", "shape": point.shape, "size": 120, "filled": True, "opacity": 1}
    if point.shape == "ring":
        mark |= {"shape": "circle", "size": 190, "strokeWidth": 2.6, "filled": False}
    text: Spec = {"type": "text", "color": point.colour, "fontSize": 12}
    text |= {"align": "right" if far else "left", "dx": -9 if far else 9}
    text["dy"] = 14 if point.below else -11
    shown: list[Spec] = [{"mark": mark | {"color": point.colour}, "encoding": place}]
    if point.words:
        shown.append({"mark": text, "encoding": place | {"text": {"field": "words"}}})
    return [{"data": {"name": table}, **layer} for layer in shown]
