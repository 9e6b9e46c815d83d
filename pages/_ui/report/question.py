"""What a person asks of a report: its dataset, who is protected, and what shares the budget."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from engine import report as engine_report
from engine.arrays import Integers
from engine.contract import Setting
from engine.report import STOPS, Analysis, ReportParameters, ReportRelease, ReportTable, even
from pages._ui import cached, state

UNITS = {"user": "A person, at most M trips", "item": "A single trip"}
METHODS = {"derived": "Ask nothing twice", "package": "As DpMobilityReport"}


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
        return cached.release(self.setting, state.seed(state.entry_of(self.setting)))

    def numbers(self, analysis: Analysis, *, kept: bool = False) -> Integers:
        """Return the numbers of an analysis before any noise: of all trips, or of the kept ones."""
        return engine_report.numbers(self.table, analysis, self.parameters, kept=kept)


def ask(setting: Setting) -> Setting:
    """Draw the page's own settings in one row; return the report that they make."""
    place = st.grid(4, min_column_width=190, gap="medium")
    unit = place.cell().selectbox(
        "Who is protected",
        list(UNITS),
        format_func=UNITS.__getitem__,
        key="report_unit",
        help="Protecting single trips puts no bound on what a person with many reveals.",
        **state.LINKED,
    )
    kept = place.cell().select_slider(
        "Trips kept per person (M)",
        STOPS,
        20,
        disabled=unit == "item",
        key="report_trips",
        help="At random, over the whole period. Noise grows with M, and what is left out "
        "shrinks. Choose it from public knowledge, never from the data.",
        **state.LINKED,
    )
    method: Any = place.cell().selectbox(
        "Budget",
        list(METHODS),
        format_func=METHODS.__getitem__,
        key="report_preset",
        help="Trips are sums of days and five numbers can be read off noisy bins: asking for "
        "them again spends twice, as the package does.",
        **state.LINKED,
    )
    off = place.cell().multiselect(
        "Leave out",
        [str(one) for one in Analysis],
        format_func=lambda one: Analysis(one).label,
        key="report_off",
        help="The others share ε evenly.",
        **state.LINKED,
    )
    asked = replace(setting.parameters, unit=unit, max_trips_per_user=kept, method=method)
    asked = engine_report.fitting(asked, cached.truth(setting))
    left = [one for one in asked.on if str(one) not in off]
    if not left:
        st.error("At least one analysis must stay: all are shown.", icon=":material/error:")
    elif len(left) < len(asked.on):
        asked = replace(asked, shares=even(left))
    return replace(setting, parameters=asked)


def said(asked: ReportParameters) -> str:
    """Say what is set."""
    trips = "a single trip" if asked.unit == "item" else f"M {asked.max_trips_per_user}, one person"
    return f"ε {asked.epsilon:g}, {trips}"
