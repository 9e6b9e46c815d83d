"""Charts drawn by Vega-Lite: curves, bars and ranges by category, heat maps.

One theme, one legend, SI numbers, a tooltip on every point, a description for screen readers.
"""

from pages._ui.drawing.charts.axes import EPSILON, Axis, multiples, share, week
from pages._ui.drawing.charts.bars import Mark, bars, stacked
from pages._ui.drawing.charts.curves import (
    DASHED,
    DOTTED,
    LONG,
    SOLID,
    STROKES,
    Line,
    Point,
    Rule,
    curve,
    legend,
    lines,
)
from pages._ui.drawing.charts.heats import Scale, heat
from pages._ui.drawing.colours import SERIES

__all__ = [
    "DASHED",
    "DOTTED",
    "EPSILON",
    "LONG",
    "SERIES",
    "SOLID",
    "STROKES",
    "Axis",
    "Line",
    "Mark",
    "Point",
    "Rule",
    "Scale",
    "bars",
    "curve",
    "heat",
    "legend",
    "lines",
    "multiples",
    "share",
    "stacked",
    "week",
]
