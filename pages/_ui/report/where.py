"""Where people are and where they travel: true beside private, and the largest as a list."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from engine.metrics import largest_positions
from engine.report import Analysis
from pages._ui import cached
from pages._ui.drawing import picture, tables
from pages._ui.report.charts import head
from pages._ui.report.question import Report
from pages._ui.wording.numbers import number

_LISTED = 100


def visits(report: Report) -> None:
    """Draw the maps of visits, and the busiest zones."""
    if not head(report, Analysis.VISITS):
        return
    result, true = report.release.results[Analysis.VISITS], report.numbers(Analysis.VISITS)
    drawn, counts = _zones(report), (true[:-1], result.shown_numbers[:-1])
    about: dict[str, Any] = {"what": "starts and ends", "epsilon": result.epsilon}
    picture.draw(picture.of_zones(drawn, *(one.astype(float) for one in counts), **about))
    first = largest_positions(counts[1], _LISTED)
    _list({"Zone": [drawn.names[i] for i in first]}, *(one[first] for one in counts))
    st.caption(
        f"Noise moves each zone by at most {number(result.half_widths()[0])} (95%). Outside all "
        f"zones: {number(int(result.shown_numbers[-1]))} (true {number(true[-1])})."
    )


def flows(report: Report) -> None:
    """Draw the largest flows, and list them with those that stay within a zone."""
    if not head(report, Analysis.FLOWS):
        return
    result, true = report.release.results[Analysis.FLOWS], report.numbers(Analysis.FLOWS)
    drawn = _zones(report)
    size = len(drawn.names)
    counts = true.reshape(size, size), result.shown_numbers.reshape(size, size)
    between = (one * (1 - np.eye(size, dtype=np.int64)) for one in counts)
    least = {"least": 1, "epsilon": result.epsilon}
    picture.draw(picture.of_flows(drawn, *between, **least))
    first = largest_positions(counts[1].ravel(), _LISTED)
    ends = {
        name: [drawn.names[i] for i in zones]
        for name, zones in (("From", first // size), ("To", first % size))
    }
    _list(ends, *(one.ravel()[first] for one in counts))
    st.caption(
        f"Noise moves each of the {size * size:,} flows by at most "
        f"{number(result.half_widths()[0])} (95%). Trips within a zone count here."
    )


def _zones(report: Report) -> picture.Shapes:
    return cached.of(picture.shapes, cached.view(report.setting))


def _list(names: dict[str, list[str]], true: Sequence[int], private: Sequence[int]) -> None:
    written = ([number(one) for one in counts] for counts in (true, private))
    tables.draw({**names, **dict(zip(("True", "Private"), written, strict=True))})
