"""What a person asks of a report: its dataset, who is protected, and what shares the budget."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from engine import report as engine_report
from engine.arrays import Integers
from engine.contract import Setting
from engine.report import Analysis, ReportParameters, ReportRelease, ReportTable
from pages._ui.answers import cached
from pages._ui.settings import fields, offers, seeds, widgets


@dataclass(frozen=True, eq=False)
class Report:
    """The report on the page: its setting, its draw and the counts behind it."""

    setting: Setting

    @property
    def parameters(self) -> ReportParameters:
        """Settings of the report."""
        return self.setting.parameters

    @cached_property
    def table(self) -> ReportTable:
        """The counts behind it, all and kept ones."""
        return cached.truth(self.setting)

    @cached_property
    def release(self) -> ReportRelease:
        """The draw on the page."""
        return cached.release(self.setting, seeds.seed(offers.entry_of(self.setting)))

    def count(self, analysis: Analysis, *, is_truncated: bool = False) -> Integers:
        """Return the numbers of an analysis before any noise: of all trips, or of the kept ones."""
        return engine_report.count_analysis(
            self.table, analysis, self.parameters, is_truncated=is_truncated
        )


def draw_form(analyses: Collection[Analysis]) -> None:
    """Draw the page's own settings in one row, of a report with these analyses."""
    place = st.grid(4, min_column_width=190, gap="medium")
    has_limit = fields.value(fields.REPORT_UNIT) == "user"
    for field in (fields.REPORT_UNIT, fields.REPORT_TRIPS, fields.REPORT_METHOD, fields.REPORT_OFF):
        with place.cell():
            widgets.draw(field, disabled=field is fields.REPORT_TRIPS and not has_limit)
    if not set(analyses) - set(fields.value(fields.REPORT_OFF)):
        st.error("At least one analysis must remain, so all are shown.", icon=":material/error:")


def describe_report(report: ReportParameters) -> str:
    """Return the setting of a report in words."""
    trips = (
        "a single trip" if report.unit == "item" else f"M {report.max_trips_per_user}, one person"
    )
    return f"ε {report.epsilon:g}, {trips}"
