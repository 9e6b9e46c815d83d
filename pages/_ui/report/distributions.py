"""When people travel, how far and how long: true, kept and private counts with their ranges."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import streamlit as st

from engine.report import BINS, Analysis, group_days
from engine.report.quantiles import true_five_numbers
from engine.report.settings import QUANTILE_LEVELS
from engine.text.numbers import number
from pages._ui.components import charts, tables
from pages._ui.components.charts import Axis, Mark, Scale
from pages._ui.components.colours import PRIVATE, TRUE
from pages._ui.report.report_form import Report

_SLOTS = ("Weekday starts", "Weekend starts", "Weekday ends", "Weekend ends")


def draw_heading(report: Report, analysis: Analysis) -> bool:
    """Draw the heading of an analysis and its price; say where it is off."""
    result = report.release.results.get(analysis)
    price = "left out" if result is None else f"ε = {result.epsilon:.3g}"
    st.markdown(f"**{analysis.label}** · {price}")
    return result is not None


def draw_times(report: Report) -> None:
    """Draw days as bars and hours as two tables of colours."""
    if draw_heading(report, Analysis.DAYS):
        starts = group_days(report.table.extent).first_days
        labels = [f"{day:%Y-%m-%d}" for day in starts]
        _draw_bars(report, Analysis.DAYS, labels, slice(0, -1), "Day, or first day", "trips")
        outside = report.release.results[Analysis.DAYS].shown_numbers[-1]
        true = report.count(Analysis.DAYS)[-1]
        st.caption(
            f"Trips outside the period, with noise: {number(outside)} (true: {number(true)})."
        )
    if draw_heading(report, Analysis.HOURS):
        result = report.release.results[Analysis.HOURS]
        panels = {"True": report.count(Analysis.HOURS), "With noise": result.shown_numbers}
        highest = float(max(counts.max() for counts in panels.values())) or 1.0
        places = st.grid(2, min_column_width=380, gap="medium")
        for name, counts in panels.items():
            with places.cell():
                charts.draw_heat_map(
                    _SLOTS,
                    [str(hour) for hour in range(24)],
                    counts.reshape(4, 24),
                    scale=Scale(title="starts and ends, all days", domain=(0, highest)),
                    x_title=f"{name} · hour of the day",
                    key=f"report_hours_{name}",
                    alt=f"Starts and ends by hour on weekdays and weekends, {name.lower()}",
                    height=270,
                )
        st.caption(f"95% error bar of one cell: ± {number(result.half_widths()[0])}.")


def draw_histograms(report: Report) -> None:
    """Draw travel times, jump lengths and radii of gyration with their five numbers."""
    places = st.grid(2, min_column_width=380, gap="large")
    for analysis in BINS:
        with places.cell():
            if not draw_heading(report, analysis):
                continue
            bins, result = BINS[analysis], report.release.results[analysis]
            labels = [f"{low:g}–{high:g}" for low, high in pairwise(bins.edges)]
            _draw_bars(
                report, analysis, labels, slice(1, -1), bins.unit, f"{analysis.counted_item}s"
            )
            rows = {
                "True": true_five_numbers(report.table, analysis, report.parameters),
                "Kept": true_five_numbers(
                    report.table, analysis, report.parameters, is_truncated=True
                ),
                "With noise": result.five_numbers,
            }
            values = list(zip(*rows.values(), strict=True))
            columns = {
                f"{level:.0%}": [f"{value:.3g}" for value in texts]
                for level, texts in zip(QUANTILE_LEVELS, values, strict=True)
            }
            tables.draw({bins.unit: list(rows), **columns})
            st.caption(
                f"{bins.edges[-1]:g} {bins.unit} and above: "
                f"{number(int(result.shown_numbers[-1]))} (true "
                f"{number(report.count(analysis)[-1])}). The five numbers are "
                + (
                    "computed from the noisy bins."
                    if result.drawn_five_numbers is None
                    else "drawn."
                )
            )
    if report.parameters.unit == "user":
        st.caption("These quantities are of a person's counted trips, so they change with M.")


def _draw_bars(
    report: Report, analysis: Analysis, labels: Sequence[str], part: slice, axis: str, title: str
) -> None:
    result = report.release.results[analysis]
    private, reach = result.shown_numbers[part], result.half_widths()[part]
    true, truncated = (report.count(analysis, is_truncated=cut)[part] for cut in (False, True))
    low = np.maximum(private - reach, 0)
    charts.draw_bars(
        labels,
        [
            Mark(name="true", values=true, colour="#bdbdbd", kind="bar"),
            Mark(name="with noise", values=private, colour=PRIVATE, kind="narrow"),
            Mark(name="kept", values=truncated, colour=TRUE, kind="tick"),
            Mark(name="range from", values=low, end=private + reach, colour="#333", kind="rule"),
        ],
        measure=Axis(title=title, tip=",.0f", ticks=4),
        title=axis,
        upright=True,
        key=f"report_{analysis}",
        alt=f"{analysis.label}: true, kept and private",
        height=270,
    )
