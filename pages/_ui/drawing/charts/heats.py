"""Heat maps: cells of rows and columns, coloured on a scale or by what they count as."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import streamlit as st

from engine.arrays import Booleans, Numbers
from pages._ui.drawing.charts.spec import NOTHING, Spec, Values, picking, show, tip
from pages._ui.drawing.colours import HERE, PRIVATE


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The colours of a heat map: what they show, with its unit, and from where to where.

    `form` is how numbers are written; with `zero` cells of 0 are grey.
    """

    title: str
    domain: tuple[float, float]
    kind: Literal["linear", "log", "sqrt"] = "linear"
    scheme: str = "viridis"
    form: str = "~s"
    orient: Literal["right", "top", "bottom"] = "right"
    zero: bool = False

    @property
    def encoded(self) -> Spec:
        """As Vega-Lite reads it, of the column ``value``."""
        legend: Spec = {"orient": self.orient, "format": self.form, "gradientLength": 240}
        if self.orient != "right":
            legend |= {"gradientThickness": 8, "gradientLength": 140, "tickCount": 3}
        colours = {"type": self.kind, "scheme": self.scheme, "domain": list(self.domain)}
        encoded: Spec = {"field": "value", "type": "quantitative", "title": self.title}
        encoded |= {"scale": colours, "legend": legend}
        if not self.zero:
            return encoded
        return {"condition": {"test": "datum.value > 0", **encoded}, "value": "#8888884d"}


def heat(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Numbers | Booleans,
    tips: Mapping[str, Any],
    *,
    scale: Scale | None = None,
    outlined: Mapping[str, Booleans] | None = None,
    chosen: tuple[int, int] | None = None,
    of: str | None = None,
    at: str | None = None,
    axis: Mapping[str, Any] | None = None,
    key: str,
    alt: str,
    height: int,
    on_pick: Callable[[int, int], None] | None = None,
) -> None:
    """Draw cells coloured by `values` on a `scale`; without one, what is true is in full colour.

    Parameters
    ----------
    values : array, shape (rows, columns)
    tips : mapping
        Title → what tooltips say of each cell, of the same shape. A cell is left out where the
        first is empty or NaN; without a scale it stands in the cell.
    outlined : mapping, optional
        Colour → which cells have an edge of it.
    chosen : pair of int, optional
        Row and column of the page's own setting.
    of, at : str, optional
        Titles of the rows and of the columns.
    axis : mapping, optional
        How both axes are written, in Vega's terms.
    on_pick : callable, optional
        Takes the row and the column of a cell that was clicked.
    """
    said = {name: np.asarray(cells, dtype=object) for name, cells in tips.items()}
    first = next(iter(said.values()))
    known = [one for one in np.ndindex(values.shape) if first[one] == first[one] != ""]
    if not known:
        st.caption(NOTHING)
        return
    look: Spec = {"labelOverlap": False, "ticks": False, "domain": False, "labelLimit": 260}
    place: Spec = {
        "x": {"field": "column", "type": "nominal", "title": at, "sort": list(columns)},
        "y": {"field": "row", "type": "nominal", "title": of, "sort": list(rows)},
    }
    thinned = {"labelAngle": 0, "labelOverlap": len(columns) > 20}
    place["x"]["axis"] = look | thinned | dict(axis or {})
    place["y"]["axis"] = look | dict(axis or {}) | {"labelAngle": 0}
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
    strong = {"condition": {"test": "datum.value", "value": PRIVATE}, "value": "#88888826"}
    mark: Spec = {"type": "rect", "stroke": "#8884", "strokeWidth": 0.5}
    colour = strong if scale is None else scale.encoded
    layers: list[Spec] = [{"mark": mark, "encoding": place | {"color": colour, "tooltip": shown}}]
    if on_pick is not None:
        mark["cursor"] = "pointer"
        layers[0]["params"] = [picking("i", "j")]
    if scale is None:
        ink = {"condition": {"test": "datum.value", "value": "white"}, "value": "#888888"}
        text = place | {"text": {"field": "tip0"}, "color": ink, "tooltip": shown}
        layers.append({"mark": {"type": "text", "fontSize": 11}, "encoding": text})
    edges = {
        stroke: [tuple(one) for one in np.argwhere(m)] for stroke, m in (outlined or {}).items()
    }
    edges |= {HERE: [chosen]} if chosen else {}
    tables: dict[str, Mapping[str, Values]] = {"cells": cells}
    for stroke, where in edges.items():
        tables[f"edge {stroke}"] = _named(rows, columns, where)
        edge = {"type": "rect", "filled": False, "stroke": stroke, "strokeWidth": 3}
        layers.append({"data": {"name": f"edge {stroke}"}, "mark": edge, "encoding": place})
    pick = None if on_pick is None else lambda row: on_pick(int(row["i"]), int(row["j"]))
    show(layers, tables, key=key, alt=alt, height=height, on_pick=pick)


def _named(
    rows: Sequence[str], columns: Sequence[str], cells: Sequence[tuple[int, int]]
) -> dict[str, Values]:
    return {"row": [rows[i] for i, _ in cells], "column": [columns[j] for _, j in cells]}
