"""Two charts of the Density page side by side: mean and spread of a measure over ε."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from pages._ui.drawing import charts
from pages._ui.drawing.charts import EPSILON, STROKES, Axis, Line
from pages._ui.drawing.colours import SERIES
from pages._ui.shell.settings import use_settings


@dataclass(frozen=True)
class Band:
    """One measure: where its line and band come from in the table, and how its axis reads.

    Attributes
    ----------
    mean, spread : str
        Columns with the mean and the standard deviation over repeats.
    title : str
        Axis title with its unit.
    percent : bool
        Whether it is an error: percent on a logarithmic axis.
    """

    mean: str
    spread: str
    title: str
    percent: bool = False


def bands(
    table: pd.DataFrame, measures: Sequence[Band], current: float, *, key: str, alt: str
) -> None:
    """Draw mean ± standard deviation over ε of two measures, one curve a name, under one legend.

    A click on a point sets ε.

    Parameters
    ----------
    table : DataFrame
        Columns ``epsilon``, ``curve``, ``kind``, ``repeats`` and those of the measures. A colour
        tells the curves, a stroke their kinds.
    """
    kinds = list(dict.fromkeys(table["kind"]))
    charts.legend(_lines(table, measures[0], kinds, 0.0))
    for column, measure in zip(st.columns(2, gap="large"), measures, strict=True):
        known = table[measure.mean].dropna()
        low, high = float(known.min()) / 4, float((known + table[measure.spread].fillna(0)).max())
        with column:
            charts.curve(
                _lines(table, measure, kinds, low if measure.percent else None),
                at=EPSILON,
                of=charts.multiples(measure.title, low, high)
                if measure.percent
                else Axis(title=measure.title, form=",~f", ticks=6, zero=False),
                current=current,
                legend=False,
                on_pick=lambda epsilon: use_settings(epsilon=float(epsilon)),
                key=f"{key}_{measure.mean}",
                alt=f"{measure.title} over epsilon, {alt}",
                height=360,
            )


def _lines(table: pd.DataFrame, measure: Band, kinds: list[str], least: float | None) -> list[Line]:
    names = list(dict.fromkeys(table["curve"]))
    lines: list[Line] = []
    for name, kind in dict.fromkeys(zip(table["curve"], table["kind"], strict=True)):
        rows = table[(table["curve"] == name) & (table["kind"] == kind)]
        mean, spread = rows[measure.mean], rows[measure.spread].fillna(0.0)
        lines.append(
            Line(
                name=f"{name} · {kind}" if kind and len(kinds) > 1 else name,
                x=rows["epsilon"].tolist(),
                y=mean.tolist(),
                low=np.maximum(mean - spread, -np.inf if least is None else least).tolist(),
                high=(mean + spread).tolist(),
                colour=SERIES[names.index(name) % len(SERIES)],
                dash=STROKES[kinds.index(kind) + names.index(name) // len(SERIES)],
                written=[
                    f"{_written(one, sd, percent=measure.percent)}, {count} repeats"
                    for one, sd, count in zip(mean, spread, rows["repeats"], strict=True)
                ],
            )
        )
    return lines


def _written(mean: float, spread: float, *, percent: bool) -> str:
    return f"{mean:.1%} ± {spread:.1%}" if percent else f"{mean:.3f} ± {small(spread)}"


def small(spread: float) -> str:
    """Write a standard deviation of correlations: what rounds to nothing is still something.

    Examples
    --------
    >>> small(0.0123), small(0.0001), small(0.0)
    ('0.012', '<0.001', '0.000')
    """
    return "<0.001" if 0 < spread < 0.0005 else f"{spread:.3f}"
