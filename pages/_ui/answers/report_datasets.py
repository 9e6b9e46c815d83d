"""Which datasets have a mobility report, and which of them a page about one takes."""

from typing import Any

import streamlit as st

from engine import report
from engine.contract import Setting
from engine.text.numbers import make_inert
from pages._ui.answers import cached
from pages._ui.app import catalogue
from pages._ui.app.catalogue import Entry
from pages._ui.frame import layout
from pages._ui.settings import fields, offers


def choose_entry() -> Entry | None:
    """Return the dataset of trips; one that has a report where nobody has chosen another."""
    entry, entries = offers.entry_for("trips"), entries_with_report()
    if entry is None or not entries or has_report(entry) or not offers.is_default("od_data"):
        return entry
    name, other = make_inert(entries[0].name), make_inert(entry.name)
    st.caption(f"The report uses {name}, because {other} has none.")
    return entries[0]


def entries_with_report() -> list[Entry]:
    """Return the datasets with a report, shipped ones first."""
    entries = sorted(catalogue.entries().values(), key=lambda entry: not entry.shipped)
    return [entry for entry in entries if has_report(entry)]


def has_report(entry: Entry) -> bool:
    """Whether a dataset has the tables of a report."""
    return "trips" in entry.parts and cached.read(report.has_report, entry.key)


def explain_missing(entry: Entry) -> None:
    """Draw the note that a dataset has no report, with an offer of one that has."""
    st.info(
        f"“{make_inert(entry.name)}” was built without the tables of a report. Build it again "
        "from its table of trips or visits."
    )
    for substitute in entries_with_report()[:1]:
        layout.offer_dataset("trips", substitute)


def report_setting(entry: Entry | None) -> Setting | None:
    """Return the report of a dataset that is set; None where it has no tables of one."""
    if entry is None or not has_report(entry):
        return None
    report_fields = fields.PARAMETERS["report"].items()
    values: dict[str, Any] = {name: fields.value(field) for name, field in report_fields}
    setting = Setting(selection=entry.key, parameters=report.ReportParameters(**values))
    fitted = report.fit_to_table(setting.parameters, cached.truth(setting))
    left_out = set(fields.value(fields.REPORT_OFF)) & set(fitted.analyses)
    if left_out and left_out != set(fitted.analyses):
        fitted = fitted.without(left_out)
    return Setting(selection=entry.key, parameters=fitted)
