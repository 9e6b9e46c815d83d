"""When people travel, how far, how long and how regularly: bars with their ranges."""

import numpy as np
import streamlit as st

from engine.report import Analysis, Result, periods
from engine.report.bins import is_discrete, measure_of
from engine.report.fivenumbers import true_five_numbers
from engine.report.measures import UNITS as MEASURED_IN
from pages._ui.cache import report as cached_report
from pages._ui.report import block, charts, question
from pages._ui.report.block import Report
from pages._ui.report.wording import KEPT
from pages._ui.shell import setting
from pages._ui.wording.numbers import number

TRIPS = (Analysis.TRAVEL_TIME, Analysis.JUMP_LENGTH)
PEOPLE = (
    Analysis.TRIPS_PER_USER,
    Analysis.TIME_BETWEEN,
    Analysis.GYRATION,
    Analysis.ZONES_PER_USER,
    Analysis.ENTROPY,
)
_COUNTED = {"user": "people", "trip": "trips", "gap": "gaps"}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SLOTS = ("Weekday starts", "Weekend starts", "Weekday ends", "Weekend ends")
_MOST_DAYS, _MOST_BINS = 10, 8
"""Labels that fit below the bars."""


def when(report: Report) -> None:
    """Draw days and weekdays side by side, hours under them."""
    st.caption(KEPT)
    places = st.grid(2, min_column_width=380, gap="medium")
    with places.cell():
        _days(report)
    with places.cell():
        _weekdays(report)
    _hours(report)


def _series(report: Report, result: Result, part: slice) -> dict[str, np.ndarray]:
    """Return the counts of a chart by name."""
    weeks = {
        charts.TRUTH: report.numbers(result.analysis)[part],
        charts.KEPT: report.numbers(result.analysis, kept=True)[part],
        charts.SHOWN: result.shown[part],
    }
    other = report.compared(result.analysis)
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
    charts.columns(
        labels,
        _series(report, result, inside),
        result.half_widths()[inside],
        title=f"trips a {grouped.name}",
        axis=f"{grouped.name.capitalize()} (first day)" if grouped.name != "day" else "Day",
        key="report_days",
        alt=f"Trips by {grouped.name}, true, kept and private",
        every=max(1, -(-len(labels) // _MOST_DAYS)),
    )
    true, kept = (report.numbers(Analysis.DAYS, kept=each)[-1] for each in (False, True))
    st.caption(
        f"Before or after the period: {number(result.shown[-1])} "
        f"(true {number(true)}, kept {number(kept)})."
    )


def _weekdays(report: Report) -> None:
    result = block.head(report, Analysis.WEEKDAYS)
    if result is None:
        return
    charts.columns(
        _WEEKDAYS,
        _series(report, result, slice(None)),
        result.half_widths(),
        title="trips",
        axis="Weekday",
        key="report_weekdays",
        alt="Trips by weekday, true, kept and private",
    )


def _hours(report: Report) -> None:
    result = block.head(report, Analysis.HOURS)
    if result is None:
        return
    shown = {"True": report.numbers(Analysis.HOURS), "Private": result.shown}
    other = report.compared(Analysis.HOURS)
    if other is not None:
        shown["Pinned"] = other.shown
    charts.heat(
        _SLOTS,
        {name: values.reshape(4, 24) for name, values in shown.items()},
        title="points",
        key="report_hours",
        alt="Starts and ends by hour on weekdays and weekends",
    )
    st.caption(
        f"Noise moves each cell by at most {number(result.half_widths()[0])} nine times in ten."
    )


def of_trips(report: Report) -> None:
    """Draw how long and how far trips are."""
    _draw(report, TRIPS)


def of_people(report: Report) -> None:
    """Draw how regular people are."""
    _draw(report, PEOPLE)


def _draw(report: Report, analyses: tuple[Analysis, ...]) -> None:
    setting.draw(
        st.toggle,
        "Minimum and maximum, not the 1% and 99% points",
        question.EXTREMES,
        help="Beyond the data every candidate is as good as any other: a drawn minimum or maximum "
        "can land anywhere in the empty part of the range.",
    )
    st.caption(KEPT)
    if analyses == PEOPLE and report.context.parameters.unit == "user":
        st.caption(
            "What a person's kept trips come to: these quantities change with M. True is of all "
            "trips, kept of at most M a person."
        )
    places = st.grid(2, min_column_width=380, gap="large")
    for analysis in analyses:
        with places.cell():
            _histogram(report, analysis)


def _histogram(report: Report, analysis: Analysis) -> None:
    unit = MEASURED_IN[measure_of(analysis)]
    result = block.head(report, analysis, unit=unit)
    if result is None:
        return
    params = report.context.parameters
    bins = params.bins_of(analysis)
    edges = bins.edges
    whole = is_discrete(analysis) and bins.width == 1
    labels = [f"{low:g}" if whole else f"{low:g}–{low + bins.width:g}" for low in edges[:-1]]
    inside = slice(1, -1)
    five = report.release.five_numbers[analysis]
    pinned = None if report.other is None else report.other.five_numbers.get(analysis)
    charts.five_boxes(
        {
            charts.TRUTH: true_five_numbers(report.table, analysis, params),
            charts.KEPT: true_five_numbers(report.table, analysis, params, kept=True),
        },
        five,
        pinned,
        low=float(edges[0]),
        high=float(edges[-1]),
        unit=unit,
        key=f"report_hist_{analysis}_five",
        alt=f"{analysis.label}: five numbers, true, kept and private",
    )
    charts.columns(
        labels,
        _series(report, result, inside),
        result.half_widths()[inside],
        title=_COUNTED[analysis.counted],
        axis=unit,
        key=f"report_hist_{analysis}",
        alt=f"{analysis.label}: true, kept and private",
        height=250,
        every=max(1, -(-len(labels) // _MOST_BINS)),
    )
    st.caption(_told(report, analysis, unit))


def _told(report: Report, analysis: Analysis, unit: str) -> str:
    result = report.release.results[analysis]
    edges = report.context.parameters.bins_of(analysis).edges
    below, above = int(result.shown[0]), int(result.shown[-1])
    true = report.numbers(analysis)
    outside = (
        f"Below {edges[0]:g}: {number(below)} (true {number(true[0])}); from "
        f"{edges[-1]:g} {unit} on: {number(above)} (true {number(true[-1])})."
    )
    ways = cached_report.ways(
        report.context.key, report.context.parameters, report.context.seed, analysis
    )
    drawn, read = ways["drawn"], ways["from_bins"]
    if np.isnan(read) or np.isnan(drawn):
        return outside
    nearer = "Reading them off noisy bins" if read <= drawn else "Drawing them"
    return (
        f"{outside} {nearer} brings the five numbers nearer to those of the kept: "
        f"{number(min(read, drawn))} against {number(max(read, drawn))} {unit} off on average over "
        f"{cached_report.FEWEST_DRAWS} draws, at this share of ε."
    )
