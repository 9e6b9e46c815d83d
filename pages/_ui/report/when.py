"""When people travel: over the period, by weekday, by hour."""

import numpy as np
import streamlit as st

from engine.report import Analysis, Result, periods
from pages._ui.report import block, charts
from pages._ui.report.block import Report
from pages._ui.report.wording import KEPT
from pages._ui.wording.numbers import number

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SLOTS = ("Weekday starts", "Weekend starts", "Weekday ends", "Weekend ends")
_MOST_LABELS = 10


def draw(report: Report) -> None:
    """Draw days and weekdays side by side, hours under them."""
    st.caption(KEPT)
    places = st.grid(2, min_column_width=380, gap="medium")
    with places.cell():
        _days(report)
    with places.cell():
        _weekdays(report)
    _hours(report)


def series(result: Result, other: Result | None, part: slice) -> dict[str, np.ndarray]:
    """Return the counts of a chart by name."""
    weeks = {
        charts.TRUTH: result.truth[part],
        charts.KEPT: result.kept[part],
        charts.SHOWN: result.shown[part],
    }
    if other is not None:
        weeks[charts.PINNED] = other.shown[part]
    return weeks


def _days(report: Report) -> None:
    result = block.head(report, Analysis.DAYS)
    if result is None:
        return
    grouped = periods(report.table.extent)
    labels = [f"{start.day} {start:%b}" for start in grouped.starts]
    if len(set(labels)) < len(labels):
        labels = [f"{start:%b %Y}" for start in grouped.starts]
    inside = slice(0, len(labels))
    charts.bars(
        labels,
        series(result, report.compared(Analysis.DAYS), inside),
        result.half_widths()[inside],
        title=f"trips a {grouped.name}",
        axis=f"{grouped.name.capitalize()} (first day)" if grouped.name != "day" else "Day",
        key="report_days",
        alt_text=f"Trips by {grouped.name}, true, kept and private",
        every=max(1, -(-len(labels) // _MOST_LABELS)),
    )
    st.caption(
        f"Before or after the period: {number(result.shown[-1])} "
        f"(true {number(result.truth[-1])}, kept {number(result.kept[-1])})."
    )


def _weekdays(report: Report) -> None:
    result = block.head(report, Analysis.WEEKDAYS)
    if result is None:
        return
    charts.bars(
        _WEEKDAYS,
        series(result, report.compared(Analysis.WEEKDAYS), slice(None)),
        result.half_widths(),
        title="trips",
        axis="Weekday",
        key="report_weekdays",
        alt_text="Trips by weekday, true, kept and private",
    )


def _hours(report: Report) -> None:
    result = block.head(report, Analysis.HOURS)
    if result is None:
        return
    shown = {"True": result.truth, "Private": result.shown}
    other = report.compared(Analysis.HOURS)
    if other is not None:
        shown["Pinned"] = other.shown
    charts.heat(
        _SLOTS,
        {name: values.reshape(4, 24) for name, values in shown.items()},
        title="points",
        key="report_hours",
        alt_text="Starts and ends by hour on weekdays and weekends",
    )
    st.caption(
        f"Noise moves each cell by at most {number(result.half_widths()[0])} nine times in ten."
    )
