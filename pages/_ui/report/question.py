"""What a person asks of a report: its dataset, who is protected, and what shares the budget."""

from dataclasses import dataclass, replace
from functools import cached_property, partial

import streamlit as st

from engine import report as engine_report
from engine.arrays import Integers
from engine.report import STOPS, Analysis, ReportParameters, ReportRelease, ReportTable, even
from pages._ui import state
from pages._ui.cache import verbs
from pages._ui.shell import catalogue, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import use_settings
from pages._ui.views.context import Context, of
from pages._ui.wording.numbers import inert

UNITS = {"user": "A person, at most M trips", "item": "A single trip"}
METHODS = {"derived": "Ask nothing twice", "package": "As DpMobilityReport"}
UNIT = setting.choice("report_unit", UNITS, "user")
TRIPS_KEPT = setting.stop("report_trips", STOPS, 20, label="M")
METHOD = setting.choice("report_preset", METHODS, "derived")
OFF: Setting[list[str]] = Setting(
    key="report_off",
    default=[],
    read=lambda text: [str(Analysis(name)) for name in text.split(".")],
    write=".".join,
)


@dataclass(frozen=True, eq=False)
class Report:
    """The report on the page: its setting, its draw and the counts behind it."""

    context: Context[ReportParameters]

    @property
    def parameters(self) -> ReportParameters:
        """Settings of the report."""
        return self.context.parameters

    @cached_property
    def table(self) -> ReportTable:
        """The counts behind it, all and kept ones."""
        return verbs.of(engine_report.truth, self.context.key)

    @cached_property
    def release(self) -> ReportRelease:
        """The draw on the page."""
        return self.context.release

    def numbers(self, analysis: Analysis, *, kept: bool = False) -> Integers:
        """Return the numbers of an analysis before any noise: of all trips, or of the kept ones."""
        return engine_report.numbers(self.table, analysis, self.parameters, kept=kept)


def ask(entry: Entry, epsilon: float) -> Context[ReportParameters]:
    """Draw the page's own settings in one row; return the report that they make."""
    place = st.grid(4, min_column_width=210, gap="medium")
    with place.cell():
        unit = setting.draw(
            st.selectbox,
            "Who is protected",
            UNIT,
            UNITS,
            help="Protecting single trips puts no bound on what a person with many reveals.",
        )
    with place.cell():
        kept = setting.draw(
            st.select_slider,
            "Trips kept per person (M)",
            TRIPS_KEPT,
            STOPS,
            disabled=unit == "item",
            help="At random, over the whole period. Noise grows with M, and what is left out "
            "shrinks. Choose it from public knowledge, never from the data.",
        )
    with place.cell():
        method = setting.draw(
            st.selectbox,
            "Budget",
            METHOD,
            METHODS,
            help="Trips are sums of days and five numbers can be read off noisy bins: asking for "
            "them again spends twice, as the package does.",
        )
    usual = engine_report.fitting(
        ReportParameters(epsilon=epsilon, max_trips_per_user=int(kept), unit=unit, method=method),
        verbs.of(engine_report.truth, entry.key),
    )
    with place.cell():
        off = setting.draw(
            partial(st.multiselect, options=[str(one) for one in Analysis]),
            "Leave out",
            OFF,
            format_func=lambda one: Analysis(one).label,
            help="The others share ε evenly.",
        )
    left = [one for one in usual.on if str(one) not in off]
    if not left:
        st.error("At least one analysis must stay: all are shown.", icon=":material/error:")
    elif len(left) < len(usual.on):
        usual = replace(usual, shares=even(left))
    return of(entry, usual)


def open_on_a_report() -> None:
    """Take a dataset that has a report where nobody has chosen another."""
    entry, able = state.entry("trips"), _able()
    if entry is not None and able and not _has_report(entry) and state.is_usual("od_data"):
        state.put_and_rerun(od_data=able[0].name)


def missing(entry: Entry) -> None:
    """Say that a dataset has no report, and offer one that has."""
    st.info(
        f"“{inert(entry.name)}” was made without the tables of a report. Build it again from its "
        "table of trips or visits: the report is made with the trips of people."
    )
    for offer in _able()[:1]:
        st.button(
            f"Use {offer.name} on every page",
            key="report_use_offer",
            on_click=use_settings,
            kwargs={"od_data": offer.name},
        )


def _able() -> list[Entry]:
    able = [one for one in catalogue.entries().values() if _has_report(one)]
    return sorted(able, key=lambda one: not one.shipped)


def _has_report(entry: Entry) -> bool:
    return entry.has_trips and verbs.of(engine_report.available, entry.key)
