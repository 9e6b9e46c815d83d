"""Where people are: a map of visits by zone, over the whole day or in one time window."""

from itertools import pairwise

import numpy as np
import streamlit as st

from engine.metrics import largest
from engine.report import Analysis
from engine.report.measures import WINDOWS
from engine.report.vectors import known_windows
from pages._ui.cache import datasets as cached_datasets
from pages._ui.drawing import long_table, maps
from pages._ui.drawing.long_table import Column
from pages._ui.report import block
from pages._ui.report.block import Report
from pages._ui.shell import setting
from pages._ui.wording.numbers import number

_VIEWS = {"true": "True", "private": "Private", "error": "Error"}
_ALL = "all"
_LISTED = 300
_HOURS = [f"{low}–{high} h" for low, high in pairwise(WINDOWS)]
_TIMES = {
    _ALL: "All visits",
    **{f"d{i}": f"Weekdays {hours}" for i, hours in enumerate(_HOURS)},
    **{f"e{i}": f"Weekends {hours}" for i, hours in enumerate(_HOURS)},
}


def draw(report: Report) -> None:
    """Draw the map and the busiest zones beside it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        view = setting.draw(
            st.segmented_control,
            "Map",
            setting.choice("report_map", _VIEWS, "private"),
            list(_VIEWS),
            format_func=_VIEWS.__getitem__,
            required=True,
        )
        time = setting.draw(
            st.selectbox,
            "When",
            setting.choice("report_window", _TIMES, _ALL),
            list(_TIMES),
            format_func=_TIMES.__getitem__,
            width=260,
        )
    analysis = Analysis.ZONES if time == _ALL else Analysis.ZONE_WINDOWS
    result = block.head(report, analysis, unit="m")
    if result is None:
        return
    counts = {"true": result.truth, "private": result.noisy}
    widths = result.half_widths()
    if time != _ALL:
        column = int(time[1]) + (len(_HOURS) if time[0] == "e" else 0)
        counts = {name: known_windows(values)[:, column] for name, values in counts.items()}
        widths = known_windows(widths)[:, column]
    outside = counts["private"][-1], counts["true"][-1]
    counts = {name: values[:-1] for name, values in counts.items()}
    shown = np.maximum(counts["private"], 0)
    error = shown - counts["true"]
    places = st.grid(2, min_column_width=420, gap="medium")
    with places.cell():
        _map(report, counts["true"], shown, error, view, _TIMES[time].lower())
    with places.cell():
        _list(report, {"true": counts["true"], "private": shown, "error": np.abs(error)}, view)
    st.caption(
        f"Noise moves each zone by at most {number(widths[0])} nine times in ten. Outside all "
        f"zones: {number(max(outside[0], 0))} (true {number(outside[1])})."
    )


def _list(report: Report, values: dict[str, np.ndarray], view: str) -> None:
    """List the zones that the map shows brightest: most visits, or the largest errors."""
    names = cached_datasets.dataset(report.chosen.key).zones["name"].astype(str).tolist()
    first = largest(values[view], _LISTED)
    st.caption("Largest errors" if view == "error" else f"Most visits, {_VIEWS[view].lower()}")
    long_table.draw(
        {
            "Zone": Column([names[zone] for zone in first]),
            "Private (visits)": Column(values["private"][first].tolist(), number),
            "True (visits)": Column(values["true"][first].tolist(), number),
        },
        key="report_zones",
    )


def _map(
    report: Report, true: np.ndarray, shown: np.ndarray, error: np.ndarray, view: str, when: str
) -> None:
    zones = cached_datasets.outlines(report.chosen.key)
    if view == "error":
        largest = float(np.abs(error).max()) or 1.0
        scale = maps.Scale(-largest, largest, "diverging")
        ends = (f"{largest:,.0f} too few", f"{largest:,.0f} too many")
        scale.legend(f"private less true visits, {when}", *ends)
    else:
        most = float(max(true.max(), shown.max())) or 1.0
        scale = maps.Scale(0.0, most)
        scale.legend(f"{when}; one scale for true and private", "0", f"{most:,.0f}")
    values = {"true": true, "private": shown, "error": error}
    maps.zone_map(
        zones,
        values[view].astype(np.float64),
        scale,
        key="report_zone_map",
        alt=f"Map of zones: {_VIEWS[view].lower()} visits, {when}",
        tooltip={name: [number(float(value)) for value in one] for name, one in values.items()},
        height=460,
    )
