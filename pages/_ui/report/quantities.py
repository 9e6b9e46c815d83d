"""How far, how long and how regular: histograms with five numbers as boxes above them."""

import numpy as np
import streamlit as st

from engine.report import Analysis
from engine.report.bins import is_discrete, measure_of
from engine.report.measures import UNITS as MEASURED_IN
from pages._ui.cache import report as cached_report
from pages._ui.report import block, charts, controls
from pages._ui.report.block import Report
from pages._ui.report.when import series
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
_MOST_LABELS = 8


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
        controls.EXTREMES,
        help="Beyond the data every candidate is as good as any other: a drawn minimum or maximum "
        "can land anywhere in the empty part of the range.",
    )
    st.caption(KEPT)
    if analyses == PEOPLE and report.chosen.parameters.unit == "user":
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
    params = report.chosen.parameters
    bins = params.bins_of(analysis)
    edges = bins.edges
    whole = is_discrete(analysis) and bins.width == 1
    labels = [f"{low:g}" if whole else f"{low:g}–{low + bins.width:g}" for low in edges[:-1]]
    inside = slice(1, -1)
    five = report.release.five_numbers[analysis]
    other = report.compared(analysis)
    pinned = None if report.pinned is None else report.pinned.five_numbers.get(analysis)
    charts.bars(
        labels,
        series(result, other, inside),
        result.half_widths()[inside],
        title=_COUNTED[analysis.counted],
        axis=unit,
        key=f"report_hist_{analysis}",
        alt_text=f"{analysis.label}: true, kept and private",
        height=250,
        five=charts.five_boxes(five, pinned, low=float(edges[0]), high=float(edges[-1]), title=""),
        every=max(1, -(-len(labels) // _MOST_LABELS)),
    )
    st.caption(_told(report, analysis, unit))


def _told(report: Report, analysis: Analysis, unit: str) -> str:
    result = report.release.results[analysis]
    edges = report.chosen.parameters.bins_of(analysis).edges
    below, above = int(result.shown[0]), int(result.shown[-1])
    outside = (
        f"Below {edges[0]:g}: {number(below)} (true {number(result.truth[0])}); from "
        f"{edges[-1]:g} {unit} on: {number(above)} (true {number(result.truth[-1])})."
    )
    ways = cached_report.ways(
        report.chosen.key, report.chosen.parameters, report.chosen.seed, analysis
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
