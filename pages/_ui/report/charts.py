"""Charts of the report page: true grey, private blue with its range, pinned orange."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from engine.arrays import Floats, Numbers
from engine.report.fivenumbers import FiveNumbers
from pages._ui.drawing import charts
from pages._ui.drawing.charts import Axis, Mark, Scale
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE, TRUE

_LEFT = 62
"""Pixels to the left of a chart, so that what stands above each other lines up."""

TRUTH, KEPT, SHOWN, PINNED = "true", "kept", "private", "pinned"
_COLOURS = {TRUTH: "#bdbdbd", KEPT: TRUE, SHOWN: PRIVATE, PINNED: OTHER}


def columns(
    labels: Sequence[str],
    series: Mapping[str, Numbers],
    half_widths: Numbers,
    *,
    title: str,
    axis: str,
    key: str,
    alt: str,
    height: int = 290,
    every: int = 1,
) -> None:
    """Draw private bars with their ranges over true and kept ones.

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
    shown = series[SHOWN]
    kinds = {TRUTH: "bar", SHOWN: "narrow", KEPT: "tick", PINNED: "tick"}
    marks = [
        Mark(name=name, values=series[name], colour=_COLOURS[name], kind=kind)
        for name, kind in kinds.items()
        if name in series
    ]
    low = np.maximum(shown - half_widths, 0)
    reach = Mark(name="range from", values=low, to=shown + half_widths, colour="#333", kind="rule")
    charts.bars(
        labels,
        [*marks, reach],
        of=Axis(title=title, tip=",.0f", ticks=4, more=_extent(_LEFT - 18)),
        title=axis,
        upright=True,
        axis={"values": list(labels[::every]), "labelPadding": 4},
        key=key,
        alt=alt,
        height=height,
    )


def five_boxes(
    true: Mapping[str, Floats],
    five: FiveNumbers,
    other: FiveNumbers | None,
    *,
    low: float,
    high: float,
    unit: str,
    key: str,
    alt: str,
) -> None:
    """Draw five numbers as boxes, one under the other: those in `true`, and each private way."""
    rows: dict[str, Numbers] = dict(true)
    if five.drawn is not None:
        rows["drawn"] = five.drawn
    rows["from bins"] = five.from_bins
    if other is not None:
        rows[PINNED] = other.private
    least, lower, middle, upper, most = np.clip(np.array(list(rows.values())), low, high).T
    levels = "min · 25% · 50% · 75% · max" if five.levels[0] == 0 else "1% · 25% · 50% · 75% · 99%"
    colours = [_COLOURS.get(name, PRIVATE) for name in rows]
    words = [" · ".join(f"{value:.3g}" for value in values) for values in rows.values()]
    charts.bars(
        list(rows),
        [
            Mark(name=levels, values=least, to=most, colour=colours, kind="rule", written=words),
            Mark(name="25% to 75%", values=lower, to=upper, colour=colours, kind="box"),
            Mark(name="50%", values=middle, colour=HERE, kind="tick"),
        ],
        of=Axis(title=unit, form="~g", domain=(low, high), ticks=6, more={"grid": False}),
        axis=_extent(_LEFT),
        key=key,
        alt=alt,
        height=21 * len(rows) + 50,
    )


def heat(
    rows: Sequence[str], values: Mapping[str, Numbers], *, title: str, key: str, alt: str
) -> None:
    """Draw tables of rows × 24 hours side by side on one colour scale.

    Parameters
    ----------
    values : mapping
        Title of each table → array, shape (rows, 24).
    """
    most = max(float(np.max(one)) for one in values.values()) or 1.0
    hours = [str(hour) for hour in range(24)]
    places = st.grid(len(values), min_column_width=380, gap="medium")
    for number, (panel, counts) in enumerate(values.items()):
        with places.cell():
            charts.heat(
                rows,
                hours,
                counts,
                {title: counts},
                scale=Scale(title=title, domain=(0, most), orient="top"),
                at=f"{panel} · hour of the day",
                key=f"{key}_{number}",
                alt=f"{alt}, {panel}",
                height=270,
            )


def _extent(pixels: int) -> dict[str, int]:
    return {"minExtent": pixels, "maxExtent": pixels}
