"""One block of the report: its heading, price, loss, and what stands there when it is off."""

from dataclasses import dataclass

import streamlit as st

from engine.report import Analysis, ReportRelease, ReportTable, Result
from pages._ui.cache import report as cached_report
from pages._ui.report import budget, controls, wording
from pages._ui.report.controls import Chosen
from pages._ui.shell import setting


@dataclass(frozen=True, eq=False)
class Report:
    """The report on the page and the pinned one, drawn with the same noise."""

    chosen: Chosen
    table: ReportTable
    release: ReportRelease
    pinned: ReportRelease | None

    def result(self, analysis: Analysis) -> Result | None:
        """Return the numbers of an analysis, None where it is off."""
        return self.release.results.get(analysis)

    def compared(self, analysis: Analysis) -> Result | None:
        """Return the pinned numbers, None where there are none of the same shape."""
        other = None if self.pinned is None else self.pinned.results.get(analysis)
        own = self.result(analysis)
        same = own is not None and other is not None and other.noisy.shape == own.noisy.shape
        return other if same else None


def head(report: Report, analysis: Analysis, *, unit: str = "") -> Result | None:
    """Draw the heading of a block; None where the analysis is off, which is then said."""
    result = report.result(analysis)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{analysis.label}**", width="content")
        label = "off" if result is None else wording.cost(result, locked=_locked(analysis))
        budget.controls_of(analysis, report.chosen, report.table, result, label)
    if result is None:
        st.caption(budget.why_off(analysis, report.chosen, report.table))
        return None
    text = (
        losses(report, analysis, unit=unit),
        wording.clear(result) if len(result.kept) > 3 else "",
    )
    if any(text):
        st.caption(" · ".join(part for part in text if part))
    return result


def losses(report: Report, analysis: Analysis, *, unit: str = "") -> str:
    """Say the chosen losses of an analysis in this draw, and those of the pinned setting."""
    chosen = report.chosen
    shown = setting.value(controls.SHOWN_LOSSES)
    parts: list[str] = []
    for words, parameters in (("Loss", chosen.parameters), ("pinned", chosen.pinned)):
        if parameters is None:
            continue
        values = cached_report.losses(chosen.key, parameters, chosen.seed, analysis, tuple(shown))
        texts = [wording.loss(name, values[name], unit) for name in shown if name in values]
        if texts:
            parts.append(f"{words}: {', '.join(texts)}")
    return " · ".join(parts)


def _locked(analysis: Analysis) -> bool:
    return setting.value(controls.lock_setting(analysis)) > 0
