"""Specifications as Vega-Lite reads them, and how they are shown.

A specification holds no data: what a slider changes stands in named tables beside it, so that the
browser keeps the picture and moves its marks.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from engine.arrays import Numbers

Spec = dict[str, Any]
Values = Sequence[Any] | Numbers

NOTHING = "Nothing is known yet."


def tip(column: str, title: str, values: Values) -> Spec:
    """Return how a column of texts or numbers reads in a tooltip."""
    if len(values) and isinstance(values[0], str):
        return {"field": column, "type": "nominal", "title": title}
    return {"field": column, "type": "quantitative", "title": title, "format": ",.4~g"}


def picking(*fields: str) -> Spec:
    """Return the parameter that reports a click by these columns."""
    return {"name": "point", "select": {"type": "point", "fields": list(fields), "on": "click"}}


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
    data = {name: _arrow(columns) for name, columns in tables.items()}
    spec: Spec = {
        "data": {"name": next(iter(data))},
        "datasets": data,
        "layer": list(layers),
        "height": height,
        "width": "container",
    }

    def take() -> None:
        chosen = st.session_state[key]["selection"].get("point", [])
        if chosen and on_pick is not None:
            on_pick(chosen[0])

    picked: dict[str, Any] = {} if on_pick is None else {"on_select": take}
    st.vega_lite_chart(None, spec, key=key, alt=alt, **picked)


def _arrow(columns: Mapping[str, Values]) -> pa.Table:
    """Return columns as a table; what is no number is nothing."""
    arrays = {name: pa.array(list(values), from_pandas=True) for name, values in columns.items()}
    return pa.table({name: one for name, one in arrays.items() if one.type != pa.null()})
