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

WHEN, WHERE, FLOWS = "When", "Where", "Flows"
FAR, PEOPLE, ERRORS = "How far, how long", "People", "Errors and M"
VIEWS = (WHEN, WHERE, FLOWS, FAR, PEOPLE, ERRORS)

frame.frame("Mobility report", LEAD)
settings = sidebar.draw(density=False, trips=("od_data",))
entry = settings.od_data
if entry is None or not entry.has_trips:
    frame.missing(entry, "trips", dataset_with("trips"), "od_data")
    st.stop()
if not cached_report.available(entry.key):
    entry = source.instead(entry)
    if entry is None:
        st.stop()
frame.banners([entry])
table = cached_report.table(entry.key)
chosen = controls.draw(entry.key, table, settings.epsilon, seed(entry))
release = cached_report.release(chosen.key, chosen.parameters, chosen.seed)
pinned = chosen.pinned and cached_report.release(chosen.key, chosen.pinned, chosen.seed)
report = Report(chosen, table, release, pinned)
budget.bar(release)
overview.draw(report)
view = setting.draw(
    st.segmented_control,
    "View",
    setting.choice("report_view", VIEWS, WHEN),
    VIEWS,
    required=True,
    label_visibility="collapsed",
)
if view == WHEN:
    when.draw(report)
elif view == WHERE:
    where.draw(report)
elif view == FLOWS:
    flows.draw(report)
elif view == FAR:
    quantities.draw(report, quantities.TRIPS)
elif view == PEOPLE:
    quantities.draw(report, quantities.PEOPLE)
else:
    errors.draw(report)
