"""Report: what is in the data, under one budget that can be seen."""

from pages._ui import state
from pages._ui.report import answer, charts, question, where
from pages._ui.report.question import Report
from pages._ui.shell import frame
from pages._ui.shell.session import session
from pages._ui.views import reported

VIEWS = {
    "When": charts.when,
    "Visits": where.visits,
    "Flows": where.flows,
    "How far, how long": charts.histograms,
    "Errors and M": answer.errors,
}
LEAD = "What is in the data – when, where, how far – under one privacy budget."


def draw() -> None:
    """Draw the page."""
    entry = reported.dataset()
    setting = state.report(entry)
    if entry is None or "trips" not in entry.parts:
        frame.missing(entry, "trips")
        return
    frame.banners([entry])
    if setting is None:
        reported.missing(entry)
        return
    question.ask(setting.parameters.analyses)
    report = Report(setting)
    session().said = question.said(report.parameters)
    answer.draw(report)
    VIEWS[state.choose("View", list(VIEWS), "report_view")](report)


frame.show(draw, "Mobility report", LEAD)
