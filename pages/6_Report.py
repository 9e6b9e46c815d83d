"""Report: what is in the data, under one budget that can be seen."""

from engine import report as engine_report
from pages._ui.cache import verbs
from pages._ui.report import answer, curves, question, table, where
from pages._ui.report.block import Report
from pages._ui.report.wording import LEAD
from pages._ui.shell import frame, setting, sidebar
from pages._ui.shell.settings import dataset_with

VIEWS = {
    "When": curves.when,
    "Where": where.zones,
    "Flows": where.flows,
    "How far, how long": curves.of_trips,
    "People": curves.of_people,
    "Errors and M": table.draw,
}


def draw() -> None:
    """Draw the page."""
    question.read()
    settings = sidebar.draw(density=False, trips=("od_data",))
    entry = settings.od_data
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return
    if not verbs.of(engine_report.available, entry.key):
        entry = question.instead(entry)
    if entry is None:
        return
    frame.banners([entry])
    report = Report(*question.ask(entry, settings.epsilon))
    answer.draw(report)
    VIEWS[setting.views("report_view", list(VIEWS))](report)


frame.show(draw, "Mobility report", LEAD)
