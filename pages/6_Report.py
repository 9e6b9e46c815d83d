"""Report: what is in the data, under one budget that can be seen."""

from engine import report as engine_report
from pages._ui.cache import verbs
from pages._ui.report import answer, charts, question, where
from pages._ui.report.question import Report
from pages._ui.shell import frame, setting
from pages._ui.shell.settings import current, dataset_with

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
    question.open_on_a_report()
    settings = current()
    entry = settings.od_data
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return
    frame.banners([entry])
    if not verbs.of(engine_report.available, entry.key):
        question.missing(entry)
        return
    report = Report(question.ask(entry, settings.epsilon))
    answer.draw(report)
    VIEWS[setting.views("report_view", list(VIEWS))](report)


frame.show(draw, "Mobility report", LEAD)
