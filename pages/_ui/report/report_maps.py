"""Where people are and where they travel: true beside private, and the largest as a list."""

import numpy as np
import streamlit as st

from engine.arrays import Integers
from engine.metrics import largest_positions
from engine.report import Analysis
from engine.text.numbers import number
from pages._ui.answers import cached
from pages._ui.components import picture, tables
from pages._ui.report.distributions import draw_heading
from pages._ui.report.report_form import Report

_MAX_LISTED = 100


def draw_visits(report: Report) -> None:
    """Draw the maps of visits, and the busiest zones."""
    if not draw_heading(report, Analysis.VISITS):
        return
    result, true = report.release.results[Analysis.VISITS], report.count(Analysis.VISITS)
    zones, counts = _zone_shapes(report), (true[:-1], result.shown_numbers[:-1])
    visits, epsilon = (c.astype(float) for c in counts), result.epsilon
    drawing = picture.zones_picture(
        zones,
        *visits,
        topic="starts and ends",
        epsilon=epsilon,
        is_difference=picture.is_difference(),
    )
    picture.draw(drawing, "report_visits", has_choice=True)
    first = largest_positions(counts[1], _MAX_LISTED)
    _draw_list({"Zone": [zones.names[i] for i in first]}, *(c[first] for c in counts))
    st.caption(
        f"Noise changes each zone by at most {number(result.half_widths()[0])} (95%). Outside all "
        f"zones: {number(int(result.shown_numbers[-1]))} (true {number(true[-1])})."
    )


def draw_flows(report: Report) -> None:
    """Draw the largest flows, and list them with those that stay within a zone."""
    if not draw_heading(report, Analysis.FLOWS):
        return
    result, true = report.release.results[Analysis.FLOWS], report.count(Analysis.FLOWS)
    shapes = _zone_shapes(report)
    size = len(shapes.names)
    counts = true.reshape(size, size), result.shown_numbers.reshape(size, size)
    between = (c * (1 - np.eye(size, dtype=np.int64)) for c in counts)
    epsilon, is_difference = result.epsilon, picture.is_difference()
    drawing = picture.flows_picture(
        shapes, *between, floor=1, epsilon=epsilon, is_difference=is_difference
    )
    picture.draw(drawing, "report_flows", has_choice=True)
    first = largest_positions(counts[1].ravel(), _MAX_LISTED)
    ends = {
        name: [shapes.names[i] for i in zones]
        for name, zones in (("From", first // size), ("To", first % size))
    }
    _draw_list(ends, *(c.ravel()[first] for c in counts))
    st.caption(
        f"Noise changes each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} (95%). Trips within a zone are included here."
    )


def _zone_shapes(report: Report) -> picture.Shapes:
    return cached.read(picture.shapes, cached.view_key(report.setting))


def _draw_list(names: dict[str, list[str]], true: Integers, private: Integers) -> None:
    columns = ([number(count) for count in counts] for counts in (true, private))
    tables.draw({**names, **dict(zip(("True", "With noise"), columns, strict=True))})
