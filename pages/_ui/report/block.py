"""One block of the report: heading, price, loss and controls, and what stands there when off."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import streamlit as st

from engine import report as engine_report
from engine.arrays import Integers
from engine.report import Analysis, ReportParameters, ReportRelease, ReportTable, Result, numbers
from pages._ui.cache import report as cached_report, verbs
from pages._ui.report import question, wording
from pages._ui.report.wording import OFF, derived
from pages._ui.shell import setting
from pages._ui.shell.session import set_widget, widget_value
from pages._ui.shell.setting import Setting
from pages._ui.views.context import Context

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Report:
    """The report on the page and the pinned one, drawn with the same noise."""

    context: Context[ReportParameters]
    pinned: Context[ReportParameters] | None

    @cached_property
    def table(self) -> ReportTable:
        """The counts behind it, all and kept ones."""
        return verbs.of(engine_report.truth, self.context.key)

    @cached_property
    def release(self) -> ReportRelease:
        """The draw on the page."""
        return _release(self.context)

    @cached_property
    def other(self) -> ReportRelease | None:
        """The draw of the pinned setting."""
        return None if self.pinned is None else _release(self.pinned)

    def result(self, analysis: Analysis) -> Result | None:
        """Return the numbers of an analysis, None where it is off."""
        return self.release.results.get(analysis)

    def numbers(self, analysis: Analysis, *, kept: bool = False) -> Integers:
        """Return the numbers of an analysis before any noise: of all trips, or of the kept ones."""
        return numbers(self.table, analysis, self.context.parameters, kept=kept)

    def compared(self, analysis: Analysis) -> Result | None:
        """Return the pinned numbers, None where there are none of the same shape."""
        other = None if self.other is None else self.other.results.get(analysis)
        own = self.result(analysis)
        same = own is not None and other is not None and other.noisy.shape == own.noisy.shape
        return other if same else None


def _release(context: Context[ReportParameters]) -> ReportRelease:
    return verbs.release(context.key, context.parameters, context.seed)


def head(report: Report, analysis: Analysis, *, unit: str = "") -> Result | None:
    """Draw the heading of a block; None where the analysis is off, which is then said."""
    result = report.result(analysis)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{analysis.label}**", width="content")
        locked = setting.value(question.lock_setting(analysis)) > 0
        label = "off" if result is None else wording.cost(result, locked=locked)
        _controls(report, analysis, result, label)
    if result is None:
        st.caption(_why_off(report, analysis))
        return None
    text = (
        losses(report, analysis, unit=unit),
        wording.clear(result, report.numbers(analysis, kept=True)) if len(result.noisy) > 3 else "",
    )
    if any(text):
        st.caption(" · ".join(part for part in text if part))
    return result


def losses(report: Report, analysis: Analysis, *, unit: str = "") -> str:
    """Say the chosen losses of an analysis in this draw, and those of the pinned setting."""
    shown = setting.value(question.SHOWN_LOSSES)
    parts: list[str] = []
    for words, one in (("Loss", report.context), ("pinned", report.pinned)):
        if one is None:
            continue
        values = cached_report.losses(one.key, one.parameters, one.seed, analysis, tuple(shown))
        texts = [wording.loss(name, values[name], unit) for name in shown if name in values]
        if texts:
            parts.append(f"{words}: {', '.join(texts)}")
    return " · ".join(parts)


def _controls(report: Report, analysis: Analysis, result: Result | None, label: str) -> None:
    """Draw weight, lock and bins of one analysis behind its price."""
    params = report.context.parameters
    usual = question.usual_weight(analysis, params.unit, params.method, report.table)
    share = params.plan.asked.get(analysis)
    with st.popover(label, icon=":material/tune:"):
        setting.draw(
            st.select_slider,
            "Weight in the budget",
            _afresh(question.weight_setting(analysis, usual)),
            question.WEIGHTS,
            format_func=lambda weight: "off" if weight == 0 else f"{weight:g}",
            help="Shares follow the weights; 0 switches the analysis off.",
        )
        if share is not None:
            _lock(analysis, share)
        if result is not None and result.sources:
            st.caption(derived(result))
        if analysis in (Analysis.ZONES, Analysis.ZONE_WINDOWS):
            setting.draw(
                st.text_input,
                "Time windows (hours)",
                _afresh(question.HOURS),
                help="Edges of the windows of a day. What they leave of it is a window past "
                "midnight.",
            )
        if analysis.is_histogram:
            setting.draw(
                st.text_input,
                "Bins (from : to : width)",
                _afresh(question.bins_setting(analysis, params.max_trips_per_user)),
                help="Public numbers, chosen by you; what lies outside is counted apart.",
            )


def _why_off(report: Report, analysis: Analysis) -> str:
    """Say why an analysis is not shown."""
    params = report.context.parameters
    if analysis in params.plan.empty:
        return OFF["empty"]
    if params.unit == "item" and analysis.counted == "user":
        return OFF["unit"]
    if analysis is Analysis.TRAVEL_TIME and not report.table.has_travel_times:
        return OFF["travel"]
    return OFF["weight"]


def _afresh(one: Setting[T]) -> Setting[T]:
    """Send the value of a setting with this run.

    A popover makes its widgets when it is opened, and would show their first option where the value
    came with an earlier run.
    """
    set_widget(one.key, setting.value(one))
    return one


def _lock(analysis: Analysis, share: float) -> None:
    one = question.lock_setting(analysis)
    key = f"report_hold_{analysis}"
    set_widget(key, setting.value(one) > 0)

    def change() -> None:
        setting.put(one, round(share, 6) if widget_value(key) else 0.0)

    st.toggle(
        f"Hold its share of {share:.1%}",
        key=key,
        on_change=change,
        help="A held share stays when other weights change.",
    )
