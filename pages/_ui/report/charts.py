"""Charts of the report page: true grey, private blue with its range, pinned orange."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import streamlit as st

from engine.arrays import Numbers
from engine.report import FiveNumbers
from pages._ui.drawing.colours import OTHER, PRIVATE, TRUE

Spec = str
"""A chart as Vega-Lite reads it, in JSON."""

_WIDE, _LONG, _MOST = "wide", "long", "most"
_LEFT = 62
"""Pixels to the left of a chart, so that what stands above each other lines up."""

TRUTH, KEPT, SHOWN, PINNED = "true", "kept", "private", "pinned"
_COLOURS = {TRUTH: "#bdbdbd", KEPT: TRUE, SHOWN: PRIVATE, PINNED: OTHER}


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart whose picture is made once, and the tables that are new in every run."""

    picture: Spec
    tables: dict[str, pa.Table]

    def show(self, key: str, alt_text: str) -> None:
        """Draw it on the page."""
        spec: dict[str, Any] = json.loads(self.picture) | {"datasets": self.tables}
        st.vega_lite_chart(None, spec, key=key, alt=alt_text)


def bars(
    labels: Sequence[str],
    series: Mapping[str, Numbers],
    half_widths: Numbers,
    *,
    title: str,
    axis: str | None,
    key: str,
    alt_text: str,
    height: int = 290,
    five: Drawing | None = None,
    every: int = 1,
) -> None:
    """Draw private bars with their ranges over true and kept ones; `five` stands above them.

    Parameters
    ----------
    labels : sequence of str
        One for each number, in order.
    series : mapping
        ``true``, ``kept``, ``private`` and perhaps ``pinned``, each with one number a label.
    half_widths : array
        How far noise moves each private number, nine times in ten.
    every : int
        Which labels stand on the axis: every `every`-th.
    """
    order = tuple(labels)
    names = tuple(name for name in _COLOURS if name in series)
    wide = {name: np.asarray(series[name]) for name in names}
    ends = {"low": np.maximum(wide[SHOWN] - half_widths, 0), "high": wide[SHOWN] + half_widths}
    long = {
        "label": order * len(names),
        "series": np.repeat(names, len(order)),
        "count": np.concatenate([wide[name] for name in names]),
    }
    tables = {_WIDE: pa.table({"label": order, **wide, **ends}), _LONG: pa.table(long)}
    if five is not None:
        five.show(f"{key}_five", f"{alt_text}: five numbers")
    Drawing(_bars(order, names, title, axis, every, height), tables).show(key, alt_text)


@lru_cache(maxsize=128)
def _bars(
    order: tuple[str, ...],
    names: tuple[str, ...],
    title: str,
    axis: str | None,
    every: int,
    height: int,
) -> Spec:
    x = alt.X(
        "label:N",
        sort=list(order),
        title=axis,
        axis=alt.Axis(values=list(order[::every]), labelAngle=0, labelOverlap=True, labelPadding=4),
        scale=alt.Scale(paddingInner=0.12, paddingOuter=0.05),
    )
    tooltip = [
        alt.Tooltip("label:N", title=axis or "where"),
        *[alt.Tooltip(f"{name}:Q", title=name, format=",.0f") for name in names],
        alt.Tooltip("low:Q", title="range from", format=",.0f"),
        alt.Tooltip("high:Q", title="range to", format=",.0f"),
    ]
    colour = alt.Scale(domain=list(names), range=[_COLOURS[name] for name in names])
    base = alt.Chart(alt.NamedData(_WIDE)).encode(x=x)
    wide = alt.Chart(alt.NamedData(_LONG)).encode(
        x=x, color=alt.Color("series:N", title=None, scale=colour, legend=alt.Legend(orient="top"))
    )
    y = alt.Y(
        "count:Q",
        title=title,
        axis=alt.Axis(format="~s", tickCount=4, minExtent=_LEFT - 18, maxExtent=_LEFT - 18),
    )
    layers = [
        wide.transform_filter(alt.datum.series == TRUTH).mark_bar(opacity=0.75).encode(y=y),
        wide.transform_filter(alt.datum.series == SHOWN)
        .mark_bar(opacity=0.8, width={"band": 0.55})
        .encode(y=y),
        wide.transform_filter((alt.datum.series == KEPT) | (alt.datum.series == PINNED))
        .mark_tick(thickness=2, width={"band": 0.9})
        .encode(y=y),
        base.mark_rule(strokeWidth=1).encode(y="low:Q", y2="high:Q"),
        base.mark_bar(opacity=0).encode(y=alt.Y(f"{TRUTH}:Q"), tooltip=tooltip),
    ]
    return _spec(alt.layer(*layers).properties(height=height, width="container"))


def _spec(chart: alt.LayerChart | alt.Chart) -> Spec:
    """Return a chart as Streamlit draws it: without the sizes of Altair's own theme."""
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)
    return json.dumps(spec)


def five_boxes(
    five: FiveNumbers, other: FiveNumbers | None, *, low: float, high: float, title: str
) -> Drawing:
    """Return five numbers as boxes, one under the other: true, kept, and each private way."""
    rows: dict[str, Numbers] = {TRUTH: five.truth, KEPT: five.kept}
    if five.drawn is not None:
        rows["drawn"] = five.drawn
    rows["from bins"] = five.from_bins
    if other is not None:
        rows[PINNED] = other.private
    table = pa.Table.from_pylist(
        [
            dict(zip("abcde", _known(np.clip(values, low, high)), strict=True))
            | {"row": name, "told": " · ".join(f"{value:.3g}" for value in values)}
            for name, values in rows.items()
        ]
    )
    levels = "min · 25% · 50% · 75% · max" if five.levels[0] == 0 else "1% · 25% · 50% · 75% · 99%"
    return Drawing(_boxes(tuple(rows), levels, low, high, title), {_WIDE: table})


def _known(values: Numbers) -> list[float | None]:
    """Return numbers of which nothing is drawn where there is none."""
    return [None if value != value else float(value) for value in values]


@lru_cache(maxsize=128)
def _boxes(order: tuple[str, ...], levels: str, low: float, high: float, title: str) -> Spec:
    colours = {**_COLOURS, "drawn": PRIVATE, "from bins": PRIVATE}
    y = alt.Y(
        "row:N",
        sort=list(order),
        title=None,
        axis=alt.Axis(
            labelOverlap=False, ticks=False, domain=False, minExtent=_LEFT, maxExtent=_LEFT
        ),
    )
    scale = alt.Scale(domain=[low, high], nice=False)
    colour = alt.Color(
        "row:N",
        legend=None,
        scale=alt.Scale(domain=list(order), range=[colours[name] for name in order]),
    )
    tips = [alt.Tooltip("row:N", title="Five numbers"), alt.Tooltip("told:N", title=levels)]
    base = alt.Chart(alt.NamedData(_WIDE)).encode(y=y, color=colour, tooltip=tips)
    whisker = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("a:Q", scale=scale, title=title, axis=alt.Axis(tickCount=6, grid=False)), x2="e:Q"
    )
    box = base.mark_bar(height=8, opacity=0.85).encode(x=alt.X("b:Q", scale=scale), x2="d:Q")
    middle = base.mark_tick(thickness=2.5, height=13, color="#222").encode(
        x=alt.X("c:Q", scale=scale), color=alt.value("#d1495b")
    )
    height = 21 * len(order) + 34
    return _spec(alt.layer(whisker, box, middle).properties(height=height, width="container"))


def heat(
    rows: Sequence[str], values: Mapping[str, Numbers], *, title: str, key: str, alt_text: str
) -> None:
    """Draw tables of rows × 24 hours side by side on one colour scale.

    Parameters
    ----------
    values : mapping
        Title of each table → array, shape (rows, 24).
    """
    most = max(float(np.max(one)) for one in values.values()) or 1.0
    tables = [
        pa.table(
            {
                "row": np.repeat(list(rows), 24),
                "hour": np.tile(np.arange(24), len(rows)),
                "count": np.asarray(one).reshape(-1),
            }
        )
        for one in values.values()
    ]
    places = st.grid(len(tables), min_column_width=380, gap="medium")
    for number, (panel, table) in enumerate(zip(values, tables, strict=True)):
        with places.cell():
            Drawing(_heat(tuple(rows), panel, title, most), {_WIDE: table}).show(
                f"{key}_{number}", f"{alt_text}, {panel}"
            )


def _heat(rows: tuple[str, ...], panel: str, title: str, most: float) -> Spec:
    return _heat_to(rows, panel, title).replace(f'"{_MOST}"', f"{most:g}")


@lru_cache(maxsize=32)
def _heat_to(rows: tuple[str, ...], panel: str, title: str) -> Spec:
    """Return the picture with a word in place of the scale's end, which is new in every run."""
    return _spec(
        alt.Chart(alt.NamedData(_WIDE))
        .mark_rect()
        .encode(
            x=alt.X(
                "hour:O",
                title=f"{panel} · hour of the day",
                axis=alt.Axis(values=list(range(0, 24, 3)), labelAngle=0),
            ),
            y=alt.Y("row:N", sort=list(rows), title=None),
            color=alt.Color(
                "count:Q",
                title=title,
                scale=alt.Scale(scheme="viridis", domain=[0, _MOST]),
                legend=alt.Legend(orient="top", gradientThickness=8, format="~s"),
            ),
            tooltip=[
                alt.Tooltip("row:N", title="Points"),
                alt.Tooltip("hour:O", title="Hour"),
                alt.Tooltip("count:Q", title=title, format=",.0f"),
            ],
        )
        .properties(height=270, width="container")
    )
