"""Report: what is in the data, under one budget that can be seen."""

import streamlit as st

from pages._ui.cache import report as cached_report
from pages._ui.report import (
    budget,
    controls,
    errors,
    flows,
    overview,
    quantities,
    source,
    when,
    where,
)
from pages._ui.report.block import Report
from pages._ui.report.wording import LEAD
from pages._ui.shell import frame, setting, sidebar
from pages._ui.shell.settings import dataset_with, seed

VIEWS = {
    "When": when.draw,
    "Where": where.draw,
    "Flows": flows.draw,
    "How far, how long": quantities.of_trips,
    "People": quantities.of_people,
    "Errors and M": errors.draw,
}


def draw() -> None:
    """Draw the page."""
    controls.read()
    settings = sidebar.draw(density=False, trips=("od_data",))
    entry = settings.od_data
    if entry is None or not entry.has_trips:
        frame.missing(entry, "trips", dataset_with("trips"), "od_data")
        return
    if not cached_report.available(entry.key):
        entry = source.instead(entry)
    if entry is None:
        return
    frame.banners([entry])
    table = cached_report.table(entry.key)
    chosen = controls.draw(entry.key, entry.name, table, settings.epsilon, seed(entry))
    release = cached_report.release(chosen.key, chosen.parameters, chosen.seed)
    pinned = chosen.pinned and cached_report.release(chosen.key, chosen.pinned, chosen.seed)
    report = Report(chosen, table, release, pinned)
    budget.bar(release)
    overview.draw(report)
    view = setting.draw(
        st.segmented_control,
        "View",
        setting.choice("report_view", VIEWS, "When"),
        list(VIEWS),
        required=True,
        label_visibility="collapsed",
    )
    VIEWS[view](report)


frame.show(draw, "Mobility report", LEAD)
