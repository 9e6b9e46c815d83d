"""Bars, ranges and marks by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pages._ui.drawing.charts.axes import Axis
from pages._ui.drawing.charts.curves import Rule, ruled
from pages._ui.drawing.charts.spec import Spec, Values, show, tip
from pages._ui.drawing.colours import PRIVATE


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What a chart by category draws of one quantity.

    Attributes
    ----------
    name : str
        As in the legend and in tooltips.
    values : sequence of float
        One for each category.
    colour : str or sequence of str
        One for all, or one for each.
    kind : str
        A bar from 0, wide, ``narrow``, ``thin`` or low as in a ``box``; a tick, a dot, a diamond;
        from `values` to `to` a thin ``rule`` or a thick, pale ``span``.
    to : sequence of float, optional
        The other end of a bar, a rule or a span.
    written : sequence of str, optional
        How the values are written in tooltips.
    at : sequence of str, optional
        Its categories, if not those of the chart.
    texts : sequence of str, optional
        What stands to the right of each.
    """

    name: str
    values: Values
    colour: str | Sequence[str] = PRIVATE
    kind: Literal["bar", "narrow", "thin", "box", "tick", "dot", "diamond", "rule", "span"] = "bar"
    to: Values | None = None
    written: Sequence[str] | None = None
    at: Sequence[str] | None = None
    texts: Sequence[str] | None = None


_MARKS: dict[str, Spec] = {
    "bar": {"type": "bar", "height": {"band": 0.75}},
    "narrow": {"type": "bar", "height": {"band": 0.45}},
    "thin": {"type": "bar", "height": {"band": 0.2}},
    "box": {"type": "bar", "height": 9},
    "tick": {"type": "tick", "thickness": 3, "height": {"band": 0.9}},
    "dot": {"type": "circle", "size": 60, "opacity": 1},
    "diamond": {"type": "point", "shape": "diamond", "size": 50, "filled": True, "opacity": 1},
    "rule": {"type": "rule", "strokeWidth": 2},
    "span": {"type": "rule", "strokeWidth": 9, "opacity": 0.4},
}


def stacked(parts: Sequence[Mark]) -> list[Mark]:
    """Return bars one after another: each begins where the one before it ends.

    Examples
    --------
    >>> second = stacked([Mark(name="a", values=[2.0]), Mark(name="b", values=[3.0])])[1]
    >>> float(second.values[0]), float(second.to[0]), second.written
    (2.0, 5.0, ['3'])
    """
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
    """Draw marks by category, one category below another in the given order, or `upright`.

    Parameters
    ----------
    of : Axis
        What the marks show.
    title : str, optional
        Of the axis of categories.
    more : mapping, optional
        Title → one text or number for each category, for tooltips.
    axis : mapping, optional
        How the axis of categories is written, in Vega's terms.
    """
    along, across = ("y", "x") if upright else ("x", "y")
    look: Spec = {"labelLimit": 200, "labelOverlap": False, "ticks": False, "domain": False}
    look |= {"labelAngle": 0, "labelOverlap": True} if upright else {}
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
    tables: dict[str, Mapping[str, Values]] = {"marks": shared}
    layers: list[Spec] = []
    for i, rule in enumerate(rules):
        tables[f"rule{i}"] = {"x": [rule.x], "y": [rule.y], "words": [rule.words]}
        way = {"x": of.encode("x"), "y": of.encode("y")}
        layers += ruled(rule, f"rule{i}", way, far=rule.x is not None and of.far(rule.x))
    named = [mark for mark in marks if isinstance(mark.colour, str)]
    scale = {"domain": [one.name for one in named], "range": [one.colour for one in named]}
    keyed = [one.name for one in named if one.kind not in ("rule", "span")]
    top = {"orient": "top", "title": None, "labelLimit": 320, "columns": 4, "values": keyed}
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
    tall = height or 24 * len(names) + (90 if legend and len(named) > 1 else 64)
    show(layers, tables, key=key, alt=alt, height=tall)


def _columns(i: int, mark: Mark) -> dict[str, Values]:
    columns: dict[str, Values] = {f"mark{i}": mark.values}
    if mark.to is not None:
        columns[f"to{i}"] = mark.to
    if mark.written is not None:
        columns[f"written{i}"] = mark.written
    if mark.texts is not None:
        columns[f"text{i}"] = mark.texts
    named = isinstance(mark.colour, str)
    columns[f"colour{i}"] = [mark.name] * len(mark.values) if named else mark.colour
    return columns


def _tips(i: int, mark: Mark, of: Axis) -> list[Spec]:
    if mark.written is not None:
        return [{"field": f"written{i}", "type": "nominal", "title": mark.name}]
    ends = [of.tip_of(f"to{i}", "to")] if mark.to is not None else []
    return [of.tip_of(f"mark{i}", mark.name), *ends]
