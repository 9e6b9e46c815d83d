"""Report: what is in the data, under one budget that can be seen."""

from pages._ui.answers import report_datasets
from pages._ui.app.session import session
from pages._ui.frame import layout
from pages._ui.report import distributions, report_form, report_maps, summary
from pages._ui.report.report_form import Report
from pages._ui.settings import widgets

VIEWS = {
    "When": distributions.draw_times,
    "Visits": report_maps.draw_visits,
    "Flows": report_maps.draw_flows,
    "How far, how long": distributions.draw_histograms,
    "Errors and M": summary.draw_errors,
}
LEAD = "When, where and how far people travel, under one privacy budget."


def draw() -> None:
    """Draw the page."""
    entry = report_datasets.choose_entry()
    setting = report_datasets.report_setting(entry)
    if entry is None or "trips" not in entry.parts:
        layout.explain_missing(entry, "trips")
        return
    layout.draw_banners([entry])
    if setting is None:
        report_datasets.explain_missing(entry)
        return
    report_form.draw_form(setting.parameters.analyses)
    report = Report(setting)
    session().stamp = report_form.describe_report(report.parameters)
    summary.draw(report)
    VIEWS[widgets.choose("View", list(VIEWS), "report_view")](report)


layout.show_page(draw, "Mobility report", LEAD)
